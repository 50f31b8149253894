import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskGroup, AskRow } from '../../src/chat/asks';
import { ChatPage, launchChromium, type Theme } from '../webview/page';

let browser: Browser;
let view: ChatPage;
beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  await view?.close();
});
afterAll(async () => {
  await browser?.close();
});

const row = (id: string, over: Partial<AskRow> = {}): AskRow => ({
  id,
  agent: { name: 'bob' },
  askedBy: 'You',
  what: 'is this query safe?',
  state: 'running',
  at: Date.now() - 12_000,
  left: 1,
  ...over,
});

function scene(): AskGroup[] {
  const ended = Date.now();
  return [
    {
      id: 'c1',
      home: { name: 'Ada', provider: 'ollama', model: 'qwen3:32b' },
      title: 'Slow orders page',
      rows: [
        row('c1/a', { tokens: 1800 }),
        row('c1/r', {
          parent: 'c1/a',
          agent: { name: 'riker' },
          askedBy: 'bob',
          what: 'how long do transactions stay open in the table of orders?',
          state: 'done',
          endedAt: ended,
          left: 0,
        }),
        row('c1/c', { agent: { name: 'claude' }, askedBy: 'Ada', state: 'waiting', wants: 'claude/bash' }),
        row('c1/s', { agent: { name: 'scenes' }, state: 'failed', why: 'address does not answer', endedAt: ended }),
        row('c1/x', { agent: { name: 'riker' }, askedBy: 'a script of Ada', script: true, what: 'sum up the jobs' }),
      ],
    },
    {
      id: 'c2',
      home: { name: 'bob' },
      title: '',
      rows: [row('c2/a', { agent: { name: 'Ada' }, state: 'cancelled', endedAt: ended })],
    },
  ];
}

async function show(groups: AskGroup[], o: { width?: number; theme?: Theme } = {}): Promise<void> {
  view = await ChatPage.open(browser, { ...o, document: 'asks.html' });
  await view.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'asks', groups });
}

const item = (name: string | RegExp) => view.page.getByRole('treeitem', { name });
const focused = () => view.page.evaluate(() => document.activeElement?.getAttribute('data-id'));
const press = (key: string) => view.page.keyboard.press(key);

describe('the page of the view "Asks"', () => {
  it('is a tree "Asks" of rows that say who, why, state, asker and depth left', async () => {
    await show(scene());
    expect(await view.page.getByRole('tree', { name: 'Asks', exact: true }).count()).toBe(1);
    const levels = await view.page.getByRole('treeitem').evaluateAll((all) => all.map((e) => e.ariaLevel).join(''));
    expect(levels).toBe('12322212');
    const names = [
      /^Ada Slow orders page.* 5 asks$/,
      /^bob is this query safe\? running \d\d:\d\d Stop bob · asked by You.* 1\.8k tokens.* 1 level left$/,
      /^riker how long do transactions .*\? done \d+(\.\d)? s · asked by bob.* may ask nobody$/,
      /^claude is this query safe\? waits for you .*wants to use claude\/bash.* asked by Ada/,
      /^scenes is this query safe\? failed .*address does not answer.* asked by You/,
      /^riker sum up the jobs running \S+ · asked by a script of Ada/,
      /^bob.* 1 ask$/,
      /^Ada is this query safe\? cancelled .* asked by You/,
    ];
    for (const name of names) expect(await item(name).count(), String(name)).toBe(1);
    expect(await item(/^bob is/).getAttribute('aria-expanded')).toBe('true');
    expect(await item(/^claude is/).getAttribute('aria-expanded')).toBeNull();
    expect(await view.page.getByText('2 running').count()).toBe(1);
    expect(await view.page.getByText('1 waits for you').count()).toBe(1);
  });

  it('without an ask it says what will stand here', async () => {
    await show([]);
    expect(await view.page.getByText('No agent has been asked in this window yet.').count()).toBe(1);
    expect(await view.page.getByRole('tree').count()).toBe(0);
  });

  it('is used by the keyboard alone: arrows, Home, End, Enter, Delete', async () => {
    await show(scene());
    await press('Tab'); // Stop all asks
    await press('Tab');
    expect(await focused()).toBe('c1');
    await press('ArrowDown');
    await press('ArrowRight');
    expect(await focused()).toBe('c1/r');
    await press('ArrowLeft');
    expect(await focused()).toBe('c1/a');
    await press('ArrowLeft');
    expect(await item(/^bob is/).getAttribute('aria-expanded')).toBe('false');
    expect(await item(/^riker how/).count()).toBe(0);
    await press('ArrowDown');
    expect(await focused()).toBe('c1/c');
    await press('Enter');
    await press('Delete');
    await press('ArrowDown');
    await press('Delete'); // one that failed has nothing to stop
    await press('ArrowDown');
    await press('Backspace'); // nor a script's, which ends with its command
    await press('End');
    expect(await focused()).toBe('c2/a');
    await press('Home');
    expect(await focused()).toBe('c1');
    expect(await view.sent()).toEqual([{ type: 'ready' }, { type: 'open', id: 'c1/c' }, { type: 'stop', id: 'c1/c' }]);
  });

  it('Stop of one ask names that ask alone; Stop of all is one word', async () => {
    await show(scene());
    const stop = view.page.getByRole('button', { name: 'Stop bob', exact: true });
    await item(/^bob is/).hover();
    await stop.click();
    expect(await view.page.getByRole('button', { name: 'Stop riker' }).count()).toBe(0);
    await view.page.getByRole('button', { name: 'Stop all asks' }).click();
    await item(/^scenes is/).click();
    expect((await view.sent()).slice(1)).toEqual([
      { type: 'stop', id: 'c1/a' },
      { type: 'stopAll' },
      { type: 'open', id: 'c1/s' },
    ]);
  });

  it('a row that a screen reader goes to is the one that keys are for', async () => {
    await show(scene());
    await item(/^claude is/).focus();
    await press('Delete');
    expect((await view.sent()).at(-1)).toEqual({ type: 'stop', id: 'c1/c' });
  });

  it('the person stays where they were while rows come and go', async () => {
    await show(scene());
    await item(/^claude is/).click();
    const [first, second] = scene();
    await view.give({ type: 'asks', groups: [{ ...first!, rows: [row('c1/new'), ...first!.rows] }, second!] });
    expect(await focused()).toBe('c1/c');
    await view.give({ type: 'asks', groups: [second!] });
    expect(await focused()).toBe('c2/a');
  });

  it('what a model wrote is text, whatever it looks like', async () => {
    await show([{ id: 'c', home: { name: '<b>x' }, title: '<img src=x>', rows: [row('c/a', { what: '<script>1' })] }]);
    expect(await view.page.locator('.tree img, .tree script').count()).toBe(0);
    expect(await view.page.getByText('<script>1').count()).toBe(1);
  });

  it.each([
    ['dark', 170],
    ['dark', 300],
    ['light', 400],
    ['hc', 700],
  ] as const)('has no violation that axe finds and does not overflow: %s, %d px', async (theme, width) => {
    await show(scene(), { theme, width });
    await item(/^bob is/).click();
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await view.page.evaluate(axe);
    const found = await view.page.evaluate(async () => {
      const run = (window as unknown as { axe: { run(o: object): Promise<{ violations: { id: string }[] }> } }).axe;
      return (
        await run.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      ).violations.map((v) => v.id);
    });
    expect(found).toEqual([]);
    const over = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(over).toBeLessThanOrEqual(0);
    if (process.env.MM_SHOTS)
      await view.page.screenshot({ path: `${process.env.MM_SHOTS}/asks-${width}-${theme}.png` });
  });
});
