/** Something that must be stopped. Structurally the same as VS Code's. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function; it runs once, however often `dispose` is called. */
export function toDisposable(stop: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      stop();
    },
  };
}

/**
 * Owns disposables and ends them in reverse order, all of them, also when one fails; the first failure is thrown at the end. One that is added after the end is disposed at once,
 * so that a late arrival (a child that came up while its owner went down) cannot leak.
 */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const failures: unknown[] = [];
    for (const item of this.#items.reverse()) {
      try {
        item.dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#items = [];
    if (failures.length > 0) throw failures[0];
  }
}
