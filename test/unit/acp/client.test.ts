import { afterEach, expect, test } from 'vitest';
import { AgentConnection, type ClientSession, type SessionHandlers, truncatedUpdate } from '../../../src/acp/client';
import { earlyLimits } from '../../../src/acp/early';
import type { AskParams } from '../../../src/acp/meta';
import type { AnyUpdate } from '../../../src/acp/types';
import { CancelledError, UserError } from '../../../src/base/errors';
import { chunk, RawPeer, settled } from '../../support/raw-peer';
import { FrameRecorder } from '../../support/schema';

const recorders: FrameRecorder[] = [];
afterEach(() => {
  // every frame that the client side sent in the test that just ended
  for (const recorder of recorders.splice(0)) recorder.verify();
});

// biome-ignore lint/suspicious/noExplicitAny: what a hostile agent may answer
type Anything = any;

interface Made {
  raw: RawPeer;
  connection: AgentConnection;
  recorder: FrameRecorder;
  log: string[];
}

function make(o: { maxLine?: number } = {}): Made {
  const raw = new RawPeer();
  const recorder = new FrameRecorder('client');
  recorders.push(recorder);
  const log: string[] = [];
  const write = (message: string) => {
    log.push(message);
  };
  const connection = new AgentConnection({
    input: raw.input,
    output: raw.output,
    log: { debug: write, info: write, warn: write, error: write },
    endReason: async () => new UserError('bob ended with exit code 1'),
    journal: recorder.journal,
    maxLine: o.maxLine,
  });
  return { raw, connection, recorder, log };
}

const clientInfo = { name: 'mm', title: 'mm', version: '0.1.0' };

async function initialized(o: { hub?: boolean; maxLine?: number; capabilities?: Anything } = {}): Promise<Made> {
  const made = make(o);
  const info = made.connection.initialize({ clientInfo, hub: o.hub ?? false, deadline: 5000 });
  const request = await made.raw.next('initialize');
  made.raw.send({ id: request.id, result: { protocolVersion: 1, agentCapabilities: o.capabilities ?? {} } });
  await info;
  return made;
}

function collector(): { handlers: SessionHandlers; updates: AnyUpdate[]; texts: string[] } {
  const updates: AnyUpdate[] = [];
  const texts: string[] = [];
  return {
    updates,
    texts,
    handlers: {
      update: (update) => {
        updates.push(update);
        texts.push((update as Anything).content?.text ?? update.sessionUpdate);
      },
      permission: async (request) => ({ outcome: 'selected', optionId: request.options[0]!.optionId }),
    },
  };
}

async function opened(
  handlers: SessionHandlers,
  o: { hub?: boolean; maxLine?: number; capabilities?: Anything; id?: string } = {},
): Promise<Made & { session: ClientSession }> {
  const made = await initialized(o);
  const session = made.connection.newSession({ cwd: '/work', handlers, deadline: 5000 });
  const request = await made.raw.next('session/new');
  made.raw.send({ id: request.id, result: { sessionId: o.id ?? 's1' } });
  return { ...made, session: await session };
}

const prompt = (session: ClientSession, signal = new AbortController().signal) =>
  session.prompt([{ type: 'text', text: 'hi' }], { signal });

