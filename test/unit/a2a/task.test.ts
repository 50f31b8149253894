import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOver, readEvent, type TaskEvent } from '../../../src/a2a/task';
import { TaskUpdates } from '../../../src/a2a/task-updates';
import { AnswerText } from '../../../src/ask/answer';

const text = (words: string) => ({ kind: 'text' as const, text: words });
const artifact = (id: string, words: string, append = false): TaskEvent => ({
  type: 'artifact',
  id: 't',
  artifact: { id, parts: [text(words)] },
  append,
});
const task = (state: 'working' | 'completed', ...artifacts: [string, string][]): TaskEvent => ({
  type: 'task',
  id: 't',
  state,
  message: [],
  artifacts: artifacts.map(([id, words]) => ({ id, parts: [text(words)] })),
});

/** The answer that events leave, and what was thought on the way. */
function shown(...events: TaskEvent[]): { answer: string; thoughts: string } {
  const updates = new TaskUpdates();
  const answer = new AnswerText();
  let thoughts = '';
  for (const update of events.flatMap((event) => updates.of(event))) {
    answer.feed(update);
    if (update.sessionUpdate === 'agent_thought_chunk')
      thoughts += (update as unknown as { content: { text: string } }).content.text;
  }
  return { answer: answer.whole(), thoughts };
}

describe('events of both versions', () => {
  it('0.3 and 1.0 say the same', () => {
    const status03 = {
      kind: 'status-update',
      taskId: 't',
      contextId: 'c',
      status: { state: 'input-required', message: { parts: [{ kind: 'text', text: 'Which?' }] } },
    };
    const status10 = {
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which?' }] } },
      },
    };
    const expected = { type: 'status', id: 't', contextId: 'c', state: 'input-required', message: [text('Which?')] };
    expect(readEvent(status03)).toEqual(expected);
    expect(readEvent(status10)).toEqual(expected);
  });

  it('files and data come with what is known of them', () => {
    const parts = [
      { kind: 'file', file: { name: 'a.txt', mimeType: 'text/plain', bytes: 'aGVsbG8=' } },
      { url: 'https://example.com/b.png', filename: 'b.png', mediaType: 'image/png' },
      { kind: 'file', file: { uri: 'file:///etc/passwd' } },
      { kind: 'data', data: { answer: 42 } },
    ];
    expect(readEvent({ kind: 'message', parts })).toMatchObject({
      parts: [
        { kind: 'file', name: 'a.txt', mediaType: 'text/plain', size: 5 },
        { kind: 'file', name: 'b.png', url: 'https://example.com/b.png' },
        { kind: 'file', url: undefined },
        { kind: 'data', data: { answer: 42 } },
      ],
    });
  });

  it.each([[null], ['x'], [[]], [{}], [{ kind: 'task' }], [{ task: { id: 5 } }], [{ kind: 'artifact-update' }]])(
    '%j is none',
    (value) => expect(readEvent(value)).toBeUndefined(),
  );

  it('no garbage throws, and every state is one of ours', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, inner) => {
        for (const result of [value, { task: inner }, { kind: 'task', id: 'x', status: inner, artifacts: value }]) {
          const event = readEvent(result);
          if (event?.type === 'task') expect(typeof isOver(event.state)).toBe('boolean');
          if (event) shown(event);
        }
      }),
    );
  });
});

describe('what a task becomes', () => {
  it('pieces of an artifact are one text, another artifact is another', () => {
    const { answer } = shown(artifact('a', 'Hello '), artifact('a', 'world', true), artifact('b', 'Second'));
    expect(answer).toBe('Hello world\n\nSecond');
  });

  it('what the finished task repeats is shown once, and what it has more of is added', () => {
    const streamed = [artifact('a', 'Hello '), artifact('a', 'wide ', true)];
    expect(shown(...streamed, task('completed', ['a', 'Hello wide '])).answer).toBe('Hello wide ');
    expect(shown(...streamed, task('completed', ['a', 'Hello wide world'], ['b', 'More'])).answer).toBe(
      'Hello wide world\n\nMore',
    );
  });

  it('an artifact with other words is another text, not a torn one', () => {
    expect(shown(artifact('a', 'First try'), artifact('a', 'Second, better')).answer).toBe(
      'First try\n\nSecond, better',
    );
  });

  it('what it says while it works is a thought, each once; the words of its end are not', () => {
    const status = (state: 'working' | 'failed', words: string): TaskEvent => ({
      type: 'status',
      id: 't',
      state,
      message: [text(words)],
    });
    expect(
      shown(
        status('working', 'looking'),
        status('working', 'looking'),
        status('working', 'found'),
        status('failed', 'x'),
      ),
    ).toEqual({ answer: '', thoughts: 'looking\nfound' });
  });

  it('data stands as JSON in a fence that it cannot close', () => {
    const updates = new TaskUpdates();
    const [update] = updates.of({ type: 'message', parts: [{ kind: 'data', data: { a: '```\n# not a title' } }] });
    const words = (update as unknown as { content: { text: string } }).content.text;
    expect(words).toContain('\n````json\n');
    expect(words.trim().endsWith('\n````')).toBe(true);
  });

  it('however a text is cut, streamed and repeated, it comes out once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }),
        fc.nat(8),
        (pieces, at) => {
          const whole = pieces.join('');
          const seen = pieces.slice(0, at);
          const events = seen.map((piece, i) => artifact('a', piece, i > 0));
          const { answer } = shown(...events, task('working', ['a', seen.join('')]), task('completed', ['a', whole]));
          expect(answer).toBe(whole.trim() === '' ? '' : whole);
        },
      ),
    );
  });
});
