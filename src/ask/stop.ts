import { CancelledError } from '../base/errors';

/** A controller that a signal above stops too. `dispose` lets go of it, so that a signal that lives long gathers nothing. */
export interface LinkedStop {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  dispose(): void;
}

export function linkedStop(...above: AbortSignal[]): LinkedStop {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const signal of above) {
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }
  return {
    controller,
    signal: controller.signal,
    dispose() {
      for (const signal of above) signal.removeEventListener('abort', stop);
    },
  };
}

/**
 * Waits for work that a signal ends, and not for ever: `grace` milliseconds after the signal it is given up (F051, F067).
 * What the work still brings then goes to `late`.
 * @throws CancelledError when it was given up.
 */
export async function orStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  grace: number,
  late?: (value: T) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const given = Symbol('given up');
  const stopped = new Promise<typeof given>((resolve) => {
    onAbort = () => {
      timer = setTimeout(() => resolve(given), grace);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    const first = await Promise.race([work, stopped]);
    if (first !== given) return first as T;
    work.then(
      (value) => late?.(value),
      () => undefined, // It was given up: how it failed is nobody's business any more.
    );
    throw new CancelledError();
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
