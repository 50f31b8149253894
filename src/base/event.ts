import { type Disposable, toDisposable } from './disposable';

/** Subscribes a listener. Structurally compatible with `vscode.Event` for one-argument calls. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Where the error of a listener goes when its emitter was given no place for it: a bug of ours, which must be seen. */
let unheard: (error: unknown) => void = (error) => console.error(error);

/** The composition root's place for such errors: its log. Until then they stand on stderr. */
export function useListenerErrors(report: (error: unknown) => void): void {
  unheard = report;
}

/** A source of events. A listener that throws keeps neither the others from hearing nor whoever fires from going on. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<{ call: (value: T) => void }>();
  readonly #onError: ((error: unknown) => void) | undefined;

  /** @param onError gets what listeners throw, in place of `useListenerErrors` */
  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener };
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const entry of [...this.#listeners]) {
      try {
        entry.call(value);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }

  #failed(error: unknown): void {
    try {
      (this.#onError ?? unheard)(error);
    } catch (second) {
      // The place for errors is broken too (a log that was closed, say): stderr is left.
      console.error(error, second);
    }
  }
}
