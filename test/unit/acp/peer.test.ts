import { getEventListeners } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Noise, Peer, type PeerHandlers, type PeerOptions, RpcError } from '../../../src/acp/peer';
import { DeadlineError } from '../../../src/acp/rpc';
import { CancelledError, UserError } from '../../../src/base/errors';
import { RawPeer, settled } from '../../support/raw-peer';

interface Made {
  raw: RawPeer;
  peer: Peer;
  seen: unknown[];
  noise: Noise[];
  faults: unknown[];
}

function make(o: { handlers?: Partial<PeerHandlers>; options?: Partial<PeerOptions> } = {}): Made {
  const raw = new RawPeer();
  const seen: unknown[] = [];
  const noise: Noise[] = [];
  const faults: unknown[] = [];
  const peer = new Peer({
    input: raw.input,
    output: raw.output,
    handlers: {
      notification: (method, params) => {
        seen.push([method, params]);
      },
      request: () => ({}),
      ...o.handlers,
    },
    onNoise: (n) => noise.push(n),
    onFault: (error) => faults.push(error),
    ...o.options,
  });
  return { raw, peer, seen, noise, faults };
}

test('requests get own integer ids, answers settle them', async () => {
  const { raw, peer } = make();
  const one = peer.request('a', { x: 1 });
  const two = peer.request('b', {});
  const a = await raw.next('a');
  const b = await raw.next('b');
  expect(a).toEqual({ jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } });
  raw.send({ id: b.id, result: 'two' }, { id: a.id, result: 'one' });
  expect(await Promise.all([one, two])).toEqual(['one', 'two']);
});

test('the ids of the two directions do not meet, and the other side’s ids are echoed as they are', async () => {
  const { raw, peer } = make({ handlers: { request: (method) => ({ method }) } });
  const mine = peer.request('ours', {});
  await raw.next('ours');
  for (const id of [1, '1', 'c0ffee-4', 0, -5, '']) {
    raw.send({ id, method: `theirs ${id}` });
    expect(await raw.next((f) => f.method === undefined)).toEqual({
      jsonrpc: '2.0',
      id,
      result: { method: `theirs ${id}` },
    });
  }
  raw.send({ id: 1, result: 'mine' });
  expect(await mine).toBe('mine');
});

test('F019 an id that comes back as a text is matched, with one warning', async () => {
  const { raw, peer, noise } = make();
  const answers = [peer.request('a', {}), peer.request('b', {})];
  await raw.next('b');
  raw.send({ id: '1', result: 'one' }, { id: '2', result: 'two' });
  expect(await Promise.all(answers)).toEqual(['one', 'two']);
  expect(noise).toHaveLength(1);
});

test('F015 banners, escape codes, blank lines and progress bars are counted, never answered, and lose nothing', async () => {
  const { raw, seen, noise } = make();
  raw.raw('Welcome to agent 1.0!\n\u001b[32mready\u001b[0m\n\n   \n');
  raw.raw('10%\r50%\r100%\r{"jsonrpc":"2.0","method":"behind a bar"}\n');
  raw.raw('\u001b[2K\u001b[1G{"jsonrpc":"2.0","method":"behind codes"}\u001b[0m\n');
  raw.raw('DEBUG got {"jsonrpc":"2.0","method":"quoted by a log"}\n');
  raw.send({ method: 'plain' });
  await settled();
  expect(seen.map((s) => (s as string[])[0])).toEqual(['behind a bar', 'behind codes', 'plain']);
  expect(noise.filter((n) => n.kind === 'not-json').length).toBeGreaterThanOrEqual(3);
  expect(raw.frames).toEqual([]);
});

test('F017 one byte at a time: the message and the line in the journal are intact', async () => {
  const lines: string[] = [];
  const { raw, seen, noise } = make({ options: { journal: (direction, line) => lines.push(`${direction} ${line}`) } });
  const line = '{"jsonrpc":"2.0","method":"m","params":{"text":"中🎉é"}}';
  for (const byte of Buffer.from(`${line}\n`)) raw.raw(Buffer.from([byte]));
  await settled();
  expect(seen).toEqual([['m', { text: '中🎉é' }]]);
  expect(lines).toEqual([`in ${line}`]);
  expect(noise).toEqual([]);
});

