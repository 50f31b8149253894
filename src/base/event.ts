import { type Disposable, toDisposable } from './disposable';

/** Subscribes a listener. Structurally compatible with `vscode.Event` for one-argument calls. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** A source of events. A listener that throws does not keep the others from hearing; its error is rethrown on the next tick. */
export class Emitter<T> implements Disposable {
  #listeners = new Set<{ call: (value: T) => void }>();

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
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
