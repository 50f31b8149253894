import { describe, expect, it } from 'vitest';
import { canAllow, optionFor } from '../../../src/ask/options';
import { usualOptions } from './support';

const only = (...kinds: string[]) => usualOptions.filter((o) => kinds.includes(o.kind));

describe("rule 4: what we send back is one of the agent's own options", () => {
  it.each([
    ['allowed', usualOptions, 'once'],
    ['rejected', usualOptions, 'no'],
    ['cancelled', usualOptions, undefined],
    ['allowed', only('allow_always', 'reject_once'), undefined],
    ['rejected', only('allow_once', 'reject_always'), 'never'],
    ['rejected', only('allow_once'), undefined],
  ] as const)('%s of %j is %s', (outcome, options, want) => {
    expect(optionFor(outcome, options)).toBe(want);
  });

  it('takes the first of its kind (qwen offers two)', () => {
    const two = [...usualOptions, { optionId: 'switch', kind: 'allow_once', name: 'and switch' }];
    expect(optionFor('allowed', two)).toBe('once');
  });

  it('never sends allow_always', () => {
    expect(canAllow(only('allow_always'))).toBe(false);
    expect(canAllow(usualOptions)).toBe(true);
  });

  it('survives options that are none', () => {
    for (const bad of [
      null,
      undefined,
      'x',
      3,
      {},
      [null, 1, {}, { kind: 'allow_once' }, { optionId: 3, kind: 'allow_once' }],
    ]) {
      expect(optionFor('allowed', bad)).toBeUndefined();
    }
  });
});