const permission = (id: unknown, sessionId = 's1', options: Anything = undefined) => ({
  id,
  method: 'session/request_permission',
  params: {
    sessionId,
    toolCall: { toolCallId: 'call-1', title: 'ls' },
    options: options ?? [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  },
});

test('initialize offers nothing but our own extension, and that only as a hub', async () => {
  const plain = await initialized();
  expect(plain.raw.frames[0].params).toEqual({ protocolVersion: 1, clientCapabilities: {}, clientInfo });
  const hub = await initialized({ hub: true });
  expect(hub.raw.frames[0].params.clientCapabilities).toEqual({ _meta: { mm: { ask: true } } });
});

test('secrets go out in initialize and are masked in the journal', async () => {
  const { raw, connection, recorder } = make();
  const info = connection.initialize({
    clientInfo,
    hub: true,
    deadline: 5000,
    secrets: { TEAM_KEY: 'sk-"quoted"-123', OTHER: 'sk-"quoted"-123-longer' },
  });
  const request = await raw.next('initialize');
  expect(request.params._meta.mm.secrets.TEAM_KEY).toBe('sk-"quoted"-123');
  raw.send({ id: request.id, result: { protocolVersion: 1, _meta: { echo: 'sk-"quoted"-123-longer' } } });
  await info;
  expect(JSON.stringify(recorder.frames)).not.toContain('123');
  expect(recorder.sent('initialize')[0].params._meta.mm.secrets).toEqual({ TEAM_KEY: '***', OTHER: '***' });
});

test.each([
  [{ protocolVersion: 2 }, 'The agent speaks version 2 of the Agent Client Protocol; version 1 is needed.'],
  [{ protocolVersion: 65535 }, 'version 65535'],
  [{ protocolVersion: '1' }, 'version 1 of'],
  [{}, 'none of the Agent Client Protocol'],
  [null, 'none of the Agent Client Protocol'],
  ['ok', 'none of the Agent Client Protocol'],
  [[], 'none of the Agent Client Protocol'],
])('initialize answered with %j is refused in words', async (result, words) => {
  const { raw, connection } = make();
  const info = connection.initialize({ clientInfo, hub: false, deadline: 5000 });
  raw.send({ id: (await raw.next('initialize')).id, result });
  const error = await info.catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toContain(words);
});

test('what an agent says of itself fits on a line; what is no object is nothing', async () => {
  const { raw, connection } = make();
  const info = connection.initialize({ clientInfo, hub: false, deadline: 5000 });
  raw.send({
    id: (await raw.next('initialize')).id,
    result: {
      protocolVersion: 1,
      agentInfo: { name: 'evil\nname', title: 'x'.repeat(5000), version: 7 },
      agentCapabilities: 'all',
      authMethods: [{ id: 'a', name: 'A' }, null, { name: 'no id' }],
    },
  });
  const read = await info;
  expect(read.agentInfo!.name).toBe('evil');
  expect(read.agentInfo!.title!.length).toBe(100);
  expect(read.agentInfo!.version).toBe('');
  expect(read.agentCapabilities).toEqual({});
  expect(read.authMethods).toHaveLength(1);
  expect(connection.agentMeta).toEqual({});
});

test('agentMeta is what stands under _meta.mm', async () => {
  const { connection } = await initialized({ capabilities: { _meta: { mm: { exchange: true, model: 'qwen3:8b' } } } });
  expect(connection.agentMeta).toEqual({ exchange: true, model: 'qwen3:8b' });
});

test('a session is opened in its folder with our meta', async () => {
  const { raw, connection } = await initialized();
  const session = connection.newSession({
    cwd: '/work',
    meta: { askDepth: 1, chain: [{ name: 'ada', id: 'abc' }] },
    handlers: collector().handlers,
    deadline: 5000,
  });
  const request = await raw.next('session/new');
  expect(request.params).toEqual({
    cwd: '/work',
    mcpServers: [],
    _meta: { mm: { askDepth: 1, chain: [{ name: 'ada', id: 'abc' }] } },
  });
  raw.send({ id: request.id, result: { sessionId: 's1', modes: { currentModeId: 'x', availableModes: [] } } });
  expect((await session).response.modes!.currentModeId).toBe('x');
});

test.each([[null], [{}], [{ sessionId: '' }], [{ sessionId: 5 }]])(
  'session/new answered with %j is refused in words',
  async (result) => {
    const { raw, connection } = await initialized();
    const session = connection.newSession({ cwd: '/work', handlers: collector().handlers, deadline: 5000 });
    raw.send({ id: (await raw.next('session/new')).id, result });
    await expect(session).rejects.toThrow('The agent opened no session');
  },
);

test('F024 updates and questions before the answer to session/new are delivered in order, before what is behind it', async () => {
  const { raw, connection } = await initialized();
  const order: string[] = [];
  const opening = connection.newSession({
    cwd: '/work',
    deadline: 5000,
    handlers: {
      update: async (update) => {
        await settled();
        order.push((update as Anything).content.text);
      },
      permission: async () => {
        order.push('permission');
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
  });
  const request = await raw.next('session/new');
  raw.update('s1', chunk('1'));
  raw.update('s1', chunk('2'));
  await settled();
  raw.send(
    permission('q'),
    { method: 'session/update', params: { sessionId: 's1', update: chunk('3') } },
    { id: request.id, result: { sessionId: 's1' } },
    { method: 'session/update', params: { sessionId: 's1', update: chunk('4') } },
  );
  await opening;
  order.push('opened');
  expect((await raw.answerTo('q')).result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  while (order.length < 6) await settled();
  expect(order).toEqual(['opened', '1', '2', 'permission', '3', '4']);
});

test('F024 what waits for an unknown session is bounded, the oldest goes first, and the log says so once', async () => {
  const { raw, connection, log } = await initialized();
  for (let i = 0; i < earlyLimits.perSession + 20; i++) raw.update('s1', chunk(String(i)));
  await settled();
  const { handlers, texts } = collector();
  const opening = connection.newSession({ cwd: '/work', handlers, deadline: 5000 });
  raw.send({ id: (await raw.next('session/new')).id, result: { sessionId: 's1' } });
  await opening;
  await settled();
  expect(texts).toHaveLength(earlyLimits.perSession);
  expect(texts[0]).toBe('20');
  expect(log.filter((l) => l.includes('dropped'))).toHaveLength(1);
});

test('many unknown sessions, and big ones, do not pile up; a dropped question is answered cancelled', async () => {
  const { raw } = await initialized();
  raw.send(permission('q', 'unknown-0'));
  for (let i = 1; i <= earlyLimits.sessions; i++) raw.update(`unknown-${i}`, chunk('x'));
  expect((await raw.answerTo('q')).result).toEqual({ outcome: { outcome: 'cancelled' } });
  raw.send(permission('r', 'other'));
  raw.update('big', chunk('x'.repeat(earlyLimits.characters)));
  expect((await raw.answerTo('r')).result).toEqual({ outcome: { outcome: 'cancelled' } });
});

test('F025 the turn ends after every update written before the answer was handled, also by a slow handler', async () => {
  const order: string[] = [];
  const { raw, session } = await opened({
    update: async (update) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push((update as Anything).content.text);
    },
    permission: async () => ({ outcome: 'cancelled' }),
  });
  const turn = prompt(session).then((r) => order.push(r.stopReason));
  const request = await raw.next('session/prompt');
  expect(request.params).toEqual({ sessionId: 's1', prompt: [{ type: 'text', text: 'hi' }] });
  raw.send(
    ...['a', 'b', 'c'].map((t) => ({ method: 'session/update', params: { sessionId: 's1', update: chunk(t) } })),
    { id: request.id, result: { stopReason: 'end_turn' } },
  );
  await turn;
  expect(order).toEqual(['a', 'b', 'c', 'end_turn']);
});

test('F026 an update written after the answer, in the same write, comes after the turn has been resolved', async () => {
  const order: string[] = [];
  const { raw, session } = await opened({
    update: (update) => {
      order.push((update as Anything).content.text);
    },
    permission: async () => ({ outcome: 'cancelled' }),
  });
  // as many continuations as a relay with generators might have
  const deep = async (n: number): Promise<void> => {
    if (n > 0) await deep(n - 1);
    else await prompt(session);
  };
  const turn = deep(20).then(() => order.push('end'));
  const request = await raw.next('session/prompt');
  raw.send(
    { method: 'session/update', params: { sessionId: 's1', update: chunk('in') } },
    { id: request.id, result: { stopReason: 'end_turn' } },
    { method: 'session/update', params: { sessionId: 's1', update: chunk('late') } },
  );
  await turn;
  while (order.length < 3) await settled();
  expect(order).toEqual(['in', 'end', 'late']);
});

test('F024 F026 a prompt waits for what has come before it, which is in no turn; the end of the connection ends that wait', async () => {
  const during: [string, boolean][] = [];
  let release = () => {};
  let session: ClientSession | undefined;
  const held = await opened({
    update: (update) => {
      during.push([(update as Anything).content.text, session!.prompting]);
      if (during.length === 1)
        return new Promise((resolve) => {
          release = resolve;
        });
    },
    permission: async () => ({ outcome: 'cancelled' }),
  });
  session = held.session;
  const { raw } = held;
  for (const words of ['slow', 'late 1', 'late 2']) raw.update('s1', chunk(words));
  await settled();
  const turn = prompt(session);
  await settled();
  expect(raw.frames.filter((f) => f.method === 'session/prompt')).toEqual([]);
  await expect(prompt(session)).rejects.toThrow('still busy');
  release();
  const { id } = await raw.next('session/prompt');
  raw.update('s1', chunk('in'));
  raw.send({ id, result: { stopReason: 'end_turn' } });
  expect((await turn).stopReason).toBe('end_turn');
  expect(during).toEqual([
    ['slow', false],
    ['late 1', false],
    ['late 2', false],
    ['in', true],
  ]);

  during.length = 0;
  raw.update('s1', chunk('slow'));
  await settled();
  const never = prompt(session);
  held.connection.close(new Error('gone'));
  await expect(never).rejects.toThrow('gone');
});

test('an update comes before the permission question that was written behind it', async () => {
  const order: string[] = [];
  const { raw, session } = await opened({
    update: async (update) => {
      await settled();
      order.push(update.sessionUpdate);
    },
    permission: async () => {
      order.push('permission');
      return { outcome: 'selected', optionId: 'no' };
    },
  });
  prompt(session);
  const request = await raw.next('session/prompt');
  raw.send(
    {
      method: 'session/update',
      params: { sessionId: 's1', update: { sessionUpdate: 'tool_call', toolCallId: 'call-1', title: 'ls' } },
    },
    permission('q'),
  );
  expect((await raw.answerTo('q')).result).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
  expect(order).toEqual(['tool_call', 'permission']);
  raw.send({ id: request.id, result: { stopReason: 'end_turn' } });
});

test('F020 unknown kinds and content blocks pass through as they came', async () => {
  const { handlers, updates } = collector();
  const { raw, session } = await opened(handlers);
  const turn = prompt(session);
  const unknown = [
    { sessionUpdate: 'totally_new', payload: { a: [1, 2] } },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', data: 'x' } },
    { sessionUpdate: '' },
  ];
  for (const update of unknown) raw.update('s1', update);
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  await turn;
  expect(updates).toEqual(unknown);
});

test('F021 malformed updates are counted and ignored, the turn succeeds', async () => {
  const { handlers, texts } = collector();
  const { raw, connection, session, log } = await opened(handlers);
  const turn = prompt(session);
  for (const update of [null, [], 'text', 5, {}, { sessionUpdate: 7 }, undefined]) raw.update('s1', update);
  for (const params of [null, [], 'x', {}, { sessionId: 1, update: chunk('x') }])
    raw.send({ method: 'session/update', params });
  raw.update('s1', chunk('good'));
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  expect((await turn).stopReason).toBe('end_turn');
  expect(texts).toEqual(['good']);
  expect(connection.noiseCount).toBe(12);
  expect(log.filter((l) => l.includes('malformed'))).toHaveLength(1);
});

test('F015 noise is counted, told to listeners and logged once for each kind', async () => {
  const { connection, raw, log } = await initialized();
  const kinds: string[] = [];
  connection.onNoise((n) => kinds.push(n.kind));
  raw.raw('banner \u001b[31m\u202ered\n[]\nmore\n');
  await settled();
  expect(kinds).toEqual(['not-json', 'not-rpc', 'not-json']);
  expect(connection.noiseCount).toBe(3);
  expect(log.filter((l) => l.includes('no messages'))).toHaveLength(2);
  expect(log.join('')).toContain('[U+202E]');
  expect(log.join('')).not.toContain('\u202e');
});

test('F023 F043 stop: open questions are answered cancelled first, then session/cancel goes out once, without an id', async () => {
  const aborted: boolean[] = [];
  const { raw, session } = await opened({
    update() {},
    permission: (_request, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(true);
          reject(new CancelledError());
        }),
      ),
  });
  const controller = new AbortController();
  const turn = prompt(session, controller.signal);
  const request = await raw.next('session/prompt');
  raw.send(permission('q1'), permission('q2'), permission('q3'));
  await settled();
  controller.abort();
  await raw.next('session/cancel');
  const after = raw.frames.slice(raw.frames.indexOf(request) + 1);
  expect(after).toEqual([
    ...['q1', 'q2', 'q3'].map((id) => ({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'cancelled' } } })),
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } },
  ]);
  expect(aborted).toHaveLength(3);
  // one that comes while the turn is being cancelled
  raw.send(permission('q4'));
  expect((await raw.answerTo('q4')).result).toEqual({ outcome: { outcome: 'cancelled' } });
  raw.send({ id: request.id, result: { stopReason: 'cancelled' } });
  expect((await turn).stopReason).toBe('cancelled');
  expect(raw.frames.filter((f) => f.method === 'session/cancel')).toHaveLength(1);
});