test('F016 JSON that is no message is matched to nothing', async () => {
  const { raw, peer, noise, seen } = make();
  let state = 'pending';
  peer.request('a', {}).then(() => {
    state = 'settled';
  });
  await raw.next('a');
  for (const line of [
    '123',
    '"x"',
    'null',
    '[]',
    '{}',
    '{"level":"info","id":1}',
    '[{"jsonrpc":"2.0","method":"b"}]',
    'true',
  ])
    raw.raw(`${line}\n`);
  raw.raw('{"jsonrpc":"2.0","method":{},"id":1}\n{"jsonrpc":"2.0","method":"x","id":{}}\n{"jsonrpc":"2.0"}\n');
  await settled();
  expect(state).toBe('pending');
  expect(seen).toEqual([]);
  expect(noise.filter((n) => n.kind === 'not-rpc')).toHaveLength(8);
  expect(noise.filter((n) => n.kind === 'malformed')).toHaveLength(3);
  expect(raw.frames).toHaveLength(1);
});

test('an answer to nothing and a second answer are noise', async () => {
  const { raw, peer, noise } = make();
  const answer = peer.request('a', {});
  await raw.next('a');
  raw.send({ id: 1, result: 'first' }, { id: 1, result: 'second' }, { id: 99, error: { code: 1, message: 'x' } });
  expect(await answer).toBe('first');
  await settled();
  expect(noise.map((n) => [n.kind, n.count])).toEqual([
    ['unknown-response', 1],
    ['unknown-response', 2],
  ]);
});

test('an answer with neither result nor error counts as null, instead of hanging', async () => {
  const { raw, peer, noise } = make();
  const answer = peer.request('a', {});
  await raw.next('a');
  raw.send({ id: 1 });
  expect(await answer).toBeNull();
  expect(noise.map((n) => n.kind)).toEqual(['malformed']);
});

test.each([
  [{ code: -32000, message: 'Authentication required' }, -32000, 'Authentication required'],
  [{ code: 'EBUSY', message: 'busy' }, -32603, 'busy'],
  [
    { code: -32603, message: 'Internal error', data: { details: 'no such model' } },
    -32603,
    'Internal error: no such model',
  ],
  [{ code: -32603, message: 'Internal error', data: 'quota' }, -32603, 'Internal error: quota'],
  [{ code: -32603, message: 'failed', data: { error: { message: 'no quota' } } }, -32603, 'failed: no quota'],
  [{ code: -32603, message: 'fetch failed', data: { cause: { code: 'E1' } } }, -32603, 'fetch failed: {"code":"E1"}'],
  [{ message: { message: 'deep' } }, -32603, 'deep'],
  [{ code: 7 }, 7, '{"code":7}'],
  ['plain text', -32603, 'plain text'],
  [42, -32603, '42'],
  [['a'], -32603, '["a"]'],
])('F022 the error %j has words', async (error, code, message) => {
  const { raw, peer } = make();
  const answer = peer.request('a', {});
  await raw.next('a');
  raw.send({ id: 1, error });
  const thrown = await answer.catch((e: unknown) => e);
  expect(thrown).toBeInstanceOf(RpcError);
  expect((thrown as RpcError).code).toBe(code);
  expect((thrown as RpcError).message).toBe(message);
});

test('what a handler throws is an error answer: RpcError as it is, cancellation as -32800, others with their words', async () => {
  const errors: Record<string, unknown> = {
    rpc: new RpcError(-32002, 'Session not found', { sessionId: 's' }),
    cancelled: new CancelledError(),
    user: new UserError('The disk is full.', { hint: 'Free some space.' }),
    object: { message: 'plain object' },
    text: 'a text',
    nothing: null,
  };
  const { raw } = make({
    handlers: {
      request: (method) => {
        if (method.startsWith('async ')) return Promise.reject(errors[method.slice(6)]);
        throw errors[method];
      },
    },
  });
  const wanted: Record<string, object> = {
    rpc: { code: -32002, message: 'Session not found', data: { sessionId: 's' } },
    cancelled: { code: -32800, message: 'Request cancelled' },
    user: { code: -32603, message: 'The disk is full. Free some space.' },
    object: { code: -32603, message: 'plain object' },
    text: { code: -32603, message: 'a text' },
    nothing: { code: -32603, message: 'unknown error' },
  };
  for (const [name, error] of Object.entries(wanted))
    for (const method of [name, `async ${name}`]) {
      raw.send({ id: method, method });
      expect((await raw.answerTo(method)).error).toEqual(error);
    }
});

