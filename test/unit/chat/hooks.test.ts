import { describe, expect, it } from 'vitest';
import { AskView } from '../../../src/chat/ask-view';
import { conversation, text, thought } from './helper';

/** Rule 10 in the conversation: what went out, what came back, and that a hook has changed it. */

const lines = (c: ReturnType<typeof conversation>) => c.of('notice').map((n) => n.title);

describe('a hook changed something', () => {
  it('the question: the ask has what went out, with a line that says so', () => {
    const c = conversation();
    const ask = c.ask();
    ask.hook({ hook: './redact.sh', prompt: 'is xxxxx safe?' });
    ask.hook({ hook: './less.sh', context: true });
    expect(c.of('ask')[0]).toMatchObject({ prompt: 'is xxxxx safe?', rewritten: true });
    expect(lines(c)).toEqual([
      'The hook ./redact.sh rewrote the question',
      'The hook ./less.sh changed the conversation that goes along',
    ]);
  });

  it('the answer: what was seen stays, marked; what the hook gave back stands below it and is kept', () => {
    const c = conversation();
    const ask = c.ask();
    ask.update(text('hunter2'));
    ask.update(thought('hm'));
    ask.update(text(' it is'));
    ask.hook({ hook: './mask.sh', text: 'xxxxx it is' });
    ask.hook({ hook: './two.sh', text: 'nothing' });
    ask.answered('end_turn', { kept: true });
    expect(c.of('text').map((n) => [n.text, n.withheld ?? false, n.done])).toEqual([
      ['hunter2', true, true],
      [' it is', true, true],
      ['xxxxx it is', true, true],
      ['nothing', false, true],
    ]);
    expect(lines(c)).toEqual(['The hook ./mask.sh replaced this answer', 'The hook ./two.sh replaced this answer']);
    expect(c.of('ask')[0]).toMatchObject({ kept: true, end: { how: 'done' } });
  });

  it('kept back: what was seen is marked, and no line is made; the end says it', () => {
    const c = conversation();
    const ask = c.ask();
    ask.update(text('hunter2'));
    ask.hook({ withheld: true });
    ask.end({ how: 'withheld', why: 'The hook ./keep.sh keeps it back.' });
    expect(c.of('text')[0]).toMatchObject({ withheld: true });
    expect(lines(c)).toEqual([]);
    ask.hook({ hook: 'late', text: 'late' });
    expect(c.of('text')).toHaveLength(1);
  });

  it('the words of another ask are not touched', () => {
    const c = conversation();
    const other = c.ask();
    other.update(text('mine'));
    const ask = c.ask();
    ask.update(text('hunter2'));
    ask.hook({ withheld: true });
    expect(c.of('text').map((n) => n.withheld ?? false)).toEqual([false, true]);
  });

  it('an ask that was never opened is not opened to say that nothing is kept', () => {
    const c = conversation();
    let opened = 0;
    const view = new AskView({
      path: ['bob'],
      open: () => {
        opened++;
        return c.ask();
      },
      namesFor: () => c.nameOf,
      kept: true,
    });
    view.event({ type: 'hook', withheld: true });
    expect(opened).toBe(0);
    view.event({ type: 'hook', hook: './redact.sh', prompt: 'x' });
    expect(c.of('ask')[0]).toMatchObject({ prompt: 'x' });
  });
});
