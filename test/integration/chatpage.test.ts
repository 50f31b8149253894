import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Patch, TextNode } from '../../src/chat/nodes';
import { ChatPage, launchChromium, pageState, type Theme } from '../webview/page';
import {
  ada,
  ask,
  blocked,
  bob,
  conversation,
  firstRun,
  hooks,
  permissions,
  question,
  type Scene,
  states,
  tool,
  turn,
} from '../webview/scenes';

let browser: Browser;
let chat: ChatPage;
beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  await chat?.close();
});
afterAll(async () => {
  await browser?.close();
});

async function show(scene: Scene, o: { width?: number; theme?: Theme } = {}): Promise<ChatPage> {
  chat = await ChatPage.open(browser, o);
  await chat.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'snapshot', ...scene });
  return chat;
}

const put = (node: Node): Patch => ({ op: 'put', node });
const message = () => chat.page.getByRole('textbox', { name: 'Message' });

describe('starts and ends that take long', () => {
  const open = { end: undefined, endedAt: undefined, kept: false } as const;

  it('F006 a slow start says how long it may take, and offers to wait, to stop and the log', async () => {
    const quick = ask({ ...open, state: 'starting', at: Date.now() });
    const slow = ask({ ...open, state: 'starting', at: Date.now() - 12_000, until: Date.now() + 18_000 });
    await show({ nodes: [quick, slow], state: pageState() });
    const entry = (id: string) => chat.page.locator(`[data-entry="${id}"]`);
    await expect.poll(() => entry(slow.id).textContent()).toMatch(/Starting bob… 1[2-5] s of 30 s/);
    expect(await entry(quick.id).getByRole('button').allInnerTexts()).toEqual(['Show log', 'Stop']);
    expect(await entry(slow.id).getByRole('button').allInnerTexts()).toEqual(['Wait longer', 'Show log', 'Stop']);
    for (const name of ['Wait longer', 'Show log', 'Stop']) {
      await entry(slow.id).getByRole('button', { name }).focus();
      await chat.page.keyboard.press('Enter');
    }
    const sent = (await chat.sent()).filter((m) => m.type === 'action');
    expect(sent.map((m) => [m.node, m.action])).toEqual([
      [slow.id, 'wait'],
      [slow.id, 'show-log'],
      [slow.id, 'stop'],
    ]);
  });

  it('F004 a process that ended: how, the end of its stderr, and a button that starts it again', async () => {
    const title = 'bob ended with exit code 137 (ended by SIGKILL, often for lack of memory)';
    const asked = ask({ kept: false, end: { how: 'died', title, stderrTail: 'heap is full\nkilled' } });
    const home = turn({ end: { how: 'died', title: 'Ada was ended by signal SIGKILL', stderrTail: '' } });
    await show({ nodes: [asked, home], state: pageState() });
    const entry = (id: string) => chat.page.locator(`[data-entry="${id}"]`);
    expect(await entry(asked.id).textContent()).toContain(title);
    expect(
      await entry(asked.id)
        .getByRole('group', { name: /error output/ })
        .textContent(),
    ).toBe('heap is full\nkilled');
    await entry(asked.id).getByRole('button', { name: 'Restart and Ask Again' }).click();
    expect((await chat.sent()).at(-1)).toEqual({ type: 'action', node: asked.id, action: 'ask-again' });
    await entry(home.id).getByRole('button', { name: 'Restart and Try Again' }).click();
    expect((await chat.sent()).at(-1)).toEqual({ type: 'action', node: home.id, action: 'try-again' });
  });

  it('F056 F066 a turn and an ask without a word: a row says why each ended, and what said nothing can be asked again', async () => {
    const rows = [
      ['stopped', 'Stopped by you'],
      ['refusal', 'The model refused to answer this'],
      ['max_tokens', 'Out of tokens'],
      ['max_turn_requests', 'Out of steps'],
      ['empty', 'Nothing came back'],
    ] as const;
    const nodes = rows.flatMap(([how]) => [turn({ end: { how } }), ask({ kept: false, end: { how } })]);
    await show({ nodes, state: pageState() });
    const ends = chat.page.locator('.turn-end');
    await expect.poll(() => ends.count()).toBe(nodes.length);
    const said = await ends.allInnerTexts();
    rows.forEach(([, words], i) => {
      for (const row of [said[2 * i], said[2 * i + 1]]) expect(row).toContain(words);
    });
    await ends.getByRole('button', { name: 'Try again' }).click();
    await ends.getByRole('button', { name: 'Ask again' }).click();
    expect((await chat.sent()).filter((m) => m.type === 'action').map((m) => [m.node, m.action])).toEqual([
      [nodes.at(-2)!.id, 'try-again'],
      [nodes.at(-1)!.id, 'ask-again'],
    ]);
  });

  it('F020 something of an unknown kind is one row, folded', async () => {
    const home = turn();
    const node: Node = { kind: 'unsupported', id: 'u', parent: home.id, at: 0, label: 'totally_new', size: 2048 };
    await show({ nodes: [home, node], state: pageState() });
    const row = chat.page.locator('details', { hasText: 'Unsupported item: totally_new, 2' });
    expect(await row.getAttribute('open')).toBeNull();
    await row.locator('summary').click();
    expect(await row.getAttribute('open')).not.toBeNull();
    expect(await row.textContent()).toContain('The turn goes on without it.');
  });

  it('F051 who was stopped and goes on can be forced, after a moment; who has ended cannot', async () => {
    const at = Date.now() - 9_000;
    const just = ask({ ...open, state: 'running', at, stoppedAt: Date.now() + 500 });
    const deaf = ask({ ...open, state: 'running', at, stoppedAt: Date.now() - 3_000 });
    const over = ask({ at, end: { how: 'stopped' } });
    await show({ nodes: [just, deaf, over], state: pageState() });
    const force = (id: string) => chat.page.locator(`[data-entry="${id}"]`).getByRole('button', { name: 'Force stop' });
    await expect.poll(() => force(deaf.id).count()).toBe(1);
    expect(await force(over.id).count()).toBe(0);
    await expect.poll(() => force(just.id).count(), { timeout: 5_000 }).toBe(1);
    await force(deaf.id).click();
    expect((await chat.sent()).at(-1)).toEqual({ type: 'action', node: deaf.id, action: 'force-stop' });
  });
});

