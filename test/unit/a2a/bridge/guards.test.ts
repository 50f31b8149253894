import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../../src/a2a/bridge/hosts';
import { BearerCheck, keyProblem } from '../../../../src/a2a/bridge/key';
import { Rate } from '../../../../src/a2a/bridge/rate';
import { Slots } from '../../../../src/a2a/bridge/slots';

const key = 'k'.repeat(32);
const never = new AbortController().signal;

describe('a bearer key', () => {
  it('is compared whole', () => {
    const check = new BearerCheck(key);
    expect(check.allows(`Bearer ${key}`)).toBe(true);
    expect(check.allows(`bearer  ${key} `)).toBe(true);
    for (const no of [undefined, '', 'Bearer', 'Bearer ', key, `Basic ${key}`, `Bearer ${key}k`, `Bearer ${key} x`])
      expect(check.allows(no)).toBe(false);
  });

  it('has to be one that nobody guesses and a header carries, and is not in the sentence', () => {
    expect(keyProblem(key)).toBeUndefined();
    expect(keyProblem('short')).not.toContain('short ');
    expect(keyProblem('short')).toContain('16');
    expect(keyProblem(`${key} x`)).toBeDefined();
    expect(keyProblem(`${key}ä`)).toBeDefined();
  });
});

describe('the rate', () => {
  it('gives a burst, then what comes by the second, to each caller by itself', () => {
    let now = 0;
    const rate = new Rate({ burst: 2, perSecond: 0.5 }, () => now);
    expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([0, 0, 2]);
    expect(rate.take('b')).toBe(0);
    now = 2_000;
    expect([rate.take('a'), rate.take('a')]).toEqual([0, 2]);
    now = 1_000_000;
    expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([0, 0, 2]);
  });
});

describe('slots', () => {
  it('are given in order, and one who leaves the line takes none', async () => {
    const slots = new Slots(1);
    await slots.acquire(never);
    const leave = new AbortController();
    const order: string[] = [];
    const left = slots.acquire(leave.signal).then(() => order.push('left'));
    const first = slots.acquire(never).then(() => order.push('first'));
    const second = slots.acquire(never).then(() => order.push('second'));
    expect(slots.waiting).toBe(3);
    leave.abort();
    await expect(left).rejects.toThrow('cancelled');
    slots.release();
    await first;
    expect(order).toEqual(['first']);
    slots.release();
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('that were taken back after a pause are not given away twice', async () => {
    const slots = new Slots(1);
    await slots.acquire(never);
    slots.release();
    await slots.acquire(never);
    slots.retake();
    let third = false;
    const waits = slots.acquire(never).then(() => {
      third = true;
    });
    slots.release();
    await Promise.resolve();
    expect(third).toBe(false);
    slots.release();
    await waits;
    expect(third).toBe(true);
  });
});

describe('this machine', () => {
  it('is known by its names and nothing like them', () => {
    for (const yes of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])
      expect(isLoopback(yes)).toBe(true);
    for (const no of ['', '0.0.0.0', '::', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', '128.0.0.1'])
      expect(isLoopback(no)).toBe(false);
  });
});
