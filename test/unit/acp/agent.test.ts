import { PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { type AgentHandlers, ClientConnection } from '../../../src/acp/agent';
import { RpcError } from '../../../src/acp/peer';
import type { PromptRequest, RequestPermissionRequest } from '../../../src/acp/types';
import { CancelledError, UserError } from '../../../src/base/errors';
import { silentLog } from '../../../src/base/log';
import { chunk, RawPeer, settled } from '../../support/raw-peer';
import { FrameRecorder } from '../../support/schema';

const recorders: FrameRecorder[] = [];
afterEach(() => {
  for (const recorder of recorders.splice(0)) recorder.verify();
});

interface Made {
  raw: RawPeer;
  client: ClientConnection;
  calls: string[];
}

function make(handlers: Partial<AgentHandlers> = {}): Made {
  const raw = new RawPeer();
  const recorder = new FrameRecorder('agent');
  recorders.push(recorder);
  const calls: string[] = [];
  let n = 0;
  const client = new ClientConnection({
    input: raw.input,
    output: raw.output,
    log: silentLog,
    journal: recorder.journal,
    handlers: {
      initialize: () => ({
        protocolVersion: 99,
        agentInfo: { name: 'mm', version: '1' },
        agentCapabilities: { _meta: { mm: { exchange: true } } },
      }),
      newSession: () => ({ sessionId: `s${++n}` }),
      opened: (id) => {
        calls.push(`opened ${id}`);
      },
      prompt: async () => ({ stopReason: 'end_turn' }),
      cancel: (id) => {
        calls.push(`cancel ${id}`);
      },
      ...handlers,
    },
  });
  return { raw, client, calls };
}

async function ready(handlers: Partial<AgentHandlers> = {}): Promise<Made> {
  const made = make(handlers);
  made.raw.send({ id: 'init', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  await made.raw.answerTo('init');
  made.raw.send({ id: 'new', method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
  expect((await made.raw.answerTo('new')).result).toEqual({ sessionId: 's1' });
  return made;
}

const promptFrame = (id: unknown, sessionId = 's1', prompt: unknown = [{ type: 'text', text: 'hi' }]) => ({
  id,
  method: 'session/prompt',
  params: { sessionId, prompt },
});

/** A turn that lasts until it is stopped. */
const untilStopped = (_p: PromptRequest, signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new CancelledError())));

test.each([[1], [0], [2], [65535]])('the version is clamped: asked for %i, answered 1', async (version) => {
  const { raw } = make();
  raw.send({ id: 1, method: 'initialize', params: { protocolVersion: version } });
  expect((await raw.answerTo(1)).result.protocolVersion).toBe(1);
});

test.each([[undefined], [null], [[]], [{}], [{ protocolVersion: '1' }], [{ protocolVersion: 1.5 }]])(
  'initialize with %j is answered -32602 and may be repeated',
  async (params) => {
    const { raw } = make();
    raw.send({ id: 1, method: 'initialize', params });
    expect((await raw.answerTo(1)).error.code).toBe(-32602);
    raw.send({ id: 2, method: 'initialize', params: { protocolVersion: 1 } });
    expect((await raw.answerTo(2)).result.protocolVersion).toBe(1);
  },
);

test('a request before initialize is answered -32600', async () => {
  const { raw } = make();
  raw.send({ id: 1, method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
  const { error } = await raw.answerTo(1);
  expect(error).toEqual({ code: -32600, message: '"initialize" must come before "session/new"' });
});

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test('requests right behind initialize wait for it, and are answered in their order', async () => {
  const { raw } = make({
    initialize: async () => {
      await wait(20);
      return { protocolVersion: 1 };
    },
  });
  raw.send({ id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  raw.send({ id: 1, method: 'session/new', params: { cwd: '/shop', mcpServers: [] } });
  raw.send({ id: 2, method: 'no/such', params: {} });
  expect((await raw.answerTo(1)).result).toEqual({ sessionId: 's1' });
  expect((await raw.answerTo(2)).error.code).toBe(-32601);
  const answers = raw.frames.filter((frame) => frame.method === undefined).map((frame) => frame.id);
  expect(answers).toEqual([0, 1, 2]);
});

test('behind an initialize that fails a request is still too early', async () => {
  const { raw } = make({
    initialize: async () => {
      await wait(5);
      throw new UserError('mm.yaml:3:1: unknown key');
    },
  });
  raw.send({ id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  raw.send({ id: 1, method: 'session/new', params: { cwd: '/shop', mcpServers: [] } });
  expect((await raw.answerTo(0)).error.message).toBe('mm.yaml:3:1: unknown key');
  expect((await raw.answerTo(1)).error.code).toBe(-32600);
});

test('what is piped in is answered although the input has ended', async () => {
  const { raw, client } = make({
    newSession: async () => {
      await wait(20);
      return { sessionId: 's1' };
    },
  });
  raw.send({ id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  raw.send({ id: 1, method: 'session/new', params: { cwd: '/shop', mcpServers: [] } });
  raw.input.end();
  await client.closed;
  expect((await raw.answerTo(0)).result.protocolVersion).toBe(1);
  expect((await raw.answerTo(1)).result).toEqual({ sessionId: 's1' });
});

test('clientMeta is what the client says under _meta.mm, already when initialize is handled', async () => {
  let seen: unknown;
  const made = make({
    initialize: () => {
      seen = made.client.clientMeta;
      return { protocolVersion: 1 };
    },
  });
  made.raw.send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: 1, clientCapabilities: { _meta: { mm: { ask: true } } } },
  });
  await made.raw.answerTo(1);
  expect(seen).toEqual({ ask: true });
  expect(made.client.clientMeta).toEqual({ ask: true });
});

test.each([['everything'], [null], [[1]]])('clientCapabilities %j count as none', async (clientCapabilities) => {
  const { raw, client } = make();
  raw.send({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities } });
  await raw.answerTo(1);
  expect(client.clientMeta).toEqual({});
});

test('the first updates of a session come after the answer that names it', async () => {
  const made = make({
    opened: (id) => void made.client.update(id, { sessionUpdate: 'available_commands_update', availableCommands: [] }),
  });
  made.raw.send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } });
  await made.raw.answerTo(1);
  made.raw.send({ id: 2, method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
  await made.raw.next('session/update');
  await settled();
  expect(made.raw.frames.map((f) => f.method ?? f.id)).toEqual([1, 2, 'session/update']);
});

test.each([
  [{ cwd: 'relative', mcpServers: [] }],
  [{ mcpServers: [] }],
  [{ cwd: '/work' }],
  [{ cwd: '/work', mcpServers: {} }],
  [null],
])('session/new with %j is answered -32602', async (params) => {
  const { raw } = await ready();
  raw.send({ id: 1, method: 'session/new', params });
  expect((await raw.answerTo(1)).error.code).toBe(-32602);
});

test('a Windows folder is absolute too', async () => {
  const { raw } = await ready();
  raw.send({ id: 1, method: 'session/new', params: { cwd: 'C:\\work', mcpServers: [] } });
  expect((await raw.answerTo(1)).result).toEqual({ sessionId: 's2' });
});

test.each([[undefined], ['hi'], [[null]], [[{ text: 'no type' }]]])(
  'a prompt of %j is answered -32602',
  async (prompt) => {
    const { raw } = await ready();
    raw.send({ id: 1, method: 'session/prompt', params: { sessionId: 's1', prompt } });
    expect((await raw.answerTo(1)).error.code).toBe(-32602);
  },
);

test.each([['session/prompt'], ['session/set_mode'], ['session/close'], ['_mm/exchange']])(
  '%s of an unknown session is answered -32002 with its id',
  async (method) => {
    const { raw } = await ready({ setMode() {}, closeSession() {}, exchange() {} });
    raw.send({
      id: 1,
      method,
      params: { sessionId: 'none', prompt: [], modeId: 'x', id: 'i', user: 'u', assistant: 'a' },
    });
    expect((await raw.answerTo(1)).error).toEqual({
      code: -32002,
      message: 'Session not found',
      data: { sessionId: 'none' },
    });
  },
);

test.each([
  ['nonsense'],
  ['session/load'],
  ['session/set_mode'],
  ['session/close'],
  ['_mm/exchange'],
  ['fs/read_text_file'],
])('%s, which this agent does not have, is answered -32601, and the connection survives', async (method) => {
  const { raw } = await ready();
  raw.send({ id: 1, method, params: { sessionId: 's1' } });
  expect((await raw.answerTo(1)).error.code).toBe(-32601);
  raw.send(promptFrame(2));
  expect((await raw.answerTo(2)).result).toEqual({ stopReason: 'end_turn' });
});

test('notifications are never answered, known or not', async () => {
  const { raw } = await ready();
  const before = raw.frames.length;
  raw.send(
    { method: 'nonsense', params: {} },
    { method: 'session/cancel', params: null },
    { method: 'session/cancel' },
  );
  raw.send({ method: 'session/cancel', params: { sessionId: 'none' } }, { method: 'session/prompt', params: {} });
  await settled();
  expect(raw.frames.length).toBe(before);
});

test('ids are echoed exactly', async () => {
  const { raw } = await ready();
  for (const id of [0, -1, 'a-b', '7', 7]) {
    raw.send(promptFrame(id));
    expect((await raw.next((f) => f.method === undefined)).id).toBe(id);
  }
});

test('updates of a turn come before its answer', async () => {
  const made = await ready({
    prompt: async (p) => {
      for (let i = 0; i < 50; i++) await made.client.update(p.sessionId, chunk(String(i)));
      return { stopReason: 'end_turn' };
    },
  });
  made.raw.send(promptFrame(1));
  await made.raw.answerTo(1);
  const texts = made.raw.frames.filter((f) => f.method === 'session/update').map((f) => f.params.update.content.text);
  expect(texts).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  expect(made.raw.frames.at(-1).id).toBe(1);
});

test('one prompt per session; the second is answered -32600, another session’s is not affected', async () => {
  const made = await ready({ prompt: untilStopped });
  made.raw.send({ id: 'n2', method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
  await made.raw.answerTo('n2');
  made.raw.send(promptFrame(1), promptFrame(2), promptFrame(3, 's2'));
  const { error } = await made.raw.answerTo(2);
  expect(error.code).toBe(-32600);
  expect(error.message).toContain('busy');
  made.raw.send({ method: 'session/cancel', params: { sessionId: 's1' } });
  expect((await made.raw.answerTo(1)).result).toEqual({ stopReason: 'cancelled' });
  expect(made.calls).toContain('cancel s1');
  await settled();
  expect(made.raw.frames.some((f) => f.id === 3)).toBe(false);
  made.raw.send(promptFrame(4));
  await settled();
  made.raw.send({ method: 'session/cancel', params: { sessionId: 's1' } });
  expect((await made.raw.answerTo(4)).result).toEqual({ stopReason: 'cancelled' });
});

test.each([
  ['rejects as cancelled', () => Promise.reject(new CancelledError())],
  ['fails', () => Promise.reject(new Error('model connection aborted'))],
  ['ends as if nothing was', () => Promise.resolve({ stopReason: 'end_turn' as const })],
])('a cancelled turn that %s is answered cancelled, never with an error', async (_what, end) => {
  const { raw } = await ready({
    prompt: (_p, signal) =>
      new Promise((resolve, reject) => signal.addEventListener('abort', () => end().then(resolve, reject))),
  });
  raw.send(promptFrame(1), { method: 'session/cancel', params: { sessionId: 's1' } });
  expect((await raw.answerTo(1)).result).toEqual({ stopReason: 'cancelled' });
});

test('$/cancel_request of a prompt stops it too', async () => {
  const { raw } = await ready({ prompt: untilStopped });
  raw.send(promptFrame(1), { method: '$/cancel_request', params: { requestId: 1 } });
  expect((await raw.answerTo(1)).result).toEqual({ stopReason: 'cancelled' });
});

test('a turn that fails is answered with its words', async () => {
  const { raw } = await ready({
    prompt: (p) =>
      Promise.reject(
        p.prompt.length
          ? new UserError('No model answers at 127.0.0.1.', { hint: 'Start it.' })
          : new RpcError(-32000, 'Authentication required'),
      ),
  });
  raw.send(promptFrame(1), promptFrame(2));
  expect((await raw.answerTo(1)).error).toEqual({ code: -32603, message: 'No model answers at 127.0.0.1. Start it.' });
});

test('session/close during a prompt: the prompt is answered cancelled, the session is gone', async () => {
  const closed: string[] = [];
  const { raw } = await ready({ prompt: untilStopped, closeSession: (id) => void closed.push(id) });
  raw.send(promptFrame(1), { id: 2, method: 'session/close', params: { sessionId: 's1' } });
  expect((await raw.answerTo(1)).result).toEqual({ stopReason: 'cancelled' });
  expect((await raw.next((f) => f.id === 2)).result).toEqual({});
  expect(closed).toEqual(['s1']);
  raw.send(promptFrame(3));
  expect((await raw.answerTo(3)).error.code).toBe(-32002);
});

test('set_mode and _mm/exchange reach the handlers and are answered with an object', async () => {
  const got: unknown[] = [];
  const { raw } = await ready({ setMode: (p) => void got.push(p), exchange: async (p) => void got.push(p) });
  raw.send({ id: 1, method: 'session/set_mode', params: { sessionId: 's1', modeId: 'yolo', more: 1 } });
  raw.send({ id: 2, method: '_mm/exchange', params: { sessionId: 's1', id: 'x', user: 'u', assistant: 'a' } });
  raw.send({ id: 3, method: '_mm/exchange', params: { sessionId: 's1', id: 'x', user: 5, assistant: 'a' } });
  expect((await raw.answerTo(1)).result).toEqual({});
  expect((await raw.answerTo(2)).result).toEqual({});
  expect((await raw.answerTo(3)).error.code).toBe(-32602);
  expect(got).toEqual([
    { sessionId: 's1', modeId: 'yolo' },
    { sessionId: 's1', id: 'x', user: 'u', assistant: 'a' },
  ]);
});

const question: RequestPermissionRequest = {
  sessionId: 's1',
  toolCall: { toolCallId: 'c', title: 'rm -r build' },
  options: [
    { optionId: 'a', name: 'Allow', kind: 'allow_once' },
    { optionId: 'r', name: 'Reject', kind: 'reject_once' },
  ],
};
const cancelled = { outcome: 'cancelled' };

test('F050 a permission answer counts by its optionId; one that was not offered counts as cancelled', async () => {
  const { raw, client } = await ready();
  const signal = new AbortController().signal;
  for (const [result, outcome] of [
    [{ outcome: { outcome: 'selected', optionId: 'a' } }, { outcome: 'selected', optionId: 'a' }],
    [{ outcome: { outcome: 'selected', optionId: 'forged' } }, cancelled],
    [{ outcome: { outcome: 'selected' } }, cancelled],
    [{ outcome: { outcome: 'allowed', optionId: 'a' } }, cancelled],
    [{ outcome: 'a' }, cancelled],
    [{ outcome: { outcome: 'cancelled' } }, cancelled],
    [null, cancelled],
    ['a', cancelled],
  ]) {
    const asked = client.requestPermission(question, signal);
    const frame = await raw.next('session/request_permission');
    expect(frame.params).toEqual(question);
    raw.send({ id: frame.id, result });
    expect(await asked).toEqual(outcome);
  }
  const failed = client.requestPermission(question, signal);
  raw.send({ id: (await raw.next('session/request_permission')).id, error: { code: -32603, message: 'dialog broke' } });
  await expect(failed).rejects.toThrow('dialog broke');
});

test('a question whose turn is stopped, or whose client has gone, is cancelled', async () => {
  const { raw, client } = await ready();
  const controller = new AbortController();
  const asked = client.requestPermission(question, controller.signal);
  const frame = await raw.next('session/request_permission');
  controller.abort();
  expect(await asked).toEqual(cancelled);
  expect((await raw.next('$/cancel_request')).params).toEqual({ requestId: frame.id });
  const second = client.requestPermission(question, new AbortController().signal);
  raw.input.end();
  expect(await second).toEqual(cancelled);
  expect(await client.requestPermission(question, new AbortController().signal)).toEqual(cancelled);
});

test('ask goes to the hub and comes back checked; it is cancelled by its signal', async () => {
  const { raw, client } = await ready();
  const params = { sessionId: 's1', toolCallId: 'c', agent: 'bob', prompt: 'p' };
  const controller = new AbortController();
  const asked = client.ask(params, controller.signal);
  const frame = await raw.next('_mm/ask');
  expect(frame.params).toEqual(params);
  raw.send({ id: frame.id, result: { text: 'answer', agent: 'bob', stopReason: 'end_turn', truncated: 0, model: 5 } });
  expect(await asked).toMatchObject({
    text: 'answer',
    agent: 'bob',
    stopReason: 'end_turn',
    truncated: 0,
    model: undefined,
  });
  const bad = client.ask(params, controller.signal);
  raw.send({ id: (await raw.next('_mm/ask')).id, result: {} });
  await expect(bad).rejects.toThrow('no answer of the asked agent');
  const stopped = client.ask(params, controller.signal);
  const third = await raw.next('_mm/ask');
  controller.abort();
  await expect(stopped).rejects.toBeInstanceOf(CancelledError);
  expect((await raw.next('$/cancel_request')).params).toEqual({ requestId: third.id });
});

test('the end of the client stops what runs', async () => {
  let stopped = false;
  const { raw, client } = await ready({
    prompt: (p, signal) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return untilStopped(p, signal);
    },
  });
  raw.send(promptFrame(1));
  await settled();
  raw.input.end();
  await client.closed;
  await settled();
  expect(stopped).toBe(true);
  await client.update('s1', chunk('into nothing'));
});

test('update waits for a slow client', async () => {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1000 });
  const client = new ClientConnection({
    input,
    output,
    log: silentLog,
    handlers: {
      initialize: () => ({ protocolVersion: 1 }),
      newSession: () => ({ sessionId: 's' }),
      prompt: async () => ({ stopReason: 'end_turn' }),
    },
  });
  let sent = 0;
  const flood = (async () => {
    for (; sent < 100; sent++) await client.update('s', chunk('x'.repeat(100)));
  })();
  await settled();
  expect(sent).toBeLessThan(20);
  output.resume();
  await flood;
  client.dispose();
});
