import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../src/ask/queue';

describe('the queue between an ask and its consumer', () => {
  it('holds producers back while the consumer is behind, and lets them go when it has caught up', async () => {
    const queue = new EventQueue<number>();
    let i = 0;
    let held: Promise<void> | undefined;
    while (!held) held = queue.push(i++) as Promise<void> | undefined;
    let released = false;
    held.then(() => {
      released = true;
    });
    await queue.next();
    expect(released).toBe(false);
    while (queue.size > 10) await queue.next();
    await Promise.resolve();
    expect(released).toBe(true);
  });

  it('a consumer that has gone holds nobody', async () => {
    const queue = new EventQueue<number>();
    let held: Promise<void> | undefined;
    while (!held) held = queue.push(1) as Promise<void> | undefined;
    queue.close();
    await held;
    expect(queue.push(1)).toBeUndefined();
    expect(await queue.next()).toBeUndefined();
  });

  it('hands out what was there before it failed', async () => {
    const queue = new EventQueue<number>();
    void queue.push(1);
    queue.fail(new Error('x'));
    expect(await queue.next()).toEqual({ value: 1 });
    await expect(queue.next()).rejects.toThrow('x');
  });

  it('property: everything comes out once and in order, and never more than the high water waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 20 }), async (bursts) => {
        const queue = new EventQueue<number>();
        const total = bursts.reduce((a, b) => a + b, 0);
        const produce = async () => {
          let n = 0;
          for (const burst of bursts) {
            for (let k = 0; k < burst; k++) await queue.push(n++);
            await Promise.resolve();
          }
          queue.end();
        };
        const done = produce();
        const out: number[] = [];
        for (let next = await queue.next(); next; next = await queue.next()) {
          expect(queue.size).toBeLessThanOrEqual(65);
          out.push(next.value);
        }
        await done;
        expect(out).toEqual(Array.from({ length: total }, (_, i) => i));
      }),
      { numRuns: 50 },
    );
  });
});
