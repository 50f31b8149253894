import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AskEvent, PermissionQuestion } from '../../../src/ask/types';
import { ChatAnswer } from '../../../src/vscode/chatAnswer';
import { fenced, literal } from '../../../src/vscode/markdown';
import { call, end, FakeStream, text, thought } from './editorChatSupport';

let stream: FakeStream;
beforeEach(() => {
  vi.useFakeTimers();
  stream = new FakeStream();
});
afterEach(() => {
  vi.useRealTimers();
});

function show(...events: AskEvent[]): ChatAnswer {
  const answer = new ChatAnswer(stream, 'bob', false);
  for (const event of events) answer.event(event);
  return answer;
}

const question = { name: 'bob/bash' } as PermissionQuestion;

describe('an ask in the editor’s own chat', () => {
  it('words come as they are said, and in the end all of them, each once', () => {
    const answer = show(text('One '));
    expect(stream.words).toBe('');
    vi.advanceTimersByTime(60);
    expect(stream.words).toBe('One');
    answer.event(text('two'));
    answer.event(end('One two'));
    answer.dispose();
    vi.advanceTimersByTime(1000);
    expect(stream.words).toBe('One two');
  });

  it('thoughts, calls and questions are lines of progress between the words, in their order', () => {
    show(
      { type: 'starting', agent: { name: 'bob' } },
      { type: 'started', agent: { name: 'bob', provider: 'ollama', model: 'qwen3' }, sessionId: 's' },
      thought,
      thought,
      text('I look.'),
      call('c1', 'ls\nrm -rf x'),
      call('c1', 'ls'),
      { type: 'permission', question, state: 'waiting' },
      { type: 'permission', question, state: 'settled', decision: { outcome: 'rejected', by: 'person' } },
      text('No.'),
      end('I look.\n\nNo.'),
    ).dispose();
    expect(stream.parts.map((p) => p.text.replaceAll('\\', ''))).toEqual([
      'bob is being started',
      'bob (ollama/qwen3) is working',
      'bob is thinking',
      'I look.',
      'bob/bash: ls',
      'bob/bash waits for your answer',
      'bob/bash was rejected',
      '\n\nNo.',
    ]);
  });

  it('rule 9: who is asked on the way has its lines, and its words stay with the one who asked', () => {
    const nested = (event: AskEvent): AskEvent => ({
      type: 'nested',
      askId: 'n',
      toolCallId: 't',
      agent: 'riker',
      askedBy: 'bob',
      prompt: 'plan it',
      event,
    });
    show(nested(text('secret of riker')), nested(call('c', 'ls')), end('done')).dispose();
    expect(stream.of('progress').map((t) => t.replaceAll('\\', ''))).toEqual([
      'bob asks riker: plan it',
      'bob/riker/bash: ls',
    ]);
    expect(stream.words).toBe('done');
  });

  it('no link to a command, no HTML and no icon of an agent is believed', () => {
    show(text('[x](command:mm.showLog) <img src=x> $(bug)'), call('c', '[x](command:y) `z`'), end('x')).dispose();
    const [words, line] = [stream.parts.find((p) => p.kind === 'markdown')!, stream.of('progress')[0]!];
    expect(words).toMatchObject({ trusted: false, html: false });
    expect(line).not.toMatch(/(?<!\\)[[`]/);
  });

  it('rule 10: words that have yet to pass a hook are not shown before the end', () => {
    const answer = new ChatAnswer(stream, 'bob', true);
    answer.event(text('raw'));
    answer.event(call('c', 'ls'));
    vi.advanceTimersByTime(1000);
    expect(stream.words).toBe('');
    answer.event({ type: 'hook', point: 'postAsk', hook: 'redact.sh', text: 'clean' });
    answer.event(end('clean'));
    answer.dispose();
    expect(stream.words).toBe('clean');

    // and never where the ask ends without an answer
    const stopped = new ChatAnswer(stream, 'bob', true);
    stopped.event(text('raw'));
    stopped.dispose();
    expect(stream.words).toBe('clean');
  });

  it('rule 6: an answer that is not whole says so', () => {
    show(end('half', { stopReason: 'max_tokens' })).dispose();
    expect(stream.words).toContain('half\n\n\\[The answer ends here');
  });

  it('a flood has an end: lines and characters', () => {
    const answer = show();
    for (let i = 0; i < 1000; i++) answer.event(call(`c${i}`, `call ${i}`));
    expect(stream.of('progress')).toHaveLength(300);
    answer.event(text('x'.repeat(1_200_000)));
    vi.advanceTimersByTime(60);
    answer.event(text('y'));
    vi.advanceTimersByTime(60);
    answer.dispose();
    expect(stream.words.length).toBeLessThan(1_000_100);
    expect(stream.of('markdown').filter((t) => t.includes('More came'))).toHaveLength(1);
  });

  it('however an answer is cut into chunks, the chat gets just its words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.func(fc.boolean()), (chunks, pause) => {
        stream = new FakeStream();
        const whole = chunks.join('');
        fc.pre(whole.trim() !== '');
        const answer = show();
        chunks.forEach((chunk, i) => {
          answer.event(text(chunk));
          if (pause(i)) vi.advanceTimersByTime(60);
        });
        answer.event(end(whole));
        answer.dispose();
        expect(stream.words).toBe(whole);
      }),
    );
  });
});

describe('words in Markdown', () => {
  it('a block cannot be ended by what is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '``', '~~~', '\n', 'a', '    ')), (parts) => {
        const body = parts.join('');
        const [fence] = /^`+/.exec(fenced(body))!;
        expect(fenced(body)).toBe(`${fence}text\n${body}\n${fence}`);
        for (const [run] of body.matchAll(/`+/g)) expect(run.length).toBeLessThan(fence.length);
      }),
    );
  });

  it('F046: hidden characters are seen, and a line stays a line', () => {
    expect(literal('a\u202eb\nc')).toBe('a\\[U\\+202E\\]b ⏎ c');
    expect(fenced('\u200b')).toContain('[U+200B]');
  });
});
