import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMention } from '../../../src/chat/mention';
import { parseSlash } from '../../../src/chat/slash';

const agents = ['bob', 'riker', 'with-context-x', 'ask-me'];
const ask = (agent: string, prompt: string, withContext = false) => ({ kind: 'ask', agent, prompt, withContext });

describe('what a person writes behind @mm', () => {
  it('behind the commands of the editor the first word is the agent', () => {
    expect(parseMention('ask', 'bob run: ls', agents)).toEqual(ask('bob', 'run: ls'));
    expect(parseMention('ask-with-context', ' bob\nrun: ls\n', agents)).toEqual(ask('bob', 'run: ls', true));
    expect(parseMention('ask', '@bob, is it?', agents)).toEqual(ask('bob', 'is it?'));
    expect(parseMention('ask', 'bob', agents)).toEqual({ kind: 'no-prompt', agent: 'bob', withContext: false });
    expect(parseMention('ask', 'data is it?', agents)).toEqual({
      kind: 'unknown-agent',
      agent: 'data',
      prompt: 'is it?',
    });
    expect(parseMention('ask', '  ', agents)).toEqual({ kind: 'no-agent', prompt: '' });
  });

  it('/bob, /ask-bob and /ask-with-context-bob, which the editor passes on as they were typed', () => {
    expect(parseMention(undefined, '/bob hi', agents)).toEqual(ask('bob', 'hi'));
    expect(parseMention(undefined, '/ask-bob hi', agents)).toEqual(ask('bob', 'hi'));
    expect(parseMention(undefined, ' /ask-with-context-bob hi\nthere', agents)).toEqual(ask('bob', 'hi\nthere', true));
    expect(parseMention(undefined, '/ask bob hi', agents)).toEqual(ask('bob', 'hi'));
    expect(parseMention(undefined, '/ask-with-context bob hi', agents)).toEqual(ask('bob', 'hi', true));
    expect(parseMention(undefined, '/ask-me hi', agents)).toEqual(ask('ask-me', 'hi'));
    expect(parseMention(undefined, '/ask-bob', agents)).toEqual({
      kind: 'no-prompt',
      agent: 'bob',
      withContext: false,
    });
    expect(parseMention(undefined, '/ask-with-context-bob', agents)).toMatchObject({ withContext: true });
    expect(parseMention(undefined, '/data hi', agents)).toEqual({ kind: 'unknown-agent', agent: 'data', prompt: 'hi' });
    expect(parseMention(undefined, '/ask-data hi', agents)).toMatchObject({ kind: 'unknown-agent', agent: 'data' });
  });

  it('without a command only a name counts as one; other words are the question', () => {
    expect(parseMention(undefined, 'bob hi', agents)).toEqual(ask('bob', 'hi'));
    expect(parseMention(undefined, 'is this safe?', agents)).toEqual({ kind: 'no-agent', prompt: 'is this safe?' });
    expect(parseMention(undefined, '', agents)).toEqual({ kind: 'no-agent', prompt: '' });
    expect(parseMention('nonsense', '/', agents)).toEqual({ kind: 'no-agent', prompt: '/' });
  });

  it('means what our own view means by /ask-…', () => {
    const name = fc.constantFrom(...agents, 'data', 'x', '');
    fc.assert(
      fc.property(fc.constantFrom('/ask-', '/ask-with-context-'), name, fc.string(), (command, agent, prompt) => {
        const line = `${command}${agent} ${prompt}`;
        const view = parseSlash(line, agents);
        const here = parseMention(undefined, line, agents);
        if (view.kind === 'ask') expect(here).toEqual(view);
        else if (here.kind === 'ask') expect(agents).toContain(`ask-${agent}`);
      }),
    );
  });

  it('never throws, asks only who is known, and loses no word of a question', () => {
    const command = fc.constantFrom(undefined, 'ask', 'ask-with-context', 'other', '__proto__');
    const begin = fc.constantFrom(
      '',
      '/',
      '/ask ',
      '/ask-',
      '/ask-with-context-',
      'bob ',
      '@bob: ',
      '/bob ',
      '/constructor ',
    );
    fc.assert(
      fc.property(command, begin, fc.string({ unit: 'grapheme' }), (c, b, words) => {
        const mention = parseMention(c, b + words, agents);
        if (mention.kind === 'ask' || mention.kind === 'no-prompt') expect(agents).toContain(mention.agent);
        if (mention.kind === 'ask') {
          expect(mention.prompt).not.toBe('');
          expect((b + words).trimEnd().endsWith(mention.prompt)).toBe(true);
        }
      }),
    );
  });
});