test('a result that is no JSON becomes an error answer', async () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  const { raw } = make({ handlers: { request: () => loop } });
  raw.send({ id: 1, method: 'x' });
  expect((await raw.answerTo(1)).error.code).toBe(-32603);
});

test('answer() writes at once, before what is written later, and only once', async () => {
  const { raw, peer } = make({
    handlers: {
      request: (_method, _params, ctx) => {
        ctx.answer('now');
        peer.notify('after', {});
        return 'later';
      },
    },
  });
  raw.send({ id: 1, method: 'x' });
  await raw.next('after');
  await settled();
  expect(raw.frames.map((f) => f.result ?? f.method)).toEqual(['now', 'after']);
});

test('$/cancel_request aborts the signal of that request and no other', async () => {
  const signals = new Map<unknown, AbortSignal>();
  const { raw } = make({
    handlers: {
      request: (_m, _p, ctx) => {
        signals.set(ctx.id, ctx.signal);
        return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new CancelledError())));
      },
    },
  });
  raw.send({ id: 1, method: 'x' }, { id: '1', method: 'y' });
  raw.send({ method: '$/cancel_request', params: { requestId: 'none' } }, { method: '$/cancel_request', params: null });
  raw.send({ method: '$/cancel_request', params: { requestId: '1' } });
  expect((await raw.answerTo('1')).error.code).toBe(-32800);
  expect(signals.get(1)!.aborted).toBe(false);
});

test('a signal ends the wait at once, tells the other side, and the late answer is no noise', async () => {
  const { raw, peer, noise } = make();
  const controller = new AbortController();
  const late: unknown[] = [];
  const answer = peer.request('a', {}, { signal: controller.signal, late: (result) => late.push(result) });
  await raw.next('a');
  controller.abort();
  await expect(answer).rejects.toBeInstanceOf(CancelledError);
  expect((await raw.next('$/cancel_request')).params).toEqual({ requestId: 1 });
  raw.send({ id: 1, result: 'too late' });
  await settled();
  expect(noise).toEqual([]);
  expect(late).toEqual(['too late']);
  const before = raw.frames.length;
  await expect(peer.request('b', {}, { signal: controller.signal })).rejects.toBeInstanceOf(CancelledError);
  expect(raw.frames.length).toBe(before);
});

test('F006 a deadline ends the wait in words', async () => {
  const { raw, peer } = make();
  const error = await peer.request('initialize', {}, { deadline: 20 }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(DeadlineError);
  expect((error as Error).message).toBe('There was no answer to initialize within 0.1 seconds.');
  await raw.next('$/cancel_request');
});

test('order: messages reach their handlers as they were written, the answer in between', async () => {
  const order: string[] = [];
  const { raw, peer } = make({
    handlers: {
      notification: (_m, params) => {
        order.push(String(params));
      },
      request: (method) => {
        order.push(method);
        return {};
      },
    },
  });
  peer.call('a', {}, () => {
    order.push('answer');
  });
  await raw.next('a');
  raw.send(
    { method: 'n', params: 1 },
    { id: 'p', method: 'request' },
    { method: 'n', params: 2 },
    { id: 1, result: {} },
    { method: 'n', params: 3 },
  );
  await settled();
  expect(order).toEqual(['1', 'request', '2', 'answer', '3']);
});

test('a promise of a handler or of a settle holds back everything behind it', async () => {
  const order: string[] = [];
  const slow = (name: string) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    order.push(`${name} done`);
  };
  const { raw, peer } = make({
    handlers: {
      notification: (method) => {
        order.push(method);
        if (method === 'slow') return slow('slow')();
      },
      request: (method) => {
        order.push(method);
        return {};
      },
    },
  });
  peer.call('a', {}, () => {
    order.push('answer');
    return slow('answer')();
  });
  await raw.next('a');
  raw.send({ method: 'slow' }, { id: 1, result: {} }, { id: 9, method: 'request' }, { method: 'last' });
  await raw.answerTo(9);
  await settled();
  expect(order).toEqual(['slow', 'slow done', 'answer', 'answer done', 'request', 'last']);
});

