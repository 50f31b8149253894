import { describe, expect, it } from 'vitest';
import { brokenHook, refusedByHook, silentAsk } from '../../../src/ask/errors';
import { endOfAsk } from '../../../src/host/ends';

describe('how an ask without an answer stands in the conversation', () => {
  it('rule 10: a hook that refused, before or after, and one that is broken', () => {
    expect(endOfAsk(refusedByHook('preAsk', 'bob', './no.sh', 'a customer'), 300)).toEqual({
      how: 'not-asked',
      why: 'The hook ./no.sh refused the question to bob: a customer',
    });
    expect(endOfAsk(refusedByHook('postAsk', 'bob', './no.sh', undefined), 300)).toEqual({
      how: 'withheld',
      why: 'The hook ./no.sh keeps the answer of bob back: it gave no reason',
    });
    expect(
      endOfAsk(brokenHook('preAsk', 'bob', 'the hook x failed.', { hint: 'Mend it.', detail: 'oops' }), 300),
    ).toEqual({ how: 'failed', title: 'bob was not asked: the hook x failed.', detail: 'Mend it.\noops' });
  });

  it('rule 11: silence', () => {
    expect(endOfAsk(silentAsk('bob', 300, 'mm.yaml'), 300)).toEqual({ how: 'watchdog', seconds: 300 });
  });
});
