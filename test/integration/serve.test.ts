import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureNode24, node24, whyNoNode24 } from '../../scripts/lib/node24.mjs';
import { until } from './children-support';
import { demoFiles, ended, mmFile, Place, type Ran } from './mm-support';

/** `mm --serve` as a process of its own, asked by plain HTTP and by the SDK's client of both versions. */

const key = 'a-bridge-test-key-0123456789abcdef';
let place: Place;
beforeEach(() => {
  place = new Place(demoFiles);
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  expect(await place.left(6000)).toEqual([]);
  place.dispose();
});

interface Serving {
  child: ChildProcessWithoutNullStreams;
  url: string;
  stdout(): string;
  exit: Promise<Ran>;
}
const running: Serving[] = [];

async function serve(
  o: { args?: string[]; env?: Record<string, string>; node?: string; agents?: string[] } = {},
): Promise<Serving> {
  const args = ['--serve', ...(o.agents ?? ['bob']), '--port', '0', '-config', 'mm.yaml', ...(o.args ?? [])];
  const child = spawn(o.node ?? process.execPath, [mmFile, ...args], {
    cwd: place.real,
    env: place.shell(o.env),
    stdio: 'pipe',
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  const exit = ended(child);
  await until(() => out.endsWith('\n') || child.exitCode !== null, 20_000);
  if (!out) throw new Error((await exit).stderr);
  const serving = { child, url: out.split('\n')[0]!.split(' ')[1]!, stdout: () => out, exit };
  running.push(serving);
  return serving;
}

// biome-ignore lint/suspicious/noExplicitAny: answers as they come
type Json = any;
const said = (text: string, more: object = {}) => ({
  message: { role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text }], ...more },
});
function post(url: string, method: string, params: unknown, more: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
  });
}
async function rpc(url: string, method: string, params: unknown, more: Record<string, string> = {}): Promise<Json> {
  const { result, error } = (await (await post(url, method, params, more)).json()) as Json;
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result;
}
const answerOf = (task: Json): string => task.artifacts[0].parts[0].text;
const noWait = { configuration: { blocking: false } };
const stateOf = async (url: string, id: string) => (await rpc(url, 'tasks/get', { id })).status.state;
async function stop({ child, exit }: Serving, signal: NodeJS.Signals): Promise<Ran> {
  child.kill(signal);
  return exit;
}

