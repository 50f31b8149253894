import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BenchRow } from './types';
import { BareReader, connect, end, type Load, megabyte, startEmitter } from './wire-emitter';

/** How long the consumer sleeps, in milliseconds: the emitter would be through in a third of it. */
const nap = 1500;
/** Memory is looked at this often meanwhile. */
const every = 50;

interface Growth {
  /** What is alive after a collection at the end of the sleep, above that before it, in bytes. */
  heap: number;
  /** The highest resident memory of the sleep, above that before it, in bytes. */
  rss: number;
}

/**
 * An agent that writes as fast as it can, beside a consumer that sleeps on its first update. What has been read waits in our memory, what has not
 * waits in the agent; the floor is a pipe that nobody reads. After the sleep everything comes, none of it twice.
 */
export async function sleepingConsumer(load: Load): Promise<BenchRow[]> {
  const floor = await asleep(load, pausedPipe);
  const ours = await asleep(load, behindConsumer);
  const row = (name: string, of: (growth: Growth) => number): BenchRow => ({
    name,
    value: of(ours) / megabyte,
    unit: 'MB',
    floor: { name: 'pipe not read', value: of(floor) / megabyte },
    goal: 'flat (under 8 MB)',
    met: of(ours) < 8 * megabyte,
  });
  return [
    row(`heap behind a consumer that sleeps, ${load.count / 1000}k coming`, (growth) => growth.heap),
    row('… resident memory meanwhile, at most', (growth) => growth.rss),
  ];
}

/** Someone who was woken and has counted what came. */
interface Sleeper {
  /** Lets everything come, and says how many updates there were. */
  wake(): Promise<number>;
}

type Start = (load: Load, asleep: () => void) => Promise<Sleeper>;

async function asleep(load: Load, start: Start): Promise<Growth> {
  let fallenAsleep!: () => void;
  const sleeping = new Promise<void>((resolve) => {
    fallenAsleep = resolve;
  });
  const before = alive();
  const { rss } = process.memoryUsage();
  const sleeper = await start(load, fallenAsleep);
  await sleeping;
  let peak = 0;
  for (let slept = 0; slept < nap; slept += every) {
    await delay(every);
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const heap = alive() - before;
  const seen = await sleeper.wake();
  if (seen !== load.count) throw new Error(`${seen} of ${load.count} messages came after the sleep`);
  return { heap, rss: peak - rss };
}

/** The product's client, whose handler's first promise stays open until it is woken. */
async function behindConsumer(load: Load, fallenAsleep: () => void): Promise<Sleeper> {
  const child = startEmitter(load);
  let seen = 0;
  let wake!: () => void;
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const { connection, session } = await connect(child, () => {
    if (++seen > 1) return;
    fallenAsleep();
    return woken;
  });
  const turn = session.prompt([], { signal: new AbortController().signal });
  return {
    async wake() {
      wake();
      await turn;
      await end(child);
      connection.dispose();
      return seen;
    },
  };
}

/** A pipe that is not read from the first update on, until it is woken. */
async function pausedPipe(load: Load, fallenAsleep: () => void): Promise<Sleeper> {
  const child = startEmitter(load);
  let seen = 0;
  const reader = new BareReader(child, () => {
    if (++seen > 1) return;
    child.stdout.pause();
    fallenAsleep();
  });
  await reader.request('initialize');
  await reader.request('session/new');
  const turn = reader.request('session/prompt');
  return {
    async wake() {
      child.stdout.resume();
      await turn;
      await end(child);
      return seen;
    },
  };
}

/** Bytes in use after a collection, those outside the heap (the chunks of a pipe) included. */
function alive(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
