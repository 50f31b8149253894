import type { Disposable } from '../base/disposable';

/** Calls `tick` every `ms` milliseconds until it is disposed. A machine that sleeps ticks once when it wakes. */
export type Ticker = (ms: number, tick: () => void) => Disposable;

const realTicker: Ticker = (ms, tick) => {
  const timer = setInterval(tick, ms);
  return { dispose: () => clearInterval(timer) };
};

export interface WatchdogOptions {
  /** Silence after which `onSilence` is called, once. It comes up to a twentieth of that later. */
  seconds: number;
  onSilence(): void;
  /** What happens now is nobody's silence: a command runs, a question waits, another agent was asked. */
  resting(): boolean;
  /** For tests. */
  every?: Ticker;
}

/** Ticks in one silence. */
const ticks = 20;

/**
 * Notices that an agent says nothing any more (rule 11). Silence is counted in ticks and not by the clock: a sign of life costs an
 * assignment, and a laptop that slept for an hour has not heard an hour of silence.
 */
export class Watchdog implements Disposable {
  readonly #timer: Disposable;
  #quiet = 0;

  constructor(o: WatchdogOptions) {
    const every = o.every ?? realTicker;
    this.#timer = every((o.seconds * 1000) / ticks, () => {
      this.#quiet = o.resting() ? 0 : this.#quiet + 1;
      // The first tick may come right after a sign of life.
      if (this.#quiet <= ticks) return;
      this.dispose();
      o.onSilence();
    });
  }

  /** A sign of life. */
  alive(): void {
    this.#quiet = 0;
  }

  dispose(): void {
    this.#timer.dispose();
  }
}

export interface SilenceOptions extends Pick<WatchdogOptions, 'seconds' | 'every'> {
  /** A command of the agent runs, which has a time limit of its own. */
  commandRuns(): boolean;
  /** Ends the turn. */
  onSilence(): void;
}

/** The watchdog of one turn, and what is not the agent's own time in it: questions and asks of it that are open, a slow reader. */
export class Silence implements Disposable {
  readonly #watchdog: Watchdog;
  #others = 0;
  #fell = false;

  constructor(o: SilenceOptions) {
    this.#watchdog = new Watchdog({
      seconds: o.seconds,
      resting: () => this.#others > 0 || o.commandRuns(),
      onSilence: () => {
        this.#fell = true;
        o.onSilence();
      },
      every: o.every,
    });
  }

  /** The agent said nothing for too long, and the turn was ended for it. */
  get fell(): boolean {
    return this.#fell;
  }

  /** A sign of life. */
  alive(): void {
    this.#watchdog.alive();
  }

  /** Waits for what is not the agent's time. */
  async others<T>(work: Promise<T>): Promise<T> {
    this.#others++;
    try {
      return await work;
    } finally {
      this.#others--;
      this.alive();
    }
  }

  dispose(): void {
    this.#watchdog.dispose();
  }
}
