import { noChange } from 'lit';
import { AsyncDirective } from 'lit/async-directive.js';
import { type DirectiveResult, directive } from 'lit/directive.js';
import type { Signal } from './store';

class Watch extends AsyncDirective {
  #signals: readonly Signal[] = [];
  #deps: readonly unknown[] = [];
  #draw: (() => unknown) | undefined;
  #stops: (() => void)[] = [];

  render(signals: readonly Signal[], draw: () => unknown, deps: readonly unknown[]): unknown {
    const same = this.#draw !== undefined && equal(signals, this.#signals) && equal(deps, this.#deps);
    this.#draw = draw;
    if (same) return noChange;
    this.#deps = deps;
    this.#unsubscribe();
    this.#signals = signals;
    if (this.isConnected) this.#subscribe();
    return draw();
  }

  protected override disconnected(): void {
    this.#unsubscribe();
  }

  protected override reconnected(): void {
    this.#subscribe();
    if (this.#draw) this.setValue(this.#draw());
  }

  #subscribe(): void {
    this.#stops = this.#signals.map((signal) =>
      signal.subscribe(() => {
        if (this.isConnected && this.#draw) this.setValue(this.#draw());
      }),
    );
  }

  #unsubscribe(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }
}

function equal(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

const watchDirective = directive(Watch);

/**
 * A part of a template that is drawn anew when one of the signals fires, and only that part. When the template around it is drawn, it is
 * left alone unless `deps`, the other values that `draw` uses, have changed.
 */
export function watch(
  signals: readonly Signal[],
  draw: () => unknown,
  deps: readonly unknown[] = [],
): DirectiveResult<typeof Watch> {
  return watchDirective(signals, draw, deps);
}
