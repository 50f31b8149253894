import { describe, expect, it } from 'vitest';
import type { ModelClient, ModelEvent } from '../../../../src/agent/model/types';
import { watched } from '../../../../src/agent/model/watched';
import { CancelledError } from '../../../../src/base/errors';

/** Rule 11: the silence of a model, by a clock that the test turns. */

const say = (text: string): ModelEvent => ({ type: 'text', text });

function setUp(model: ModelClient) {
  let tick = () => {};
  const running = new Set<() => void>();
  const client = watched(model, {
    seconds: 300,
    file: '/x/mm.yaml',
    model: 'qwen3:8b',
    every: (_, go) => {
      tick = go;
      running.add(go);
      return { dispose: () => running.delete(go) };
    },
  });
  const stop = new AbortController();
  const events = client.stream({ messages: [], tools: [], signal: stop.signal })[Symbol.asyncIterator]();
  const ticks = (n: number) => {
    for (let i = 0; i < n; i++) tick();
  };
  return { events, stop, ticks, running: () => running.size };
}

/** Says one word, then nothing until the signal fires. */
const stalls: ModelClient = {
  async *stream({ signal }) {
    yield say('one');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new CancelledError())));
  },
};

describe('rule 11: a model that sends nothing', () => {
  it('ends with words and exit code 124, and its connection is let go', async () => {
    const t = setUp(stalls);
    await t.events.next();
    const next = t.events.next();
    t.ticks(21);
    await expect(next).rejects.toMatchObject({
      message: 'The model qwen3:8b has sent nothing for 300 s, so the turn was ended.',
      hint: 'Try again. If it needs longer, raise `watchdogTimeout` in /x/mm.yaml.',
      exitCode: 124,
    });
    expect(t.running()).toBe(0);
  });

  it('also when the client ends quietly instead', async () => {
    const t = setUp({
      async *stream({ signal }) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        yield* [];
      },
    });
    const next = t.events.next();
    t.ticks(21);
    await expect(next).rejects.toMatchObject({ exitCode: 124 });
  });

  it('every event is a sign of life, and the time in which its words are being taken is not the model’s', async () => {
    const t = setUp({
      async *stream() {
        yield say('one');
        yield say('two');
      },
    });
    await t.events.next();
    t.ticks(1000);
    expect(await t.events.next()).toEqual({ done: false, value: say('two') });
    expect(await t.events.next()).toMatchObject({ done: true });
    expect(t.running()).toBe(0);
  });

  it('a cancel stays a cancel, and an error of the model its own', async () => {
    const t = setUp(stalls);
    await t.events.next();
    const next = t.events.next();
    t.stop.abort();
    await expect(next).rejects.toBeInstanceOf(CancelledError);
    const broken = setUp({
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *stream() {
        throw new Error('no such model');
      },
    });
    await expect(broken.events.next()).rejects.toThrow('no such model');
    expect([t.running(), broken.running()]).toEqual([0, 0]);
  });
});
