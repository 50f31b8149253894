import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../src/base/event';
import type { Node, NoticeNode, Patch } from '../../../src/chat/nodes';
import type { FromPage, PageState, ToPage } from '../../../src/chat/page';
import type { Conversation } from '../../../src/host/conversation';
import { Chat, type ChatDeps } from '../../../src/vscode/chat';
import type { ConfigState } from '../../../src/vscode/config';

/** A conversation of the host, as far as the view knows it. */
class FakeConversation {
  sent: string[] = [];
  acts: [string, string][] = [];
  nodes: Node[] = [];
  patches = new Emitter<readonly Patch[]>();
  states = new Emitter<void>();
  onPatches = this.patches.event;
  onState = this.states.event;
  draft: string | undefined;
  folder: string | undefined = '/shop';
  blocker: NoticeNode | undefined;
  working = false;
  taken = true;
  constructor(readonly id: string) {}
  snapshot() {
    return this.nodes;
  }
  state(): PageState {
    return {
      conversationId: this.id,
      home: { name: 'Ada' },
      homes: [],
      agents: [],
      busy: false,
      running: [],
      starting: false,
      notices: [],
      waiting: 0,
      ...(this.blocker ? { blocker: this.blocker } : {}),
      demo: false,
    };
  }
  get empty() {
    return this.sent.length === 0;
  }
  setFolder(folder: string) {
    this.folder = folder;
  }
  send(text: string) {
    if (this.taken) this.sent.push(text);
    return this.taken;
  }
  stop() {}
  stopAsk() {}
  act(id: string, action: string) {
    return this.acts.push([id, action]) > 0;
  }
  setHome() {
    return true;
  }
}

class FakePage {
  ready = false;
  home = '';
  posted: ToPage[] = [];
  held: ToPage[] = [];
  messages = new Emitter<FromPage>();
  closed = new Emitter<void>();
  onMessage = this.messages.event;
  onClosed = this.closed.event;
  shown = 0;
  post(message: ToPage) {
    if (this.ready) this.posted.push(message);
  }
  postWhenReady(message: ToPage) {
    if (this.ready) this.post(message);
    else this.held.push(message);
  }
  flushWaiting() {
    for (const m of this.held.splice(0)) this.post(m);
  }
  async focusComposer() {
    await this.show();
    this.postWhenReady({ type: 'focus' });
  }
  async show() {
    this.shown++;
  }
  async say(message: FromPage) {
    if (message.type === 'ready') this.ready = true;
    this.messages.fire(message);
    await new Promise((resolve) => setImmediate(resolve));
  }
  types() {
    return this.posted.map((m) => m.type);
  }
}

const ready: ConfigState = { kind: 'ready', file: '/u/mm.yaml', source: 'user', config: {} as never, warnings: [] };
let page: FakePage;
let all: FakeConversation[];
let closed: string[];
let state: ConfigState;
let picked: string | undefined;
let errors: unknown[];
let calls: unknown[][];
let chat: Chat;

beforeEach(() => {
  page = new FakePage();
  all = [];
  closed = [];
  state = ready;
  picked = '/docs';
  errors = [];
  calls = [];
  const make = async () => {
    const conversation = new FakeConversation(`c${all.length + 1}`);
    all.push(conversation);
    return conversation as unknown as Conversation;
  };
  const note =
    (name: string) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
    };
  const deps: ChatDeps = {
    page,
    config: {
      get state() {
        return state;
      },
      allow: note('allow'),
      notNow: note('notNow'),
      markSeen: (shown) => void calls.push(['seen', shown]),
    },
    conversations: {
      latest: make,
      create: make,
      close: async (id) => void closed.push(id),
      reopen: async (id) => {
        calls.push(['reopen', id]);
        return Object.assign(await make(), { id });
      },
    },
    pickFolder: async () => picked,
    answer: (id, answer) => void calls.push(['answer', id, answer]),
    typed: () => void calls.push(['typed']),
    openLink: note('openLink'),
    showFile: note('showFile'),
    showFiles: note('showFiles'),
    showLog: () => void calls.push(['showLog']),
    openConfiguration: note('openConfiguration'),
    editor: note('editor'),
    report: (error) => errors.push(error),
  };
  chat = new Chat(deps);
});
afterEach(() => chat.dispose());

