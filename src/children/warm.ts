import { DeadlineError } from '../acp/peer';
import { ChildEndedError, type ChildPool } from './pool';
import type { AcquireOptions, ChildSpec, Lease } from './types';

/**
 * Opens something on the child of `spec`, such as a session. A child that was there already may have ended in the very moment: nothing
 * has been asked of it yet, so it is replaced and `open` runs once more (rule 1). One that was only now started gets no second try, and
 * one that does not answer is left to those who use it.
 * @param open owns the lease when it succeeds; when it fails the lease is released here
 */
export async function openOn<T>(
  pool: Pick<ChildPool, 'acquire'>,
  spec: ChildSpec,
  o: Omit<AcquireOptions, 'onState'>,
  open: (lease: Lease) => Promise<T>,
): Promise<T> {
  for (let again = true; ; again = false) {
    let warm = true;
    let lease: Lease | undefined;
    const onState = (state: 'starting' | 'ready') => {
      if (state === 'starting') warm = false;
    };
    try {
      lease = await pool.acquire(spec, { ...o, onState });
      return await open(lease);
    } catch (error) {
      if (error instanceof DeadlineError) lease?.abandon();
      lease?.release();
      if (!again || !warm || o.signal.aborted || !(error instanceof ChildEndedError)) throw error;
    }
  }
}
