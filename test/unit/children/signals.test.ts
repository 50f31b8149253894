import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endWithHost } from '../../../src/children/signals';

afterEach(() => vi.restoreAllMocks());
function setUp(
  o: { end?: () => Promise<void>; before?: () => Promise<void>; onEnd?: () => Promise<void>; stdin?: PassThrough } = {},
) {
  const pool = { end: vi.fn(o.end ?? (async () => {})), killNow: vi.fn() };
  const exit = vi.fn();
  const end = endWithHost(pool, { exit, before: o.before, onEnd: o.onEnd, stdin: o.stdin, pollEvery: 5 });
  return { pool, exit, end };
}
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('the end of a host', () => {
  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends all children in a hurry, then exits with %d', async (signal, code) => {
    const { pool, exit, end } = setUp();
    process.emit(signal, signal);
    await tick();
    expect(pool.end).toHaveBeenCalledExactlyOnceWith({ stdin: 500, term: 500 });
    expect(exit).toHaveBeenCalledExactlyOnceWith(code);
    end.dispose();
  });

  it("stdin's end does, once, although it is closed too", async () => {
    const stdin = new PassThrough().resume();
    const { pool, exit, end } = setUp({ stdin });
    stdin.end();
    await tick();
    await tick();
    expect(pool.end).toHaveBeenCalledOnce();
    expect(exit).toHaveBeenCalledExactlyOnceWith(0);
    end.dispose();
  });

  it('another parent does', async () => {
    const spy = vi.spyOn(process, 'ppid', 'get').mockReturnValue(4711);
    const { exit, end } = setUp();
    spy.mockReturnValue(1);
    await vi.waitFor(() => expect(exit).toHaveBeenCalledExactlyOnceWith(129));
    end.dispose();
  });

  it('waits for what comes before it, whether that fails or not; a second signal does not', async () => {
    let fail = (_: Error) => {};
    const { pool, exit, end } = setUp({
      before: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    });
    process.emit('SIGTERM', 'SIGTERM');
    await tick();
    expect(pool.end).not.toHaveBeenCalled();
    fail(new Error('bug'));
    await tick();
    expect(pool.end).toHaveBeenCalledOnce();
    expect(exit).toHaveBeenCalledExactlyOnceWith(143);
    end.dispose();

    const hasty = setUp({ before: () => new Promise(() => {}) });
    process.emit('SIGINT', 'SIGINT');
    await tick();
    process.emit('SIGINT', 'SIGINT');
    expect(hasty.pool.killNow).toHaveBeenCalledOnce();
    expect(hasty.exit).toHaveBeenCalledExactlyOnceWith(130);
    hasty.end.dispose();
  });

  it('a second signal waits for nothing', async () => {
    const { pool, exit, end } = setUp({ end: () => new Promise(() => {}) });
    process.emit('SIGINT', 'SIGINT');
    await tick();
    expect(exit).not.toHaveBeenCalled();
    process.emit('SIGINT', 'SIGINT');
    expect(pool.killNow).toHaveBeenCalledOnce();
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
    end.dispose();
  });

  it("a host's own farewell that fails keeps nothing alive", async () => {
    const { exit, end } = setUp({ onEnd: () => Promise.reject(new Error('bug')) });
    process.emit('SIGTERM', 'SIGTERM');
    await tick();
    expect(exit).toHaveBeenCalledOnce();
    end.dispose();
  });

  it('after dispose it listens to nothing', () => {
    const before = process.listenerCount('SIGINT') + process.listenerCount('exit');
    const { end } = setUp();
    end.dispose();
    expect(process.listenerCount('SIGINT') + process.listenerCount('exit')).toBe(before);
  });
});
