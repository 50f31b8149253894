import type { BenchRow } from './types';
import { BareReader, connect, end, type Load, megabyte, startEmitter } from './wire-emitter';
import { longLine } from './wire-line';
import { sleepingConsumer } from './wire-sleep';

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
    if (this.#n !== this.count) throw new Error(`${this.#n} of ${this.count} messages came`);
    return this.#last - this.#first;
  }
}

function cpuOf(before: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** The floor: cut into lines, `JSON.parse`, one property read. */
async function bare(load: Load): Promise<Round> {
  const child = startEmitter(load);
  const watch = new HeapWatch(load.count);
  const reader = new BareReader(child, () => watch.tick());
  await reader.request('initialize');
  await reader.request('session/new');
  const before = process.cpuUsage();
  await reader.request('session/prompt');
  const cpu = cpuOf(before, load.count);
  await end(child);
  return { cpu, growth: watch.growth };
}

/** The product's own client side, with a handler that does nothing but count. */
async function ours(load: Load): Promise<Round> {
  const child = startEmitter(load);
  const watch = new HeapWatch(load.count);
  const { connection, session } = await connect(child, () => watch.tick());
  const before = process.cpuUsage();
  await session.prompt([], { signal: new AbortController().signal });
  const cpu = cpuOf(before, load.count);
  await end(child);
  connection.dispose();
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
    const kept = Math.max(0, median(mine.map((r) => r.growth))) / megabyte;
    rows.push({
      name: `heap kept over ${load.count / 1000}k of them`,
      value: kept,
      unit: 'MB',
      floor: { name: 'lines + JSON.parse', value: Math.max(0, median(floor.map((r) => r.growth))) / megabyte },
      goal: 'flat (under 4 MB)',
      met: kept < 4,
    });
  }
  return [...rows, ...(await sleepingConsumer(loads[0]!)), ...longLine()];
}
