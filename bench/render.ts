import type { Browser } from '@playwright/test';
import type { Node } from '../src/chat/nodes';
import { ChatPage, launchChromium, pageState } from '../test/webview/page';
import type { BenchRow } from './types';

/** How the view draws (design, section 11): the built page in Chromium, in the width of a side bar. Needs `dist/webview`. */
export async function render(): Promise<BenchRow[]> {
  const browser = await launchChromium();
  try {
    const full = answer(300_000);
    const half = answer(150_000);
    await once(browser, half); // a first page compiles the script
    const at = await once(browser, full);
    const streamed = await stream(browser, full);
    const streamedHalf = await stream(browser, half);
    const opened = await open(browser, entries(10_000));
    return [
      {
        name: 'a 300 kB answer in 20-character chunks, main thread',
        value: streamed.busy,
        unit: 'ms',
        floor: { name: 'rendered once', value: at },
        goal: 'at most 2×',
        met: streamed.busy <= 2 * at,
      },
      {
        name: 'its longest frame',
        value: streamed.longest,
        unit: 'ms',
        goal: 'at most 50 ms',
        met: streamed.longest <= 50,
      },
      {
        name: 'its frames, 95th percentile',
        value: streamed.p95,
        unit: 'ms',
        goal: 'under 16 ms',
        met: streamed.p95 < 16,
      },
      {
        name: 'linear in length',
        value: streamed.busy,
        unit: 'ms',
        floor: { name: 'half of it', value: streamedHalf.busy },
        goal: 'about 2×',
        met: streamed.busy <= 2.5 * streamedHalf.busy,
      },
      {
        name: 'a conversation of 10,000 entries opens',
        value: opened.open,
        unit: 'ms',
        goal: 'under 500 ms',
        met: opened.open < 500,
      },
      {
        name: 'scrolling back in it, longest frame',
        value: opened.longest,
        unit: 'ms',
        goal: 'at most 50 ms',
        met: opened.longest <= 50,
      },
    ];
  } finally {
    await browser.close();
  }
}

interface Frames {
  longest: number;
  p95: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  tid: number;
  pid: number;
  ts: number;
  dur?: number;
  /** CPU time of the thread, microseconds. */
  tdur?: number;
}

/**
 * What the page's main thread did while `what` ran, in CPU time of that thread: on a machine that others use too, time on the clock says little.
 * A frame is a task in which animation callbacks ran; style, layout and paint are in it.
 */
async function measured<T>(
  browser: Browser,
  chat: ChatPage,
  what: () => Promise<T>,
): Promise<{ result: T; busy: number } & Frames> {
  await browser.startTracing(chat.page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  const result = await what();
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] };
  const callbacks = trace.traceEvents.filter((e) => e.name === 'FireAnimationFrame');
  const main = callbacks[0];
  const tasks = trace.traceEvents.filter(
    (e) => /RunTask$/.test(e.name) && e.ph === 'X' && e.tid === main?.tid && e.pid === main.pid && e.tdur !== undefined,
  );
  tasks.sort((a, b) => a.ts - b.ts);
  callbacks.sort((a, b) => a.ts - b.ts);
  const frames: number[] = [];
  let c = 0;
  let busy = 0;
  let outer = 0;
  for (const task of tasks) {
    // tasks can stand inside of tasks
    if (task.ts < outer) continue;
    outer = task.ts + (task.dur ?? 0);
    busy += task.tdur!;
    while (c < callbacks.length && callbacks[c]!.ts < task.ts) c++;
    if (c < callbacks.length && callbacks[c]!.ts < outer) frames.push(task.tdur! / 1000);
  }
  return { result, busy: busy / 1000, ...summary(frames) };
}

async function show(browser: Browser, nodes: Node[]): Promise<ChatPage> {
  const chat = await ChatPage.open(browser, { width: 400, height: 900 });
  await chat.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'snapshot', nodes, state: pageState() });
  return chat;
}

const turn = (state: 'running' | 'done'): Node => ({ kind: 'turn', id: 't', at: 0, agent: { name: 'Ada' }, state });
const text = (words: string, done: boolean): Node => ({
  kind: 'text',
  id: 'w',
  parent: 't',
  at: 0,
  text: words,
  done,
});

/** The last words of an answer, by which the page is known to be complete. */
const end = 'These are its last words';

async function once(browser: Browser, words: string): Promise<number> {
  const chat = await show(browser, [turn('done')]);
  const { busy } = await measured(browser, chat, async () => {
    await chat.page.evaluate(
      ([node, last]) =>
        new Promise<void>((resolve) => {
          const editor = window as unknown as { give(m: unknown): void };
          editor.give({ type: 'patches', patches: [{ op: 'put', node }] });
          const look = () => {
            if (document.querySelector('.md')?.lastElementChild?.textContent?.includes(last as string)) resolve();
            else requestAnimationFrame(look);
          };
          look();
        }),
      [text(words, true), end] as const,
    );
    await chat.frames();
  });
  await chat.close();
  return busy;
}