describe('conversation and page', () => {
  it('ready gets one snapshot with the draft, then patches', async () => {
    await page.say({ type: 'ready' });
    all[0]!.draft = 'half a wor';
    page.posted.length = 0;
    await page.say({ type: 'ready' });
    expect(page.posted).toMatchObject([{ type: 'snapshot', draft: 'half a wor', state: { conversationId: 'c1' } }]);
    all[0]!.patches.fire([{ op: 'append', id: 'n1', text: 'a' }]);
    expect(page.posted.at(-1)).toEqual({ type: 'patches', patches: [{ op: 'append', id: 'n1', text: 'a' }] });
    expect(all).toHaveLength(1);
  });

  it('a page that is gone gets nothing; the next one gets the whole and no patch twice', async () => {
    await page.say({ type: 'ready' });
    page.closed.fire();
    page.posted.length = 0;
    all[0]!.patches.fire([{ op: 'append', id: 'n1', text: 'b' }]);
    expect(page.posted).toEqual([]);
    await page.say({ type: 'ready' });
    expect(page.types()).toEqual(['snapshot']);
  });

  it('the home agent’s name stands on the view', async () => {
    await page.say({ type: 'ready' });
    expect(page.home).toBe('Ada');
  });

  it('a new conversation replaces the old one, which is closed', async () => {
    await page.say({ type: 'ready' });
    await page.say({ type: 'send', text: 'hello' });
    await chat.newConversation();
    expect(page.posted.at(-2)).toMatchObject({ type: 'snapshot', state: { conversationId: 'c2' } });
    expect(closed).toEqual(['c1']);
    page.posted.length = 0;
    all[0]!.patches.fire([{ op: 'remove', id: 'n1' }]);
    expect(page.posted).toEqual([]);
  });

  it('one in which nothing was said is new enough', async () => {
    await chat.newConversation();
    await chat.newConversation();
    expect(all).toHaveLength(1);
    expect(closed).toEqual([]);
  });

  it('a conversation that works is let go only when it has ended', async () => {
    await page.say({ type: 'send', text: 'hello' });
    all[0]!.working = true;
    await chat.newConversation();
    all[0]!.states.fire();
    expect(closed).toEqual([]);
    all[0]!.working = false;
    all[0]!.states.fire();
    all[0]!.states.fire();
    expect(closed).toEqual(['c1']);
  });

  it('the card of another conversation brings that one back', async () => {
    await page.say({ type: 'ready' });
    await page.say({ type: 'send', text: 'hello' });
    all[0]!.working = true;
    all[0]!.nodes = [{ kind: 'permission', id: 'n7', questionId: 'q1' } as Node];
    await chat.newConversation();
    await chat.reveal(all[0] as unknown as Conversation, 'q1');
    expect(page.posted.slice(-2)).toMatchObject([
      { type: 'snapshot', state: { conversationId: 'c1' } },
      { type: 'reveal', id: 'n7' },
    ]);
    all[0]!.working = false;
    all[0]!.states.fire();
    expect(closed).not.toContain('c1');
  });

  it('the palette begins a question in the composer, and what stood there is not lost', async () => {
    await page.say({ type: 'ready' });
    await chat.compose('bob');
    expect(page.shown).toBe(1);
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: '/ask-bob ' });
    await page.say({ type: 'draft', text: 'is this safe?' });
    await chat.compose('bob');
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: '/ask-bob is this safe?' });
    await page.say({ type: 'draft', text: '/ask-riker plan it' });
    await chat.compose('bob');
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: '/ask-bob ' });
    expect(all[0]!.sent).toEqual([]);
  });
});

describe('what could not be sent', () => {
  beforeEach(() => page.say({ type: 'ready' }));

  it('an obstacle is said, and the words come back', async () => {
    all[0]!.blocker = { title: 'This workspace is not trusted' } as NoticeNode;
    await page.say({ type: 'send', text: 'hello' });
    expect(all[0]!.sent).toEqual([]);
    expect(errors).toMatchObject([{ message: 'This workspace is not trusted' }]);
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: 'hello' });
  });

  it('words that the conversation does not take come back', async () => {
    all[0]!.taken = false;
    await page.say({ type: 'send', text: '/ask-nobody hello' });
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: '/ask-nobody hello' });
  });

  it('several folders: the person is asked once for a conversation', async () => {
    all[0]!.folder = undefined;
    await page.say({ type: 'send', text: 'hello' });
    expect(all[0]).toMatchObject({ folder: '/docs', sent: ['hello'] });
    picked = undefined;
    await page.say({ type: 'send', text: 'again' });
    expect(all[0]!.sent).toEqual(['hello', 'again']);
  });

  it('several folders and no answer which: nothing is sent and the words come back', async () => {
    all[0]!.folder = undefined;
    picked = undefined;
    await page.say({ type: 'send', text: 'hello' });
    expect(all[0]!.sent).toEqual([]);
    expect(errors).toEqual([]);
    expect(page.posted.at(-1)).toEqual({ type: 'compose', text: 'hello' });
  });
});

