import type { Disposable } from './disposable';
import { Emitter, type Event } from './event';

/** A limit of time that runs, and may begin anew. */
interface Limit {
  until: number;
  again(): void;
}

/**
 * How long somebody waits for a start. Each of its steps has a limit; a person who would rather wait gives the step that runs as long
 * again (faults F006).
 */
export class Patience {
  readonly #limits = new Set<Limit>();
  readonly #others = new Set<Patience>();
  readonly #changed = new Emitter<void>();

  /** `until` is another one. */
  readonly onDidChange: Event<void> = this.#changed.event;

  /** When the step that runs is given up, milliseconds since the epoch; undefined while nothing has a limit. */
  get until(): number | undefined {
    const ends = [...this.#limits, ...this.#others].flatMap(({ until }) => until ?? []);
    return ends.length === 0 ? undefined : Math.max(...ends);
  }

  /** What runs has its whole time again, from now on. */
  more(): void {
    for (const limit of this.#limits) limit.again();
    for (const other of this.#others) other.more();
    if (this.#limits.size > 0) this.#changed.fire();
  }

  /** Calls `late`, once, when `ms` milliseconds have passed without `more`. */
  limit(ms: number, late: () => void): Disposable {
    let timer: NodeJS.Timeout | undefined;
    const limit: Limit = {
      until: 0,
      again: () => {
        clearTimeout(timer);
        limit.until = Date.now() + ms;
        timer = setTimeout(late, ms);
      },
    };
    limit.again();
    this.#limits.add(limit);
    this.#changed.fire();
    return {
      dispose: () => {
        clearTimeout(timer);
        if (this.#limits.delete(limit)) this.#changed.fire();
      },
    };
  }

  /** Takes part in a step that several wait for: its limits count here, and `more` is passed on. */
  join(other: Patience): Disposable {
    this.#others.add(other);
    const heard = other.onDidChange(() => this.#changed.fire());
    this.#changed.fire();
    return {
      dispose: () => {
        heard.dispose();
        if (this.#others.delete(other)) this.#changed.fire();
      },
    };
  }
}
