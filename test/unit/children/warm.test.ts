import { expect, it } from 'vitest';
import { DeadlineError } from '../../../src/acp/peer';
import { CancelledError } from '../../../src/base/errors';
import { ChildEndedError } from '../../../src/children/pool';
import type { ChildSpec, Lease } from '../../../src/children/types';
import { openOn } from '../../../src/children/warm';

const spec = { key: 'k', name: 'bob' } as ChildSpec;
const ended = new ChildEndedError('bob was ended by signal SIGKILL');

/** A pool whose children are warm or have to be started, as listed; an error is a start that fails. */
function poolOf(...children: ('warm' | 'started' | Error)[]) {
  const leases: { released: number; abandoned?: number }[] = [];
  return {
    leases,
    async acquire(_: ChildSpec, o: { onState?(s: 'starting' | 'ready'): void }): Promise<Lease> {
      const child = children[leases.length]!;
      const lease = { released: 0 };
      leases.push(lease);
      if (child !== 'warm') o.onState?.('starting');
      if (child instanceof Error) throw child;
      o.onState?.('ready');
      return {
        child: { pid: leases.length },
        release: () => lease.released++,
        abandon: () => Object.assign(lease, { abandoned: 1 }),
      } as unknown as Lease;
    },
  };
}
const never = new AbortController().signal;
const failing =
  (error: Error, times = 1) =>
  async (lease: Lease) => {
    if (lease.child.pid <= times) throw error;
    return `session on ${lease.child.pid}`;
  };

it('rule 1: a warm child that ended in the moment of the ask is replaced, once', async () => {
  const pool = poolOf('warm', 'started');
  await expect(openOn(pool, spec, { signal: never }, failing(ended))).resolves.toBe('session on 2');
  expect(pool.leases).toEqual([{ released: 1 }, { released: 0 }]);
});

it('also when the next one is warm again, and ends too: not a third time', async () => {
  const pool = poolOf('warm', 'warm', 'warm');
  await expect(openOn(pool, spec, { signal: never }, failing(ended, 3))).rejects.toBe(ended);
  expect(pool.leases).toEqual([{ released: 1 }, { released: 1 }]);
});

it.each([
  ['one that was only now started', poolOf('started', 'started'), ended],
  ['a start that fails', poolOf(ended, 'started'), ended],
  ['an agent that lives and answers with an error', poolOf('warm', 'started'), new Error('no such folder')],
  ['a cancel', poolOf('warm', 'started'), new CancelledError()],
])('%s gets no second try', async (_, pool, error) => {
  await expect(openOn(pool, spec, { signal: never }, failing(error))).rejects.toBe(error);
  expect(pool.leases).toHaveLength(1);
});

it('who has given up gets none either', async () => {
  const stop = new AbortController();
  const pool = poolOf('warm', 'started');
  const open = async () => {
    stop.abort();
    throw ended;
  };
  await expect(openOn(pool, spec, { signal: stop.signal }, open)).rejects.toBe(ended);
  expect(pool.leases).toHaveLength(1);
});

it('F006 one that does not answer is left, so that the next ask finds another', async () => {
  const pool = poolOf('warm', 'started');
  const late = new DeadlineError('There was no answer to session/new within 30 seconds.');
  await expect(openOn(pool, spec, { signal: never }, failing(late))).rejects.toBe(late);
  expect(pool.leases).toEqual([{ released: 1, abandoned: 1 }]);
});
