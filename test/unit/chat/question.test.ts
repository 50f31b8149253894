import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxCommand, questionView } from '../../../src/chat/question';
import { question } from './helper';

const faces = (name: string) => ({ name });
const view = (toolCall: object, over = {}) => questionView(question({ toolCall, ...over }), faces);

describe('a question as it is shown', () => {
  it('F046 the whole command, not the title', () => {
    const command = `echo ${'x'.repeat(300)}`;
    expect(view({ title: 'bash', kind: 'execute', rawInput: { command } })).toMatchObject({
      verb: 'run',
      command,
      canAllow: true,
    });
  });

  it('F046 hidden characters are made visible and counted', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'rm ./tmp/\u202egol.tropxe\r' } });
    expect(q).toMatchObject({ command: 'rm ./tmp/[U+202E]gol.tropxe[U+000D]', hidden: 2 });
  });

  it('F046 nothing of an input hides behind its command', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'ls', env: { PATH: '/evil' } } });
    expect(q.command).toContain('ls');
    expect(q.command).toContain('/evil');
  });

  it('F046 what is too long to be shown whole can only be rejected', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'x'.repeat(maxCommand + 1) } });
    expect(q).toMatchObject({ canAllow: false, canRemember: false });
  });

  it('the prompt of an ask, with whom it goes to', () => {
    const q = view(
      { kind: 'other', rawInput: { agent: 'riker', prompt: 'how long?', context: 'a plan' } },
      { tool: 'ask_agent' },
    );
    expect(q).toMatchObject({ verb: 'ask', command: 'riker: a plan\n\nhow long?' });
  });

  it('a change shows its diff', () => {
    const q = view(
      { kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] },
      { tool: 'edit' },
    );
    expect(q).toMatchObject({ verb: 'change', command: '/a', diffs: [{ added: 1, removed: 1 }] });
  });

  it.each([
    [{ tool: undefined }, true, false],
    [{ keyFile: true }, true, false],
    [{ cannotAllow: true }, false, false],
    [{}, true, true],
  ])('rule 4: %j can be allowed: %s, remembered: %s', (over, canAllow, canRemember) => {
    expect(view({ kind: 'execute', rawInput: { command: 'ls' } }, over)).toMatchObject({ canAllow, canRemember });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('rawInput', 'content', 'kind', 'title', 'locations'), fc.jsonValue()),
        (call) => {
          expect(typeof view(call).command).toBe('string');
        },
      ),
    );
  });
});
