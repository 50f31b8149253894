import { getEventListeners, setMaxListeners } from 'node:events';
import type { Relay } from '../src/ask/relay';
import type { AskRequest } from '../src/ask/types';
import type { BenchRow } from './types';

const megabyte = 1024 * 1024;
/** Of each agent's answers under load. */
export const loadChunks = 200;
const concurrent = 50;
const many = 5_000;
const settled = 500;

type RequestFor = (agent: number, id: string, signal: AbortSignal) => AskRequest;

/** 50 asks at once over 5 agents, whose answers come piece by piece and mixed: every piece arrives, in its order, and nobody waits for all others. */
export async function concurrentAsks(relay: Relay, agents: number, requestFor: RequestFor): Promise<BenchRow[]> {
  let lost = 0;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const start = performance.now();
  const times = await Promise.all(
    Array.from({ length: concurrent }, async (_, i) => {
      let next = 0;
      for await (const event of relay.ask(requestFor(i % agents, `at-once-${i}`, signal))) {
        if (event.type !== 'update') continue;
        const { content } = event.update as unknown as { content?: { text?: string } };
        if (content?.text !== `${next++} of an answer under load. `) lost++;
      }
      lost += loadChunks - next;
      return performance.now() - start;
    }),
  );
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage().rss);
  const ratio = Math.max(...times) / Math.min(...times);
  const rss = peak / megabyte;
  return [
    {
      name: `${concurrent} asks at once over ${agents} agents: events lost`,
      value: lost,
      unit: '',
      goal: 'none',
      met: lost === 0,
    },
    {
      name: '… the last one done after, times the first one',
      value: ratio,
      unit: '',
      goal: 'at most 3×',
      met: ratio <= 3,
    },
    { name: '… all done', value: Math.max(...times), unit: 'ms', goal: 'for information' },
    { name: '… peak resident memory of the host', value: rss, unit: 'MB', goal: 'under 150 MB', met: rss < 150 },
  ];
}

interface Reading {
  heap: number;
  rss: number;
  resources: number;
  listeners: number;
}

/** 5,000 asks in a row: after all of them the host is as it was after 500. */
export async function manyAsks(relay: Relay, requestFor: RequestFor): Promise<BenchRow[]> {
  const { gc } = globalThis;
  if (!gc) throw new Error('run by npm run bench, which lets memory be measured');
  // one signal for all, as a window has: what an ask leaves on it stays
  const { signal } = new AbortController();
  const read = (): Reading => {
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    const own = ['exit', 'SIGTERM', 'SIGINT', 'uncaughtException', 'beforeExit'] as const;
    return {
      heap: (heapUsed + external) / megabyte,
      rss: rss / megabyte,
      resources: process.getActiveResourcesInfo().length,
      listeners:
        getEventListeners(signal, 'abort').length + own.reduce((sum, name) => sum + process.listenerCount(name), 0),
    };
  };
  let before: Reading | undefined;
  for (let i = 0; i < many; i++) {
    if (i === settled) before = read();
    for await (const event of relay.ask(requestFor(0, `row-${i}`, signal)))
      if (event.type === 'end' && event.answer.text === '') throw new Error('no answer');
  }
  const after = read();
  if (!before) throw new Error('too few asks');
  const grown = (key: keyof Reading) => after[key] - before[key];
  const row = (name: string, value: number, unit: BenchRow['unit'], goal: string, met: boolean): BenchRow => ({
    name,
    value,
    unit,
    goal,
    met,
  });
  return [
    row(
      `${many} asks in a row: heap above that after ${settled}`,
      grown('heap'),
      'MB',
      'under 20 MB',
      grown('heap') < 20,
    ),
    row('… resident memory above that', grown('rss'), 'MB', 'under 20 MB', grown('rss') < 20),
    row('… handles and timers more', grown('resources'), '', 'none', grown('resources') <= 0),
    row('… listeners more', grown('listeners'), '', 'none', grown('listeners') <= 0),
  ];
}
