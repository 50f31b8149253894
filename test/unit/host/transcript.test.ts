import { describe, expect, it } from 'vitest';
import { transcriptOf } from '../../../src/host/transcript';
import { call, conversation, text, thought, update } from '../chat/helper';

describe('rule 7: the transcript', () => {
  it('has questions, answers and one line per call; no output, no thoughts, nothing after Stop', () => {
    const c = conversation();
    c.writer.user('why is it slow?');
    const turn = c.turn();
    turn.update(thought('secret thought'));
    turn.update(call('t', { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } }));
    turn.update(
      update('t', {
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'SECRET OUTPUT' } }],
      }),
    );
    turn.update(text('Because of the sort.'));
    turn.stopping();
    turn.update(text('too late'));
    turn.answered('cancelled');
    c.writer.user('/ask-bob safe?');
    const ask = c.ask();
    ask.update(text('Yes, it is.'));
    ask.answered('end_turn');
    c.writer.user('thanks');
    expect(transcriptOf(c.thread.values())).toBe(
      [
        'User: why is it slow?',
        '[Ada used bash: npm test (done)]',
        'Ada: Because of the sort.',
        'User: /ask-bob safe?',
        'bob: Yes, it is.',
        'User: thanks',
      ].join('\n\n'),
    );
  });

  it('rule 10: has a question as a hook rewrote it, and an answer as a hook replaced it', () => {
    const c = conversation();
    c.writer.user('/ask-bob is hunter2 safe?');
    const ask = c.ask();
    ask.hook({ hook: './redact.sh', prompt: 'is xxxxx safe?' });
    ask.update(text('hunter2 is not safe.'));
    ask.hook({ hook: './mask.sh', text: 'xxxxx is not safe.' });
    ask.answered('end_turn', { kept: true });
    c.writer.user('/ask-bob and now?');
    const withheld = c.ask();
    withheld.update(text('hunter2 again'));
    withheld.hook({ withheld: true });
    withheld.end({ how: 'withheld', why: 'it names a key' });
    expect(transcriptOf(c.thread.values())).toBe(
      ['User: /ask-bob is xxxxx safe?', 'bob: xxxxx is not safe.', 'User: /ask-bob and now?'].join('\n\n'),
    );
  });

  it('leaves out an ask that goes another way, with the line that made it and all that is in it', () => {
    const c = conversation();
    c.writer.user('hello');
    const turn = c.turn();
    turn.update(text('hi'));
    turn.answered('end_turn');
    c.writer.user('/ask-bob safe?');
    const ask = c.ask();
    const riker = ask.child('r', { agent: { name: 'riker' }, askedBy: 'bob', prompt: 'deep', nameOf: c.nameOf });
    riker.update(text('from the deep'));
    ask.update(text('Yes.'));
    ask.answered('end_turn');
    expect(transcriptOf(c.thread.values(), { without: new Set([ask.id]) })).toBe('User: hello\n\nAda: hi');
    expect(transcriptOf(c.thread.values())).toContain('bob: [asks riker] deep');
    expect(transcriptOf(c.thread.values(), { until: turn.id })).toBe('User: hello');
  });
});