describe('an agent that is offered', () => {
  test('answers in both versions, says who it is, and stops when it is told to', async () => {
    const serving = await serve({ agents: [] });
    const { url } = serving;
    expect(serving.stdout()).toMatch(/^bob http:\/\/127\.0\.0\.1:\d+\/bob\nriker http:\/\/127\.0\.0\.1:\d+\/riker\n$/);
    expect(await (await fetch(`${url}/.well-known/agent-card.json`)).json()).toMatchObject({
      name: 'Bob',
      description: 'Ask for SQL',
      url,
      protocolVersion: '0.3.0',
    });
    const task = await rpc(url, 'message/send', said('say: just this'));
    expect(task).toMatchObject({ status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'just this' }] }] });
    const failed = await rpc(url, 'message/send', said('fail: no more tokens'));
    expect(failed.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: expect.stringContaining('no more') }] },
    });
    const { code, stderr } = await stop(serving, 'SIGTERM');
    expect(code).toBe(0);
    expect(stderr).toContain('Serving bob, riker over A2A');
    expect(stderr).toContain('No key is set');
  });

  test.each([['0.3'], ['1.0']])('is asked by the SDK’s client, %s: send, stream, poll, cancel', async (version) => {
    const { url } = await serve();
    const client = await clientOf(url, version);
    const message = (text: string) => ({
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    });
    const send = { tenant: '', configuration: undefined, metadata: undefined };
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
    const whole = (await client.sendMessage({ ...send, message: message('say: hello') })) as Json;
    expect(whole.status.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(whole.artifacts[0].parts[0].content.value).toBe('hello');

    let [text, last] = ['', TaskState.TASK_STATE_UNSPECIFIED as TaskState];
    for await (const { payload } of client.sendMessageStream({ ...send, message: message('slow: 6') })) {
      if (payload?.$case === 'artifactUpdate') text += payload.value.artifact?.parts[0]?.content?.value;
      if (payload?.$case === 'statusUpdate') last = payload.value.status!.state;
    }
    expect([text.trim(), last]).toEqual(['word1 word2 word3 word4 word5 word6', TaskState.TASK_STATE_COMPLETED]);

    const slow = (await client.sendMessage({ ...send, configuration, message: message('stall: 1') })) as Json;
    const poll = async () => (await client.getTask({ tenant: '', id: slow.id })).status!.state;
    expect(await poll()).not.toBe(TaskState.TASK_STATE_COMPLETED);
    const stalled = (await client.sendMessage({ ...send, configuration, message: message('stall') })) as Json;
    const cancelled = await client.cancelTask({ tenant: '', id: stalled.id, metadata: undefined });
    expect(cancelled.status!.state).toBe(TaskState.TASK_STATE_CANCELED);
    let state = await poll();
    await untilAsync(async () => {
      state = await poll();
      return state > TaskState.TASK_STATE_WORKING;
    });
    expect(state).not.toBe(TaskState.TASK_STATE_CANCELED);
  });

  test('runs nothing for a stranger, unless they can answer', async () => {
    const { url } = await serve({ env: { AGENT_YOLO: 'true' } });
    const command = `write: proof.txt it ran`;
    expect(answerOf(await rpc(url, 'message/send', said(command)))).toBeDefined();
    expect(existsSync(`${place.real}/proof.txt`)).toBe(false);

    const can = { metadata: { mm: { canAnswer: true } } };
    const asked = await rpc(url, 'message/send', said(command, can));
    expect(asked.status.state).toBe('input-required');
    expect(asked.status.message.parts[0].text).toContain('proof.txt');
    expect((await rpc(url, 'message/send', said('reject', { taskId: asked.id }))).status.state).toBe('completed');
    expect(existsSync(`${place.real}/proof.txt`)).toBe(false);

    const again = await rpc(url, 'message/send', said(command, can));
    expect((await rpc(url, 'message/send', said('allow', { taskId: again.id }))).status.state).toBe('completed');
    expect(place.read('proof.txt')).toContain('it ran');
  });

  test('asks on at depth 1 where its caller allows it, and not at 2', async () => {
    const { url } = await serve();
    const chained = async (mm: object) => {
      const task = await rpc(
        url,
        'message/send',
        said('ask riker: say: from riker', { metadata: { mm: { canAnswer: true, ...mm } } }),
      );
      if (task.status.state !== 'input-required') return task;
      return rpc(url, 'message/send', said('allow', { taskId: task.id }));
    };
    expect(answerOf(await chained({}))).toContain('from riker');
    expect(answerOf(await chained({ depth: 2 }))).not.toContain('from riker');
  });

  test('of which two hundred are asked at once loses and mixes none, and keeps each', async () => {
    const { url } = await serve();
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const all = await Promise.all(numbers.map((n) => rpc(url, 'message/send', said(`say: answer ${n}`))));
    expect(all.map(answerOf)).toEqual(numbers.map((n) => `answer ${n}`));
    const kept = await Promise.all(all.map(({ id }) => rpc(url, 'tasks/get', { id })));
    expect(kept).toEqual(all);
  });
});

describe('what is refused', () => {
  test('a call without the key or with another one; the agents do not know it', async () => {
    const { url } = await serve({ env: { BRIDGE_KEY: key }, args: ['--key-env', 'BRIDGE_KEY'] });
    expect((await post(url, 'message/send', said('hi'))).status).toBe(401);
    expect((await post(url, 'message/send', said('hi'), { authorization: `Bearer ${key}x` })).status).toBe(401);
    const mine = { authorization: `Bearer ${key}` };
    const asked = await rpc(
      url,
      'message/send',
      said('run: env | grep -e KEY -e bridge-test || echo nothing of it', { metadata: { mm: { canAnswer: true } } }),
      mine,
    );
    const task = await rpc(url, 'message/send', said('allow', { taskId: asked.id }), mine);
    expect(answerOf(task)).toContain('nothing of it');
  });

  test('a body of 50 MB, by its length and by its pieces, while the next call is answered', async () => {
    const { url } = await serve();
    const huge = Buffer.alloc(50_000_000, 'a');
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: huge })).status).toBe(413);
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < huge.length; at += 1_000_000) controller.enqueue(huge.subarray(at, at + 1_000_000));
        controller.close();
      },
    });
    expect((await fetch(url, { method: 'POST', headers, body: pieces, duplex: 'half' } as RequestInit)).status).toBe(
      413,
    );
    expect(answerOf(await rpc(url, 'message/send', said('say: fine')))).toBe('fine');
  });

  test('to serve what nobody should reach, with a sentence and exit code 2', async () => {
    const run = (...args: string[]) => place.run(['--serve', ...args, '-config', 'mm.yaml']);
    expect(await run('--host', '0.0.0.0', '--port', '0')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Nothing is served on 0.0.0.0 without a key'),
    });
    expect(await run('nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no agent “nobody”'),
    });
    expect(await run('--key-env', 'NOTHING')).toMatchObject({ code: 2, stderr: expect.stringContaining('NOTHING') });
    expect(await run('--port', 'x')).toMatchObject({ code: 2 });
  });
});

