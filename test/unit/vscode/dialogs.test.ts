import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../src/base/event';
import { silentLog } from '../../../src/base/log';
import { type OpenQuestion, PermissionDialogs } from '../../../src/vscode/dialogs';
import { Typing, typingPause } from '../../../src/vscode/typing';
import { fake } from '../../support/vscode';

class Queue {
  list: OpenQuestion[] = [];
  answers: [string, string][] = [];
  changed = new Emitter<void>();
  onDidChange = this.changed.event;
  get current() {
    return this.list[0];
  }
  add(id: string, command = 'npm test', name = 'bob/bash') {
    this.list.push({
      id,
      card: false,
      shown: {
        name,
        verb: 'run',
        command,
        hidden: 0,
        cwd: '/shop',
        chain: [{ name: 'You' }, { name: 'bob' }],
        diffs: [],
        canAllow: true,
        canRemember: true,
      },
    });
    this.changed.fire();
  }
  withdraw(id: string) {
    this.list = this.list.filter((q) => q.id !== id);
    this.changed.fire();
  }
  answer(id: string, answer: string) {
    if (!this.list.some((q) => q.id === id)) return false;
    this.answers.push([id, answer]);
    this.withdraw(id);
    return true;
  }
  showAsCard(id: string) {
    this.list = this.list.map((q) => (q.id === id ? { ...q, card: true } : q));
    this.changed.fire();
  }
}

const settled = () => vi.advanceTimersByTimeAsync(0);
let queue: Queue;
let typing: Typing;
let dialogs: PermissionDialogs;
let revealed: string[];
let view: { focused: boolean; shown: number; focusComposer(): Promise<void> };

beforeEach(() => {
  vi.useFakeTimers();
  fake.reset();
  queue = new Queue();
  typing = new Typing();
  revealed = [];
  view = {
    focused: false,
    shown: 0,
    async focusComposer() {
      this.shown++;
    },
  };
  dialogs = new PermissionDialogs({ queue, typing, view, revealCard: (id) => revealed.push(id), log: silentLog });
});
afterEach(() => {
  dialogs.dispose();
  typing.dispose();
  vi.useRealTimers();
});

describe('permission dialogs', () => {
  it('modal, titled bob/bash, three buttons of which Reject is what Escape means', () => {
    queue.add('q1');
    expect(fake.message).toMatchObject({ kind: 'warning', message: 'bob/bash', options: { modal: true } });
    expect(fake.message.items).toMatchObject([
      { title: 'Allow Once', isCloseAffordance: false },
      { title: 'Allow for This Conversation', isCloseAffordance: false },
      { title: 'Reject', isCloseAffordance: true },
    ]);
  });

  it.each([
    ['Allow Once', 'allow_once'],
    ['Allow for This Conversation', 'allow_conversation'],
    ['Reject', 'reject'],
    [undefined, 'reject'],
  ])('%s answers %s', async (title, answer) => {
    queue.add('q1');
    fake.message.answer(title);
    await settled();
    expect(queue.answers).toEqual([['q1', answer]]);
  });

  it('F041: three questions in one tick are asked one after the other, each answered once', async () => {
    for (const id of ['q1', 'q2', 'q3']) queue.add(id);
    for (let i = 1; i <= 3; i++) {
      expect(fake.messages).toHaveLength(i);
      fake.message.answer('Allow Once');
      await vi.advanceTimersByTimeAsync(typingPause);
    }
    expect(queue.answers.map(([id]) => id)).toEqual(['q1', 'q2', 'q3']);
    expect(fake.messages).toHaveLength(3);
  });

  it('F043, F044: a late answer changes nothing, and a notice says so', async () => {
    queue.add('q1');
    const open = fake.message;
    queue.withdraw('q1');
    open.answer('Allow Once');
    await settled();
    expect(queue.answers).toEqual([]);
    expect(fake.message).toMatchObject({ kind: 'information' });
    expect(fake.message.message).toContain('Your answer changed nothing');
  });

  it.each([true, false])('F045: the keyboard goes back to where it was; it was in the view: %s', async (focused) => {
    view.focused = focused;
    queue.add('q1');
    // the page loses the keyboard to the dialog
    view.focused = false;
    fake.message.answer('Allow Once');
    await settled();
    expect(view.shown).toBe(focused ? 1 : 0);
    expect(queue.answers).toEqual([['q1', 'allow_once']]);
  });

  it('F044: a late answer is not taken for the next question', async () => {
    queue.add('q1');
    const open = fake.message;
    queue.withdraw('q1');
    queue.add('q2');
    expect(fake.messages).toHaveLength(1);
    open.answer('Allow Once');
    await vi.advanceTimersByTimeAsync(typingPause);
    expect(queue.answers).toEqual([]);
    expect(fake.messages.filter((m) => m.kind === 'warning')).toHaveLength(2);
  });

  it.each(['Allow Once', 'Reject', undefined])(
    'the key that answered %s cannot answer the next one: it opens after the same pause as after typing',
    async (title) => {
      queue.add('q1');
      queue.add('q2');
      fake.message.answer(title);
      await vi.advanceTimersByTimeAsync(typingPause - 10);
      expect(fake.messages).toHaveLength(1);
      // and one that comes just now waits as well
      queue.withdraw('q2');
      queue.add('q3');
      expect(fake.messages).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(20);
      expect(fake.messages).toHaveLength(2);
    },
  );

  it('does not open while the composer is typed into, and opens after a pause of a second', async () => {
    typing.typed();
    queue.add('q1');
    expect(fake.messages).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(typingPause - 100);
    typing.typed();
    await vi.advanceTimersByTimeAsync(typingPause - 100);
    expect(fake.messages).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(fake.messages).toHaveLength(1);
  });

  it('typing in an editor counts; a file that an agent wrote and an output channel do not', () => {
    const document = { isDirty: true };
    fake.changedDocument.fire({ document, contentChanges: [{}] });
    expect(typing.wait).toBe(0);
    (fake.window as { activeTextEditor: unknown }).activeTextEditor = { document };
    fake.changedDocument.fire({ document: { ...document }, contentChanges: [{}] });
    document.isDirty = false;
    fake.changedDocument.fire({ document, contentChanges: [{}] });
    expect(typing.wait).toBe(0);
    document.isDirty = true;
    fake.changedDocument.fire({ document, contentChanges: [{}] });
    expect(typing.wait).toBeGreaterThan(0);
  });

  it('a question that was withdrawn during the pause is never asked', async () => {
    typing.typed();
    queue.add('q1');
    queue.withdraw('q1');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.messages).toHaveLength(0);
  });

  it('too long: Show in View makes it a card and leads there; no dialog opens for a card', async () => {
    queue.add('q1', 'x'.repeat(2_000));
    expect(fake.message.items.map((i) => (i as { title: string }).title)).toEqual(['Show in View', 'Reject']);
    fake.message.answer('Show in View');
    await settled();
    expect(queue.current?.card).toBe(true);
    expect(revealed).toEqual(['q1']);
    expect(fake.messages).toHaveLength(1);
    expect(queue.answers).toEqual([]);
  });

  it('a dialog that cannot be shown leaves the question as a card', async () => {
    fake.failNext = new Error('refused to show dialog');
    queue.add('q1');
    await settled();
    expect(queue.current).toMatchObject({ id: 'q1', card: true });
  });

  it('ends with its owner: no answer after that', async () => {
    queue.add('q1');
    dialogs.dispose();
    fake.message.answer('Allow Once');
    await settled();
    expect(queue.answers).toEqual([]);
  });
});
