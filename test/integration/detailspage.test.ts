import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDetails, DetailsTab } from '../../src/a2a/view';
import { agent, sceneDetails } from '../webview/agent-scenes';
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

async function show(details: AgentDetails, o: { width?: number; theme?: Theme; tab?: DetailsTab } = {}): Promise<void> {
  view = await ChatPage.open(browser, { width: 900, ...o, document: 'details.html' });
  await view.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'details', details });
  if (o.tab) await view.give({ type: 'show', tab: o.tab });
}

const role = (name: Parameters<ChatPage['page']['getByRole']>[0], label: string | RegExp) =>
  view.page.getByRole(name, { name: label, exact: typeof label === 'string' });
const sent = async () => (await view.sent()).slice(1);
const press = async (...keys: string[]) => {
  for (const key of keys) await view.page.keyboard.press(key);
};
const texts = async (selector: string) =>
  (await view.page.locator(selector).allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim());

describe('the page of one agent', () => {
  it('says who it is, how it is asked, and whether it is ready', async () => {
    await show(sceneDetails());
    expect(await role('heading', 'scenes ready').count()).toBe(1);
    expect(await role('main', 'Agent scenes').count()).toBe(1);
    expect(await texts('.agent-head .facts-line li')).toEqual([
      'gpt-5-mini',
      'A2A 1.0, streams',
      'version 2.3.1',
      'Story Team',
      'behind localhost:4000',
    ]);
    await role('button', 'Ask scenes').click();
    await role('button', 'Ask with Context').click();
    await role('button', 'More actions').click();
    expect(await texts('[role=menuitem]')).toEqual([
      'Probe Now',
      'Copy Model Name',
      'Copy curl',
      'Open Card',
      'Add to mm.yaml',
    ]);
    await press('ArrowDown', 'ArrowDown', 'Enter');
    expect(await sent()).toEqual([
      { type: 'do', action: 'ask' },
      { type: 'do', action: 'ask-with-context' },
      { type: 'do', action: 'copy-curl' },
    ]);
  });

  it('skills have examples that can be asked as they stand', async () => {
    await show(sceneDetails());
    expect(await texts('.skills h3')).toEqual(['Continuity scriptprops', 'Timeline script', 'Characters beta']);
    await role('button', 'On which day does the letter arrive?').click();
    expect(await sent()).toEqual([{ type: 'ask', prompt: 'On which day does the letter arrive?' }]);
  });

  it('limits are meters where both numbers are known, and words where one is', async () => {
    await show({
      ...sceneDetails(),
      gauges: [
        { kind: 'spend', label: 'Today', used: 1.2, limit: 2 },
        { kind: 'spend', label: 'November', used: 41, limit: 40 },
        { kind: 'tokens-per-minute', limit: 100_000 },
        { kind: 'spend', used: 3 },
        { kind: 'at-once' },
      ],
    });
    const meters = await view.page
      .getByRole('meter')
      .evaluateAll((all) => all.map((e) => [e.ariaLabel, e.ariaValueNow, e.ariaValueMax, e.ariaValueText]));
    expect(meters).toEqual([
      ['Today', '1.2', '2', '$1.20 of $2.00'],
      ['November', '40', '40', '$41.00 of $40.00'],
    ]);
    expect((await texts('.gauge')).slice(2)).toEqual(['Tokens per minute at most 100k', 'Spend $3.00']);
    expect(await view.page.locator('[data-level=over]').count()).toBe(1);
  });

  it('spend per day: bars by value, a tooltip by pointer and by keys, and all of it as a table', async () => {
    await show(sceneDetails());
    const chart = role('img', /^Spend per day, November 17 to November 30: highest \$1\.71 on November 24/);
    expect(await chart.getAttribute('aria-label')).toContain('$1.20 so far today, budget $2.00 a day');
    const heights = await view.page
      .locator('.plot rect:not(.hit)')
      .evaluateAll((all) => all.map((e) => Math.round(Number(e.getAttribute('height')) * 10) / 10));
    expect(heights).toEqual([31, 44, 55, 20, 6, 47.5, 71, 85.5, 52.5, 49, 15.5, 4.5, 69.5, 60]);
    expect(await view.page.getByText('$12.22 in 14 days').count()).toBe(1);
    await view.page.locator('.plot .hit').nth(7).hover();
    expect(await texts('.tip')).toEqual(['$1.71November 24, 84 asks']);
    await view.page.mouse.move(5, 5);
    expect(await view.page.locator('.tip').count()).toBe(0);
    await chart.focus();
    await press('ArrowLeft', 'ArrowLeft');
    expect(await texts('.tip')).toEqual(['$1.39November 29, 66 asks']);
    expect(await texts('#panel-overview [role=status]')).toEqual(['$1.39, November 29, 66 asks']);
    await press('Escape');
    expect(await view.page.locator('.tip').count()).toBe(0);
    await view.page.getByText('As a table').click();
    const table = view.page.getByRole('table').first();
    expect(await table.getByRole('row').count()).toBe(15);
    expect(await table.getByRole('row').last().textContent()).toBe('November 30, so far58$1.20');
  });

  it('probes: a strip in words, and the ones that tell something', async () => {
    await show(sceneDetails());
    expect(
      await role('img', '48 probes in 24 hours: 45 answered, 3 without an answer; 2 of 48 half hours slow').count(),
    ).toBe(1);
    expect(await view.page.getByText('93.8 % answered').count()).toBe(1);
    expect(await view.page.locator('.probes i.none').count()).toBe(3);
    expect(await view.page.locator('.probes i.slow').count()).toBe(2);
    const rows = await texts('section:has(.probes) tbody tr');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/card and answer ?\d+ ms$/);
    expect(rows[2]).toMatch(/connection refused ?–$/);
  });

  it('says who may ask it, what it may use, and copies addresses', async () => {
    await show({
      ...sceneDetails(),
      access: {
        key: { label: 'key …f2c', may: false, why: 'It was given other agents.' },
        everyone: true,
        public: true,
        address: 'localhost:4000/a2a/scenes',
        announced: { url: 'scenes.internal:9000', answers: false },
      },
      uses: { models: ['gpt-5-mini'], mcpServers: ['files'], tools: ['read'], agents: [] },
    });
    expect(await texts('section[aria-labelledby=h-access] dd')).toEqual([
      'key …f2c may not askIt was given other agents.',
      'every key of this proxy',
      'publicly, for everyone who sees the proxy',
      'localhost:4000/a2a/scenes',
      'scenes.internal:9000does not answer',
    ]);
    expect(await texts('section[aria-labelledby=h-uses] dt')).toEqual(['Models', 'MCP servers', 'Tools']);
    expect(await texts('section[aria-labelledby=h-card] dd')).toEqual([
      'text, files up to 10 MB',
      'text, one artifact',
      'stream, cancel, be polled by task id',
      'bearer key',
    ]);
    await role('button', 'Copy address at the proxy').click();
    await role('button', 'Copy announced address').click();
    expect(await sent()).toEqual([
      { type: 'copy', what: 'address' },
      { type: 'copy', what: 'announced' },
    ]);
  });

  it('what nobody knows is not there: no tabs, no sections, no buttons', async () => {
    await show({ row: agent('window', 'x', { state: 'unknown', actions: [] }) });
    expect(await role('heading', 'x').count()).toBe(1);
    for (const there of ['tablist', 'meter', 'table', 'button', 'img'] as const)
      expect(await view.page.getByRole(there).count(), there).toBe(0);
    expect(await view.page.getByText('Nothing more is known').count()).toBe(1);
  });

  it('tabs are one stop of Tab, arrows go through them, and the place is kept', async () => {
    await show(sceneDetails());
    await role('tab', 'Overview').focus();
    await press('ArrowRight');
    expect(await role('tab', 'Compare 3 differences').getAttribute('aria-selected')).toBe('true');
    expect(await role('tabpanel', 'Compare 3 differences').count()).toBe(1);
    await press('End');
    expect(await role('tabpanel', 'JSON').count()).toBe(1);
    await press('ArrowRight');
    expect(await role('tabpanel', 'Overview').count()).toBe(1);
    await press('ArrowLeft');
    const memory = await view.page.evaluate(() => (window as unknown as { memory: unknown }).memory);
    expect(memory).toEqual({ id: 'proxy:team/scenes', tab: 'json' });
  });

  it('compare: differences are marked, a choice for each, and one button that writes', async () => {
    await show(sceneDetails(), { tab: 'compare' });
    expect(await texts('mark')).toEqual(['between the scenes of a script', '$2.00', '$5.00', 'characters']);
    expect(await role('button', 'Apply ours: Budget a day').isDisabled()).toBe(true);
    expect(await view.page.getByText('Only an admin’s key may change a budget').count()).toBe(1);
    expect(await role('button', 'Write 0 Changes').isDisabled()).toBe(true);
    await role('button', 'Use theirs: Skills').click();
    expect(await view.page.getByText('Will be used').count()).toBe(1);
    expect(await view.page.getByText('1 choice made.').count()).toBe(1);
    await role('button', 'Apply ours: Skills').click();
    expect(await view.page.getByText('Will be applied').count()).toBe(1);
    expect(await sent()).toEqual([]);
    await role('button', 'Write 1 Change').click();
    await role('button', 'Apply All of Ours').click();
    await role('button', 'Write 2 Changes').click();
    await role('button', 'Use All of Theirs').click();
    await role('button', 'Write 3 Changes').click();
    await role('button', 'Undo').click();
    expect(await role('button', 'Write 0 Changes').isDisabled()).toBe(true);
    expect(await sent()).toEqual([
      { type: 'apply', choices: { skills: 'ours' } },
      { type: 'apply', choices: { skills: 'ours', description: 'ours' } },
      { type: 'apply', choices: { skills: 'theirs', description: 'theirs', budget: 'theirs' } },
    ]);
  });

  it('a choice ends with its difference', async () => {
    await show(sceneDetails(), { tab: 'compare' });
    await role('button', 'Use theirs: Skills').click();
    await role('button', 'Use theirs: Description').click();
    const details = sceneDetails();
    details.compare!.differences.pop();
    await view.give({ type: 'details', details });
    await role('button', 'Write 1 Change').click();
    expect(await sent()).toEqual([{ type: 'apply', choices: { description: 'theirs' } }]);
    details.compare!.differences = [];
    await view.give({ type: 'details', details });
    expect(await role('heading', /scenes/).count()).toBe(1);
    expect(await view.page.getByText('Nothing differs').count()).toBe(1);
    expect(await view.page.getByRole('table').count()).toBe(0);
  });

  it('JSON is what came, letter by letter', async () => {
    await show(sceneDetails(), { tab: 'json' });
    expect(await view.page.locator('.raw code').textContent()).toBe(sceneDetails().raw!.text);
    expect(await texts('.hljs-literal')).toEqual(['true', 'false']);
    expect(await view.page.getByText(/^As it came \d+ s ago, unchanged$/).count()).toBe(1);
    await role('button', 'Copy').click();
    expect(await sent()).toEqual([{ type: 'copy', what: 'json' }]);
  });

  it('one that is gone can be read, and nothing be done with it', async () => {
    await show(sceneDetails());
    await view.give({ type: 'gone', sentence: 'scenes is no longer at the proxy.' });
    expect(await view.page.getByRole('status').first().textContent()).toContain('no longer at the proxy');
    expect(await view.page.locator('.skills li').count()).toBe(3);
    expect(await role('button', /Ask|More|coat/).count()).toBe(0);
  });

  it('says what keeps the page from being complete, with its button', async () => {
    await show({ ...sceneDetails(), notice: { kind: 'wrong-key' } });
    expect(await view.page.getByText('localhost:4000 does not accept your key').count()).toBe(1);
    await role('button', 'Enter the Key').click();
    expect(await sent()).toEqual([{ type: 'group', action: 'enter-key' }]);
  });

  it('what others wrote is text, whatever it looks like', async () => {
    const evil = '</pre><img src=x onerror="window.sent.push(1)">';
    const details = sceneDetails();
    details.row = { ...details.row, name: evil, description: evil, model: evil };
    details.card!.skills = [{ id: evil, name: evil, description: evil, tags: [evil], examples: [evil] }];
    details.probes = [{ at: Date.now(), error: evil }];
    details.compare!.differences[0] = { field: '__proto__', label: evil, theirs: evil, ours: 'x' };
    details.raw = { text: `{"a": "${evil}"}`, at: Date.now() };
    await show(details);
    for (const tab of ['overview', 'compare', 'json'] as const) {
      await view.give({ type: 'show', tab });
      expect(await view.page.locator('main img').count(), tab).toBe(0);
      const over = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(over, tab).toBeLessThanOrEqual(0);
    }
    expect((await sent()).length).toBe(0);
  });

  const cases: [Theme, number, DetailsTab][] = [
    ['dark', 900, 'overview'],
    ['light', 900, 'overview'],
    ['hc', 900, 'overview'],
    ['dark', 900, 'compare'],
    ['light', 400, 'compare'],
    ['hc', 700, 'compare'],
    ['light', 900, 'json'],
    ['dark', 300, 'overview'],
    ['dark', 300, 'compare'],
    ['dark', 300, 'json'],
  ];
  it.each(cases)('has no violation that axe finds and does not overflow: %s, %d px, %s', async (theme, width, tab) => {
    await show(sceneDetails(), { theme, width, tab });
    if (tab === 'overview') {
      await view.page.getByText('As a table').click();
      await view.page.locator('.plot .hit').nth(0).hover();
    }
    await role('button', 'More actions').click();
    await view.page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await view.page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(o: object): Promise<{ violations: { id: string }[] }> } };
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      return (await axe.run({ runOnly: tags })).violations.map((v) => v.id);
    });
    expect(found).toEqual([]);
    const over = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(over).toBeLessThanOrEqual(0);
  });
});