test('the cancelling ends with the turn: the next turn’s questions are asked again', async () => {
  const { handlers } = collector();
  const { raw, session } = await opened(handlers);
  const controller = new AbortController();
  const first = prompt(session, controller.signal);
  const one = await raw.next('session/prompt');
  controller.abort();
  raw.send({ id: one.id, result: { stopReason: 'cancelled' } });
  await first;
  const second = prompt(session);
  const two = await raw.next('session/prompt');
  raw.send(permission('q'));
  expect((await raw.answerTo('q')).result.outcome.outcome).toBe('selected');
  raw.send({ id: two.id, result: { stopReason: 'end_turn' } });
  expect((await second).stopReason).toBe('end_turn');
});

test('a cancelled turn that is answered with an error is a cancelled turn; without a cancel the error is one', async () => {
  const { raw, session } = await opened(collector().handlers);
  const controller = new AbortController();
  const first = prompt(session, controller.signal);
  const one = await raw.next('session/prompt');
  controller.abort();
  raw.send({ id: one.id, error: { code: -32603, message: 'aborted' } });
  expect((await first).stopReason).toBe('cancelled');
  const second = prompt(session);
  raw.send({ id: (await raw.next('session/prompt')).id, error: { code: -32603, message: 'model failed' } });
  await expect(second).rejects.toThrow('model failed');
});

