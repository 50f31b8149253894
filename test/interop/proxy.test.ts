import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureNode24 } from '../../scripts/lib/node24.mjs';
import { startProxy, whyNoProxy } from '../../scripts/proxy.mjs';
import { clientFor } from '../../src/a2a/open-registry';
import { silentLog } from '../../src/base/log';
import {
  artifactOf,
  artifactUpdate,
  type Call,
  type Reply,
  ScriptedA2A,
  statusUpdate,
  taskOf,
} from '../support/a2a-agent';

/**
 * A real LiteLLM, in front of an agent of the tests and of `mm --serve`; asked by `mm --ask`, by the client of the registry, and through the
 * chat façade. What needs its database is held against the stand-in (test/unit/a2a).
 */

const mm = path.resolve('dist/mm.mjs');
/** Seconds of the slow agent: longer than any time-out that might cut it. */
const slow = Number(process.env.MM_SLOW ?? 20);

const why = await whyNoProxy();
if (why) console.error(`\n!!! The tests against a real LiteLLM proxy are NOT RUN. ${why}\n`);

let proxy: Awaited<ReturnType<typeof startProxy>>;
let lab: ScriptedA2A;
let still: ScriptedA2A;
let bridge: ChildProcess | undefined;
let folder: string;
let slowly: Promise<Ran> | undefined;

const say = (call: Call): string =>
  call.params.message.parts.map((part: { text?: string }) => part.text ?? '').join('');

/** What the agent of the tests answers, by the words of a question. */
async function stream(call: Call, reply: Reply): Promise<void> {
  const words = say(call);
  const id = `task-${lab.calls.indexOf(call)}`;
  const task = (state: string) => taskOf(state, { id });
  const piece = (text: string, append = false) => ({ ...artifactUpdate(text, { append }), taskId: id });
  const ended = (state: string, message?: string) => ({ ...statusUpdate(state, message, id), final: true });
  if (words === 'chunks') {
    await reply.events([task('working'), piece('Hello '), piece('wide world.', true), ended('completed')]);
  } else if (words === 'fail') await reply.events([task('working'), ended('failed', 'It went wrong')]);
  else if (words === 'which') await reply.events([task('working'), statusUpdate('input-required', 'Which?', id)]);
  else if (words === 'slow') {
    await reply.events([
      task('working'),
      () => new Promise((resolve) => setTimeout(resolve, slow * 1_000)),
      piece(`after ${slow} s`),
      ended('completed'),
    ]);
  } else if (words === 'for ever') await reply.events([task('working'), piece('One '), () => new Promise(() => {})]);
  else await reply.events([task('working'), piece(`echo: ${words}`), ended('completed')]);
}

function agentEntry(name: string, url: string, streaming: boolean, more = ''): string {
  const card = {
    name,
    description: name,
    version: '1',
    url,
    protocolVersion: '0.3',
    capabilities: { streaming },
    defaultInputModes: ['text'],
    defaultOutputModes: ['text'],
    skills: [],
  };
  return `  - agent_name: ${name}\n    agent_card_params: ${JSON.stringify(card)}\n${more}`;
}

beforeAll(async () => {
  if (why) return;
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mm-interop-')));
  lab = await ScriptedA2A.start();
  lab.on('stream', stream);
  lab.on('send', (call, reply) => reply.result(taskOf('completed', { artifacts: [artifactOf(`echo: ${say(call)}`)] })));
  lab.on('cancel', (call, reply) => reply.result(taskOf('canceled', { id: call.params.id })));
  still = await ScriptedA2A.start({ streaming: false });
  still.on('send', (_, reply) => reply.result(taskOf('submitted')));
  still.on('get', (_, reply, time) =>
    reply.result(time < 2 ? taskOf('working') : taskOf('completed', { artifacts: [artifactOf('slow, but sure')] })),
  );
  const address = await serve(await ensureNode24());
  proxy = await startProxy({
    config: `agent_list:
${agentEntry('lab', lab.url, true)}${agentEntry('still', still.url, false)}${agentEntry('dead', 'http://127.0.0.1:1', true)}${agentEntry(
  'bob',
  address,
  true,
  `    static_headers: {Authorization: "Bearer ${bridgeKey}"}\n`,
)}model_list:
  - model_name: a2a/lab
    litellm_params: {model: a2a/lab, api_base: "${lab.url}", num_retries: 0}
router_settings: {num_retries: 0}`,
  });
  writeFileSync(
    path.join(folder, 'caller.yaml'),
    `provider: demo
proxies:
  team: {url: "${proxy.url}", key: "\${secret:team}"}
mmConfigs:
${['lab', 'still', 'dead', 'bob', 'nobody'].map((name) => `  ${name}: {a2a: ${name}@team}\n`).join('')}`,
  );
  // beside everything else
  slowly = ask('lab', 'slow');
}, 600_000);

