import type { Readable } from 'node:stream';

/** Characters that may wait behind a handler before reading pauses, and how few must be left before it goes on. */
const pauseAbove = 1024 * 1024;
const resumeBelow = 128 * 1024;

export interface InboxOptions<T> {
  input: Readable;
  /** Handles one item. A returned promise holds back everything behind it. */
  deliver(item: T): void | Promise<void>;
  /** What an item weighs, in characters. */
  size(item: T): number;
  /** `deliver` threw, or its promise was rejected. */
  onFault(error: unknown): void;
  /** Nothing waits and nothing is being handled any more. */
  onIdle(): void;
}

/**
 * The one ordered queue of a connection. As long as nobody is behind, an item goes straight to its handler and nothing is allocated for it; while
 * a handler's promise is open, items wait, and reading pauses when they become many (backpressure reaches the sender through the pipe).
 */
export class Inbox<T> {
  readonly #o: InboxOptions<T>;
  /** What waits; `#head` is the first that was not taken. */
  #waiting: (T | undefined)[] = [];
  #head = 0;
  #backlog = 0;
  #held = false;
  #paused = false;
  #closed = false;

  constructor(options: InboxOptions<T>) {
    this.#o = options;
  }

  /** A handler's promise is open. */
  get held(): boolean {
    return this.#held;
  }

  push(item: T): void {
    if (!this.behind) {
      this.#deliver(item);
      return;
    }
    this.#waiting.push(item);
    this.#backlog += this.#o.size(item);
    if (!this.#paused && this.#backlog > pauseAbove) {
      this.#paused = true;
      this.#o.input.pause();
    }
  }

  /** True when something that has come was not delivered yet. */
  get behind(): boolean {
    return this.#held || this.#head < this.#waiting.length;
  }

  /** Drops what waits, and gives it. */
  close(): T[] {
    this.#closed = true;
    const dropped = this.#waiting.slice(this.#head) as T[];
    this.#waiting = [];
    this.#head = 0;
    return dropped;
  }

  #deliver(item: T): void {
    try {
      const hold = this.#o.deliver(item);
      if (hold !== undefined && hold !== null && typeof hold.then === 'function') this.#hold(hold);
    } catch (error) {
      this.#o.onFault(error);
    }
  }

  #hold(promise: Promise<void>): void {
    this.#held = true;
    promise
      .then(undefined, (error) => this.#o.onFault(error))
      .then(() => {
        this.#held = false;
        this.#drain();
      });
  }

  #drain(): void {
    while (!this.#held && this.#head < this.#waiting.length) {
      const item = this.#waiting[this.#head] as T;
      this.#waiting[this.#head++] = undefined;
      if (this.#head === this.#waiting.length || this.#head > 4096) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      this.#backlog -= this.#o.size(item);
      this.#deliver(item);
    }
    if (this.#paused && this.#backlog < resumeBelow && !this.#closed) {
      this.#paused = false;
      this.#o.input.resume();
    }
    if (!this.#held) this.#o.onIdle();
  }
}
