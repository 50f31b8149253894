import { CancelledError } from '../../base/errors';

/** How many tasks work at the same time; the others wait in the order in which they came. */
export class Slots {
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws CancelledError when the signal fires first. */
  async acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new CancelledError();
    if (this.#taken < this.most) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = () => {
        this.#waiting = this.#waiting.filter((one) => one !== turn);
        reject(new CancelledError());
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  release(): void {
    this.#taken--;
    if (this.#taken >= this.most) return;
    const next = this.#waiting.shift();
    if (!next) return;
    this.#taken++;
    next();
  }

  /** Who goes on after a pause (a question was answered) need not wait again: for a while there may be one more than the most. */
  retake(): void {
    this.#taken++;
  }
}