test('a handler that fails, at once or later, is reported and the queue goes on', async () => {
  const { raw, seen, faults } = make({
    handlers: {
      notification: (method) => {
        if (method === 'throws') throw new Error('at once');
        if (method === 'rejects') return Promise.reject(new Error('later'));
        seen.push(method);
      },
    },
  });
  raw.send({ method: 'throws' }, { method: 'rejects' }, { method: 'fine' });
  await settled();
  expect(seen).toEqual(['fine']);
  expect(faults.map((f) => (f as Error).message)).toEqual(['at once', 'later']);
});

test('backpressure: reading pauses while a handler is behind, and nothing is lost', async () => {
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  const input = new PassThrough({ highWaterMark: 64 * 1024 });
  const peer = new Peer({
    input,
    output: new PassThrough(),
    handlers: {
      notification: () => {
        count++;
        return count === 1 ? gate : undefined;
      },
      request: () => ({}),
    },
  });
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: 'x'.repeat(10_000) })}\n`;
  let written = 0;
  let full = false;
  while (written < 2000 && !full) {
    full = !input.write(line);
    written++;
    if (full) {
      await settled();
      full = input.writableLength > 64 * 1024;
    }
  }
  expect(full).toBe(true);
  expect(input.isPaused()).toBe(true);
  expect(written * line.length).toBeLessThan(3 * 1024 * 1024);
  expect(count).toBe(1);
  release();
  while (count < written) await settled();
  expect(input.isPaused()).toBe(false);
  peer.dispose();
});

test('notify waits for the pipe', async () => {
  const held: (() => void)[] = [];
  const output = new Writable({
    highWaterMark: 100,
    write: (_chunk, _encoding, callback) => {
      held.push(callback);
    },
  });
  const peer = new Peer({
    input: new PassThrough(),
    output,
    handlers: { notification() {}, request: () => ({}) },
  });
  await peer.notify('small', {});
  let taken = false;
  const big = peer.notify('big', 'x'.repeat(200)).then(() => {
    taken = true;
  });
  await settled();
  expect(taken).toBe(false);
  while (held.length > 0) {
    held.shift()!();
    await settled();
  }
  await big;
  peer.dispose();
});

test('a line over the cap is an event, the connection lives, and whoever waits for it is told', async () => {
  const truncated: unknown[] = [];
  const { raw, peer, noise, seen } = make({
    options: { maxLine: 1000 },
    handlers: {
      truncated: (method, sessionId, info) => {
        truncated.push([method, sessionId, info.bytes > 1000]);
      },
    },
  });
  const first = peer.request('a', {});
  const last = peer.request('b', {});
  await raw.next('b');
  const filler = 'x'.repeat(3000);
  raw.raw(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: { filler } } })}\n`,
  );
  raw.raw(`${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { filler } })}\n`);
  raw.raw(`${JSON.stringify({ jsonrpc: '2.0', result: { filler }, id: 2 })}\n`);
  raw.raw(`${JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'x', params: { filler } })}\n`);
  raw.raw(`${filler}\n`);
  raw.send({ method: 'after' });
  await expect(first).rejects.toThrow('The answer to a is too long');
  await expect(last).rejects.toThrow('The answer to b is too long');
  expect((await raw.answerTo('q')).error.code).toBe(-32600);
  await settled();
  expect(truncated).toEqual([['session/update', 's1', true]]);
  expect(noise.map((n) => n.kind)).toEqual(Array(5).fill('oversize'));
  expect(seen).toEqual([['after', undefined]]);
});

test('F004 the end of the input rejects what is pending with the reason, after the last line was delivered', async () => {
  const { raw, peer } = make({
    options: { endReason: async () => new UserError('bob ended with exit code 137', { detail: 'out of memory' }) },
  });
  const answered = peer.request('a', {});
  const pending = peer.request('b', {});
  await raw.next('b');
  raw.raw('{"jsonrpc":"2.0","id":1,"result":"unterminated"}');
  raw.input.end();
  expect(await answered).toBe('unterminated');
  await expect(pending).rejects.toThrow('bob ended with exit code 137');
  expect((await peer.closed).message).toBe('bob ended with exit code 137');
  await expect(peer.request('c', {})).rejects.toThrow('bob ended with exit code 137');
  await peer.notify('d', {});
});

