import { describe, expect, it } from 'vitest';
import { parseSlash } from '../../../src/chat/slash';

const agents = ['bob', 'riker', 'with-context-x'];

describe('lines of the composer', () => {
  it.each([
    ['/ask-bob is this safe?', { kind: 'ask', agent: 'bob', prompt: 'is this safe?', withContext: false }],
    ['  /ask-bob   two\nlines \n', { kind: 'ask', agent: 'bob', prompt: 'two\nlines', withContext: false }],
    ['/ask-bob\nrun: ls', { kind: 'ask', agent: 'bob', prompt: 'run: ls', withContext: false }],
    ['/ask-with-context-bob and you?', { kind: 'ask', agent: 'bob', prompt: 'and you?', withContext: true }],
    ['/ask-with-context-x hi', { kind: 'ask', agent: 'with-context-x', prompt: 'hi', withContext: false }],
    ['/ask-with-context-with-context-x hi', { kind: 'ask', agent: 'with-context-x', prompt: 'hi', withContext: true }],
    ['/ask-bob', { kind: 'no-prompt', agent: 'bob' }],
    ['/ask-with-context-bob   ', { kind: 'no-prompt', agent: 'bob' }],
    ['/ask-nobody hi', { kind: 'unknown-agent', agent: 'nobody' }],
    ['/ask-with-context-nobody hi', { kind: 'unknown-agent', agent: 'nobody' }],
    ['/ask bob hi', { kind: 'text', text: '/ask bob hi' }],
    ['what does /ask-bob do?', { kind: 'text', text: 'what does /ask-bob do?' }],
    ['/help', { kind: 'text', text: '/help' }],
  ])('%j', (line, expected) => {
    expect(parseSlash(line, agents)).toEqual(expected);
  });
});