describe('names of section 8', () => {
  it('has the conversation, its entries, the composer and who works', async () => {
    await show(conversation());
    const { page } = chat;
    await expect.poll(() => page.getByRole('log', { name: 'Conversation' }).count()).toBe(1);
    for (const name of [
      'You',
      'Ada',
      'Thought',
      'bob, asked by You',
      'riker, asked by bob',
      'Tool bash: npm test -- orders, failed',
    ]) {
      expect(await page.getByRole('article', { name, exact: true }).count(), name).toBeGreaterThan(0);
    }
    expect(
      await page.getByRole('status', { name: 'bob (openai/qwen3:8b), asked by You, is working', exact: true }).count(),
    ).toBe(1);
    expect(await page.getByRole('button', { name: 'Stop bob' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(1);
    expect(await message().count()).toBe(1);
  });

  it('a fold of finished calls is a button, and its articles are in the tree when it is open', async () => {
    const a = ask();
    await show({
      nodes: [a, tool(a.id, { name: 'bob/bash', what: 'npm test', output: 'fine\n' })],
      state: pageState(),
    });
    const article = chat.page.getByRole('article', { name: 'Tool bob/bash: npm test, done' });
    expect(await article.count()).toBe(0);
    await chat.page.getByRole('button', { name: 'Ran 1 command' }).click();
    expect(await article.count()).toBe(1);
  });

  it('says who waits, and takes the person to the question', async () => {
    await show(permissions());
    expect(
      await chat.page.getByRole('status', { name: 'bob (openai/qwen3:8b), asked by Ada, waits for you' }).count(),
    ).toBe(1);
    const card = chat.page.getByRole('alertdialog', { name: 'Permission: bob/bash' }).first();
    for (const name of ['Allow once', 'Allow for this conversation', 'Reject']) {
      expect(await card.getByRole('button', { name, exact: true }).count(), name).toBe(1);
    }
    await chat.page.getByRole('button', { name: 'Show the question' }).click();
    await expect.poll(() => card.isVisible()).toBe(true);
  });
});

describe('axe finds nothing', () => {
  const scenes: Record<string, () => Scene> = {
    conversation: () => conversation(),
    ended: () => conversation(true),
    permissions,
    states,
    hooks,
    first: () => firstRun(true),
    trust: () => blocked('trust'),
    approval: () => blocked('approval'),
  };
  for (const theme of ['dark', 'light', 'hc'] as const) {
    it(`in ${theme}`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      for (const [name, scene] of Object.entries(scenes)) {
        await show(scene(), { theme, width: 400 });
        if (name === 'first') {
          await message().click();
          await chat.page.keyboard.type('/');
        }
        await chat.page.evaluate(() => {
          for (const fold of document.querySelectorAll<HTMLElement>('.fold-head[aria-expanded=false]')) fold.click();
        });
        await chat.page.evaluate(axe);
        const found = await chat.page.evaluate(async () => {
          const run = (
            window as unknown as {
              axe: {
                run(
                  o: unknown,
                ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
              };
            }
          ).axe;
          const { violations } = await run.run({
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
          });
          return violations.map(
            (v) => `${v.id}: ${v.nodes[0]!.html.slice(0, 200)} ${v.nodes[0]!.failureSummary.slice(0, 300)}`,
          );
        });
        expect(found, name).toEqual([]);
        await chat.close();
      }
    }, 120_000);
  }

  it.each([280, 170])('nothing is wider than the view at %i px, and no button of a question is cut', async (width) => {
    for (const scene of [conversation, permissions, states, firstRun]) {
      await show(scene(), { width });
      const wide = await chat.page.evaluate(() =>
        [document.documentElement, document.querySelector('.log')!, document.querySelector('.dock')!].map(
          (e) => e.scrollWidth - e.clientWidth,
        ),
      );
      expect(wide, scene.name).toEqual([0, 0, 0]);
      const cut = await chat.page
        .locator('.perm-head, .perm-actions .btn, .ask-head .btn')
        .evaluateAll(
          (all) =>
            all.filter((e) => e.scrollWidth > e.clientWidth || e.getBoundingClientRect().right > innerWidth).length,
        );
      expect(cut, scene.name).toBe(0);
      await chat.close();
    }
  });
});

describe('the composer', () => {
  it('sends with Enter and breaks a line with Shift+Enter', async () => {
    await show(firstRun());
    await message().click();
    await chat.page.keyboard.type('one');
    await chat.page.keyboard.press('Shift+Enter');
    await chat.page.keyboard.type('two');
    await chat.page.keyboard.press('Enter');
    const sent = await chat.sent();
    expect(sent.filter((m) => m.type === 'send')).toEqual([{ type: 'send', text: 'one\ntwo' }]);
    expect(sent[0]).toEqual({ type: 'ready' });
    expect(await message().textContent()).toBe('');
    expect(await chat.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  });

  it('fills and sends by its button, as other tests do', async () => {
    await show(firstRun());
    await message().fill('/ask-bob is it safe?');
    await chat.page.getByRole('button', { name: 'Send' }).click();
    expect((await chat.sent()).at(-1)).toEqual({ type: 'send', text: '/ask-bob is it safe?' });
  });

  it('pastes as plain text, and undo brings back what was there', async () => {
    await show(firstRun());
    await message().click();
    await chat.page.keyboard.type('hello ');
    await message().evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/html', '<b onclick="x">bold</b>');
      data.setData('text/plain', 'bold');
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      document.execCommand('insertHTML', false, '<b>bold</b>');
    });
    expect(await message().locator('b').count()).toBe(0);
    await chat.page.keyboard.press('Control+z');
    await chat.page.keyboard.press('Control+z');
    expect(await message().textContent()).not.toContain('bold');
  });

  it('an Enter that ends a composition sends nothing', async () => {
    await show(firstRun());
    await message().click();
    await chat.page.keyboard.type('nihon');
    await message().dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    expect((await chat.sent()).some((m) => m.type === 'send')).toBe(false);
  });

  it('the slash menu: arrows, Enter, the group, Escape', async () => {
    await show(firstRun());
    await message().click();
    await chat.page.keyboard.type('/');
    const menu = chat.page.getByRole('listbox', { name: 'Commands' });
    expect(await menu.getByRole('option').count()).toBe(4);
    expect(await menu.getByRole('option', { selected: true }).textContent()).toContain('/ask-bob');
    expect(await message().getAttribute('aria-activedescendant')).toBe('command-0');
    await chat.page.keyboard.press('ArrowUp');
    await chat.page.keyboard.press('Enter');
    expect(await message().textContent()).toBe('/ask-with-context-');
    expect(await menu.getByRole('option').count()).toBe(3);
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Tab');
    expect(await message().textContent()).toBe('/ask-with-context-claude ');
    expect(await menu.count()).toBe(0);
    await chat.page.keyboard.press('Control+z');
    await chat.page.keyboard.press('Control+a');
    await chat.page.keyboard.type('/ask-b');
    expect(await menu.getByRole('option').count()).toBe(1);
    await chat.page.keyboard.press('Escape');
    expect(await menu.count()).toBe(0);
    expect((await chat.sent()).some((m) => m.type === 'stop')).toBe(false);
  });

  it('marks a command of a known agent without changing the text', async () => {
    await show(firstRun());
    await message().fill('/ask-bob hi');
    const marked = await chat.page.evaluate(() => [...CSS.highlights.get('slash')!].map(String));
    expect(marked).toEqual(['/ask-bob']);
    await message().fill('/ask-nobody hi');
    expect(await chat.page.evaluate(() => CSS.highlights.get('slash')!.size)).toBe(0);
  });

  it('F052 while Ada works plain text stays, through Stop too, and an ask is sent', async () => {
    // drafts go out by a timer of their own
    const said = async () => (await chat.sent()).filter((m) => m.type === 'stop' || m.type === 'send');
    await show({ nodes: [turn({ state: 'running' })], state: pageState({ busy: true, busySince: Date.now() }) });
    await message().fill('and then?');
    await message().press('Enter');
    expect(await said()).toEqual([]);
    expect(await message().textContent()).toBe('and then?');
    expect(await chat.page.locator('.dock-notice').textContent()).toContain('Ada is working');
    await chat.page.locator('.composer').getByRole('button', { name: 'Stop' }).click();
    expect(await said()).toEqual([{ type: 'stop' }]);
    await chat.give({ type: 'state', state: pageState() });
    expect(await message().textContent()).toBe('and then?');
    await message().fill('/ask-bob and then?');
    await message().press('Enter');
    expect((await said()).at(-1)).toEqual({ type: 'send', text: '/ask-bob and then?' });
  });

  it('keeps what comes to nothing: no prompt, or nobody of that name', async () => {
    await show(firstRun());
    await message().fill('/ask-bob ');
    await message().press('Enter');
    expect(await chat.page.locator('.dock-notice').textContent()).toContain('what bob is to answer');
    await message().fill('/ask-rob hi');
    await message().press('Enter');
    expect(await chat.page.locator('.dock-notice').textContent()).toContain('You can ask: bob, claude, scenes');
    expect((await chat.sent()).some((m) => m.type === 'send')).toBe(false);
  });

  it('chooses the home agent while the conversation is empty', async () => {
    await show(firstRun());
    await chat.page.getByRole('button', { name: 'Agent: Ada' }).click();
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    expect((await chat.sent()).at(-1)).toEqual({ type: 'home', name: 'bob' });
    await chat.give({ type: 'patches', patches: [put(turn())] }, { type: 'state', state: pageState() });
    expect(await chat.page.getByRole('button', { name: 'Agent: Ada' }).count()).toBe(0);
  });

  it('tells that keys come, but not every key', async () => {
    await show(firstRun());
    await message().click();
    await chat.page.keyboard.type('a few words are typed here');
    const typing = (await chat.sent()).filter((m) => m.type === 'typing').length;
    expect(typing).toBeGreaterThan(0);
    expect(typing).toBeLessThan(10);
  });

  it('is filled by a message without losing what is there', async () => {
    await show(firstRun());
    await message().fill('is it safe?');
    await chat.give({ type: 'compose', text: '/ask-bob ' });
    expect(await message().textContent()).toBe('/ask-bob is it safe?');
    expect(await message().evaluate((e) => e === document.activeElement)).toBe(true);
  });
});

describe('questions', () => {
  const asking = (change = {}): Scene => {
    const a = ask({ state: 'waiting', end: undefined, endedAt: undefined, kept: false });
    return {
      nodes: [a, question(a.id, { questionId: 'q1', ...change })],
      state: pageState({
        waiting: 1,
        running: [{ id: a.id, agent: bob, askedBy: 'You', state: 'waiting', since: Date.now() }],
      }),
    };
  };
  const answers = async () => (await chat.sent()).filter((m) => m.type === 'answer');

  it('F045 keys answer, and the text keeps the focus', async () => {
    await show(asking());
    await message().click();
    await chat.page.keyboard.type('words');
    await chat.page.keyboard.press('Enter');
    expect(await answers()).toEqual([]);
    await chat.page.keyboard.press('Alt+Enter');
    expect(await answers()).toEqual([{ type: 'answer', questionId: 'q1', answer: 'allow_once' }]);
    await chat.page.keyboard.press('Alt+Shift+Enter');
    await chat.page.keyboard.press('Escape');
    expect((await answers()).map((m) => (m.type === 'answer' ? m.answer : ''))).toEqual([
      'allow_once',
      'allow_conversation',
      'reject',
    ]);
    expect(await message().evaluate((e) => e === document.activeElement)).toBe(true);
  });

  /** Two cards wait, `q1` and `q2`. */
  const asking2 = (): { scene: Scene; cards: Extract<Node, { kind: 'permission' }>[] } => {
    const scene = asking({ more: 1 });
    const a = scene.nodes[0]!;
    scene.nodes.push(question(a.id, { questionId: 'q2', command: 'echo two' }));
    return { scene, cards: scene.nodes.slice(1) as Extract<Node, { kind: 'permission' }>[] };
  };
  const card = (at: number) => chat.page.getByRole('alertdialog', { name: 'Permission: bob/bash' }).nth(at);
  const hasFocus = (locator: ReturnType<typeof message>) => locator.evaluate((e) => e.contains(document.activeElement));

  it('F045 of several cards only one shows keys, and they answer that one', async () => {
    const { scene } = asking2();
    await show(scene);
    expect(await card(0).locator('kbd').count()).toBe(3);
    expect(await card(1).locator('kbd').count()).toBe(0);
    expect(await card(1).getByRole('button', { name: 'Reject' }).getAttribute('aria-keyshortcuts')).toBeNull();
    // the person goes to the second one, by Tab as far as it takes
    await card(1).getByRole('button', { name: 'Allow once' }).focus();
    await chat.frames();
    expect(await card(0).locator('kbd').count()).toBe(0);
    expect(await card(1).locator('kbd').count()).toBe(3);
    await chat.page.keyboard.press('Alt+Enter');
    expect(await answers()).toEqual([{ type: 'answer', questionId: 'q2', answer: 'allow_once' }]);
  });

  it.each(['allowed', 'withdrawn'] as const)(
    'F045 F044 a card that is %s with the focus in it gives it to the composer',
    async (state) => {
      const { scene, cards } = asking2();
      await show(scene);
      await card(1).getByRole('button', { name: 'Allow once' }).focus();
      await chat.give({ type: 'patches', patches: [put({ ...cards[1]!, state })] });
      await expect.poll(() => hasFocus(message())).toBe(true);
      // and the keys belong to the one that is left
      expect(await card(0).locator('kbd').count()).toBe(3);
    },
  );

  it('F045 a card to which the person is led has the focus, and its buttons are the next ones', async () => {
    const { scene, cards } = asking2();
    await show(scene);
    await message().click();
    await chat.give({ type: 'reveal', id: cards[1]!.id });
    expect(await card(1).evaluate((e) => e === document.activeElement)).toBe(true);
    expect(await card(1).locator('kbd').count()).toBe(3);
    await chat.page.keyboard.press('Enter');
    expect(await answers()).toEqual([]);
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    expect(await answers()).toEqual([{ type: 'answer', questionId: 'q2', answer: 'allow_once' }]);
  });

  it('a second click or key in haste does not allow the next card', async () => {
    const { scene, cards } = asking2();
    await show(scene);
    // no time passes: this machine may be slower than the haste
    await chat.page.evaluate(() => {
      const now = performance.now();
      performance.now = () => now;
    });
    await chat.page.keyboard.press('Alt+Enter');
    await chat.give({ type: 'patches', patches: [put({ ...cards[0]!, state: 'allowed' })] });
    await chat.page.keyboard.press('Alt+Enter');
    await card(0).getByRole('button', { name: 'Allow once' }).click();
    expect(await answers()).toHaveLength(1);
    await chat.page.evaluate(() => {
      const later = performance.now() + 400;
      performance.now = () => later;
    });
    await chat.page.keyboard.press('Alt+Enter');
    expect(await answers()).toHaveLength(2);
  });

  it('F050 the focus that goes elsewhere answers nothing', async () => {
    const { scene } = asking2();
    await show(scene);
    await card(0).getByRole('button', { name: 'Allow once' }).focus();
    await message().click();
    await chat.page.mouse.click(5, 5);
    await chat.page.evaluate(() => window.dispatchEvent(new Event('blur')));
    expect(await answers()).toEqual([]);
    expect(await card(1).isVisible()).toBe(true);
  });

  it('F045 the Enter that answered a dialog and is still held sends nothing', async () => {
    await show({ nodes: [], state: pageState() });
    await message().click();
    await chat.page.keyboard.type('half a thou');
    await message().evaluate((e) => {
      e.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true }));
    });
    expect((await chat.sent()).filter((m) => m.type === 'send')).toEqual([]);
    await chat.page.keyboard.press('Enter');
    expect((await chat.sent()).filter((m) => m.type === 'send')).toHaveLength(1);
  });

  it('F045 a screen reader hears which call waits', async () => {
    const { scene } = asking2();
    await show({ ...scene, nodes: scene.nodes.slice(0, 1) });
    await chat.give({ type: 'patches', patches: [put(scene.nodes[2]!)] });
    await expect.poll(() => chat.page.locator('.sr[role=status]').textContent()).toBe('Permission: bob/bash: echo two');
  });

  it('allows nothing that is out of sight', async () => {
    const scene = asking();
    scene.nodes.push(
      ...Array.from({ length: 30 }, (): Node => ({ kind: 'user', id: crypto.randomUUID(), at: 0, text: 'later' })),
    );
    await show(scene);
    await chat.page.keyboard.press('Alt+Enter');
    expect(await answers()).toEqual([]);
    await chat.page.keyboard.press('Alt+Enter');
    expect(await answers()).toHaveLength(1);
  });

  it('F046 shows hidden characters as chips, and then nothing is primary', async () => {
    await show(asking({ command: 'rm [U+202E]x', hidden: 1 }));
    expect(await chat.page.locator('.unseen').textContent()).toBe('U+202E');
    expect(await chat.page.locator('.perm .btn-primary').count()).toBe(0);
  });

  it('becomes one line when it is answered', async () => {
    const scene = asking();
    await show(scene);
    const node = scene.nodes[1] as Extract<Node, { kind: 'permission' }>;
    await chat.give({ type: 'patches', patches: [put({ ...node, state: 'allowed' })] });
    expect(await chat.page.getByRole('alertdialog').count()).toBe(0);
    expect(await chat.page.getByText('You allowed bob/bash once').count()).toBe(1);
  });

  it('Escape stops when no card waits', async () => {
    await show({ nodes: [turn({ state: 'running' })], state: pageState({ busy: true }) });
    await chat.page.keyboard.press('Escape');
    expect((await chat.sent()).at(-1)).toEqual({ type: 'stop' });
  });
});

