import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bridge, type BridgeOptions, startBridge } from '../../../../src/a2a/bridge/bridge';
import { MemoryTaskStore } from '../../../../src/a2a/bridge/store';
import { silentLog } from '../../../../src/base/log';
import type { MmConfig } from '../../../../src/config/types';
import { config, entry, FakeTarget, type Play, relayOf } from '../../ask/support';

/** The bridge over a scripted agent, by plain HTTP of both versions. */

const key = 'k'.repeat(32);
const bridges: Bridge[] = [];
afterEach(async () => {
  await Promise.all(bridges.splice(0).map((bridge) => bridge.close(0)));
});

async function serve(bob: Play, o: Partial<BridgeOptions> = {}, file: Partial<MmConfig> = {}) {
  const target = new FakeTarget({ bob, riker: bob });
  const store = o.store ?? new MemoryTaskStore();
  const bridge = await startBridge({
    config: config({ bob: entry('bob', { yolo: true }), riker: entry('riker') }, { yolo: true, ...file }),
    agents: [],
    relay: relayOf(target),
    store,
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    cwd: '/work',
    log: silentLog,
    ...o,
  });
  bridges.push(bridge);
  return { bridge, target, url: bridge.served[0]!.url, store };
}

const say =
  (...words: string[]): Play =>
  async (turn) => {
    for (const word of words) await turn.say(word);
    return 'end_turn';
  };
const headers = { 'content-type': 'application/json' };
let ids = 0;
const body = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 'rpc-1', method, params });
const said = (text: string, more: object = {}) => ({
  message: { role: 'user', messageId: `m${++ids}`, parts: [{ kind: 'text', text }], ...more },
});
// biome-ignore lint/suspicious/noExplicitAny: answers as they come
type Json = any;
async function rpc(url: string, method: string, params: unknown, more: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: body(method, params) });
  expect(response.status).toBe(200);
  return response.json();
}
async function stream(
  url: string,
  method: string,
  params: unknown,
  more: Record<string, string> = {},
): Promise<Json[]> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: body(method, params) });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)).result);
}
const current = { 'a2a-version': '1.0' };
const until = async (done: () => Promise<boolean> | boolean) => {
  for (let i = 0; i < 500 && !(await done()); i++) await new Promise((resolve) => setTimeout(resolve, 4));
};

/** A call that no client's rules for paths and hosts have touched. */
function raw(port: string, path: string, host = 'localhost'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, path, host: '127.0.0.1', method: 'POST', headers: { ...headers, host } };
    const sent = request(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end(body('message/send', said('hi')));
  });
}

