import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';
import { PermissionQueue, type WaitingQuestion } from '../../../src/host/permissions';
import { Commands } from '../../../src/vscode/ids';
import { Questions } from '../../../src/vscode/questions';
import { fake } from '../../support/vscode';

let queue: PermissionQueue;
let questions: Questions;
let revealed: string[];
let counts: number[];
let prompt: 'dialog' | 'inline';
beforeEach(() => {
  fake.reset();
  prompt = 'inline';
  revealed = [];
  counts = [];
  queue = new PermissionQueue({ prompt: () => prompt });
  questions = new Questions({
    queue,
    typing: { wait: 0, typed: () => {} },
    view: { focused: false, focusComposer: async () => {}, setBadge: (count) => void counts.push(count) },
    reveal: async (q: WaitingQuestion) => void revealed.push(`${q.conversation} ${q.id}`),
    report: (error) => {
      throw error;
    },
    log: silentLog,
  });
});
afterEach(() => {
  questions.dispose();
  queue.dispose();
});

const item = () => fake.statusItems[0]!;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function ask(id: string, conversation = 'c1'): AbortController {
  const stop = new AbortController();
  const question: PermissionQuestion = {
    id,
    path: ['bob'],
    tool: 'bash',
    name: 'bob/bash',
    toolCall: { toolCallId: id, kind: 'execute', rawInput: { command: 'ls' } } as PermissionQuestion['toolCall'],
    options: [],
    cwd: '/work',
    chain: ['You', 'bob'],
    keyFile: false,
    cannotAllow: false,
  };
  void queue.asker({ id: conversation, home: () => 'Ada', face: (name) => ({ name }) }).ask(question, stop.signal);
  return stop;
}

describe('what waits for the person', () => {
  it('F041 is counted on the view and in the status bar, which says it in words and leads to the next', () => {
    expect(item().shown).toBe(false);
    ask('a');
    expect(item()).toMatchObject({
      shown: true,
      text: '$(shield) mm: 1 question waits',
      command: Commands.nextQuestion,
    });
    const second = ask('b');
    expect(item()).toMatchObject({
      text: '$(shield) mm: 2 questions wait',
      accessibilityInformation: { label: 'mm: 2 questions wait', role: 'button' },
    });
    expect(counts.at(-1)).toBe(2);
    // F044: one that became moot is no longer counted
    second.abort();
    expect(item().text).toBe('$(shield) mm: 1 question waits');
    queue.answerCard('a', 'allow_once');
    expect(item().shown).toBe(false);
    expect(counts.at(-1)).toBe(0);
  });

  it('Next Waiting Question goes from one to the next, also to another conversation, and round again', async () => {
    ask('a', 'c1');
    ask('b', 'c2');
    ask('c', 'c1');
    for (let i = 0; i < 4; i++) await questions.next();
    expect(revealed).toEqual(['c1 a', 'c2 b', 'c1 c', 'c1 a']);
    queue.answerCard('a', 'reject');
    await questions.next();
    expect(revealed.at(-1)).toBe('c2 b');
  });

  it('without one it says so', async () => {
    void questions.next();
    await settled();
    expect(fake.message.message).toBe('No question waits for you.');
  });

  it('inline opens no dialog; a change of the setting holds for the next question', async () => {
    ask('a');
    expect(fake.messages).toEqual([]);
    expect(queue.place('a').card).toBe(true);
    prompt = 'dialog';
    ask('b');
    await settled();
    expect(fake.messages).toHaveLength(1);
    expect(queue.place('a').card).toBe(true);
    expect(queue.place('b').card).toBe(false);
    prompt = 'inline';
    expect(queue.place('b').card).toBe(false);
  });

  it('F042 several cards wait at once, and each is answered by its own id', async () => {
    ask('a');
    ask('b');
    expect(queue.answerCard('b', 'allow_once')).toBe(true);
    expect(queue.waiting.map((q) => q.id)).toEqual(['a']);
    expect(queue.answerCard('b', 'allow_once')).toBe(false);
  });
});
