/** Items that may wait for the consumer before producers are held back. */
const highWater = 64;

/**
 * Between those who produce events and the one who consumes them. `push` returns a promise while the consumer is behind,
 * so that a fast agent is held back at its pipe and memory stays flat. After `close` everything is dropped.
 */
export class EventQueue<T> {
  #items: T[] = [];
  #head = 0;
  #waiting: (() => void) | undefined;
  #held: (() => void)[] = [];
  #ended = false;
  #error: unknown;
  #failed = false;

  push(item: T): void | Promise<void> {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wake();
    if (this.size <= highWater) return;
    return new Promise((resolve) => this.#held.push(resolve));
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Nothing comes any more; what is here is still handed out. */
  end(): void {
    this.#ended = true;
    this.#wake();
    this.#release();
  }

  /** As `end`; `next` then rejects with the error. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failed = true;
    this.#error = error;
    this.end();
  }

  /** The consumer has gone. */
  close(): void {
    this.#items = [];
    this.#head = 0;
    this.end();
  }

  /** The next item, or undefined at the end. One call at a time. */
  async next(): Promise<{ value: T } | undefined> {
    for (;;) {
      if (this.#head < this.#items.length) return { value: this.#take() };
      if (this.#failed) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  #take(): T {
    const item = this.#items[this.#head++]!;
    if (this.#head >= highWater && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    if (this.#held.length > 0 && this.size <= highWater / 2) this.#release();
    return item;
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const resolve of held) resolve();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}
