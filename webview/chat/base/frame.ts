/** Work that can be done in slices; returns whether something is left. `deadline` is a time of `performance.now()`. */
export type Work = (deadline: number) => boolean;

/** Milliseconds of one frame that slices of work may take; the rest belongs to layout and to the person's input. */
const budget = 7;

/**
 * One loop for everything that changes the page, in this order: what changed in the conversation is drawn, then Markdown is parsed
 * within a budget, then the scroll position is set. So a frame lays out once, and no burst of patches can fill it (faults F059).
 */
export class Frame {
  readonly #draws = new Set<() => void>();
  readonly #works = new Set<Work>();
  readonly #afters = new Set<() => void>();
  #requested = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Draws once in the next frame, however often it is asked for. */
  draw(what: () => void): void {
    this.#draws.add(what);
    this.#request();
  }

  /** Calls `work` in every frame until it says that nothing is left. */
  work(work: Work): void {
    this.#works.add(work);
    this.#request();
  }

  drop(work: Work): void {
    this.#works.delete(work);
  }

  /** Called at the end of every frame in which something was done. */
  after(what: () => void): () => void {
    this.#afters.add(what);
    return () => this.#afters.delete(what);
  }

  /** Makes the loop run once, for instance because a fold was opened. */
  touch(): void {
    this.#request();
  }

  #request(): void {
    if (this.#requested) return;
    this.#requested = true;
    // a hidden page gets no frames, but its words must not pile up
    if (document.visibilityState === 'hidden') setTimeout(() => this.run(), 100);
    else requestAnimationFrame(() => this.run());
  }

  /** One frame. Public for tests, which have no frames. */
  run(): void {
    this.#requested = false;
    const draws = [...this.#draws];
    this.#draws.clear();
    for (const draw of draws) draw();
    const deadline = this.now() + budget;
    for (const work of [...this.#works]) {
      if (!work(deadline)) this.#works.delete(work);
      else this.#request();
      if (this.now() >= deadline && this.#works.size > 0) {
        this.#request();
        break;
      }
    }
    for (const after of [...this.#afters]) after();
  }
}
