import { describe, expect, it } from 'vitest';
import { promptText } from '../../../src/agent/blocks';
import { History } from '../../../src/agent/history';
import { alternate } from '../../../src/agent/model/alternate';
import { parseSlash } from '../../../src/agent/slash';
import { transcriptItems } from '../../../src/agent/transcript-items';
import { transcript } from '../../../src/ask/transcript';

describe('history', () => {
  it('rule 6: takes a pair once, by its id', () => {
    const history = new History();
    const pair = { id: 'x', user: '[asked bob: hi]', assistant: "[bob's answer]\nho" };
    expect(history.pair(pair)).toBe(true);
    expect(history.pair(pair)).toBe(false);
    expect(history.messages).toHaveLength(2);
  });

  it('is in turn for a strict template after an ask, a failure and a stop', () => {
    const history = new History();
    history.user('first, and the model failed');
    history.pair({ id: '1', user: 'asked', assistant: 'answered' });
    history.user('run it');
    history.assistant('', [{ id: 'c', name: 'bash', arguments: '{}' }]);
    history.user('and now');
    const roles = alternate(history.forModel('system')).map((m) => m.role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });
});

describe('rule 7: the transcript', () => {
  it('has questions, answers and one line per call; no output', () => {
    const history = new History();
    history.user('do it');
    const call = { id: 'c', name: 'bash', arguments: '{"command":"ls -la"}' };
    history.assistant('I will', [call]);
    history.result(call, 'SECRET OUTPUT');
    history.assistant('done', []);
    const words = transcript(transcriptItems(history.forModel('SYSTEM PROMPT'), 'Ada'));
    expect(words).toBe('User: do it\n\nAda: I will\n\n[Ada used bash: ls -la]\n\nAda: done');
  });
});

describe('prompts', () => {
  it('are made of their blocks', () => {
    expect(
      promptText([
        { type: 'text', text: 'look at' },
        { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' },
        { type: 'resource', resource: { uri: 'file:///b.ts', text: 'x ``` y' } },
        { type: 'image', data: '', mimeType: 'image/png' },
      ]),
    ).toBe('look at\n\n[a.ts](file:///a.ts)\n\nfile:///b.ts:\n````\nx ``` y\n````\n\n[image]');
    expect(promptText(null as never)).toBe('');
    expect(promptText([null, { type: 'text', text: 5 }, { type: 'new' }] as never)).toBe('');
  });

  it('name an ask', () => {
    const agents = new Map([
      ['bob', 1],
      ['with-context-x', 1],
    ]);
    expect(parseSlash('/ask-bob  hi\nthere', agents)).toEqual({
      kind: 'ask',
      agent: 'bob',
      prompt: 'hi\nthere',
      withContext: false,
    });
    expect(parseSlash('/ask-with-context-bob hi', agents)).toMatchObject({ agent: 'bob', withContext: true });
    expect(parseSlash('/ask-with-context-x hi', agents)).toMatchObject({ agent: 'with-context-x', withContext: false });
    expect(parseSlash('/ask-bob', agents)).toEqual({ kind: 'no-prompt', agent: 'bob' });
    expect(parseSlash('/ask-eve hi', agents)).toEqual({ kind: 'unknown-agent', agent: 'eve' });
    expect(parseSlash('say /ask-bob', agents)).toEqual({ kind: 'text' });
  });
});
