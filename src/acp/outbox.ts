import type { Writable } from 'node:stream';
import { l10n } from '../base/l10n';

const done = Promise.resolve();

/** Writes lines and knows when the pipe is full and when nobody reads it any more. It never throws and never rejects. */
export class Outbox {
  readonly #output: Writable;
  #error: Error | undefined;
  #drained: Promise<void> | undefined;
  #free: (() => void) | undefined;

  constructor(output: Writable) {
    this.#output = output;
    const failed = (cause?: Error) => {
      this.#error ??= new Error(l10n.t('The other side reads no more.'), { cause });
      this.release();
    };
    output.on('error', failed);
    output.on('close', () => failed());
  }

  /** Set when the other side reads no more (EPIPE). What it wrote before may still be in its own pipe. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Resolves when the pipe has taken it. `taken` hears when the line itself was written, or why it was not. */
  write(line: string, taken?: (error: Error | null | undefined) => void): Promise<void> {
    if (this.#output.write(`${line}\n`, taken)) return done;
    this.#drained ??= new Promise((resolve) => {
      const free = () => {
        this.#output.off('drain', free);
        this.#drained = undefined;
        this.#free = undefined;
        resolve();
      };
      this.#free = free;
      this.#output.on('drain', free);
    });
    return this.#drained;
  }

  /** Lets go whoever waits for the pipe. */
  release(): void {
    this.#free?.();
  }
}
