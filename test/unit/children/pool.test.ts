import { describe, expect, it, vi } from 'vitest';
import type { AgentConnection } from '../../../src/acp/client';
import { CancelledError, UserError } from '../../../src/base/errors';
import { ChildEndedError, ChildPool, type ConnectOptions } from '../../../src/children/pool';
import type { ChildProcess } from '../../../src/children/process';
import type { ChildSpec, ExitInfo } from '../../../src/children/types';

// No process here: a stand-in for `ChildProcess`, and a connection whose `initialize` the test answers.
class FakeProcess {
  static all: FakeProcess[] = [];
  static next = 100;
  pid = FakeProcess.next++;
  stops: unknown[] = [];
  killed = 0;
  exit!: (info: ExitInfo) => void;
  exited = new Promise<ExitInfo>((resolve) => {
    this.exit = resolve;
  });
  gone = this.exited.then(() => {});
  constructor(readonly spec: ChildSpec) {
    FakeProcess.all.push(this);
  }
  stderrTail = () => 'last words';
  stop = async (graces: unknown) => {
    this.stops.push(graces);
    this.exit({ code: 0, stderrTail: '' });
    await this.gone;
  };
  killNow = () => {
    this.killed++;
  };
}
vi.mock('../../../src/children/process', async (original) => ({
  ...(await original<object>()),
  ChildProcess: { spawn: (spec: ChildSpec) => new FakeProcess(spec) },
}));

const info = { protocolVersion: 1 } as never;
class FakeConnection {
  static all: FakeConnection[] = [];
  answer!: (error?: Error) => void;
  close!: (reason: Error) => void;
  closed = new Promise<Error>((resolve) => {
    this.close = resolve;
  });
  disposed = 0;
  constructor(readonly o: ConnectOptions) {
    FakeConnection.all.push(this);
    void (o.process as ChildProcess).exited.then(async () => this.close(await o.endReason()));
  }
  hub: boolean | undefined;
  readonly echoed = false;
  onNoise() {
    return { dispose() {} };
  }
  initialize(o: { hub: boolean; signal?: AbortSignal }): Promise<unknown> {
    this.hub = o.hub;
    return new Promise((resolve, reject) => {
      this.answer = (error) => (error ? reject(error) : resolve(info));
      o.signal?.addEventListener('abort', () => reject(new CancelledError()));
      void this.closed.then(reject);
    });
  }
  dispose(): void {
    this.disposed++;
  }
}