/** Chunks of 20 characters, as many in each frame as an extension passes on that collects for a thirtieth of a second at 60 kB/s. */
async function stream(browser: Browser, words: string): Promise<Frames & { busy: number }> {
  const chat = await show(browser, [turn('running'), text('', false)]);
  const figures = await measured(browser, chat, () =>
    chat.page.evaluate(
      ([source, node]) =>
        new Promise<void>((resolve) => {
          const editor = window as unknown as { give(m: unknown): void };
          let at = 0;
          let idle = 0;
          const tick = () => {
            const patches: unknown[] = [];
            for (let n = 0; n < 100 && at < source.length; n++, at += 20) {
              patches.push({ op: 'append', id: 'w', text: source.slice(at, at + 20) });
            }
            if (patches.length > 0) editor.give({ type: 'patches', patches });
            else if (idle++ === 0) editor.give({ type: 'patches', patches: [{ op: 'put', node }] });
            if (idle < 30) requestAnimationFrame(tick);
            else resolve();
          };
          requestAnimationFrame(tick);
        }),
      [words, text(words, true)] as const,
    ),
  );
  await chat.close();
  return figures;
}

async function open(browser: Browser, nodes: Node[]): Promise<Frames & { open: number }> {
  const chat = await show(browser, []);
  const json = JSON.stringify({ type: 'snapshot', nodes, state: pageState({ conversationId: 'long' }) });
  const opened = await measured(browser, chat, async () => {
    // parsing is what the editor does to a message on its way
    await chat.page.evaluate(
      (message) => (window as unknown as { give(m: unknown): void }).give(JSON.parse(message)),
      json,
    );
    await chat.frames(2);
  });
  const scrolled = await measured(browser, chat, () =>
    chat.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const log = document.querySelector('.log')!;
          let count = 0;
          const tick = () => {
            log.scrollTop -= 1500;
            if (count++ < 150) requestAnimationFrame(tick);
            else resolve();
          };
          requestAnimationFrame(tick);
        }),
    ),
  );
  await chat.close();
  return { open: opened.busy, longest: scrolled.longest, p95: scrolled.p95 };
}

function summary(frames: number[]): Frames {
  const sorted = [...frames].sort((a, b) => a - b);
  return { longest: sorted.at(-1) ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 };
}

/** An answer of everything that Markdown has, with a long fence of no language in it (faults F059). */
function answer(length: number): string {
  const section = [
    '## What the numbers say\n',
    'The sort reads **every order** before it limits, and `no index` covers that order, see [list.ts](src/list.ts:61).\n'.repeat(
      3,
    ),
    '\n- an item of a list with *some* words in it\n- another one\n  - and one in it\n',
    '\n| First page | Rows read | Time |\n|---|--:|--:|\n| now | 412,000 | 9.2 s |\n| with the index | 50 | 3 ms |\n',
    '\n```ts\nexport async function listOrders(q: Query) {\n  const size = Math.min(q.size, 100);\n  return size;\n}\n```\n\n',
  ].join('\n');
  let words = '';
  while (words.length < length / 2) words += section;
  words += `\`\`\`\n${'a line of an output that nobody coloured, and a number: 12345\n'.repeat(330)}\`\`\`\n\n`;
  while (words.length < length) words += section;
  return `${words}\n\n${end}.\n`;
}

/** A long conversation: messages, turns with thoughts, calls and words. */
function entries(count: number): Node[] {
  const nodes: Node[] = [];
  for (let i = 0; nodes.length < count; i++) {
    const parent = `t${i}`;
    const agent = { name: 'Ada', provider: 'ollama', model: 'qwen3:32b' };
    nodes.push(
      { kind: 'user', id: `u${i}`, at: i, text: 'Why is it slow, and what would make it faster?' },
      { kind: 'turn', id: parent, at: i, agent, state: 'done', endedAt: i + 9000 },
      { kind: 'thought', id: `h${i}`, parent, at: i, text: 'I look at the sort first.', done: true, endedAt: i + 3000 },
      {
        kind: 'tool',
        id: `c${i}`,
        parent,
        at: i,
        toolCallId: `c${i}`,
        name: 'bash',
        title: 'npm test',
        toolKind: 'execute',
        state: i % 5 === 0 ? 'failed' : 'done',
        what: 'npm test',
        output: 'a line of output\n'.repeat(30),
        outputCut: 0,
        diffs: [],
        endedAt: i + 900,
      },
      {
        kind: 'text',
        id: `w${i}`,
        parent,
        at: i,
        text: 'It **sorts** too early, see `list.ts`:\n\n- one index\n- keyset paging\n\n```ts\nconst a = 1;\n```\n\nShall I?',
        done: true,
      },
    );
  }
  return nodes;
}
