import { describe, expect, it } from 'vitest';
import { CancelledError, describe as inWords, isCancelled, UserError } from '../../../src/base/errors';
import { visible } from '../../../src/base/text';

describe('F022 any rejected value in words', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  it.each<[unknown, string]>([
    [new Error('no route'), 'no route'],
    [
      new Error('fetch failed', { cause: new Error('ECONNREFUSED 127.0.0.1:1') }),
      'fetch failed (ECONNREFUSED 127.0.0.1:1)',
    ],
    [new Error('a: b', { cause: 'b' }), 'a: b'],
    [new TypeError(''), 'TypeError'],
    ['plain', 'plain'],
    ['', 'unknown error'],
    [null, 'unknown error'],
    [undefined, 'unknown error'],
    [{ code: -32603, message: 'Internal error' }, 'Internal error'],
    [{ message: { message: 'nested' } }, 'nested'],
    [{ code: 7 }, '{"code":7}'],
    [circular, 'unknown error'],
    [42, '42'],
  ])('%o is %j', (value, words) => {
    expect(inWords(value)).toBe(words);
    expect(inWords(value)).not.toContain('[object');
  });

  it('a ring of causes ends', () => {
    const a = new Error('a failed');
    const b = new Error('b failed', { cause: a });
    a.cause = b;
    expect(inWords(a)).toContain('a failed (b failed');
  });

  it('an error that is its own cause ends', () => {
    const error = new Error('round');
    error.cause = error;
    expect(inWords(error)).toBe('round');
  });
});

it('knows a cancel from a failure', () => {
  expect(isCancelled(new CancelledError())).toBe(true);
  expect(isCancelled(new DOMException('stop', 'AbortError'))).toBe(true);
  expect(isCancelled(new UserError('no'))).toBe(false);
});

it('a cause that the message quotes, cleaned and cut, is not said again', () => {
  const raw = 'bad\u001b[2J news';
  const quoted = `bob answered: ${visible(raw)}`;
  expect(inWords(new UserError(quoted, { cause: new Error(raw) }))).toBe(quoted);
});