afterAll(async () => {
  bridge?.kill('SIGTERM');
  await Promise.all([proxy?.stop(), lab?.stop(), still?.stop()]);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const bridgeKey = 'sk-bridge-0123456789abcdef';

/** `mm --serve` of the demo's bob, who may do what callers set off. Gives its address. */
async function serve(node: string): Promise<string> {
  const entry = (name: string) => `  ${name}: {path: ${name}.yaml, description: ${name}}\n`;
  writeFileSync(path.join(folder, 'serve.yaml'), `provider: demo\nserve: {yolo: true}\nmmConfigs:\n${entry('bob')}`);
  writeFileSync(path.join(folder, 'bob.yaml'), `acp: {title: Bob}\nprovider: demo\nmmConfigs:\n${entry('riker')}`);
  writeFileSync(path.join(folder, 'riker.yaml'), `acp: {title: Riker}\nprovider: demo\nmmConfigs:\n${entry('bob')}`);
  const env = { ...process.env, MM_SERVE_KEY: bridgeKey, HOME: folder, XDG_STATE_HOME: folder };
  bridge = spawn(node, [mm, '--serve', 'bob', '--port', '0', '-config', 'serve.yaml'], { cwd: folder, env });
  let stderr = '';
  bridge.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: bridge!.stdout! }).once('line', (line) => resolve(line.split(' ')[1]!));
    bridge!.once('exit', () => reject(new Error(stderr)));
  });
}

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function ask(
  agent: string,
  prompt: string,
  o: { key?: string; started?(child: ChildProcess): void } = {},
): Promise<Ran> {
  const env = { ...process.env, MM_SECRET_TEAM: o.key ?? proxy.key, HOME: folder };
  const child = spawn(process.execPath, [mm, '--ask', agent, prompt, '-config', 'caller.yaml'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  o.started?.(child);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const client = (key = proxy.key) =>
  clientFor({ name: 'team', url: proxy.url, key: { kind: 'value', value: key } }, async () => key, silentLog);
const kindOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'no error',
    (error) => error.kind,
  );

describe.skipIf(why !== undefined)('a real LiteLLM', () => {
  test('the registry: list, card, readiness, who answers, and what is wrong in words', async () => {
    const agents = await client().agents();
    expect(agents.map(({ name }) => name).sort()).toEqual(['bob', 'dead', 'lab', 'still']);
    const card = await client().card('lab');
    expect(card).toMatchObject({ pinned: '0.3', streaming: true, url: `${proxy.url}/a2a/lab` });
    expect(await client().readiness()).toMatchObject({ database: 'none' });
    const { unreachable } = await client().reachability();
    expect(agents.filter(({ id }) => unreachable.has(id)).map(({ name }) => name)).toEqual(['dead']);
    expect(await kindOf(client('sk-wrong').agents())).toBe('wrong-key');
    expect(await kindOf(client('').agents())).toBe('no-key');
    expect(await kindOf(client().card('nobody'))).toBe('not-found');
    expect(await kindOf(client().agent(agents[0]!.id))).toBe('no-database');
    expect(await kindOf(client().generateKey({ alias: 'x' }))).toBe('no-database');
  });

  test('an ask streams through it, and the trace is joined', async () => {
    expect(await ask('lab', 'chunks')).toEqual({ code: 0, stdout: 'Hello wide world.\n', stderr: '' });
    const call = lab.calls.findLast((one) => say(one) === 'chunks')!;
    expect(call.params.message.metadata.mm).toMatchObject({ depth: 1, canAnswer: false });
    expect(call.headers.authorization).toBeUndefined();
  });

  test('an agent that does not stream is followed by its task', async () => {
    expect(await ask('still', 'hello')).toMatchObject({ code: 0, stdout: 'slow, but sure\n' });
    expect(still.of('get').length).toBeGreaterThanOrEqual(3);
  });

  test('failures, a question back and an agent that is down are told in words', async () => {
    expect((await ask('lab', 'fail')).stderr).toContain('lab failed: It went wrong');
    expect((await ask('lab', 'which')).stderr).toContain('lab asks back, and was not answered: Which?');
    expect(lab.of('cancel')).toHaveLength(1);
    expect((await ask('dead', 'hello')).stderr).toContain('does not reach the agent');
    expect((await ask('nobody', 'hello')).stderr).toContain('knows no agent “nobody”');
    const wrong = await ask('lab', 'hello', { key: 'sk-wrong' });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('does not accept the key');
    expect(wrong.stderr).not.toContain('sk-wrong');
  });

  test('rule 12: Ctrl-C reaches the agent behind it', async () => {
    const before = lab.of('cancel').length;
    const ran = await ask('lab', 'for ever', {
      started: (child) => child.stdout!.once('data', () => child.kill('SIGINT')),
    });
    expect(ran).toMatchObject({ code: 130, stdout: expect.stringContaining('One') });
    expect(lab.of('cancel')).toHaveLength(before + 1);
  });

  test('a local agent behind `mm --serve` is asked by another machine’s mm, and a chain through the proxy ends', async () => {
    expect(await ask('bob', 'hello')).toMatchObject({ code: 0, stdout: expect.stringContaining('I am Bob, a demo') });
    const chain = await ask('bob', 'ask riker: ask bob: hello');
    expect(chain.code).toBe(0);
    expect(chain.stdout).toContain('ask riker');
    // riker, at depth 2, has nobody to ask: it says so and does not ask bob again
    expect(chain.stdout).not.toContain('I am Bob, a demo');
  });

  test('the chat façade answers, streamed and not, once', async () => {
    const chat = (stream: boolean) =>
      fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${proxy.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'a2a/lab', stream, messages: [{ role: 'user', content: 'hello' }] }),
      }).then((answer) => answer.text());
    expect(JSON.parse(await chat(false)).choices[0].message.content).toContain('echo: ');
    expect(await chat(true)).toContain('echo');
    expect(lab.of('send')).toHaveLength(1);
  });

  test(`a slow agent of ${slow} s is cut by no time-out`, async () => {
    expect(await slowly).toMatchObject({ code: 0, stdout: `after ${slow} s\n` });
  }, 400_000);
});
