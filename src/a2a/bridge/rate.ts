/** How many calls a caller may make. */
export interface RateLimit {
  /** At once, after a pause. */
  burst: number;
  /** On and on. */
  perSecond: number;
}

/** Callers that are remembered; the ones that have been still longest go first, and would have their whole burst again anyway. */
const mostCallers = 10_000;

/** A bucket of calls for every caller. */
export class Rate {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns 0 when the call may be made, and is counted; else the seconds, at least 1, after which one may. */
  take(caller: string): number {
    const now = this.now();
    const { burst, perSecond } = this.limit;
    const known = this.#buckets.get(caller) ?? { left: burst, at: now };
    const left = Math.min(burst, known.left + (Math.max(0, now - known.at) / 1000) * perSecond);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: left >= 1 ? left - 1 : left, at: now });
    if (this.#buckets.size > mostCallers) this.#buckets.delete(this.#buckets.keys().next().value!);
    return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond));
  }
}
