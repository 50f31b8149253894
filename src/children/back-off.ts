import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { ChildSpec } from './types';

/** Starts that may fail in a row before the next one has to wait. */
const free = 3;
const shortest = 1_000;
const longest = 30_000;
/** Programs that are remembered. */
const most = 200;

/**
 * Keeps an agent that cannot be started from being started again and again by a model that asks it again and again: after a few failures
 * in a row the next start waits, twice as long each time. Who restarts an agent by hand waits for nothing.
 */
export class BackOff {
  readonly #failures = new Map<string, { count: number; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws UserError while the next start has to wait, with how long. */
  refuse({ key, name }: Pick<ChildSpec, 'key' | 'name'>): void {
    const failure = this.#failures.get(key);
    const wait = failure ? failure.until - this.#now() : 0;
    if (!failure || wait <= 0) return;
    throw new WaitingError(
      l10n.t(
        '{0} could not be started {1} times in a row, so it is not tried again for {2} s',
        name,
        failure.count,
        Math.ceil(wait / 1000),
      ),
      { hint: l10n.t('Mend what its log says. A changed file or entry in mm.yaml is tried at once.') },
    );
  }

  failed(key: string): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const wait = count < free ? 0 : Math.min(shortest * 2 ** (count - free), longest);
    this.#failures.delete(key);
    this.#failures.set(key, { count, until: this.#now() + wait });
    if (this.#failures.size > most) this.#failures.delete(this.#failures.keys().next().value!);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}

/** The start was not even tried. */
export class WaitingError extends UserError {}
