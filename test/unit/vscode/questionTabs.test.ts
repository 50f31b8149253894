import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';
import { PermissionQueue } from '../../../src/host/permissions';
import { wholeText } from '../../../src/vscode/dialogText';
import { EditorCommands, Schemes } from '../../../src/vscode/ids';
import { Questions } from '../../../src/vscode/questions';
import { fake } from '../../support/vscode';

let queue: PermissionQueue;
let questions: Questions;
let answered: Promise<string>;
const stop = new AbortController();
const command = `echo ${'word '.repeat(400)}${'x'.repeat(20_000)}end`;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  fake.reset();
  queue = new PermissionQueue();
  questions = new Questions({
    queue,
    typing: { wait: 0, typed: () => {} },
    view: { focused: false, focusComposer: async () => {}, setBadge: () => {} },
    reveal: async () => {
      throw new Error('the view has no place for it');
    },
    report: (error) => {
      throw error;
    },
    log: silentLog,
  });
  const question: PermissionQuestion = {
    id: 'q:1',
    path: ['bob'],
    tool: 'bash',
    name: 'bob/bash',
    toolCall: { toolCallId: 'c', kind: 'execute', rawInput: { command } } as PermissionQuestion['toolCall'],
    options: [],
    cwd: '/work',
    chain: ['You', 'bob'],
    keyFile: false,
    cannotAllow: false,
  };
  const asker = queue.asker({ id: undefined, home: () => '@mm', face: (name) => ({ name }) });
  answered = asker.ask(question, stop.signal);
});
afterEach(() => {
  questions.dispose();
  queue.dispose();
});

const tab = () => fake.contentProviders.get(Schemes.question)!;
const textOf = (id: string) => tab().provideTextDocumentContent({ query: id } as never);

describe('F046: a question that is too long for a dialog and belongs to no conversation', () => {
  it('is shown whole in a tab, and a message beside it takes the answer', async () => {
    expect(fake.message.options?.modal).toBe(true);
    expect(fake.message.items.map((i) => (i as { title: string }).title)).toEqual(['Show in Editor', 'Reject']);
    fake.message.answer('Show in Editor');
    await settled();
    expect(fake.shown[0]!.file).toBe('/bob∕bash');
    const whole = textOf('q:1');
    expect(whole.replaceAll('\n┊ ', '')).toContain(command);
    expect(fake.message).toMatchObject({ kind: 'warning', options: undefined, items: ['Allow Once', 'Reject'] });
    fake.message.answer('Allow Once');
    expect(await answered).toBe('allow_once');
    expect(textOf('q:1')).toBe('This question waits no longer.');
  });

  it('closing the message answers nothing; Next Waiting Question asks again, one message at a time', async () => {
    fake.message.answer('Show in Editor');
    await settled();
    const count = fake.messages.length;
    await questions.next();
    expect(fake.messages).toHaveLength(count);
    expect(fake.commands).toEqual([[EditorCommands.showNotifications]]);
    fake.message.answer();
    await settled();
    expect(queue.size).toBe(1);
    await questions.next();
    fake.message.answer('Reject');
    expect(await answered).toBe('reject');
  });

  it('F043: an answer after it was withdrawn changes nothing, and a notice says so', async () => {
    fake.message.answer('Show in Editor');
    await settled();
    const message = fake.message;
    queue.dispose();
    expect(await answered).toBe('cancelled');
    message.answer('Allow Once');
    await settled();
    expect(fake.message.message).toContain('changed nothing');
  });

  it('no line of the text is so long that an editor would hide its end', () => {
    const { shown } = queue.current!;
    const lines = wholeText(shown).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    // what goes on cannot be taken for a line of ours, nor the other way round
    expect(lines.filter((line) => line.includes('xxx')).every((line) => /^[│┊] /.test(line))).toBe(true);
  });
});