test('the end waits for handlers that are behind, then for the reason, but not for ever', async () => {
  const order: string[] = [];
  const { raw, peer } = make({
    handlers: {
      notification: async () => {
        await settled();
        order.push('handled');
      },
    },
    options: { endReason: () => new Promise(() => {}) },
  });
  raw.send({ method: 'n' });
  raw.input.end();
  const reason = await peer.closed;
  expect(order).toEqual(['handled']);
  expect(reason.message).toBe('The connection ended.');
});

test('an error of the input, a destroyed input and one that had ended before are ends', async () => {
  const one = make();
  one.raw.input.destroy(new Error('ECONNRESET'));
  await one.peer.closed;
  const two = make();
  two.raw.input.destroy();
  await two.peer.closed;
  const input = new PassThrough();
  input.destroy();
  await settled();
  const three = new Peer({ input, output: new PassThrough(), handlers: { notification() {}, request: () => ({}) } });
  await three.closed;
});

test('EPIPE never crashes: what is sent later fails, what comes is still delivered', async () => {
  const { raw, peer, seen } = make();
  const taken = peer.request('a', {});
  await raw.next('a');
  raw.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await settled();
  await peer.notify('n', {});
  await expect(peer.request('b', {})).rejects.toThrow('The other side reads no more.');
  const last = peer.request('c', {});
  raw.send({ method: 'still' }, { id: 1, result: 'answered before' }, { id: 5, method: 'request' });
  expect(await taken).toBe('answered before');
  await settled();
  expect(seen).toHaveLength(1);
  // a request that could not be sent gets the reason of the end when that follows
  peer.close(new Error('bob ended with exit code 1'));
  await expect(last).rejects.toThrow('bob ended with exit code 1');
});

test('close rejects what is pending, aborts what runs, and is done once', async () => {
  let signal: AbortSignal | undefined;
  const { raw, peer, seen } = make({
    handlers: {
      request: (_m, _p, ctx) => {
        signal = ctx.signal;
        return new Promise(() => {});
      },
    },
  });
  const pending = peer.request('a', {});
  raw.send({ id: 1, method: 'x' });
  await settled();
  peer.close(new Error('stopped'));
  peer.close(new Error('again'));
  await expect(pending).rejects.toThrow('stopped');
  expect((await peer.closed).message).toBe('stopped');
  expect(signal!.aborted).toBe(true);
  raw.send({ method: 'late' });
  await settled();
  expect(seen).toEqual([]);
});

test('nothing is left behind: listeners on signals and timers go with the answer, and with the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { raw, peer } = make();
    const { signal } = new AbortController();
    const answered = peer.request('a', {}, { signal, deadline: 60_000 });
    const pending = peer.request('b', {}, { signal, deadline: 60_000 });
    raw.send({ id: (await raw.next('a')).id, result: {} });
    await answered;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(1);
    peer.close(new Error('over'));
    await expect(pending).rejects.toThrow('over');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

const noiseLine = fc.oneof(
  fc.constantFrom(
    '123',
    '"x"',
    'null',
    '[]',
    '{}',
    '{"level":"info","id":1}',
    '\u001b[31mred\u001b[0m',
    '',
    '  ',
    'npm WARN x',
    '50%\r100%',
  ),
  fc.string({ maxLength: 30 }).map((s) => `# ${s.replace(/[\n\r]/g, ' ')}`),
);

test('property: random frames among noise, cut anywhere, arrive complete and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.record({ n: fc.jsonValue() }), fc.record({ noise: noiseLine }))),
      fc.array(fc.nat(3000)),
      fc.boolean(),
      async (items, places, slow) => {
        const got: unknown[] = [];
        const { raw, peer } = make({
          handlers: {
            notification: (_m, params) => {
              got.push(params);
              return slow && got.length % 3 === 0 ? Promise.resolve() : undefined;
            },
          },
        });
        const wanted: unknown[] = [];
        const text = items.map((item) => {
          if ('noise' in item) return `${item.noise}\n`;
          wanted.push(JSON.parse(JSON.stringify(item.n)));
          return `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: item.n })}\n`;
        });
        const bytes = Buffer.from(text.join(''));
        let from = 0;
        for (const to of [...places.map((p) => p % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
          raw.raw(bytes.subarray(from, to));
          from = to;
        }
        raw.input.end();
        await peer.closed;
        expect(got).toEqual(wanted);
        expect(raw.frames).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});
