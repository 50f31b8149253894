import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFromPage } from '../../../src/vscode/messages';

describe('messages of the page', () => {
  it('every known message passes, and only its own fields', () => {
    const good = [
      { type: 'ready' },
      { type: 'send', text: 'hello' },
      { type: 'stop' },
      { type: 'stopAsk', id: 'n1' },
      { type: 'answer', questionId: 'q1', answer: 'reject' },
      { type: 'action', node: 'n1', action: 'ask-again' },
      { type: 'typing' },
      { type: 'focused', on: true },
      { type: 'draft', text: '' },
      { type: 'home', name: 'Ada' },
      { type: 'open', href: 'src/a.ts' },
    ];
    for (const message of good) expect(parseFromPage({ ...message, command: 'rm' })).toEqual(message);
  });

  it('anything else is nothing', () => {
    const bad = [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 'exec', command: 'workbench.action.quit' },
      { type: 'send' },
      { type: 'send', text: 7 },
      { type: 'send', text: 'x'.repeat(1_000_001) },
      { type: 'answer', questionId: 'q', answer: 'allow_always' },
      { type: 'answer', questionId: '', answer: 'reject' },
      { type: 'action', node: 'n', action: 'toString' },
      { type: 'action', node: 'n', action: 'mm.showLog' },
      { type: 'stopAsk', id: 'x'.repeat(300) },
      { type: 'open', href: {} },
    ];
    for (const message of bad) expect(parseFromPage(message)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.anything(), (raw) => void parseFromPage(raw)));
  });
});
