import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../src/ask/types';
import { PermissionQueue } from '../../../src/host/permissions';

const question = (id: string, over: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
  id,
  path: ['bob'],
  tool: 'bash',
  name: 'bob/bash',
  toolCall: { toolCallId: id, kind: 'execute', rawInput: { command: `echo ${id}` } } as PermissionQuestion['toolCall'],
  options: [],
  cwd: '/work',
  chain: ['You', 'bob'],
  keyFile: false,
  cannotAllow: false,
  ...over,
});
const conversation = { id: 'c', home: () => 'Ada', face: (name: string) => ({ name }) };
const never = () => new AbortController().signal;

describe('the questions of a window', () => {
  it('F041 F042 many at once: each waits its turn, each is answered once, all are counted', async () => {
    const queue = new PermissionQueue();
    const asker = queue.asker(conversation);
    const answers = ['a', 'b', 'c'].map((id) => asker.ask(question(id), never()));
    expect(queue.size).toBe(3);
    expect(queue.current).toMatchObject({ id: 'a', shown: { command: 'echo a' }, card: false });
    expect(queue.place('a')).toEqual({ card: false, more: 2 });
    expect(queue.answer('a', 'allow_once')).toBe(true);
    expect(queue.answer('a', 'reject')).toBe(false);
    expect(queue.current?.id).toBe('b');
    queue.answer('c', 'reject');
    queue.answer('b', 'allow_conversation');
    expect(await Promise.all(answers)).toEqual(['allow_once', 'allow_conversation', 'reject']);
    expect(queue.current).toBeUndefined();
  });

  it('F043 F044 a question that became moot leaves at once, and a late answer changes nothing', async () => {
    const queue = new PermissionQueue();
    const stop = new AbortController();
    const answer = queue.asker(conversation).ask(question('a'), stop.signal);
    let changes = 0;
    queue.onDidChange(() => changes++);
    stop.abort();
    expect(await answer).toBe('cancelled');
    expect([queue.size, changes]).toEqual([0, 1]);
    expect(queue.answer('a', 'allow_once')).toBe(false);
    expect(await queue.asker(conversation).ask(question('b'), stop.signal)).toBe('cancelled');
  });

  it('a question in the view makes room for the next dialog', () => {
    const queue = new PermissionQueue();
    for (const id of ['a', 'b']) void queue.asker(conversation).ask(question(id), never());
    queue.showAsCard('a');
    expect(queue.current?.id).toBe('b');
    expect(queue.place('a')).toEqual({ card: true, more: 1 });
    expect(queue.size).toBe(2);
  });

  it('the view answers only what stands in it as a card', async () => {
    const queue = new PermissionQueue();
    const answer = queue.asker(conversation).ask(question('a'), never());
    expect(queue.answerCard('a', 'allow_once')).toBe(false);
    expect(queue.answerCard('b', 'allow_once')).toBe(false);
    expect(queue.size).toBe(1);
    queue.showAsCard('a');
    expect(queue.answerCard('a', 'allow_conversation')).toBe(true);
    expect(await answer).toBe('allow_conversation');
  });

  it('rule 4: an answer that was not offered does not widen what was', async () => {
    const queue = new PermissionQueue();
    const asker = queue.asker(conversation);
    const unnamed = asker.ask(question('a', { tool: undefined }), never());
    queue.answer('a', 'allow_conversation');
    expect(await unnamed).toBe('allow_once');
    const key = asker.ask(question('b', { keyFile: true }), never());
    queue.answer('b', 'allow_conversation');
    expect(await key).toBe('allow_once');
    const refused = asker.ask(question('c', { cannotAllow: true }), never());
    queue.answer('c', 'allow_once');
    expect(await refused).toBe('reject');
  });

  it('an ask outside of every conversation can be allowed once only, and never stands in the view as a card', async () => {
    const queue = new PermissionQueue({ prompt: () => 'inline' });
    const outside = queue.asker({ ...conversation, id: undefined });
    const answer = outside.ask(question('a'), never());
    expect(queue.current).toMatchObject({ id: 'a', outside: true, card: false, shown: { canRemember: false } });
    queue.answer('a', 'allow_conversation');
    expect(await answer).toBe('allow_once');
    void queue.asker(conversation).ask(question('b'), never());
    expect(queue.waiting[0]).toMatchObject({ outside: false, card: true, shown: { canRemember: true } });
  });

  it('the end of the window answers for nobody: all that wait are cancelled', async () => {
    const queue = new PermissionQueue();
    const answer = queue.asker(conversation).ask(question('a'), never());
    queue.dispose();
    expect(await answer).toBe('cancelled');
    expect(await queue.asker(conversation).ask(question('b'), never())).toBe('cancelled');
  });
});
