import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endWithHost } from '../../../src/children/signals';

afterEach(() => vi.restoreAllMocks());
function setUp(o: { end?: () => Promise<void>; onEnd?: () => Promise<void>; stdin?: PassThrough } = {}) {
  const pool = { end: vi.fn(o.end ?? (async () => {})), killNow: vi.fn() };
  const exit = vi.fn();
  const end = endWithHost(pool, { exit, onEnd: o.onEnd, stdin: o.stdin, pollEvery: 5 });
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
