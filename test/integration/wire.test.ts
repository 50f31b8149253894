import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { AgentConnection, type ClientSession, type SessionHandlers } from '../../src/acp/client';
import type { AnyUpdate } from '../../src/acp/types';
import { UserError } from '../../src/base/errors';
import { type Scenario, textFrame, type WrittenScenario, writeScenario } from '../support/scenario';
import { FrameRecorder } from '../support/schema';

/** The client side against a real process over real pipes, played by the scripted agent. */

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Running {
  child: ChildProcessWithoutNullStreams;
  connection: AgentConnection;
  session: ClientSession;
  scenario: WrittenScenario;
  updates: AnyUpdate[];
  text(): string;
  turn(text?: string, signal?: AbortSignal): ReturnType<ClientSession['prompt']>;
}

async function start(scenario: Scenario, handlers: Partial<SessionHandlers> = {}): Promise<Running> {
  const written = writeScenario(scenario);
  const child = spawn(written.command, written.args, { stdio: 'pipe' });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const recorder = new FrameRecorder('client');
  const connection = new AgentConnection({
    input: child.stdout,
    output: child.stdin,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    journal: recorder.journal,
    endReason: async () => {
      const [code, signal] = await exited;
      return new UserError(`ended with ${signal ?? code}`, { detail: stderr });
    },
  });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exited;
    written.dispose();
    recorder.verify();
  });
  await connection.initialize({ clientInfo: { name: 'test', version: '1' }, hub: false, deadline: 30_000 });
  const updates: AnyUpdate[] = [];
  const session = await connection.newSession({
    cwd: process.cwd(),
    deadline: 30_000,
    handlers: {
      update: (update) => {
        updates.push(update);
      },
      permission: async () => ({ outcome: 'cancelled' }),
      ...handlers,
    },
  });
  return {
    child,
    connection,
    session,
    scenario: written,
    updates,
    text: () => updates.map((u) => (u as { content?: { text?: string } }).content?.text ?? '').join(''),
    turn: (text = 'hello', signal = new AbortController().signal) =>
      session.prompt([{ type: 'text', text }], { signal }),
  };
}

test('F015 F017 F018 F019: noise, one byte per write, raw U+2028 and ids as text', async () => {
  const agent = await start({
    stringIds: true,
    on: {
      start: [{ raw: 'hi from .bashrc\n\u001b[32mready\u001b[0m\n123\n' }],
      'session/prompt': [
        { raw: `${JSON.stringify(textFrame('session-1', '中🎉é'))}\r\n`, split: 1 },
        { raw: 'loading 10%\rloading 100%\n' },
        { raw: `${JSON.stringify(textFrame('session-1', 'a\u2028b\u0085c'))}\n`, split: 3 },
      ],
    },
  });
  expect((await agent.turn()).stopReason).toBe('end_turn');
  expect(agent.text()).toBe('中🎉éa\u2028b\u0085c');
  expect(agent.connection.noiseCount).toBeGreaterThanOrEqual(4);
});

test('F024 F026: updates before the answer to session/new in one write, and after the answer to the prompt', async () => {
  const agent = await start({
    on: {
      'session/new': [
        {
          together: [
            textFrame('$SID', 'early 1 '),
            textFrame('$SID', 'early 2 '),
            { jsonrpc: '2.0', id: '$ID', result: { sessionId: '$SID' } },
          ],
        },
        { noAnswer: true },
      ],
      'session/prompt': [
        {
          together: [
            textFrame('$SID', 'in '),
            { jsonrpc: '2.0', id: '$ID', result: { stopReason: 'end_turn' } },
            textFrame('$SID', 'late'),
          ],
        },
        { noAnswer: true },
      ],
    },
  });
  await agent.turn();
  expect(agent.text()).toBe('early 1 early 2 in ');
  while (!agent.text().endsWith('late')) await new Promise((resolve) => setImmediate(resolve));
});

