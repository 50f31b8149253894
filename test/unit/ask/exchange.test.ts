import { describe, expect, it } from 'vitest';
import { exchangeOf, exchangeOfPart, keep } from '../../../src/ask/exchange';
import type { Answer } from '../../../src/ask/types';

const bob = { name: 'bob', title: 'Bob', provider: 'openai', model: 'qwen3:8b' };

function answer(o: Partial<Answer> = {}): Answer {
  const text = o.text ?? 'Yes.';
  return {
    text,
    ...keep(text, 20_000, o.stopReason),
    agent: 'bob',
    stopReason: 'end_turn',
    refused: [],
    prompt: 'is this safe?',
    agentFace: bob,
    ...o,
  };
}

describe('rule 6: the exchange is a pair', () => {
  it('its exact texts', () => {
    expect(exchangeOf(answer())).toEqual({
      user: '[asked bob (openai/qwen3:8b): is this safe?]',
      assistant: "[bob's answer]\nYes.",
    });
  });

  it('an agent whose provider and model are not known stands with its title', () => {
    const claude = answer({ agentFace: { name: 'claude', title: 'Claude Agent' }, prompt: 'hi' });
    expect(exchangeOf(claude).user).toBe('[asked claude (Claude Agent): hi]');
    expect(exchangeOf(answer({ agentFace: { name: 'x' }, prompt: 'hi' })).user).toBe('[asked x: hi]');
  });

  it('keeps the first maxOutput characters and says how much was cut', () => {
    expect(keep('abcdef', 4)).toEqual({ kept: 'abcd\n[2 more characters were cut]', truncated: 2 });
    expect(keep('abcde', 4)).toEqual({ kept: 'abcd\n[1 more character was cut]', truncated: 1 });
    expect(keep('abcd', 4)).toEqual({ kept: 'abcd', truncated: 0 });
  });

  it('never cuts a character in two', () => {
    expect(keep('ab🎉', 3)).toEqual({ kept: 'ab\n[2 more characters were cut]', truncated: 2 });
  });

  it('max_tokens and max_turn_requests leave a last line that says so', () => {
    expect(keep('abc', 10, 'max_tokens').kept).toBe('abc\n[The answer ends here: the limit of tokens was reached.]');
    expect(keep('abcdef', 4, 'max_turn_requests').kept.split('\n').at(-1)).toMatch(/limit of model requests/);
    expect(keep('abc', 10, 'end_turn').kept).toBe('abc');
  });

  it('"Keep what came" makes a pair of what there is, and none of nothing', () => {
    expect(exchangeOfPart(bob, 'q', 'half a', 100)?.assistant).toBe(
      "[bob's answer]\nhalf a\n[The answer was not finished.]",
    );
    expect(exchangeOfPart(bob, 'q', '  ', 100)).toBeUndefined();
  });
});
