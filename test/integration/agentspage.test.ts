import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentGroup, GroupProblem } from '../../src/a2a/view';
import { agent, agentGroups, manyAgents } from '../webview/agent-scenes';
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

async function show(
  groups: AgentGroup[],
  o: { width?: number; height?: number; theme?: Theme; strings?: Record<string, string>; locale?: string } = {},
): Promise<void> {
  view = await ChatPage.open(browser, { width: 300, ...o, document: 'agents.html' });
  await view.give({ type: 'init', strings: o.strings ?? {}, locale: o.locale ?? 'en' }, { type: 'agents', groups });
}

const item = (name: string | RegExp) => view.page.getByRole('treeitem', { name });
const button = (name: string | RegExp) => view.page.getByRole('button', { name, exact: typeof name === 'string' });
const box = () => view.page.getByRole('searchbox', { name: 'Search agents' });
const focused = () =>
  view.page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute('data-id') ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });
const press = async (...keys: string[]) => {
  for (const key of keys) await view.page.keyboard.press(key);
};
const rows = () => view.page.locator('[role="treeitem"][aria-level="2"]').count();
const sent = async () => (await view.sent()).slice(1);

async function axeFinds(): Promise<string[]> {
  await view.page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return view.page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(o: object): Promise<{ violations: { id: string }[] }> } };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return (await axe.run({ runOnly: tags })).violations.map((v) => v.id);
  });
}

/** How far anything reaches out of the page, or out of its own row. */
const overflow = () =>
  view.page.evaluate(() => {
    const wide = [document.documentElement, ...document.querySelectorAll('.agents-scroll, .row, .row-detail, .menu')];
    return Math.max(...wide.map((e) => e.scrollWidth - e.clientWidth));
  });

