import { describe, expect, it, vi } from 'vitest';
import { DisposableStore, toDisposable } from '../../../src/base/disposable';
import { Emitter, useListenerErrors } from '../../../src/base/event';
import { format, l10n, useTranslator } from '../../../src/base/l10n';

describe('disposables', () => {
  it('end once, in reverse order; a late arrival ends at once', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('a')));
    store.add(toDisposable(() => order.push('b')));
    store.dispose();
    store.dispose();
    expect(order).toEqual(['b', 'a']);
    store.add(toDisposable(() => order.push('late')));
    expect(order.at(-1)).toBe('late');
  });

  it('one that fails does not keep the others alive', () => {
    const store = new DisposableStore();
    const last = vi.fn();
    store.add({ dispose: last });
    store.add({
      dispose() {
        throw new Error('broken');
      },
    });
    expect(() => store.dispose()).toThrow('broken');
    expect(last).toHaveBeenCalledOnce();
  });
});

describe('events', () => {
  it('reach all who listen, none who stopped', () => {
    const emitter = new Emitter<number>();
    const first = vi.fn();
    const second = vi.fn();
    const off = emitter.event(first);
    emitter.event(second);
    emitter.fire(1);
    off.dispose();
    emitter.fire(2);
    expect(first.mock.calls).toEqual([[1]]);
    expect(second.mock.calls).toEqual([[1], [2]]);
    emitter.dispose();
    emitter.fire(3);
    expect(second).toHaveBeenCalledTimes(2);
  });
});

describe('a listener that throws', () => {
  const broken = new Error('broken');
  const listen = (emitter: Emitter<number>) => {
    const after = vi.fn();
    emitter.event(() => {
      throw broken;
    });
    emitter.event(after);
    return after;
  };
  /** Neither now nor later does anything reach the process. */
  async function quietly(act: () => void): Promise<void> {
    const fatal = vi.fn();
    process.on('uncaughtException', fatal);
    try {
      act();
      await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      process.off('uncaughtException', fatal);
    }
    expect(fatal).not.toHaveBeenCalled();
  }

  it('ends nothing: the others hear, and its emitter is told', async () => {
    const onError = vi.fn();
    const emitter = new Emitter<number>(onError);
    const after = listen(emitter);
    await quietly(() => emitter.fire(1));
    expect(after).toHaveBeenCalledWith(1);
    expect(onError.mock.calls).toEqual([[broken]]);
  });

  it('is on stderr where nobody said where to, or in the log of the composition root', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const emitter = new Emitter<number>();
    listen(emitter);
    await quietly(() => emitter.fire(1));
    expect(stderr.mock.calls).toEqual([[broken]]);
    const log = vi.fn();
    useListenerErrors(log);
    await quietly(() => emitter.fire(2));
    expect(log.mock.calls).toEqual([[broken]]);
    useListenerErrors(() => {
      throw new Error('the log is closed');
    });
    await quietly(() => emitter.fire(3));
    expect(stderr).toHaveBeenCalledTimes(2);
    useListenerErrors((error) => console.error(error));
    stderr.mockRestore();
  });
});

describe('words', () => {
  it('have placeholders by number and by name', () => {
    expect(format('{0} asked {1}', 'Ada', 'bob')).toBe('Ada asked bob');
    expect(format('{who} waits', { who: 'bob' })).toBe('bob waits');
    expect(format('{0} and {1}', 'one')).toBe('one and {1}');
    expect(format('{0}', '{1}')).toBe('{1}');
  });

  it('go through the translator of the composition root', () => {
    useTranslator((message, ...args) => `«${format(message, ...args)}»`);
    expect(l10n.t('{0} waits', 'bob')).toBe('«bob waits»');
    useTranslator(format);
    expect(l10n.t('{0} waits', 'bob')).toBe('bob waits');
  });
});
