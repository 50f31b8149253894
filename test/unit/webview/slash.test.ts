import { describe, expect, it } from 'vitest';
import type { AskableAgent, PageState } from '../../../src/chat/page';
import { composed, readLine, slashRows } from '../../../webview/chat/dock/slash';
import { worker } from '../../../webview/chat/dock/working';

const agents: AskableAgent[] = ['bob', 'claude', 'with-context-x'].map((name) => ({
  name,
  description: '',
  state: 'asleep',
}));
const rows = (text: string) => slashRows(text, agents)?.map((row) => (row.kind === 'context' ? 'GROUP' : row.command));

describe('the menu "Commands"', () => {
  it('opens with a slash at the beginning only', () => {
    expect(rows('/')).toEqual(['/ask-bob', '/ask-claude', '/ask-with-context-x', 'GROUP']);
    for (const text of ['', 'a /', 'x', '/ask-bob ', '/ask-bob is', '/ a']) expect(rows(text), text).toBeUndefined();
  });
  it('narrows with what is typed, also by the name alone', () => {
    expect(rows('/ask-b')).toEqual(['/ask-bob']);
    expect(rows('/cl')).toEqual(['/ask-claude']);
    expect(rows('/ASK-BOB')).toEqual(['/ask-bob']);
    expect(rows('/nothing')).toEqual([]);
  });
  it('one row stands for the group until it is chosen or typed', () => {
    expect(rows('/ask-w')).toEqual(['/ask-with-context-x', 'GROUP']);
    expect(rows('/ask-with-context-')).toEqual([
      '/ask-with-context-x',
      '/ask-with-context-bob',
      '/ask-with-context-claude',
      '/ask-with-context-with-context-x',
    ]);
    expect(rows('/ask-with-context-b')).toEqual(['/ask-with-context-bob']);
  });
  it('has no group when nobody can be asked', () => {
    expect(slashRows('/', [])).toEqual([]);
  });
});

describe('a line', () => {
  const names = agents.map((a) => a.name);
  it.each([
    ['hello', { kind: 'text' }],
    ['see /ask-bob', { kind: 'text' }],
    ['/ask-bob hi', { kind: 'ask' }],
    [' /ask-bob\nhi', { kind: 'ask' }],
    ['/ask-with-context-bob hi', { kind: 'ask' }],
    ['/ask-with-context-x hi', { kind: 'ask' }],
    ['/ask-bob', { kind: 'no-prompt', agent: 'bob' }],
    ['/ask-with-context-bob  ', { kind: 'no-prompt', agent: 'bob' }],
    ['/ask-rob hi', { kind: 'unknown', agent: 'rob' }],
    ['/compact', { kind: 'text' }],
  ])('%j', (line, expected) => {
    expect(readLine(line, names)).toEqual(expected);
  });
});

describe('a text that is put into the composer', () => {
  it('never loses what the person wrote', () => {
    expect(composed('', '/ask-bob ')).toBe('/ask-bob ');
    expect(composed('is it safe?', '/ask-bob ')).toBe('/ask-bob is it safe?');
    expect(composed('/ask-claude is it safe?', '/ask-bob ')).toBe('/ask-bob is it safe?');
    expect(composed('one', 'two')).toBe('one\ntwo');
  });
});

describe('who is shown as working', () => {
  const state = (change: Partial<PageState>): PageState => ({
    conversationId: '',
    home: { name: 'Ada' },
    homes: [],
    agents: [],
    busy: false,
    running: [],
    starting: false,
    notices: [],
    waiting: 0,
    demo: false,
    ...change,
  });
  const run = (name: string, s: 'running' | 'waiting', askedBy = 'Ada') => ({
    id: name,
    agent: { name },
    askedBy,
    state: s,
    since: 1,
  });
  it('who waits comes before who works, the newest ask before the home agent', () => {
    expect(worker(state({}), 'You')).toBeUndefined();
    expect(worker(state({ busy: true }), 'You')).toMatchObject({ agent: { name: 'Ada' }, askedBy: 'You' });
    expect(
      worker(state({ busy: true, running: [run('bob', 'running'), run('riker', 'running', 'bob')] }), 'You'),
    ).toMatchObject({
      agent: { name: 'riker' },
      askedBy: 'bob',
    });
    expect(worker(state({ running: [run('bob', 'waiting'), run('riker', 'running')] }), 'You')).toMatchObject({
      agent: { name: 'bob' },
      waiting: true,
    });
    expect(worker(state({ busy: true, waiting: 1, running: [run('bob', 'running', 'You')] }), 'You')).toMatchObject({
      agent: { name: 'Ada' },
      waiting: true,
    });
  });
});