describe('what the person does in the page', () => {
  beforeEach(() => page.say({ type: 'ready' }));

  it('goes to the conversation or to the window', async () => {
    await page.say({ type: 'draft', text: 'hel' });
    expect(all[0]!.draft).toBe('hel');
    await page.say({ type: 'send', text: 'hello' });
    expect(all[0]!.draft).toBeUndefined();
    await page.say({ type: 'typing' });
    await page.say({ type: 'answer', questionId: 'q', answer: 'reject' });
    await page.say({ type: 'action', node: 'n1', action: 'ask-again' });
    await page.say({ type: 'action', node: 'n1', action: 'show-log' });
    await page.say({ type: 'action', node: 'n1', action: 'reload-window' });
    await page.say({ type: 'open', href: 'src/a.ts' });
    expect(all[0]!.sent).toEqual(['hello']);
    expect(all[0]!.acts).toEqual([['n1', 'ask-again']]);
    expect(calls).toEqual([
      ['typed'],
      ['answer', 'q', 'reject'],
      ['showLog'],
      ['editor', 'reload-window'],
      ['openLink', 'src/a.ts'],
    ]);
    expect(errors).toEqual([]);
  });

  it('a conversation that another window has let go of is opened anew, and only then', async () => {
    await page.say({ type: 'ready' });
    await page.say({ type: 'action', node: 'conversation:read-only', action: 'take-over' });
    expect(calls).toEqual([]);
    Object.assign(all[0]!, { readOnly: true });
    await page.say({ type: 'action', node: 'conversation:read-only', action: 'take-over' });
    expect(calls).toEqual([['reopen', 'c1']]);
    await page.say({ type: 'send', text: 'here' });
    expect(all[1]!.sent).toEqual(['here']);
    // closing the one before would close the new one, which has its id
    expect(closed).toEqual([]);
  });

  it('an entry is shown with its conversation', async () => {
    await page.say({ type: 'ready' });
    const other = (await chat.open()) as never;
    await chat.showEntry(other, 'n7');
    await chat.showEntry(other, undefined);
    expect(page.posted.slice(-2)).toEqual([{ type: 'reveal', id: 'n7' }, { type: 'focus' }]);
  });

  it('the card of an approval: see, allow, not now', async () => {
    const files = ['/shop/.mm/mm.yaml', '/shop/.mm/bob.yaml'];
    state = {
      kind: 'approval',
      file: files[0]!,
      hash: 'new',
      files,
      programs: [],
      facts: [],
      seen: false,
      again: false,
    };
    // the page may still show the card of the version before
    for (const action of ['show-file', 'allow-version', 'not-now'] as const) {
      await page.say({ type: 'action', node: 'mm:approval:old', action });
    }
    expect(calls).toEqual([
      ['showFiles', files],
      ['seen', 'new'],
      ['allow', 'old'],
      ['notNow', 'old'],
    ]);
    expect(all[0]!.acts).toEqual([]);
  });

  it('an error and a warning of mm.yaml lead to their own lines', async () => {
    const at = (line: number) => ({ severity: 'error' as const, file: '/u/mm.yaml', line, column: 5, message: 'x' });
    state = { kind: 'invalid', file: '/u/mm.yaml', source: 'user', errors: [at(3)], warnings: [] };
    await page.say({ type: 'action', node: 'mm:config', action: 'open-config' });
    state = { ...ready, warnings: [at(6), at(7)] };
    await page.say({ type: 'action', node: 'mm:warning:1', action: 'open-config' });
    await page.say({ type: 'action', node: 'n9', action: 'open-config' });
    expect(calls).toMatchObject([
      ['showFile', '/u/mm.yaml', { line: 3, column: 5 }],
      ['showFile', '/u/mm.yaml', { line: 7 }],
      ['openConfiguration'],
    ]);
  });
});
