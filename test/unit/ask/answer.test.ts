import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyUpdate } from '../../../src/acp/types';
import { AnswerText } from '../../../src/ask/answer';
import { text } from './support';

function textOf(...updates: AnyUpdate[]): string {
  const answer = new AnswerText();
  for (const update of updates) answer.feed(update);
  return answer.text();
}

const block = (content: object): AnyUpdate => ({ sessionUpdate: 'agent_message_chunk', content }) as AnyUpdate;
const thought: AnyUpdate = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } };
const tool: AnyUpdate = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' };

describe("rule 6: the answer's text", () => {
  it('chunks of one part stand together', () => {
    expect(textOf(text('Hel'), text('lo'))).toBe('Hello');
  });

  it('parts with anything but text between them are joined by a blank line', () => {
    expect(textOf(text('one'), tool, text('two'), thought, text('three'))).toBe('one\n\ntwo\n\nthree');
    expect(textOf(text('one'), { sessionUpdate: 'totally_new' }, text('two'))).toBe('one\n\ntwo');
  });

  it('parts with another messageId are joined by a blank line', () => {
    expect(textOf(text('one', 'a'), text('!', 'a'), text('two', 'b'), text('three'))).toBe('one!\n\ntwo\n\nthree');
  });

  it('updates of the session itself part nothing, not even in the middle of a word', () => {
    const kinds = [
      'usage_update',
      'available_commands_update',
      'current_mode_update',
      'config_option_update',
      'session_info_update',
    ];
    for (const sessionUpdate of kinds) expect(textOf(text('Hel'), { sessionUpdate }, text('lo'))).toBe('Hello');
  });

  it('a block that is no text stands as [image] or [file name]', () => {
    const image = block({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
    const link = block({ type: 'resource_link', name: 'report.pdf', uri: 'file:///x/report.pdf' });
    const embedded = block({ type: 'resource', resource: { uri: 'file:///x/my%20notes.txt', text: 'secret' } });
    expect(textOf(text('see'), image, text('and'), link, embedded)).toBe(
      'see\n\n[image]\n\nand\n\n[report.pdf]\n\n[my notes.txt]',
    );
    expect(textOf(block({ type: 'hologram' }))).toBe('[hologram]');
  });

  it('exactly one blank line, whatever breaks the parts end with', () => {
    expect(textOf(text('one\n\n'), tool, text('\n\ntwo\n'))).toBe('one\n\ntwo\n');
  });

  it('parts of white space alone are none', () => {
    expect(textOf(text('\n'), tool, text('one'), tool, text('  '))).toBe('one');
    expect(textOf(text('\n'), tool)).toBe('');
  });

  it('survives what is no content (F021)', () => {
    for (const content of [null, undefined, 'x', 3, [], { type: 'text' }, { type: 'text', text: 3 }]) {
      expect(textOf(text('a'), block(content as never), text('b')).replaceAll(/\s|\[.*?\]/g, '')).toBe('ab');
    }
  });

  it('is linear in its chunks', () => {
    const answer = new AnswerText();
    const start = performance.now();
    for (let i = 0; i < 300_000; i++) answer.feed(text('word '));
    expect(answer.text()).toHaveLength(1_500_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('property: how a text is cut into chunks changes nothing, and no character is lost', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string({ minLength: 1 }).map((s) => ({ say: s })),
        fc.constant({ gap: tool }),
        fc.constant({ gap: thought }),
        fc.constant({ gap: { sessionUpdate: 'usage_update' } as AnyUpdate }),
      ),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const whole = list.map((p) => ('say' in p ? text(p.say) : p.gap));
        const single = list.flatMap((p) => ('say' in p ? [...p.say].map((c) => text(c)) : [p.gap]));
        const result = textOf(...whole);
        expect(textOf(...single)).toBe(result);
        const said = list.map((p) => ('say' in p ? p.say : '')).join('');
        expect(result.replace(/\s/g, '')).toBe(said.replace(/\s/g, ''));
      }),
    );
  });

  it('property: never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ content: fc.anything(), messageId: fc.anything() })), (list) => {
        textOf(...list.map((o) => ({ sessionUpdate: 'agent_message_chunk', ...o }) as never));
      }),
    );
  });
});

describe('an agent that floods', () => {
  const chunk = (text: string) =>
    ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }) as AnyUpdate;
  it('does not fill the memory, and the end says that something is missing', () => {
    const answer = new AnswerText();
    const megabyte = chunk('x'.repeat(1_000_000));
    for (let i = 0; i < 100; i++) answer.feed(megabyte);
    answer.feed(chunk('after the gap'));
    expect(answer.text()).toHaveLength(16_000_000);
    expect(answer.whole().slice(16_000_000)).toBe('\n[… 84000013 characters left out …]');
  });
  it('the first characters are the first characters of the whole', () => {
    const answer = new AnswerText();
    for (const text of ['one ', 'two']) answer.feed(chunk(text));
    answer.feed({ sessionUpdate: 'tool_call', toolCallId: 't', title: 't' } as AnyUpdate);
    answer.feed(chunk('three'));
    for (const max of [0, 3, 7, 8, 9, 100]) expect(answer.head(max)).toBe(answer.text().slice(0, max));
  });
});