describe('a message', () => {
  it('is one task with one artifact of one text part, and no words in a status', async () => {
    const { url, target } = await serve(say('Hello ', 'big ', 'world.'));
    const { result } = await rpc(url, 'message/send', said('hi', { contextId: 'c1' }));
    expect(result).toMatchObject({ kind: 'task', contextId: 'c1', status: { state: 'completed' } });
    expect(result.status.message).toBeUndefined();
    expect(result.artifacts).toHaveLength(1);
    expect(result.artifacts[0].parts).toEqual([{ kind: 'text', text: 'Hello big world.' }]);
    expect(target.prompts).toEqual(['hi']);
    expect(await rpc(url, 'tasks/get', { id: result.id })).toMatchObject({ result: { artifacts: result.artifacts } });
  });

  it('streams as a task, silent states and pieces of the artifact', async () => {
    const { url } = await serve(async (turn) => {
      await turn.say('one');
      await new Promise((resolve) => setTimeout(resolve, 80));
      await turn.say(' two');
      return 'end_turn';
    });
    const events = await stream(url, 'message/stream', said('hi'));
    expect(events.map((e) => e.status?.state ?? e.artifact.parts[0].text)).toEqual([
      'submitted',
      'working',
      'one',
      ' two',
      'completed',
    ]);
    expect(events.at(-1).final).toBe(true);
    expect(events.every((e) => e.status?.message === undefined)).toBe(true);
  });

  it('is answered at once only where the caller says that it does not wait', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url } = await serve(async (turn) => {
      await gate;
      return say('done')(turn);
    });
    const one = await rpc(url, 'message/send', { ...said('hi'), configuration: { blocking: false } });
    expect(['submitted', 'working']).toContain(one.result.status.state);
    const params = { message: { role: 'ROLE_USER', messageId: 'x1', parts: [{ text: 'hi' }] } };
    const configuration = { returnImmediately: true };
    const two = await rpc(url, 'SendMessage', { ...params, configuration }, current);
    expect(two.result.task.status.state).toMatch(/SUBMITTED|WORKING/);
    const three = rpc(url, 'message/send', { ...said('hi'), configuration: { historyLength: 0 } });
    go();
    expect((await three).result).toMatchObject({ status: { state: 'completed' } });
    const done = () => rpc(url, 'GetTask', { id: two.result.task.id }, current);
    await until(async () => (await done()).result.status.state === 'TASK_STATE_COMPLETED');
    expect((await done()).result.artifacts[0].parts).toEqual([{ text: 'done', mediaType: 'text/plain' }]);
  });

  it('that comes twice is one task, over both versions, while it runs and later', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url, target } = await serve(async (turn) => {
      await gate;
      return say('once')(turn);
    });
    const params = said('hi');
    const old = { message: { role: 'ROLE_USER', messageId: params.message.messageId, parts: [{ text: 'hi' }] } };
    const all = [
      rpc(url, 'message/send', params),
      rpc(`${url}/`, 'message/send', params),
      rpc(`${url}/message/send`, 'SendMessage', old, current),
      stream(url, 'message/stream', params),
    ];
    await until(() => target.prompts.length > 0);
    go();
    const [a, b, c, d] = await Promise.all(all);
    expect(new Set([a.result.id, b.result.id, c.result.task.id, d[0].id]).size).toBe(1);
    expect(d.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
    expect((await rpc(url, 'message/send', params)).result.id).toBe(a.result.id);
    expect((await stream(url, 'message/stream', params)).at(-1)).toMatchObject({ final: true });
    expect(target.prompts).toHaveLength(1);
    // another agent's message of the same id is another one
    expect((await rpc(url.replace('bob', 'riker'), 'message/send', params)).result.id).not.toBe(a.result.id);
  });

  it('is worked on to the end when its caller leaves', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url, target } = await serve(async (turn) => {
      await gate;
      return say('still here')(turn);
    });
    const leave = new AbortController();
    const params = said('hi');
    const call = fetch(url, { method: 'POST', headers, body: body('message/stream', params), signal: leave.signal });
    const response = await call;
    await until(() => target.prompts.length > 0);
    leave.abort();
    await expect(response.text()).rejects.toThrow();
    go();
    expect((await rpc(url, 'message/send', params)).result).toMatchObject({
      status: { state: 'completed' },
      artifacts: [{ parts: [{ text: 'still here' }] }],
    });
  });
});

describe('a silent stream', () => {
  it('gives signs of life', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url } = await serve(
      async (turn) => {
        await gate;
        return say('at last')(turn);
      },
      { limits: { keepAlive: 5 } },
    );
    const response = await fetch(url, { method: 'POST', headers, body: body('message/stream', said('hi')) });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += read.value;
      if (text.includes(': still here\n\n')) go();
    }
    expect(text).toContain('at last');
    expect(text).toContain('"final":true');
  });
});

