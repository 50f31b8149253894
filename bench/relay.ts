import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ConversationGrants } from '../src/ask/grants';
import { LocalTarget } from '../src/ask/local';
import { Relay } from '../src/ask/relay';
import type { AskRequest } from '../src/ask/types';
import { silentLog } from '../src/base/log';
import { ChildPool } from '../src/children/pool';
import { concurrentAsks, loadChunks, manyAsks } from './relay-load';
import type { BenchRow } from './types';

const asks = 300;
const warmUp = 100;

/** How many agents share the load of many asks at once. */
const agents = 5;

/**
 * An agent that does nothing of its own: it answers at once, with five chunks of text. Its whole time is pipe and parsing. Told "load", it
 * sends many numbered chunks, one for each of its sessions in turn.
 */
const agent = `
const send = (o) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...o }) + '\\n');
const say = (sessionId, text) => send({ method: 'session/update', params: { sessionId, update: {
  sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } });
async function load(id, sid) {
  for (let i = 0; i < ${loadChunks}; i++) { say(sid, i + ' of an answer under load. '); await new Promise(setImmediate); }
  send({ id, result: { stopReason: 'end_turn' } });
}
const chunk = (sid) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: sid, update: {
  sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'forty characters of an answer, no more. ' } } } }) + '\\n';
let n = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  let out = '';
  let result = {};
  if (method === 'initialize') result = { protocolVersion: 1, agentInfo: { name: 'instant', version: '1' } };
  if (method === 'session/new') result = { sessionId: 's' + ++n };
  if (method === 'session/prompt' && params.prompt[0].text === 'load') return void load(id, params.sessionId);
  if (method === 'session/prompt') { out = chunk(params.sessionId).repeat(5); result = { stopReason: 'end_turn' }; }
  process.stdout.write(out + JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
process.stdin.on('end', () => process.exit(0));
`;

/** Writes lines to the agent's stdin, parses lines of its stdout, and nothing else: the child's own time. */
class BareClient {
  #child: ChildProcessByStdio<Writable, Readable, null>;
  #id = 0;
  #settle: ((result: { sessionId?: string }) => void) | undefined;

  constructor(file: string) {
    this.#child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { id?: number; result?: { sessionId?: string } };
      if (message.id === this.#id) this.#settle?.(message.result ?? {});
    });
  }

  call(method: string, params: unknown): Promise<{ sessionId?: string }> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params })}\n`);
    });
  }

  end(): void {
    this.#child.stdin.end();
  }
}

function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Many asks at once and many in a row (`relay-load.ts`); an ask to a warm child, beside the bare frames of the same conversation with a child of the same program (goal: under 2 ms above it). */
export async function relay(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mm-bench-'));
  const program = path.join(folder, 'agent.cjs');
  const file = path.join(folder, 'bob.yaml');
  await writeFile(program, agent);
  for (let i = 0; i < agents; i++) await writeFile(path.join(folder, `agent-${i}.yaml`), `provider: demo # ${i}\n`);
  await writeFile(file, `provider: demo\nsystemPrompt: |\n${'  A line of a prompt of the usual length.\n'.repeat(50)}`);
  const pool = new ChildPool({ log: silentLog, hub: true, clientInfo: { name: 'bench', version: '0' } });
  const target = new LocalTarget({
    pool,
    self: { command: process.execPath, args: [program], electron: false },
    parentEnv: process.env,
    log: silentLog,
  });
  const carrier = new Relay({ targets: [target], log: silentLog, hub: true });
  const bare = new BareClient(program);
  try {
    await bare.call('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const whole: number[] = [];
    const floor: number[] = [];
    for (let i = 0; i < warmUp + asks; i++) {
      // One after the other, so that both see the same machine.
      const own = await timed(async () => {
        const { sessionId } = await bare.call('session/new', { cwd: folder, mcpServers: [] });
        await bare.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Is this query safe?' }] });
      });
      const ours = await timed(async () => {
        for await (const event of carrier.ask(requestFor(file, folder, `ask-${i}`))) {
          if (event.type === 'end' && event.answer.text.length !== 200) throw new Error('not the whole answer');
        }
      });
      if (i < warmUp) continue;
      floor.push(own);
      whole.push(ours);
    }
    const above = quantile(whole, 0.5) - quantile(floor, 0.5);
    const late = quantile(whole, 0.95) - quantile(floor, 0.95);
    const under = (prompt: string) => (n: number, id: string, signal: AbortSignal) => ({
      ...requestFor(path.join(folder, `agent-${n}.yaml`), folder, id),
      prompt,
      signal,
    });
    const load = [
      ...(await concurrentAsks(carrier, agents, under('load'))),
      ...(await manyAsks(carrier, under('Is this query safe?'))),
    ];
    const base = { name: 'bare session/new and prompt', value: quantile(floor, 0.5) };
    return [
      { name: 'ask to a warm child, above its own time', value: above, unit: 'ms', goal: 'under 2 ms', met: above < 2 },
      { name: '… its 95th percentile above the floor’s', value: late, unit: 'ms', goal: 'for information' },
      {
        name: 'ask to a warm child, whole',
        value: quantile(whole, 0.5),
        unit: 'ms',
        floor: base,
        goal: 'for information',
      },
      ...load,
    ];
  } finally {
    bare.end();
    await pool.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function requestFor(file: string, cwd: string, id: string): AskRequest {
  return {
    id,
    agent: 'bob',
    prompt: 'Is this query safe?',
    caller: { kind: 'person', name: 'You' },
    config: {
      file: path.join(cwd, 'mm.yaml'),
      hash: '',
      acp: {},
      provider: 'demo',
      model: 'demo',
      yolo: false,
      maxOutput: 20_000,
      bashTimeout: 120,
      watchdogTimeout: 300,
      mmConfigs: new Map([['bob', { kind: 'path' as const, path: file, env: {} }]]),
    },
    chain: [{ name: 'Ada', id: 'home' }],
    depth: 0,
    path: [],
    cwd,
    permissions: { canAnswer: false, ask: async () => 'reject' },
    grants: new ConversationGrants(),
    liveYolo: () => false,
    signal: new AbortController().signal,
  };
}
