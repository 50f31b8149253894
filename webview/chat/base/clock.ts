import { AsyncDirective } from 'lit/async-directive.js';
import { directive } from 'lit/directive.js';
import { t } from './l10n';

/** "00:12", and "1:02:03" from an hour on. */
export function clockTime(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** "6 s", "2 min 5 s": whole seconds, at least one. */
export function seconds(milliseconds: number): string {
  const s = Math.max(1, Math.round(milliseconds / 1000));
  if (s < 60) return t('{0} s', s);
  return s % 60 === 0 ? t('{0} min', s / 60) : t('{0} min {1} s', Math.floor(s / 60), s % 60);
}

/** "0.8 s", "11.4 s"; whole seconds from a minute on. */
export function tenths(milliseconds: number): string {
  const s = Math.max(0, milliseconds) / 1000;
  return s < 59.95 ? t('{0} s', s.toFixed(1)) : seconds(milliseconds);
}

/** One interval for all clocks of the page; it runs only while a clock is seen. */
class Ticker {
  readonly #clocks = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(clock: () => void): () => void {
    this.#clocks.add(clock);
    this.#timer ??= setInterval(() => {
      for (const c of [...this.#clocks]) c();
    }, 1000);
    return () => {
      this.#clocks.delete(clock);
      if (this.#clocks.size === 0 && this.#timer !== undefined) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    };
  }
}

const ticker = new Ticker();

class Ticking extends AsyncDirective {
  #draw: (() => unknown) | undefined;
  #stop: (() => void) | undefined;

  render(draw: () => unknown): unknown {
    this.#draw = draw;
    if (this.isConnected) this.#stop ??= ticker.add(() => this.#tick());
    return draw();
  }

  #tick(): void {
    if (this.isConnected && this.#draw) this.setValue(this.#draw());
  }

  protected override disconnected(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  protected override reconnected(): void {
    this.#stop ??= ticker.add(() => this.#tick());
    this.#tick();
  }
}

/** A part of a template that is drawn anew every second. */
export const everySecond = directive(Ticking);
