import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHookAnswer } from '../../../src/ask/hook-answer';
import type { HookPoint } from '../../../src/config/types';

/** Rule 10: what a hook prints. */

const change = (point: HookPoint, stdout: string) => {
  const answer = readHookAnswer(point, stdout);
  if (!answer.ok) throw new Error(answer.words);
  return answer.change;
};

describe('what a hook printed', () => {
  it.each(['', ' \n', '\ufeff', '{}'])('%j is no change', (stdout) => {
    expect(change('preAsk', stdout)).toEqual({});
    expect(change('postAsk', stdout)).toEqual({});
  });

  it('a prompt, a context, a text', () => {
    expect(change('preAsk', '{"prompt": "a", "context": "b"}\n')).toEqual({ prompt: 'a', context: 'b' });
    expect(change('preAsk', '\ufeff{"context": ""}')).toEqual({ context: '' });
    expect(change('preAsk', '{"context": null}')).toEqual({ context: '' });
    expect(change('postAsk', '{"text": "a"}')).toEqual({ text: 'a' });
  });

  it('what it was told may come back as it came', () => {
    const told = { event: 'preAsk', agent: 'bob', caller: {}, chain: [], depth: 1, cwd: '/' };
    expect(change('preAsk', JSON.stringify({ ...told, prompt: 'x' }))).toEqual({ prompt: 'x' });
    expect(change('postAsk', JSON.stringify({ ...told, prompt: 'x', model: 'm', text: 'y' }))).toEqual({ text: 'y' });
  });

  it.each([
    ['preAsk', 'done.', 'it is no JSON: done.'],
    ['preAsk', '{"prompt": "a"}{"prompt": "b"}', 'it is no JSON'],
    ['preAsk', '["a"]', 'it is no JSON object'],
    ['preAsk', 'null', 'it is no JSON object'],
    ['preAsk', '"a"', 'it is no JSON object'],
    ['preAsk', '{"prompt": 5}', '`prompt` is no text'],
    ['preAsk', '{"prompt": null}', '`prompt` is no text'],
    ['preAsk', '{"prompt": " "}', '`prompt` is empty'],
    ['postAsk', '{"text": ""}', '`text` is empty'],
    ['preAsk', '{"refuse": "no"}', 'the key `refuse` is not known; expected `prompt`, `context`'],
    ['preAsk', '{"text": "a"}', 'the key `text` is not known'],
    ['postAsk', '{"answer": "a"}', 'the key `answer` is not known; expected `text`'],
    ['preAsk', '\u001b[31mred', 'it is no JSON: [U+001B][31mred'],
  ] as const)('%s: %j is an error, so that nothing passes by mistake', (point, stdout, words) => {
    const answer = readHookAnswer(point, stdout);
    expect(answer.ok ? 'no error' : answer.words).toContain(words);
  });

  it('never throws, and lets through only texts that are there', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<HookPoint>('preAsk', 'postAsk'),
        fc.oneof(fc.json(), fc.string()),
        (point, stdout) => {
          const answer = readHookAnswer(point, stdout);
          if (!answer.ok) return answer.words !== '';
          return Object.values(answer.change).every((text) => typeof text === 'string');
        },
      ),
    );
  });
});