const log = { debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;
const spec = (key: string, name = 'bob'): ChildSpec => ({
  key,
  name,
  role: 'asked',
  command: 'x',
  args: [],
  cwd: '/',
  env: {},
  hub: false,
});
function setUp(hub = false, errors: string[] = []) {
  FakeProcess.all = [];
  FakeConnection.all = [];
  return new ChildPool({
    log: { ...log, error: (message: string) => void errors.push(message) },
    hub,
    clientInfo: { name: 't', version: '1' },
    connect: (o) => new FakeConnection(o) as unknown as AgentConnection,
  });
}
const tick = () => new Promise((resolve) => setImmediate(resolve));
async function ready(pool: ChildPool, s = spec('k')) {
  const lease = pool.acquire(s, { signal: never });
  await tick();
  FakeConnection.all.at(-1)!.answer();
  return lease;
}

describe('rule 1: a child per agent, started once', () => {
  it('two who ask at the same time share one start, and later ones the child', async () => {
    const pool = setUp();
    const states: string[] = [];
    const first = pool.acquire(spec('k'), { signal: never, onState: (s) => states.push(`1 ${s}`) });
    const second = pool.acquire(spec('k', 'robert'), { signal: never, onState: (s) => states.push(`2 ${s}`) });
    await tick();
    expect(pool.statuses()).toEqual([expect.objectContaining({ key: 'k', state: 'starting' })]);
    FakeConnection.all[0]!.answer();
    expect((await first).child.connection).toBe((await second).child.connection);
    const third = await pool.acquire(spec('k'), { signal: never, onState: (s) => states.push(`3 ${s}`) });
    expect(third.child.pid).toBe(FakeProcess.all[0]!.pid);
    expect(FakeProcess.all).toHaveLength(1);
    expect(states).toEqual(['1 starting', '2 starting', '1 ready', '2 ready', '3 ready']);
    expect(pool.statuses()).toEqual([expect.objectContaining({ state: 'ready', pid: FakeProcess.all[0]!.pid })]);
  });

  it('another key is another child, also under the same name', async () => {
    const pool = setUp();
    await ready(pool, spec('a', 'riker'));
    await ready(pool, spec('b', 'riker'));
    expect(FakeProcess.all).toHaveLength(2);
  });

  it('a child that died is replaced on the next ask; until then its end can be seen', async () => {
    const pool = setUp();
    let changes = 0;
    pool.onDidChange(() => changes++);
    const lease = await ready(pool);
    const before = changes;
    FakeProcess.all[0]!.exit({ signal: 'SIGKILL', stderrTail: 'x' });
    await tick();
    expect(changes).toBeGreaterThan(before);
    expect(pool.statuses()).toEqual([
      expect.objectContaining({ state: 'ended', exit: { signal: 'SIGKILL', stderrTail: 'x' } }),
    ]);
    const next = await ready(pool);
    expect(next.child.pid).not.toBe(lease.child.pid);
    expect(pool.statuses()).toEqual([expect.objectContaining({ state: 'ready', pid: next.child.pid })]);
    lease.release();
    expect(FakeProcess.all[1]!.stops).toEqual([]);
  });

  it('a child whose key is gone ends when its last lease is released, a current one lives on', async () => {
    const pool = setUp();
    const one = await ready(pool);
    const two = await pool.acquire(spec('k'), { signal: never });
    const other = await ready(pool, spec('other'));
    other.release();
    pool.retain((s) => s.key === 'other');
    one.release();
    one.release();
    await tick();
    expect(FakeProcess.all[0]!.stops).toEqual([]);
    two.release();
    await tick();
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
    expect(FakeProcess.all[1]!.stops).toEqual([]);
    expect(pool.statuses().map((s) => s.key)).toEqual(['other']);
  });

  it('a child nobody holds ends at once when its key is gone', async () => {
    const pool = setUp();
    (await ready(pool)).release();
    pool.retain(() => false);
    await tick();
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
  });
});

describe('a start that fails', () => {
  it('says how the process ended, with the tail of its stderr, and is tried again by the next ask', async () => {
    const pool = setUp();
    const first = pool.acquire(spec('k'), { signal: never });
    const second = pool.acquire(spec('k'), { signal: never });
    await tick();
    FakeProcess.all[0]!.exit({ code: 1, stderrTail: 'no such model' });
    const error = await first.catch((e) => e);
    expect(error).toBeInstanceOf(ChildEndedError);
    expect(error).toMatchObject({ message: 'bob ended with exit code 1', detail: 'no such model', exit: { code: 1 } });
    await expect(second).rejects.toBe(error);
    expect(pool.statuses()).toEqual([]);
    expect((await ready(pool)).child.pid).toBe(FakeProcess.all[1]!.pid);
  });

  it("F006: says the connection's words with the tail, and ends the process", async () => {
    const pool = setUp();
    const lease = pool.acquire(spec('k'), { signal: never });
    await tick();
    FakeConnection.all[0]!.answer(new UserError('it did not answer', { hint: 'Sign in.' }));
    await expect(lease).rejects.toMatchObject({
      message: 'bob could not be started: it did not answer',
      detail: 'last words',
      hint: 'Sign in.',
    });
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
  });
});

describe('waiting for a start', () => {
  it('one who gives up does not take it from the others', async () => {
    const pool = setUp();
    const abort = new AbortController();
    const first = pool.acquire(spec('k'), { signal: abort.signal });
    const second = pool.acquire(spec('k'), { signal: never });
    await tick();
    abort.abort();
    await expect(first).rejects.toBeInstanceOf(CancelledError);
    expect(FakeProcess.all[0]!.stops).toEqual([]);
    FakeConnection.all[0]!.answer();
    expect((await second).child.pid).toBe(FakeProcess.all[0]!.pid);
  });

  it('when nobody waits any more it is ended, and the next ask starts anew', async () => {
    const pool = setUp();
    const abort = new AbortController();
    const first = pool.acquire(spec('k'), { signal: abort.signal });
    await tick();
    abort.abort();
    await expect(first).rejects.toBeInstanceOf(CancelledError);
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
    expect(pool.statuses()).toEqual([]);
    await ready(pool);
    expect(FakeProcess.all).toHaveLength(2);
  });

  it('who has given up before asking starts nothing', async () => {
    const pool = setUp();
    await expect(pool.acquire(spec('k'), { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError);
    expect(FakeProcess.all).toEqual([]);
  });
});

describe('a hub', () => {
  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('pool %s, a child that may ask %s: it is told %s', async (pool, child, told) => {
    await ready(setUp(pool), { ...spec('k'), hub: child });
    expect(FakeConnection.all[0]!.hub).toBe(told);
  });
});

describe('ending', () => {
  it('a child that cannot be ended is said, and neither an unhandled rejection nor in the way of the others', async () => {
    const errors: string[] = [];
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      for (const act of ['dispose', 'end', 'retain', 'restart', 'close'] as const) {
        const pool = setUp(false, errors);
        const one = await ready(pool, spec('a'));
        await ready(pool, spec('b'));
        one.release();
        FakeProcess.all[0]!.stop = async () => {
          throw new Error('EPERM');
        };
        if (act === 'retain') pool.retain((s) => s.key !== 'a');
        else if (act === 'restart') await pool.restart('a');
        else if (act === 'close') FakeConnection.all[0]!.close(new Error('x'));
        else await pool[act]();
        await tick();
        expect(errors.splice(0), act).toEqual(['bob could not be ended: EPERM']);
        expect(FakeProcess.all[1]!.stops, act).toHaveLength(act === 'dispose' || act === 'end' ? 1 : 0);
      }
      await tick();
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('restart ends the child with words for who was waiting; the next ask starts a new one', async () => {
    const pool = setUp();
    await ready(pool);
    const { closed } = FakeConnection.all[0]!;
    await pool.restart('k');
    expect((await closed).message).toBe('bob was restarted');
    expect(pool.statuses()).toEqual([]);
    await ready(pool);
    expect(FakeProcess.all).toHaveLength(2);
  });

  it('F051 F067 one that does not react is left to who uses it, and ends with the last of them; others get a new one', async () => {
    const pool = setUp();
    const mine = await ready(pool);
    const other = await pool.acquire(spec('k'), { signal: never });
    mine.abandon();
    mine.abandon();
    mine.release();
    expect(FakeProcess.all[0]!.stops).toEqual([]);
    const next = await ready(pool);
    expect(next.child.pid).not.toBe(mine.child.pid);
    expect(new Set(pool.statuses().map(({ key }) => key)).size).toBe(2);
    // by the key of its status each can be restarted alone
    const [old] = pool.statuses().filter(({ pid }) => pid === mine.child.pid);
    other.release();
    await tick();
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
    expect(FakeProcess.all[1]!.stops).toEqual([]);
    expect(pool.statuses()).toEqual([expect.objectContaining({ key: 'k', pid: next.child.pid })]);
    await pool.restart(old!.key);
    expect(FakeProcess.all[1]!.stops).toEqual([]);
  });

  it('F051 an abandoned one that dies by itself leaves no mark on the one that took its place', async () => {
    const pool = setUp();
    const mine = await ready(pool);
    mine.abandon();
    FakeProcess.all[0]!.exit({ code: 3, stderrTail: '' });
    await tick();
    expect(pool.statuses()).toEqual([]);
    mine.release();
    await ready(pool);
    expect(pool.statuses()).toEqual([expect.objectContaining({ key: 'k', state: 'ready' })]);
  });

  it('F051 forced, it ends at once, whoever else uses it', async () => {
    const pool = setUp();
    const mine = await ready(pool);
    await pool.acquire(spec('k'), { signal: never });
    await mine.end();
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
    expect(pool.statuses()).toEqual([]);
    await mine.end();
    mine.release();
  });

  it('all end at the same time, those that are starting too, and no new one is taken', async () => {
    const pool = setUp();
    await ready(pool, spec('a'));
    const starting = pool.acquire(spec('b'), { signal: never });
    const unborn = pool.acquire(spec('c'), { signal: never });
    const failures = [starting, unborn].map((lease) => lease.catch((error) => error));
    const end = pool.end({ stdin: 1, term: 2 });
    expect(FakeProcess.all[0]!.stops).toEqual([{ stdin: 1, term: 2 }]);
    await end;
    for (const failure of failures) expect(await failure).toBeInstanceOf(CancelledError);
    // The one that was asked for in the same moment never came to life.
    expect(FakeProcess.all).toHaveLength(1);
    await expect(pool.acquire(spec('a'), { signal: never })).rejects.toBeInstanceOf(CancelledError);
  });

  it('a child that closes its output but lives is ended', async () => {
    const pool = setUp();
    await ready(pool);
    FakeConnection.all[0]!.close(new Error('x'));
    await tick();
    expect(FakeProcess.all[0]!.stops).toHaveLength(1);
    expect(pool.statuses().map((s) => s.state)).not.toContain('ready');
  });

  it('killNow reaches every child', async () => {
    const pool = setUp();
    await ready(pool, spec('a'));
    await ready(pool, spec('b'));
    pool.killNow();
    expect(FakeProcess.all.map((p) => p.killed)).toEqual([1, 1]);
  });
});