describe('an address in a message', () => {
  it('is passed on as one, and never fetched', async () => {
    let hits = 0;
    const other = createServer((_, response) => {
      hits++;
      response.end('secret');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const uri = `http://127.0.0.1:${(other.address() as AddressInfo).port}/latest/meta-data`;
    const { url, target } = await serve(say('x'));
    const parts = [{ kind: 'file', file: { uri, name: 'x.txt', mimeType: 'text/plain' } }];
    await rpc(url, 'message/send', said('', { parts }));
    await new Promise((resolve) => other.close(resolve));
    expect(target.prompts).toEqual([`[file x.txt: ${uri}]`]);
    expect(hits).toBe(0);
  });
});

describe('an error', () => {
  it('is a failed task with words, on a stream too, and never one of JSON-RPC', async () => {
    const { url } = await serve(async () => {
      throw new Error('boom');
    });
    const events = await stream(url, 'message/stream', said('hi'));
    expect(events.at(-1)).toMatchObject({ status: { state: 'failed' }, final: true });
    expect(events.at(-1).status.message.parts[0].text).toContain('boom');
  });

  it('in the message is one of JSON-RPC in its version’s form', async () => {
    const { url } = await serve(say('x'));
    const code = async (method: string, params: unknown, more = {}) =>
      (await rpc(url, method, params, more)).error.code;
    expect(await code('message/send', {})).toBe(-32602);
    expect(await code('message/send', said('  '))).toBe(-32602);
    expect(await code('message/send', said('x', { taskId: 'nope' }))).toBe(-32001);
    expect(await code('tasks/get', { id: 'nope' })).toBe(-32001);
    expect(await code('tasks/cancel', { id: 'nope' })).toBe(-32001);
    expect(await code('GetTask', { id: 'nope' }, current)).toBe(-32001);
    expect(await code('SendMessage', said('x'))).toBe(-32601);
    expect(await code('message/send', said('x'), current)).toBe(-32601);
    expect(await code('SendMessage', said('x'), { 'a2a-version': '2.0' })).toBe(-32009);
    expect(await code('tasks/pushNotificationConfig/list', { id: 'nope' })).toBe(-32003);
    const response = await fetch(url, { method: 'POST', headers, body: '{' });
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  it('of a task that has ended: no further message, no cancel, no stream', async () => {
    const { url } = await serve(say('x'));
    const { id } = (await rpc(url, 'message/send', said('hi'))).result;
    expect((await rpc(url, 'message/send', said('more', { taskId: id }))).error.code).toBe(-32004);
    expect((await rpc(url, 'tasks/cancel', { id })).error.code).toBe(-32002);
    expect((await rpc(url, 'tasks/resubscribe', { id })).error.code).toBe(-32004);
  });
});

describe('a permission (design, section 9)', () => {
  const wants: Play = async (turn) => {
    await turn.say('Let me see.');
    await turn.say(`It was ${(await turn.permission()) ?? 'cancelled'}.`);
    return 'end_turn';
  };
  const answerIn = (result: Json) => result.artifacts[0].parts[0].text;
  const canAnswer = { metadata: { mm: { canAnswer: true } } };

  it('is refused, whatever the owner’s own yolo and the entry’s say', async () => {
    const { url } = await serve(wants);
    expect(answerIn((await rpc(url, 'message/send', said('hi'))).result)).toBe('Let me see.\n\nIt was no.');
  });

  it('is given by serve: {yolo: true} and nothing else, and an entry’s own false holds before it', async () => {
    const { url } = await serve(wants, {}, { yolo: false, serve: { yolo: true } });
    expect(answerIn((await rpc(url, 'message/send', said('hi'))).result)).toBe('Let me see.\n\nIt was once.');
    const file = config({ bob: entry('bob', { yolo: false }) }, { serve: { yolo: true } });
    const other = await serve(wants, { config: file });
    expect(answerIn((await rpc(other.url, 'message/send', said('hi'))).result)).toBe('Let me see.\n\nIt was no.');
  });

  it.each([
    ['allow', 'once'],
    ['reject', 'no'],
    ['sure, go on', 'no'],
  ])('is asked of a caller who can answer: %s', async (word, option) => {
    const { url } = await serve(wants);
    const asked = (await rpc(url, 'message/send', said('hi', canAnswer))).result;
    expect(asked.status).toMatchObject({ state: 'input-required' });
    expect(asked.status.message.parts[0].text).toBe(
      'bob wants to use bob/bash in /work:\n\nnpm test\n\nAnswer with the one word “allow” or “reject”.',
    );
    expect(asked.status.message.metadata.mm.question).toMatchObject({ name: 'bob/bash', tool: 'bash', cwd: '/work' });
    const params = said(word, { taskId: asked.id });
    const { result } = await rpc(url, 'message/send', params);
    expect(result).toMatchObject({ id: asked.id, status: { state: 'completed' } });
    expect(answerIn(result)).toBe(`Let me see.\n\nIt was ${option}.`);
    expect((await rpc(url, 'message/send', params)).result.id).toBe(asked.id);
  });

  it('closes the stream at the question; the answer opens the next one', async () => {
    const { url } = await serve(wants);
    const before = await stream(url, 'message/stream', said('hi', canAnswer));
    expect(before.map((e) => e.status?.state ?? e.artifact.parts[0].text)).toEqual([
      'submitted',
      'working',
      'Let me see.',
      'input-required',
    ]);
    const data = {
      role: 'user',
      messageId: 'd1',
      taskId: before[0].id,
      parts: [{ kind: 'data', data: { allow: true } }],
    };
    const after = await stream(url, 'message/stream', { message: data });
    expect(after.at(-1).status.state).toBe('completed');
    expect((await rpc(url, 'tasks/get', { id: before[0].id })).result.artifacts[0].parts[0].text).toContain('once');
  });

  it('that waits does not keep others from working, and ends with a cancel', async () => {
    const { url } = await serve(wants, { limits: { mostWorking: 1 } });
    const asked = (await rpc(url, 'message/send', said('hi', canAnswer))).result;
    expect((await rpc(url, 'message/send', said('hi'))).result.status.state).toBe('completed');
    expect((await rpc(url, 'tasks/cancel', { id: asked.id })).result.status.state).toBe('canceled');
    expect((await rpc(url, 'tasks/cancel', { id: asked.id })).result.status.state).toBe('canceled');
    expect((await rpc(url, 'message/send', said('hi'))).result.status.state).toBe('completed');
  });

  it('not asked: a message to a task that works is refused', async () => {
    const { url, target } = await serve(async (turn) => {
      await turn.stopped;
      return 'cancelled';
    });
    const { id } = (await rpc(url, 'message/send', { ...said('hi'), configuration: { blocking: false } })).result;
    await until(() => target.prompts.length > 0);
    expect((await rpc(url, 'message/send', said('allow', { taskId: id }))).error.code).toBe(-32004);
  });
});

describe('a chain (rule 9)', () => {
  const link = (letter: string) => ({ name: letter, id: letter.repeat(64) });
  it('arrives with its depth, and ends', async () => {
    const { url, target } = await serve(say('x'));
    const send = async (mm: object) => (await rpc(url, 'message/send', said('hi', { metadata: { mm } }))).result;
    expect(await send({ depth: 2, chain: [link('a'), link('b'), link('c')] })).toMatchObject({
      status: { state: 'completed' },
    });
    expect(target.opened[0]).toMatchObject({ depth: 2, chain: [link('a'), link('b'), { name: 'bob' }] });
    const refused = await send({ depth: 3, chain: [link('a'), link('b'), link('c'), link('d')] });
    expect(refused.status.state).toBe('rejected');
    expect(refused.status.message.parts[0].text).toContain('such a chain ends here');
    // through a chat façade
    await rpc(url, 'message/send', said('user: hi'));
    expect(target.opened.map(({ depth }) => depth)).toEqual([2, 2]);
    await rpc(url, 'message/send', said('hi'));
    expect(target.opened.at(-1)!.depth).toBe(1);
  });

  it('that comes back to an agent that works on it is refused', async () => {
    const { url, target } = await serve(async (turn) => {
      await turn.stopped;
      return 'cancelled';
    });
    const mm = { depth: 1, trace: 't' };
    const first = await rpc(url, 'message/send', {
      ...said('hi', { metadata: { mm } }),
      configuration: { blocking: false },
    });
    await until(() => target.prompts.length > 0);
    const second = (await rpc(url, 'message/send', said('hi', { metadata: { mm } }))).result;
    expect(second.status).toMatchObject({
      state: 'rejected',
      message: { parts: [{ text: expect.stringContaining('already works') }] },
    });
    expect((await rpc(url, 'tasks/cancel', { id: first.result.id })).result.status.state).toBe('canceled');
    expect(target.prompts).toHaveLength(1);
  });
});

describe('what comes in', () => {
  const post = (url: string, o: RequestInit = {}) =>
    fetch(url, { method: 'POST', headers, body: body('message/send', said('hi')), ...o });

  it('needs the key, where there is one; the card does not', async () => {
    const { url, target } = await serve(say('x'), { key });
    const withKey = (value: string) => ({ headers: { ...headers, authorization: value } });
    for (const wrong of [{}, withKey('Bearer x'), withKey(`Bearer ${'j'.repeat(32)}`), withKey(key)]) {
      const response = await post(url, wrong);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect(target.prompts).toEqual([]);
    expect((await post(url, withKey(`Bearer ${key}`))).status).toBe(200);
    for (const name of ['agent-card', 'agent']) {
      const card = await fetch(`${url}/.well-known/${name}.json`);
      expect(await card.json()).toMatchObject({ url, security: [{ bearer: [] }] });
      const again = await fetch(card.url, { headers: { 'if-none-match': card.headers.get('etag')! } });
      expect(again.status).toBe(304);
    }
  });

  it('is of its size, its type, its path and its machine', async () => {
    const { url } = await serve(say('x'), { limits: { mostBytes: 1_000 } });
    expect((await post(url, { body: JSON.stringify({ x: 'y'.repeat(2_000) }) })).status).toBe(413);
    const pieces = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 20; i++) controller.enqueue(new TextEncoder().encode('y'.repeat(100)));
        controller.close();
      },
    });
    expect((await post(url, { body: pieces, duplex: 'half' } as RequestInit)).status).toBe(413);
    expect((await post(url, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const { port } = new URL(url);
    // as no client writes it that makes paths plain first
    for (const path of ['/../bob', '/bob/../bob', '/bob/..', '/%2e%2e/bob', '//bob', '/bob%2f', '/', '/nope', '*'])
      expect([path, await raw(port, path)]).toEqual([path, 404]);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.nip.io', 'a b'])
      expect([host, await raw(port, '/bob', host)]).toEqual([host, 403]);
    expect(await raw(port, '/bob', `localhost:${port}`)).toBe(200);
    expect((await post(`${url}/.well-known/agent-card.json`)).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(url.replace('/bob', '/health'))).status).toBe(200);
    expect((await post(url)).status).toBe(200);
  });

  it('comes at a rate', async () => {
    const { url } = await serve(say('x'), { limits: { rate: { burst: 3, perSecond: 0.1 } } });
    const all = [await post(url), await post(url), await post(url), await post(url)];
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(all[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('waits for its turn, and is refused where too many wait', async () => {
    let running = 0;
    let most = 0;
    const { url } = await serve(
      async (turn) => {
        most = Math.max(most, ++running);
        await Promise.race([turn.stopped, new Promise((resolve) => setTimeout(resolve, 20))]);
        running--;
        return say(turn.prompt)(turn);
      },
      { limits: { mostWorking: 2, mostWaiting: 2 } },
    );
    const now = { configuration: { blocking: false } };
    const send = (n: number) => post(url, { body: body('message/send', { ...said(`n${n}`), ...now }) });
    const all = [];
    for (let n = 0; n < 5; n++) all.push(await send(n));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(all[4]!.headers.get('retry-after')).toBe('5');
    const list = async () => (await rpc(url, 'ListTasks', { includeArtifacts: true }, current)).result;
    await until(async () => (await list()).tasks.every((t: Json) => t.status.state === 'TASK_STATE_COMPLETED'));
    expect((await list()).tasks.map((t: Json) => t.artifacts[0].parts[0].text).sort()).toEqual([
      'n0',
      'n1',
      'n2',
      'n3',
    ]);
    expect(most).toBe(2);
  });

  it('may take no longer than a task may', async () => {
    const { url } = await serve(
      async (turn) => {
        await turn.stopped;
        return 'cancelled';
      },
      { limits: { maxAge: 30 } },
    );
    expect((await rpc(url, 'message/send', said('hi'))).result.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: expect.stringContaining('longer than') }] },
    });
  });
});

describe('what is served', () => {
  it('is refused where it makes no sense, before anything listens', async () => {
    const start = (o: Partial<BridgeOptions>) => serve(say('x'), o);
    await expect(start({ host: '0.0.0.0' })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('without a key'),
    });
    await expect(start({ key: 'short' })).rejects.toMatchObject({ exitCode: 2 });
    await expect(start({ agents: ['nobody'] })).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('bob'),
    });
    await expect(start({ url: 'ftp://x' })).rejects.toMatchObject({ exitCode: 2 });
    await expect(start({ config: config({}) })).rejects.toMatchObject({ exitCode: 2 });
    const { bridge } = await serve(say('x'), { agents: ['riker'] });
    expect(bridge.served.map(({ name }) => name)).toEqual(['riker']);
    const port = Number(new URL(bridge.served[0]!.url).port);
    await expect(start({ port })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(String(port)),
    });
  });

  it('announces the address that it is told to', async () => {
    const { bridge, url } = await serve(say('x'), {
      url: 'https://agents.example/mm/',
      limits: { rate: { burst: 1, perSecond: 1 } },
    });
    expect(url).toBe('https://agents.example/mm/bob');
    expect(bridge.served).toHaveLength(2);
  });

  it('ends what works after its grace, and says so in the task', async () => {
    const store = new MemoryTaskStore();
    store.close = () => undefined;
    const { bridge, url, target } = await serve(
      async (turn) => {
        await turn.stopped;
        return 'cancelled';
      },
      { store },
    );
    const { id } = (await rpc(url, 'message/send', { ...said('hi'), configuration: { blocking: false } })).result;
    await until(() => target.prompts.length > 0);
    await bridge.close(5);
    expect(await store.load('bob', id)).toMatchObject({
      status: { state: 5, message: { parts: [{ content: { value: expect.stringContaining('was stopped') } }] } },
    });
    await expect(fetch(url)).rejects.toThrow();
  });

  it('marks what an earlier process left unfinished', async () => {
    const store = new MemoryTaskStore();
    const base = { contextId: 'c', artifacts: [], history: [], metadata: undefined };
    const status = { message: undefined, timestamp: new Date().toISOString() };
    await store.save('bob', { ...base, id: 't1', status: { ...status, state: 2 } });
    await store.save('bob', { ...base, id: 't2', status: { ...status, state: 3 } });
    const { bridge, url } = await serve(say('x'), { store });
    expect(bridge.lost).toBe(1);
    expect((await rpc(url, 'tasks/get', { id: 't1' })).result.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: expect.stringContaining('ended while it worked') }] },
    });
    expect((await rpc(url, 'tasks/get', { id: 't2' })).result.status.state).toBe('completed');
  });
});