describe('words that come', () => {
  const streaming = (): { nodes: Node[]; text: TextNode } => {
    const t = turn({ state: 'running', end: undefined });
    const text: TextNode = { kind: 'text', id: 'words', parent: t.id, at: 0, text: '', done: false };
    return { nodes: [t, text], text };
  };

  it('F059 the same page comes out, streamed or at once, and frozen blocks are never touched again', async () => {
    const source = `# One\n\nfirst words\n\n- a\n- b\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n\na | b\n--|--\n1 | 2\n\nsee [x] and https://a.example/p\n\n[x]: http://a.example\n`;
    const { nodes, text } = streaming();
    await show({ nodes, state: pageState({ busy: true }) });
    for (let at = 0; at < source.length; at += 7) {
      await chat.give({ type: 'patches', patches: [{ op: 'append', id: 'words', text: source.slice(at, at + 7) }] });
      if (at === 28) await chat.page.evaluate(() => document.querySelector('.md h2')!.setAttribute('data-kept', ''));
    }
    expect(await chat.page.locator('h2[data-kept]').count()).toBe(1);
    await chat.give({
      type: 'patches',
      patches: [
        put({ ...text, text: source, done: true }),
        put({ ...(nodes[0] as Extract<Node, { kind: 'turn' }>), state: 'done' }),
      ],
    });
    await chat.frames(10);
    const streamed = await chat.page.locator('.md').innerHTML();
    await chat.close();
    await show({ nodes: [turn(), { ...text, parent: undefined, text: source, done: true }], state: pageState() });
    await chat.frames(10);
    expect(streamed).toBe(await chat.page.locator('.md').innerHTML());
    expect(streamed).toContain('data-href="http://a.example"');
  });

  it('a long answer comes out whole', async () => {
    const paragraphs = Array.from({ length: 3000 }, (_, i) => `words of paragraph ${i}`);
    await show({
      nodes: [turn(), { kind: 'text', id: 'x', at: 0, text: paragraphs.join('\n\n'), done: true }],
      state: pageState(),
    });
    const drawn = () => chat.page.evaluate(() => [...document.querySelectorAll('.md p')].map((p) => p.textContent));
    await expect.poll(async () => (await drawn()).length, { timeout: 20_000 }).toBe(3000);
    expect(await drawn()).toEqual(paragraphs);
    const gap = () =>
      chat.page.evaluate(() => {
        const e = document.querySelector('.log')!;
        return Math.round(e.scrollHeight - e.scrollTop - e.clientHeight);
      });
    await expect.poll(gap).toBeLessThan(3);
  });

  it('F062 nothing of a model becomes HTML, and links go through the extension', async () => {
    const evil = [
      '<img src=x onerror="window.hacked=1"> <style>*{display:none}</style> <form></form> <script>window.hacked=1</script>',
      '[web](https://a.example/x) [cmd](command:x) [js](javascript:window.hacked=1) [file](src/a.ts#L3) ![pic](https://a.example/p.png)',
    ].join('\n\n');
    const t = turn();
    await show({
      nodes: [
        t,
        { kind: 'text', id: 'x', parent: t.id, at: 0, text: evil, done: true },
        tool(t.id, {
          name: '<img src=x onerror=alert(1)>',
          title: '<b>x</b>',
          what: '<b>x</b>',
          state: 'failed',
          output: '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007<b>x</b>',
        }),
      ],
      state: pageState({
        agents: [{ name: '<b>eve</b>', description: '<img src=x onerror=alert(1)>', state: 'asleep' }],
      }),
    });
    expect(await chat.page.locator('.log img, .log form, .log style, .log script, .log b').count()).toBe(0);
    expect(
      await chat.page.locator('.md a').evaluateAll((list) => list.map((a) => a.getAttribute('data-href'))),
    ).toEqual(['https://a.example/x', 'src/a.ts#L3', 'https://a.example/p.png']);
    expect(await chat.page.locator('.term').textContent()).toBe('click<b>x</b>');
    await chat.page.getByRole('link', { name: 'file' }).click();
    await chat.page.getByRole('link', { name: 'web' }).click();
    expect((await chat.sent()).filter((m) => m.type === 'open')).toEqual([
      { type: 'open', href: 'src/a.ts#L3' },
      { type: 'open', href: 'https://a.example/x' },
    ]);
    expect(chat.page.url()).toContain('harness.html');
    expect(await chat.page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
  });

  it('follows the end only while the person is there, and counts what is new', async () => {
    const { nodes } = streaming();
    const old = Array.from({ length: 40 }, (_, i): Node => ({ kind: 'user', id: `old${i}`, at: 0, text: `line ${i}` }));
    await show({ nodes: [...old, ...nodes], state: pageState({ busy: true }) });
    const gap = () =>
      chat.page.evaluate(() => {
        const e = document.querySelector('.log')!;
        return Math.round(e.scrollHeight - e.scrollTop - e.clientHeight);
      });
    await chat.give({ type: 'patches', patches: [{ op: 'append', id: 'words', text: 'word\n\n'.repeat(50) }] });
    expect(await gap()).toBeLessThan(3);
    await chat.page.locator('.log').hover();
    await chat.page.mouse.wheel(0, -600);
    await expect.poll(gap).toBeGreaterThan(300);
    // what the person looks at does not move, whatever becomes of the numbers of the scroll bar
    const place = () =>
      chat.page.evaluate(() => {
        const seen = document.querySelector('[data-seen]') ?? document.elementFromPoint(200, 200)!;
        seen.setAttribute('data-seen', '');
        return Math.round(seen.getBoundingClientRect().top);
      });
    const before = await place();
    await chat.give({
      type: 'patches',
      patches: [
        put({ kind: 'user', id: 'new', at: 0, text: 'new' }),
        { op: 'append', id: 'words', text: 'word\n\n'.repeat(50) },
      ],
    });
    await chat.frames(5);
    expect(await place()).toBe(before);
    await chat.page.getByRole('button', { name: '1 new below' }).click();
    await expect.poll(gap).toBeLessThan(3);
    expect(await chat.page.getByRole('button', { name: /new below/ }).count()).toBe(0);
  });

  it('F063 speaks of starts, tools, questions and ends, and of no word', async () => {
    await show({ nodes: [], state: pageState() });
    const t = turn({ state: 'running', end: undefined });
    await chat.give({
      type: 'patches',
      patches: [
        put(t),
        put({ kind: 'text', id: 'w', parent: t.id, at: 0, text: 'secret words', done: false }),
        put(tool(t.id, { what: 'npm test', state: 'running' })),
      ],
    });
    const spoken = chat.page.locator('.sr[role=status]');
    await expect.poll(() => spoken.textContent()).toBe('Ada has begun. Tool bash: npm test, running');
    expect(await chat.page.getByRole('log').getAttribute('aria-live')).toBe('off');
    expect(await chat.page.getByRole('article', { name: 'Ada' }).getAttribute('aria-busy')).toBe('true');
  });
});

describe('a page that comes back', () => {
  const long = (): Node[] =>
    Array.from({ length: 1000 }, (_, i): Node => ({ kind: 'user', id: `u${i}`, at: 0, text: `message ${i}` }));

  it('is at the same place, with the draft', async () => {
    await show({ nodes: long(), state: pageState() });
    await chat.page.addInitScript(() => {
      const editor = window as unknown as { memory: unknown };
      editor.memory = { conversationId: 'c1', draft: 'half a th', scroll: { id: 'u500', offset: -10 } };
    });
    await chat.page.reload();
    await chat.give(
      { type: 'init', strings: {}, locale: 'en' },
      { type: 'snapshot', nodes: long(), state: pageState() },
    );
    const offset = () =>
      chat.page.evaluate(() =>
        Math.round(
          document.querySelector('[data-entry=u500]')!.getBoundingClientRect().top -
            document.querySelector('.log')!.getBoundingClientRect().top,
        ),
      );
    await expect.poll(offset).toBe(-10);
    expect(await message().textContent()).toBe('half a th');
  });

  it('draws earlier entries when the person scrolls to them, without a jump', async () => {
    await show({ nodes: long(), state: pageState() });
    expect(await chat.page.locator('article.you').count()).toBe(150);
    const text = await chat.page.evaluate(async () => {
      const log = document.querySelector('.log')!;
      log.scrollTop = 900;
      await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
      const top = () => [...document.querySelectorAll('article.you')].find((e) => e.getBoundingClientRect().top > 100)!;
      const seen = top();
      const before = [seen.textContent, seen.getBoundingClientRect().top];
      log.scrollTop -= 200;
      await new Promise((r) => setTimeout(r, 100));
      return {
        moved: Math.round(seen.getBoundingClientRect().top - (before[1] as number)),
        count: document.querySelectorAll('article.you').length,
      };
    });
    expect(text.moved).toBe(200);
    expect(text.count).toBeGreaterThan(150);
  });

  it('reads back to the first entry and on to the last, drawing a part at a time', async () => {
    await show({ nodes: long(), state: pageState() });
    const walk = (by: number) =>
      chat.page.evaluate(async (step) => {
        const log = document.querySelector('.log')!;
        let most = 0;
        const seen: string[] = [];
        for (let still = 0; still < 5; ) {
          const before = [log.scrollTop, document.querySelector('article.you')?.textContent].join();
          log.scrollTop += step;
          await new Promise((r) => setTimeout(r, 25));
          still = [log.scrollTop, document.querySelector('article.you')?.textContent].join() === before ? still + 1 : 0;
          const articles = [...document.querySelectorAll('article.you')];
          most = Math.max(most, articles.length);
          const top = log.getBoundingClientRect().top;
          seen.push(articles.find((a) => a.getBoundingClientRect().bottom > top)?.textContent ?? '');
        }
        return { most, seen: seen.map((s) => Number(s.replace(/\D/g, ''))) };
      }, by);
    const back = await walk(-700);
    expect(back.seen.at(-1)).toBe(0);
    expect(back.most).toBeLessThan(600);
    // no step leaps over what it would have shown
    expect(Math.max(...back.seen.slice(1).map((n, i) => back.seen[i]! - n))).toBeLessThan(25);
    expect(await chat.page.getByRole('button', { name: 'To the end' }).count()).toBe(1);
    const on = await walk(700);
    expect(await chat.page.getByText('message 999', { exact: true }).isVisible()).toBe(true);
    expect(Math.max(...on.seen.slice(1).map((n, i) => n - on.seen[i]!))).toBeLessThan(25);
    expect(await chat.page.getByRole('button', { name: 'To the end' }).count()).toBe(0);
  }, 120_000);

  it('reveals what stands in a fold, also in one within another, and puts the focus there', async () => {
    const scene = conversation(true);
    await show(scene);
    const riker = chat.page.getByRole('article', { name: 'riker, asked by bob', exact: true });
    expect(await riker.count()).toBe(0);
    const { nodes } = scene;
    const node = nodes.find((n) => n.kind === 'ask' && n.agent.name === 'riker')!;
    await chat.give({ type: 'reveal', id: node.id });
    await expect.poll(() => riker.count()).toBe(1);
    expect(await riker.evaluate((e) => e === document.activeElement)).toBe(true);
    // its own calls fold too
    const tool = nodes.find((n) => n.kind === 'tool' && n.parent === node.id);
    if (!tool) return;
    await chat.give({ type: 'reveal', id: tool.id });
    await expect.poll(() => chat.page.evaluate(() => document.activeElement?.getAttribute('data-entry'))).toBe(tool.id);
  });

  it('reveals an entry far above', async () => {
    await show({ nodes: long(), state: pageState() });
    await chat.give({ type: 'reveal', id: 'u10' });
    expect(await chat.page.getByText('message 10', { exact: true }).isVisible()).toBe(true);
  });

  it('another conversation begins at its end, without the old draft', async () => {
    await show({ nodes: long(), state: pageState() });
    await chat.give({
      type: 'snapshot',
      nodes: [put(turn())].map((p) => (p as Extract<Patch, { op: 'put' }>).node),
      state: pageState({ conversationId: 'c2', home: ada }),
    });
    expect(await chat.page.locator('article.you').count()).toBe(0);
    expect(await chat.page.getByRole('article', { name: 'Ada' }).count()).toBe(1);
  });
});

describe('states that keep the view from working', () => {
  it('shows the blocker with its action, and sends nothing', async () => {
    await show(blocked('trust'));
    await message().fill('hello');
    expect(await chat.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await message().press('Enter');
    await chat.page.getByRole('button', { name: 'Manage Trust' }).click();
    expect((await chat.sent()).filter((m) => m.type === 'send')).toEqual([]);
    expect((await chat.sent()).at(-1)).toMatchObject({ type: 'action', action: 'manage-trust' });
  });
});