describe('the end', () => {
  test('lets work come to its end, and marks what does not', async () => {
    const serving = await serve({ args: ['--tasks', 'tasks.sqlite'] });
    const { url, child, exit } = serving;
    const waits = rpc(url, 'message/send', said('slow: 20'));
    await until(() => place.pids().length > 1, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGINT');
    expect(answerOf(await waits)).toContain('word20');
    expect(await exit).toMatchObject({ code: 130, stderr: expect.stringContaining('Stopping') });
  });

  test('by a second signal is one at once', async () => {
    const { url, child, exit } = await serve();
    await rpc(url, 'message/send', { ...said('stall'), ...noWait });
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const at = performance.now();
    child.kill('SIGINT');
    expect((await exit).code).toBe(130);
    expect(performance.now() - at).toBeLessThan(5_000);
  });
});

// Node 24 is in the cache folder once the editor's tests or acpx's have put it there
describe.skipIf(whyNoNode24() !== undefined)('tasks in SQLite', () => {
  beforeAll(async () => {
    await ensureNode24();
  }, 300_000);

  test('outlive kill -9: what had ended is there, what had not is failed, a message that comes again is the same task', async () => {
    const first = await serve({ node: node24 });
    expect(first.stdout()).not.toBe('');
    const done = said('say: kept');
    const kept = await rpc(first.url, 'message/send', done);
    const open = await rpc(first.url, 'message/send', { ...said('stall'), ...noWait });
    await untilAsync(async () => (await stateOf(first.url, open.id)) === 'working');
    await stop(first, 'SIGKILL');

    const second = await serve({ node: node24 });
    expect(await rpc(second.url, 'tasks/get', { id: kept.id })).toEqual(kept);
    expect(await rpc(second.url, 'tasks/get', { id: open.id })).toMatchObject({
      status: {
        state: 'failed',
        message: { parts: [{ text: expect.stringContaining('The bridge ended while it worked') }] },
      },
    });
    expect((await rpc(second.url, 'message/send', done)).id).toBe(kept.id);
    const { stderr } = await stop(second, 'SIGTERM');
    expect(stderr).toContain('1 tasks of an earlier run were not finished');
  });

  test('are one bridge’s at a time', async () => {
    await serve({ node: node24, args: ['--tasks', 'tasks.sqlite'] });
    await expect(serve({ node: node24, args: ['--tasks', 'tasks.sqlite'] })).rejects.toThrow(
      'Another “mm --serve” keeps its tasks',
    );
  });
});

async function untilAsync(done: () => Promise<boolean>, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50)))
    if (await done()) return;
  throw new Error('it did not happen');
}

/** The SDK's client, held to one version by the card that it is given. */
async function clientOf(url: string, version: string): Promise<Client> {
  const legacyCompat = { enabled: true };
  const fetchCard: typeof fetch = async (input, init) => {
    // who knows 0.3 only sends no header
    const card = (await (await (version === '0.3' ? fetch(input) : fetch(input, init))).json()) as Json;
    const { supportedInterfaces, ...legacy } = card;
    const current = supportedInterfaces.filter((one: Json) => one.protocolVersion === version);
    return Response.json(version === '0.3' ? legacy : { ...card, supportedInterfaces: current });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    cardResolver: new DefaultAgentCardResolver({ legacyCompat, fetchImpl: fetchCard }),
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
  });
  // without the slash the card's path would stand beside the agent's and not below it
  return new ClientFactory(options).createFromUrl(`${url}/`);
}
