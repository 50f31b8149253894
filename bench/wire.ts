import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AgentConnection } from '../src/acp/client';
import { silentLog } from '../src/base/log';
import type { BenchRow } from './types';

type Child = ChildProcessByStdio<Writable, Readable, null>;

interface Load {
  name: string;
  count: number;
  /** The `update` of every message. */
  update: object;
}

const loads: Load[] = [
  {
    name: 'text chunk',
    count: 100_000,
    update: {
      sessionUpdate: 'agent_message_chunk',
      messageId: 'msg_0123456789abcdef',
      content: { type: 'text', text: 'forty characters of an answer, no more. ' },
    },
  },
  {
    name: 'tool update',
    count: 20_000,
    update: {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call_0123456789abcdef',
      status: 'in_progress',
      content: [
        {
          type: 'content',
          content: { type: 'text', text: 'one more line of output of a test\n'.repeat(6).slice(0, 200) },
        },
      ],
      rawInput: { command: 'npm test', cwd: '/home/dev/project' },
      locations: [{ path: '/home/dev/project/src/main.ts', line: 12 }],
    },
  },
];
const rounds = 7;

/** Answers two requests, then writes the updates and the answer to the third as fast as the pipe takes them. */
const emitter = `
const [update, count] = [JSON.parse(process.argv[1]), Number(process.argv[2])];
const one = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'session-1', update } }) + '\\n';
const block = Buffer.from(one.repeat(500));
const answers = [{ protocolVersion: 1 }, { sessionId: 'session-1' }, { stopReason: 'end_turn' }];
let n = 0;
const write = (data) => new Promise((done) => process.stdout.write(data, done));
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id } = JSON.parse(line);
  const result = answers[n++];
  if (result.stopReason) for (let i = 0; i < count; i += 500) await write(block);
  await write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
process.stdin.on('end', () => process.exit(0));
`;

interface Round {
  /** CPU of this process for one message, in microseconds. */
  cpu: number;
  /** Heap between collections at the end, above that at the beginning, in bytes. */
  growth: number;
}

/** Lowest heap of the first and of the last quarter: what stays between collections. */
class HeapWatch {
  #n = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.POSITIVE_INFINITY;
  constructor(readonly count: number) {}

  tick(): void {
    if (++this.#n % 1000 !== 0) return;
    const { heapUsed } = process.memoryUsage();
    if (this.#n <= this.count / 4) this.#first = Math.min(this.#first, heapUsed);
    else if (this.#n > (this.count * 3) / 4) this.#last = Math.min(this.#last, heapUsed);
  }

  get growth(): number {
    return this.#last - this.#first;
  }
}

function start(load: Load): Child {
  return spawn(process.execPath, ['-e', emitter, JSON.stringify(load.update), String(load.count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function end(child: Child): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.end();
  await gone;
}

function cpuOf(before: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** The floor: cut into lines, `JSON.parse`, one property read. */
async function bare(load: Load): Promise<Round> {
  const child = start(load);
  const watch = new HeapWatch(load.count);
  let onAnswer: () => void = () => {};
  let seen = 0;
  let rest: Buffer | undefined;
  child.stdout.on('data', (data: Buffer) => {
    const bytes = rest ? Buffer.concat([rest, data]) : data;
    let from = 0;
    for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
      const message = JSON.parse(bytes.toString('utf8', from, to)) as { method?: string };
      from = to + 1;
      if (message.method === 'session/update') {
        seen++;
        watch.tick();
      } else onAnswer();
    }
    rest = from < bytes.length ? bytes.subarray(from) : undefined;
  });
  const request = (id: number, method: string) =>
    new Promise<void>((resolve) => {
      onAnswer = resolve;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })}\n`);
    });
  await request(1, 'initialize');
  await request(2, 'session/new');
  const before = process.cpuUsage();
  await request(3, 'session/prompt');
  const cpu = cpuOf(before, load.count);
  await end(child);
  if (seen !== load.count) throw new Error(`${seen} of ${load.count} messages came`);
  return { cpu, growth: watch.growth };
}

/** The product's own client side, with a handler that does nothing but count. */
async function ours(load: Load): Promise<Round> {
  const child = start(load);
  const watch = new HeapWatch(load.count);
  let seen = 0;
  const connection = new AgentConnection({
    input: child.stdout,
    output: child.stdin,
    log: silentLog,
    endReason: async () => new Error('the emitter ended'),
  });
  await connection.initialize({ clientInfo: { name: 'bench', version: '0' }, hub: false, deadline: 30_000 });
  const session = await connection.newSession({
    cwd: process.cwd(),
    deadline: 30_000,
    handlers: {
      update() {
        seen++;
        watch.tick();
      },
      permission: async () => ({ outcome: 'cancelled' }),
    },
  });
  const before = process.cpuUsage();
  await session.prompt([], { signal: new AbortController().signal });
  const cpu = cpuOf(before, load.count);
  await end(child);
  connection.dispose();
  if (seen !== load.count) throw new Error(`${seen} of ${load.count} messages came`);
  return { cpu, growth: watch.growth };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** What it costs this process to receive updates, beside cutting lines and `JSON.parse` alone. Rounds alternate, so that load on the machine hits both. */
export async function wire(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const load of loads) {
    const warm = { ...load, count: 10_000 };
    await bare(warm);
    await ours(warm);
    const floor: Round[] = [];
    const mine: Round[] = [];
    for (let i = 0; i < rounds; i++) {
      floor.push(await bare(load));
      mine.push(await ours(load));
    }
    const value = median(mine.map((r) => r.cpu));
    const base = median(floor.map((r) => r.cpu));
    rows.push({
      name: `receive one ${load.name} (CPU)`,
      value,
      unit: 'µs',
      floor: { name: 'lines + JSON.parse', value: base },
      goal: 'at most 2× the floor',
      met: value <= 2 * base,
    });
    const kept = Math.max(0, median(mine.map((r) => r.growth))) / 1024 / 1024;
    rows.push({
      name: `heap kept over ${load.count / 1000}k of them`,
      value: kept,
      unit: 'MB',
      floor: { name: 'lines + JSON.parse', value: Math.max(0, median(floor.map((r) => r.growth))) / 1024 / 1024 },
      goal: 'flat (under 4 MB)',
      met: kept < 4,
    });
  }
  return rows;
}