describe('the page of the view "Agents"', () => {
  it('is a tree "Agents" of groups and agents, each with model, state in words and what it is for', async () => {
    await show(agentGroups());
    expect(await view.page.getByRole('tree', { name: 'Agents', exact: true }).count()).toBe(1);
    const names = [
      /^This window 4$/,
      /^Ada qwen3:32b running Reviews and plans$/,
      /^bob qwen3:8b ready SQL and data questions · offered to the team$/,
      /^claude claude-agent-acp asleep Large refactors$/,
      /^troi qwen3:8b failing Ended with exit code 1, 2 min ago$/,
      /^Behind the proxy 6 localhost:4000$/,
      /^scenes gpt-5-mini ready Checks continuity between the scenes of a script$/,
      /^worf claude-sonnet-4\.5 2 running Looks for security holes$/,
      /^geordi qwen3-coder asleep Builds and pipelines · wakes in about 20 s$/,
      /^picard claude-opus-4\.5 forgotten Gone since .* 08:55 Register again$/,
      /^crusher gpt-5 not allowed Your key may not use it$/,
      /^Only defined 1 agents\.yaml$/,
      /^quark gpt-5-mini only defined The proxy has never seen it Register$/,
    ];
    for (const name of names) expect(await item(name).count(), String(name)).toBe(1);
    const place = await item(/^geordi/).evaluate((e) => [e.ariaLevel, e.ariaPosInSet, e.ariaSetSize, e.ariaExpanded]);
    expect(place).toEqual(['2', '3', '6', 'false']);
    expect(await item(/^Behind/).evaluate((e) => [e.ariaLevel, e.ariaPosInSet, e.ariaSetSize])).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('an open agent shows skills, spend, facts and buttons; what no source gives is not there', async () => {
    await show(agentGroups());
    await item(/^scenes/).click();
    expect(await item(/^Skills: continuity timeline characters$/).count()).toBe(1);
    expect(await item(/^Spent today \$1\.20 of \$2\.00$/).count()).toBe(1);
    expect(await item(/A2A 1\.0, streams · answered \d+ s ago in 41 ms$/).count()).toBe(1);
    expect(await view.page.locator('.gauge-bar > span').evaluate((e) => (e as HTMLElement).style.width)).toBe('60%');
    await button('Ask scenes').click();
    await button('Details of scenes').click();
    await item(/^Ada/).click();
    expect(await view.page.locator('.gauge-bar').count()).toBe(1);
    expect(await item(/^Ask Ada/).count()).toBe(1);
    await button('Register again').click();
    expect(await sent()).toEqual([
      { type: 'opened', id: 'proxy:team/scenes' },
      { type: 'do', action: 'ask', id: 'proxy:team/scenes' },
      { type: 'do', action: 'details', id: 'proxy:team/scenes' },
      { type: 'opened', id: 'window/Ada' },
      { type: 'do', action: 'register', id: 'proxy:team/picard' },
    ]);
  });

  it('a probe, a budget and a state that come later are drawn in place, and the person stays where they are', async () => {
    await show(agentGroups());
    await item(/^bob/).click();
    expect(await item(/^Spent/).count()).toBe(0);
    const bob = agentGroups()[0]!.rows[1]!;
    const spend = { used: 3, budget: 2, days: 1 };
    await view.give({ type: 'rows', rows: [{ ...bob, state: 'running', running: 3, spend }] });
    expect(await item(/^bob qwen3:8b 3 running/).count()).toBe(1);
    expect(await item(/^Spent today \$3\.00 of \$2\.00/).count()).toBe(1);
    expect(await view.page.locator('.gauge-bar').getAttribute('data-level')).toBe('over');
    expect(await focused()).toBe('window/bob');
    await view.give({ type: 'agents', groups: agentGroups().slice(1) });
    expect(await focused()).not.toBe('');
    expect(await item(/^bob/).count()).toBe(0);
  });

  it('is used by the keyboard alone: arrows, Home, End, Enter, letters, buttons and the menu', async () => {
    await show(agentGroups());
    await item(/^This window/).focus();
    await press('ArrowDown', 'ArrowDown');
    expect(await focused()).toBe('window/bob');
    await press('Enter', 'ArrowRight');
    expect(await focused()).toBe('window/bob#facts');
    await press('ArrowLeft');
    expect(await focused()).toBe('window/bob');
    await press('ArrowLeft');
    expect(await item(/^bob/).getAttribute('aria-expanded')).toBe('false');
    await press('ArrowLeft');
    expect(await focused()).toBe('window');
    await press('ArrowLeft', 'ArrowDown');
    expect(await focused()).toBe('proxy:team');
    await press('End');
    expect(await focused()).toBe('defined/quark');
    await press('Home', 'ArrowRight', 'g');
    expect(await focused()).toBe('proxy:team/geordi');
    await press('s');
    expect(await focused()).toBe('proxy:team/geordi'); // "gs": nobody
    await view.page.waitForTimeout(750);
    await press('s', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight');
    expect(await focused()).toBe('Ask scenes');
    await press('ArrowRight', 'ArrowRight', 'Enter');
    expect(await view.page.getByRole('menu', { name: 'Actions for scenes' }).count()).toBe(1);
    await press('ArrowDown', 'Enter');
    expect(await focused()).toBe('More actions for scenes');
    await press('Escape');
    expect(await focused()).toBe('proxy:team/scenes#buttons');
    await press('Shift+F10', 'Escape');
    expect(await focused()).toBe('proxy:team/scenes#buttons');
    expect((await sent()).at(-1)).toEqual({ type: 'do', action: 'probe', id: 'proxy:team/scenes' });
  });

  it('Tab reaches one row and the buttons of the agent that is open there', async () => {
    await show(agentGroups());
    await item(/^scenes/).click();
    await press('Tab');
    expect(await focused()).toBe('Ask scenes');
    await press('Tab');
    expect(await focused()).toBe('Details of scenes');
    await press('Tab');
    expect(await focused()).toBe('More actions for scenes');
    await press('Tab');
    expect(await view.page.evaluate(() => document.activeElement === document.body)).toBe(true);
    // the line of the buttons is now the row of the tree that has its place in the order of Tab
    await press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab');
    expect(await focused()).toBe('proxy:team/scenes#buttons');
    await press('Shift+Tab');
    expect(await focused()).toMatch(/^Needs a look/);
  });

  it('a row that a screen reader goes to is the one that keys are for', async () => {
    await show(agentGroups());
    await item(/^worf/).focus();
    await press('Enter');
    expect(await item(/^worf/).getAttribute('aria-expanded')).toBe('true');
    expect(await item(/^worf/).getAttribute('aria-selected')).toBe('true');
  });

  it('search: / and Ctrl+F go to it, words narrow the list, Escape shows all again', async () => {
    await show(agentGroups());
    await item(/^Ada/).click();
    await press('/');
    expect(await focused()).toBe('Search agents');
    await view.page.keyboard.type('TIMELINE');
    expect(await rows()).toBe(1);
    expect(await view.page.getByRole('status').textContent()).toBe('1 agent');
    await press('ArrowDown');
    expect(await focused()).toBe('proxy:team/scenes');
    await press('Control+f');
    expect(await focused()).toBe('Search agents');
    await view.page.keyboard.type('nobody of that name');
    expect(await view.page.getByText('No agent has “nobody of that name”').count()).toBe(1);
    expect(await view.page.getByRole('tree').count()).toBe(0);
    await press('Escape');
    expect(await box().inputValue()).toBe('');
    expect(await rows()).toBe(11);
    await view.page.keyboard.type('gpt');
    await press('ArrowDown', 'Escape');
    expect(await rows()).toBe(11);
    expect((await focused()).length).toBeGreaterThan(0);
    await view.page.keyboard.press('/');
    await view.page.keyboard.type('zzz');
    await button('Show All').click();
    expect(await rows()).toBe(11);
    await view.give({ type: 'search' });
    expect(await focused()).toBe('Search agents');
  });

  it('the buttons over the tree count and show only one state', async () => {
    await show(agentGroups());
    const all = await view.page.getByRole('group', { name: 'Show only' }).getByRole('button').allTextContents();
    expect(all.map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      'All 11',
      'Ready 2',
      'Running 2',
      'Asleep 2',
      'Needs a look 3',
    ]);
    await button(/^Needs a look/).click();
    expect(await button(/^Needs a look/).getAttribute('aria-pressed')).toBe('true');
    expect(await view.page.getByRole('treeitem').allTextContents()).toHaveLength(5);
    expect(await item(/^Only defined/).count()).toBe(0);
    await button(/^All/).click();
    expect(await rows()).toBe(11);
  });

  it('the filter hides groups and sorts, says that it is set, and is remembered', async () => {
    await show(agentGroups());
    await button('Filter, none set').click();
    const menu = view.page.getByRole('menu', { name: 'Filter and sort' });
    await menu.getByRole('menuitemcheckbox', { name: 'This window' }).click();
    expect(await item(/^This window/).count()).toBe(0);
    await button('Filter, 1 set').click();
    await menu.getByRole('menuitemradio', { name: 'By Name' }).click();
    expect(await button('Filter, 2 set').count()).toBe(1);
    const names = await view.page.locator('.row[aria-level="2"] b').allTextContents();
    expect(names).toEqual(['crusher', 'data', 'geordi', 'picard', 'scenes', 'worf', 'quark']);
    const memory = await view.page.evaluate(() => (window as unknown as { memory: unknown }).memory);
    expect(memory).toMatchObject({ hidden: ['window'], sort: 'name' });
    await view.give({ type: 'reveal', id: 'window/bob' });
    expect(await focused()).toBe('window/bob');
    expect(await item(/^bob/).getAttribute('aria-expanded')).toBe('true');
  });

  it('a menu goes when the list under it is turned, and the focus stays with the agent', async () => {
    await show(agentGroups(), { height: 400 });
    await item(/^scenes/).click({ button: 'right' });
    expect(await view.page.getByRole('menu').count()).toBe(1);
    await view.page.mouse.move(20, 200);
    await view.page.mouse.wheel(0, 100);
    await view.page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await focused()).toBe('proxy:team/scenes');
  });

  it('everything that can be done with an agent is in its menu, and nothing else', async () => {
    await show(agentGroups());
    await item(/^quark/).click({ button: 'right' });
    const all = view.page.getByRole('menuitem');
    expect((await all.allTextContents()).map((text) => text.trim())).toEqual(['Register', 'Open Its File']);
    await all.nth(1).click();
    expect(await view.page.getByRole('menu').count()).toBe(0);
    expect(await sent()).toEqual([{ type: 'do', action: 'open-file', id: 'defined/quark' }]);
  });

  it.each([
    ['offline', /does not answer/, 'Try Again', 'refresh'],
    ['wrong-key', /does not accept your key/, 'Enter the Key', 'enter-key'],
    ['no-key', /wants a key/, 'Enter the Key', 'enter-key'],
    ['no-database', /without a database/, 'What This Means', 'learn-more'],
    ['html', /answered with a web page/, 'Check the Address', 'open-file'],
    ['captive-portal', /wants a sign-in/, 'Open in the Browser', 'open-address'],
    ['garbage', /no list of agents/, 'Check the Address', 'open-file'],
    ['failed', /answered with an error/, 'Try Again', 'refresh'],
    ['empty', /has no agent that you may ask/, 'Try Again', 'refresh'],
    ['lost', /has forgotten all its agents/, 'Try Again', 'refresh'],
  ] as [GroupProblem, RegExp, string, string][])(
    '%s has its sentence and its button',
    async (kind, sentence, label, action) => {
      await show([
        { id: 'proxy:team', title: 'Behind the proxy', aside: 'localhost:4000', notice: { kind }, rows: [] },
      ]);
      expect(await item(sentence).count()).toBe(1);
      expect(await item(sentence).textContent()).toContain('localhost:4000');
      await item(/^Behind/).focus();
      await press('ArrowDown', 'Enter');
      expect(await focused()).toBe(label);
      await press('Enter');
      expect(await sent()).toEqual([{ type: 'group', action, group: 'proxy:team' }]);
    },
  );

  it('what was known before stands below the sentence of a proxy that does not answer', async () => {
    const [, team] = agentGroups();
    await show([{ ...team!, notice: { kind: 'offline', sentence: 'The proxy is away.', action: 'open-file' } }]);
    const all = await view.page.getByRole('treeitem').allTextContents();
    expect(all[1]).toContain('The proxy is away.');
    expect(all[2]).toContain('scenes');
    expect(await button('Check the Address').count()).toBe(1);
  });

  it('without any agent it says what will stand here, with a way there', async () => {
    await show([{ id: 'window', title: 'This window', rows: [] }]);
    expect(await view.page.getByText('No agents yet.').count()).toBe(1);
    expect(await view.page.getByRole('tree').count()).toBe(0);
    expect(await box().count()).toBe(0);
    await button('Add a Registry').click();
    expect(await sent()).toEqual([{ type: 'group', action: 'add-registry' }]);
  });

  it('what others wrote is text, whatever it looks like', async () => {
    const evil = '<img src=x onerror="window.sent.push(1)">';
    await show([
      {
        id: 'proxy:team',
        title: evil,
        notice: { kind: 'failed', sentence: evil },
        rows: [agent('proxy:team', evil, { id: '"]#x', model: evil, description: evil, why: evil, skills: [evil] })],
      },
    ]);
    await view.give({ type: 'reveal', id: '"]#x' });
    expect(await view.page.locator('main img').count()).toBe(0);
    expect(await view.page.getByText(evil).count()).toBeGreaterThan(4);
    expect((await sent()).every((m) => typeof m === 'object')).toBe(true);
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  it('speaks the language of the person', async () => {
    await show(agentGroups(), {
      strings: { 'Search agents': 'Chercher un agent', asleep: 'en veille', '{0} of {1}': '{0} sur {1}' },
      locale: 'fr',
    });
    expect(await view.page.getByRole('searchbox', { name: 'Chercher un agent' }).count()).toBe(1);
    expect(await item(/^claude .* en veille/).count()).toBe(1);
    await item(/^scenes/).click();
    expect(await item(/1,20.\$ sur 2,00.\$/).count()).toBe(1);
    expect(await view.page.evaluate(() => document.documentElement.lang)).toBe('fr');
  });

  it.each([
    ['dark', 170],
    ['light', 300],
    ['hc', 300],
    ['dark', 720],
  ] as [Theme, number][])('has no violation that axe finds and does not overflow: %s, %d px', async (theme, width) => {
    const groups = agentGroups();
    groups[2]!.notice = { kind: 'wrong-key' };
    await show(groups, { theme, width, height: 1000 });
    await view.give({ type: 'reveal', id: 'proxy:team/scenes' });
    expect(await axeFinds()).toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await item(/^worf/).click({ button: 'right' });
    expect(await axeFinds()).toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  it('in a low view the rows still have room', async () => {
    await show(agentGroups(), { width: 170, height: 200 });
    await item(/^Only defined/).focus();
    await press('End');
    const seen = await item(/^quark/).evaluate((e) => {
      const box = e.getBoundingClientRect();
      return box.top >= 30 && box.bottom <= window.innerHeight + 1;
    });
    expect(seen).toBe(true);
  });
});

describe('a thousand agents', () => {
  /** More than this is never in the page, at any place of the list. */
  const most = 80;
  const inPage = () => view.page.getByRole('treeitem').count();

  it('are drawn soon, and only those in sight', async () => {
    view = await ChatPage.open(browser, { width: 300, height: 800, document: 'agents.html' });
    await view.give({ type: 'init', strings: {}, locale: 'en' });
    const took = await view.page.evaluate(
      async (message) => {
        const start = performance.now();
        (window as unknown as { give(m: unknown): void }).give(message);
        // to the end of the frame in which it is drawn
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - start;
      },
      { type: 'agents' as const, groups: manyAgents() },
    );
    console.log(`1,000 agents: from data to drawn in ${took.toFixed(0)} ms`);
    // the promise is 300 ms; a machine that does other things at the same time is allowed for
    expect(took).toBeLessThan(3000);
    expect(await inPage()).toBeLessThan(most);
    expect(await item(/^agent-0003/).evaluate((e) => [e.ariaPosInSet, e.ariaSetSize])).toEqual(['4', '1000']);
    expect(await item(/^Behind the proxy 1,000/).count()).toBe(1);
  });

  it('are gone through without a hole, from any side', async () => {
    await show(manyAgents());
    const scroller = view.page.locator('.agents-scroll');
    const hole = () =>
      view.page.evaluate(() => {
        const area = document.querySelector('.agents-scroll')!.getBoundingClientRect();
        let empty = 0;
        for (let y = area.top + 4; y < area.bottom - 4; y += 20)
          if (document.elementFromPoint(area.left + 60, y)?.closest('.row-gap')) empty++;
        return empty;
      });
    for (const part of [0.1, 0.5, 0.93, 1, 0.3, 0]) {
      await scroller.evaluate((e, at) => {
        e.scrollTop = at * e.scrollHeight;
      }, part);
      await view.frames(3);
      expect(await hole(), `at ${part}`).toBe(0);
      expect(await inPage()).toBeLessThan(most);
    }
    await item(/^Behind/).focus();
    await press('End');
    expect(await focused()).toBe('proxy:team/agent-0999');
    expect(
      await item(/^agent-0999/).evaluate((e) => [e.ariaPosInSet, e.getBoundingClientRect().bottom <= 801]),
    ).toEqual(['1000', true]);
    await press('PageUp');
    expect(Number((await focused()).slice(-4))).toBeLessThan(995);
    await press('Home');
    expect(await focused()).toBe('proxy:team');
    await press('a', 'g', 'e', 'n', 't', '-', '0', '5');
    expect(await focused()).toBe('proxy:team/agent-0500');
  });

  it('are scrolled through, and what is open among them, in short frames', async () => {
    await show(manyAgents());
    for (const id of ['agent-0001', 'agent-0050', 'agent-0400', 'agent-0002'])
      await view.give({ type: 'reveal', id: `proxy:team/${id}` });
    const times = await view.page.evaluate(async () => {
      const area = document.querySelector('.agents-scroll')!;
      area.scrollTop = 0;
      const spent: number[] = [];
      for (let i = 0; i < 120; i++) {
        area.scrollTop += 160;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        // the scroll has been answered and drawn; what is left of the frame is its layout
        const start = performance.now();
        await new Promise((resolve) => requestAnimationFrame(resolve));
        spent.push(performance.now() - start);
      }
      return spent.sort((a, b) => a - b);
    });
    console.log(
      `scrolling through 1,000 agents: 95 % of frames within ${times[Math.floor(times.length * 0.95)]!.toFixed(0)} ms`,
    );
    expect(await inPage()).toBeLessThan(most);
    // a machine that does other things at the same time is allowed for
    expect(times[60]!).toBeLessThan(100);
  });

  it('the one with the focus keeps it while the list is scrolled away, and Tab still finds it', async () => {
    await show(manyAgents());
    await item(/^agent-0005/).click();
    await view.page.locator('.agents-scroll').evaluate((e) => {
      e.scrollTop = 20_000;
    });
    await view.frames(3);
    expect(await focused()).toBe('proxy:team/agent-0005');
    expect(await inPage()).toBeLessThan(most);
    await press('ArrowDown');
    expect(await focused()).toBe('proxy:team/agent-0005#skills');
  });

  it('what the person looks at stays while other agents change and details open above', async () => {
    await show(manyAgents());
    await view.page.locator('.agents-scroll').evaluate((e) => {
      e.scrollTop = 12_000;
    });
    await view.frames(3);
    const top = () =>
      view.page.evaluate(() => {
        const row = document.elementFromPoint(100, 400)!.closest('[data-id]')!;
        return [row.getAttribute('data-id'), Math.round(row.getBoundingClientRect().top)];
      });
    const before = await top();
    const changed = manyAgents()[0]!
      .rows.slice(0, 400)
      .map((r) => ({ ...r, state: 'running' as const }));
    await view.give({ type: 'rows', rows: changed });
    expect(await top()).toEqual(before);
  });

  it('a search through all of them is answered at once', async () => {
    await show(manyAgents());
    await box().fill('skill-7 model-3');
    const found = await view.page.getByRole('status').textContent();
    expect(found).toBe('11 agents');
    expect(await rows()).toBe(11);
  });
});