test('F004 a child that dies in mid-answer: the turn fails with its exit code and stderr, after its last text', async () => {
  const agent = await start({
    on: { 'session/prompt': [{ text: 'half an ans' }, { stderr: 'out of memory\n' }, { exit: 137 }] },
  });
  const error = await agent.turn().catch((e: unknown) => e);
  expect((error as UserError).message).toBe('ended with 137');
  expect((error as UserError).detail).toBe('out of memory\n');
  expect(agent.text()).toBe('half an ans');
  await expect(agent.turn()).rejects.toThrow('ended with 137');
});

test('F004 SIGKILL while a permission question is open', async () => {
  let moot = false;
  const agent = await start(
    { on: { 'session/prompt': [{ permission: {}, wait: false }, { delay: 50 }, { signal: 'SIGKILL' }] } },
    {
      permission: (_request, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            moot = true;
            resolve({ outcome: 'cancelled' });
          }),
        ),
    },
  );
  await expect(agent.turn()).rejects.toThrow('ended with SIGKILL');
  expect(moot).toBe(true);
});

test('F043 stop while a question is open: the agent reads the answer before the cancel', async () => {
  const controller = new AbortController();
  const agent = await start(
    { on: { 'session/prompt': [{ permission: {} }, { waitFor: 'session/cancel' }] } },
    {
      permission: () => {
        controller.abort();
        return new Promise(() => {});
      },
    },
  );
  expect((await agent.turn('x', controller.signal)).stopReason).toBe('cancelled');
  const frames = agent.scenario.received();
  const answer = frames.findIndex((f) => f.method === undefined && f.result.outcome.outcome === 'cancelled');
  const cancel = frames.findIndex((f) => f.method === 'session/cancel');
  expect(answer).toBeGreaterThan(0);
  expect(cancel).toBe(answer + 1);
  expect(frames[cancel].id).toBeUndefined();
});

test('a child that closes its stdin and reads no more does not crash us', async () => {
  const agent = await start({
    on: { 'session/prompt': [{ closeStdin: true }, { text: 'still here' }, { delay: 50 }] },
  });
  expect((await agent.turn()).stopReason).toBe('end_turn');
  await expect(agent.turn('x'.repeat(1 << 20))).rejects.toThrow('The other side reads no more.');
  agent.child.kill('SIGKILL');
  await agent.connection.closed;
  await expect(agent.turn()).rejects.toThrow();
}, 20_000);

test('a child that closes its stdout and lives on has ended for us', async () => {
  const agent = await start({
    ignoreStdinEnd: true,
    on: { 'session/prompt': [{ text: 'last words' }, { closeStdout: true }, { hang: true }] },
  });
  // its exit, which would be the reason, does not come
  await expect(agent.turn()).rejects.toThrow('The connection ended.');
  expect(agent.text()).toBe('last words');
});

test('a line of 33 MiB is one unsupported update; what follows arrives', async () => {
  const agent = await start({
    on: {
      'session/prompt': [
        {
          raw: '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"',
        },
        { repeat: 33, steps: [{ raw: 'x'.repeat(1 << 20) }] },
        { raw: '"}}}}\n' },
        { text: 'after' },
      ],
    },
  });
  expect((await agent.turn()).stopReason).toBe('end_turn');
  expect(agent.updates.map((u) => u.sessionUpdate)).toEqual(['_mm/truncated', 'agent_message_chunk']);
});

test('backpressure reaches the child: a slow reader does not take in what it cannot handle', async () => {
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  const big = 'x'.repeat(10_000);
  const agent = await start(
    { on: { 'session/prompt': [{ repeat: 2000, steps: [{ text: big }] }] } },
    {
      update: () => {
        count++;
        return count === 1 ? gate : undefined;
      },
    },
  );
  const turn = agent.turn();
  while (!agent.child.stdout.isPaused()) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(count).toBe(1);
  release();
  await turn;
  expect(count).toBe(2000);
});
