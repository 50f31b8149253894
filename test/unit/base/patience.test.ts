import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Patience } from '../../../src/base/patience';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

describe('F006: how long a start may take', () => {
  it('is given up at its end, once', () => {
    const late = vi.fn();
    const patience = new Patience();
    patience.limit(30_000, late);
    expect(patience.until).toBe(30_000);
    vi.advanceTimersByTime(29_999);
    expect(late).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(late).toHaveBeenCalledOnce();
  });

  it('“Wait” gives it the whole time again, as often as somebody wants', () => {
    const late = vi.fn();
    const patience = new Patience();
    patience.limit(30_000, late);
    for (let i = 1; i <= 5; i++) {
      vi.advanceTimersByTime(20_000);
      patience.more();
      expect(patience.until).toBe(i * 20_000 + 30_000);
    }
    expect(late).not.toHaveBeenCalled();
    vi.advanceTimersByTime(30_000);
    expect(late).toHaveBeenCalledOnce();
  });

  it('a step that is over has no limit, and one that comes after it has its own', () => {
    const late = vi.fn();
    const patience = new Patience();
    const first = patience.limit(30_000, late);
    vi.advanceTimersByTime(10_000);
    first.dispose();
    expect(patience.until).toBeUndefined();
    patience.more();
    patience.limit(5_000, () => undefined);
    expect(patience.until).toBe(15_000);
    vi.advanceTimersByTime(60_000);
    expect(late).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('who waits for the start of another sees its limit, and lengthens it for all', () => {
    const late = vi.fn();
    const shared = new Patience();
    const [one, two] = [new Patience(), new Patience()];
    const seen: (number | undefined)[] = [];
    two.onDidChange(() => seen.push(two.until));
    one.join(shared);
    const waits = two.join(shared);
    shared.limit(30_000, late);
    vi.advanceTimersByTime(20_000);
    one.more();
    expect(seen).toEqual([undefined, 30_000, 50_000]);
    waits.dispose();
    expect(two.until).toBeUndefined();
    two.more();
    expect(one.until).toBe(50_000);
    vi.advanceTimersByTime(30_000);
    expect(late).toHaveBeenCalledOnce();
  });
});