test('F044 a question outlives neither its turn, nor the agent’s cancel, nor the child', async () => {
  const signals: AbortSignal[] = [];
  const { raw, session } = await opened({
    update() {},
    permission: (_request, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  const turn = prompt(session);
  const request = await raw.next('session/prompt');
  raw.send(permission('ended'), { id: request.id, result: { stopReason: 'end_turn' } });
  await turn;
  expect((await raw.answerTo('ended')).result).toEqual({ outcome: { outcome: 'cancelled' } });
  const second = prompt(session);
  await raw.next('session/prompt');
  raw.send(permission('taken back'), { method: '$/cancel_request', params: { requestId: 'taken back' } });
  expect((await raw.answerTo('taken back')).result).toEqual({ outcome: { outcome: 'cancelled' } });
  raw.send(permission('dead'));
  raw.input.end();
  await expect(second).rejects.toThrow('bob ended with exit code 1');
  expect(signals.map((s) => s.aborted)).toEqual([true, true, true]);
});

test('F041 F042 questions in one write are each asked and each answered once', async () => {
  const answers = new Map<string, (optionId: string) => void>();
  const { raw, session } = await opened({
    update() {},
    permission: (request) =>
      new Promise((resolve) =>
        answers.set(request.toolCall.toolCallId, (optionId) => resolve({ outcome: 'selected', optionId })),
      ),
  });
  prompt(session);
  await raw.next('session/prompt');
  raw.send(
    ...[1, 2, 3].map((n) => {
      const frame = permission(`q${n}`);
      frame.params.toolCall.toolCallId = `call-${n}`;
      return frame;
    }),
  );
  await settled();
  expect([...answers.keys()]).toEqual(['call-1', 'call-2', 'call-3']);
  answers.get('call-2')!('two');
  answers.get('call-1')!('one');
  answers.get('call-3')!('three');
  await settled();
  const got = raw.frames.filter((f) => String(f.id).startsWith('q')).map((f) => [f.id, f.result.outcome.optionId]);
  expect(got).toEqual([
    ['q2', 'two'],
    ['q1', 'one'],
    ['q3', 'three'],
  ]);
});

test.each([
  ['no params', undefined],
  ['no tool call', { sessionId: 's1', options: [] }],
  ['a tool call without an id', { sessionId: 's1', toolCall: {}, options: [] }],
  ['no options', { sessionId: 's1', toolCall: { toolCallId: 'c' } }],
  ['no session', { toolCall: { toolCallId: 'c' }, options: [] }],
])('a question with %s is answered -32602', async (_what, params) => {
  const { raw } = await opened(collector().handlers);
  raw.send({ id: 'q', method: 'session/request_permission', params });
  expect((await raw.answerTo('q')).error.code).toBe(-32602);
});

test('options that are none are left out of a question', async () => {
  const seen: unknown[] = [];
  const { raw } = await opened({
    update() {},
    permission: async (request) => {
      seen.push(request.options);
      return { outcome: 'cancelled' };
    },
  });
  const good = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
  raw.send(permission('q', 's1', [null, {}, { optionId: 5, kind: 'allow_once' }, good]));
  await raw.answerTo('q');
  expect(seen).toEqual([[good]]);
});

test('F008 F040 what is not offered is answered -32601 each time, noted once, and the connection lives', async () => {
  const { raw, session, log } = await opened(collector().handlers);
  for (const method of [
    'fs/read_text_file',
    'terminal/create',
    'elicitation/create',
    '_vendor/thing',
    'fs/read_text_file',
    '_mm/ask',
  ]) {
    raw.send({ id: method, method, params: { sessionId: 's1', path: '/etc/passwd' } });
    expect((await raw.answerTo(method)).error.code).toBe(-32601);
  }
  expect(log.filter((l) => l.includes('fs/read_text_file'))).toHaveLength(1);
  const turn = prompt(session);
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  await turn;
});

const ask: AskParams = { sessionId: 's1', toolCallId: 'call-1', agent: 'riker', prompt: 'look', context: 'c' };

test('_mm/ask reaches the session’s ask, whose answer goes back', async () => {
  const { handlers } = collector();
  const { raw } = await opened(
    {
      ...handlers,
      ask: async (params) => ({
        text: `to ${params.prompt}`,
        agent: params.agent,
        stopReason: 'end_turn',
        truncated: 0,
      }),
    },
    { hub: true },
  );
  raw.send({ id: 'a', method: '_mm/ask', params: ask });
  expect((await raw.answerTo('a')).result).toEqual({
    text: 'to look',
    agent: 'riker',
    stopReason: 'end_turn',
    truncated: 0,
  });
  raw.send({ id: 'b', method: '_mm/ask', params: { ...ask, sessionId: 'other' } });
  expect((await raw.answerTo('b')).error.code).toBe(-32002);
  raw.send({ id: 'c', method: '_mm/ask', params: { ...ask, prompt: 5 } });
  expect((await raw.answerTo('c')).error.code).toBe(-32602);
});

test('rule 12: a cancel of the turn cancels its asks, and so does the agent’s own cancel of the request', async () => {
  const { handlers } = collector();
  const { raw, session } = await opened(
    {
      ...handlers,
      ask: (_params, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new CancelledError()))),
    },
    { hub: true },
  );
  const controller = new AbortController();
  const turn = prompt(session, controller.signal);
  const request = await raw.next('session/prompt');
  raw.send({ id: 'a', method: '_mm/ask', params: ask }, { id: 'b', method: '_mm/ask', params: ask });
  raw.send({ method: '$/cancel_request', params: { requestId: 'b' } });
  expect((await raw.answerTo('b')).error.code).toBe(-32800);
  controller.abort();
  expect((await raw.answerTo('a')).error.code).toBe(-32800);
  raw.send({ id: 'c', method: '_mm/ask', params: ask });
  expect((await raw.answerTo('c')).error.code).toBe(-32800);
  raw.send({ id: request.id, result: { stopReason: 'cancelled' } });
  await turn;
});

test('one prompt at a time', async () => {
  const { raw, session } = await opened(collector().handlers);
  const first = prompt(session);
  await expect(prompt(session)).rejects.toThrow('The agent is still busy with the last prompt.');
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  await first;
});

test('a prompt whose signal has fired already is not sent', async () => {
  const { raw, session } = await opened(collector().handlers);
  const before = raw.frames.length;
  expect(await prompt(session, AbortSignal.abort())).toEqual({ stopReason: 'cancelled' });
  expect(raw.frames.length).toBe(before);
});

test.each([[null], [{}], [{ stopReason: 42 }], ['end_turn']])(
  'a turn answered with %j ends in words',
  async (result) => {
    const { raw, session } = await opened(collector().handlers);
    const turn = prompt(session);
    raw.send({ id: (await raw.next('session/prompt')).id, result });
    await expect(turn).rejects.toThrow('The agent ended its turn without saying why.');
  },
);

test('set_mode and exchange are requests of the session', async () => {
  const { raw, session } = await opened(collector().handlers);
  const mode = session.setMode('default');
  const one = await raw.next('session/set_mode');
  expect(one.params).toEqual({ sessionId: 's1', modeId: 'default' });
  raw.send({ id: one.id, result: {} });
  await mode;
  const exchange = session.exchange({ id: 'x1', user: 'u', assistant: 'a' });
  const two = await raw.next('_mm/exchange');
  expect(two.params).toEqual({ sessionId: 's1', id: 'x1', user: 'u', assistant: 'a' });
  raw.send({ id: two.id, error: { code: -32601, message: 'Method not found' } });
  await expect(exchange).rejects.toThrow('Method not found');
});

test('close: the turn is cancelled, questions are answered, session/close where it is advertised, late updates are dropped', async () => {
  const { handlers, texts } = collector();
  const { raw, session, connection } = await opened(
    { ...handlers, permission: () => new Promise(() => {}) },
    { capabilities: { sessionCapabilities: { close: {} } } },
  );
  const turn = prompt(session);
  const request = await raw.next('session/prompt');
  raw.send(permission('q'));
  await settled();
  session.close();
  session.close();
  const close = await raw.next('session/close');
  expect(raw.frames.slice(raw.frames.indexOf(request) + 1).map((f) => f.method ?? f.id)).toEqual([
    'q',
    'session/cancel',
    'session/close',
  ]);
  raw.update('s1', chunk('late'));
  raw.send(permission('late question'));
  expect((await raw.answerTo('late question')).result).toEqual({ outcome: { outcome: 'cancelled' } });
  raw.send(
    { id: request.id, result: { stopReason: 'cancelled' } },
    { id: close.id, error: { code: -32002, message: 'gone' } },
  );
  expect((await turn).stopReason).toBe('cancelled');
  expect(texts).toEqual([]);
  await expect(prompt(session)).rejects.toThrow('This session is closed.');
  // the id may be used again, and nothing of the old session is replayed
  const again = collector();
  const reopened = connection.newSession({ cwd: '/work', handlers: again.handlers, deadline: 5000 });
  raw.send({ id: (await raw.next('session/new')).id, result: { sessionId: 's1' } });
  await reopened;
  raw.update('s1', chunk('new'));
  await settled();
  expect(again.texts).toEqual(['new']);
});

test('without the capability nothing is sent on close', async () => {
  const { raw, session } = await opened(collector().handlers);
  const before = raw.frames.length;
  session.close();
  await settled();
  expect(raw.frames.length).toBe(before);
});

test('sessions share the connection: two turns at once, each gets its own', async () => {
  const a = collector();
  const b = collector();
  const { raw, connection, session } = await opened(a.handlers);
  const opening = connection.newSession({ cwd: '/other', handlers: b.handlers, deadline: 5000 });
  raw.send({ id: (await raw.next('session/new')).id, result: { sessionId: 's2' } });
  const other = await opening;
  const turns = [prompt(session), prompt(other)];
  const one = await raw.next('session/prompt');
  const two = await raw.next('session/prompt');
  for (let i = 0; i < 4; i++) raw.update(i % 2 ? 's2' : 's1', chunk(String(i)));
  raw.send({ id: two.id, result: { stopReason: 'end_turn' } }, { id: one.id, result: { stopReason: 'max_tokens' } });
  expect((await Promise.all(turns)).map((r) => r.stopReason)).toEqual(['max_tokens', 'end_turn']);
  expect([a.texts, b.texts]).toEqual([
    ['0', '2'],
    ['1', '3'],
  ]);
});

test('the id of an open session for a new one is refused', async () => {
  const { raw, connection } = await opened(collector().handlers);
  const opening = connection.newSession({ cwd: '/work', handlers: collector().handlers, deadline: 5000 });
  raw.send({ id: (await raw.next('session/new')).id, result: { sessionId: 's1' } });
  await expect(opening).rejects.toThrow('the id of an open session');
});

test('a session that nobody waits for any more is closed when it comes', async () => {
  const { raw, connection } = await initialized({ capabilities: { sessionCapabilities: { close: {} } } });
  const controller = new AbortController();
  const opening = connection.newSession({
    cwd: '/work',
    handlers: collector().handlers,
    deadline: 5000,
    signal: controller.signal,
  });
  const request = await raw.next('session/new');
  controller.abort();
  await expect(opening).rejects.toBeInstanceOf(CancelledError);
  raw.send({ id: request.id, result: { sessionId: 'late' } });
  expect((await raw.next('session/close')).params).toEqual({ sessionId: 'late' });
});

test('a failing update handler is logged, and the turn goes on', async () => {
  const { raw, session, log } = await opened({
    update: () => {
      throw new Error('renderer broke');
    },
    permission: async () => ({ outcome: 'cancelled' }),
  });
  const turn = prompt(session);
  raw.update('s1', chunk('x'));
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  await turn;
  expect(log.some((l) => l.includes('renderer broke'))).toBe(true);
});

test('an update over the line cap is delivered as an unsupported one, and the turn goes on', async () => {
  const { handlers, texts } = collector();
  const { raw, session } = await opened(handlers, { maxLine: 2000 });
  const turn = prompt(session);
  raw.update('s1', chunk('x'.repeat(5000)));
  raw.update('s1', chunk('after'));
  raw.send({ id: (await raw.next('session/prompt')).id, result: { stopReason: 'end_turn' } });
  await turn;
  expect(texts).toEqual([truncatedUpdate, 'after']);
});

test('the end of the child rejects turn and opening with its reason', async () => {
  const { raw, connection, session } = await opened(collector().handlers);
  const turn = prompt(session);
  const opening = connection.newSession({ cwd: '/work', handlers: collector().handlers, deadline: 5000 });
  await raw.next('session/new');
  raw.input.end();
  await expect(turn).rejects.toThrow('bob ended with exit code 1');
  await expect(opening).rejects.toThrow('bob ended with exit code 1');
  expect((await connection.closed).message).toBe('bob ended with exit code 1');
  session.close();
});
