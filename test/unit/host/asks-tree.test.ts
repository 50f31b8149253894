import { describe, expect, it } from 'vitest';
import type { AskNode, PermissionNode, ToolNode } from '../../../src/chat/nodes';
import { type AskSource, AskTree } from '../../../src/host/asks-tree';

const source = (id = 'c1'): AskSource => ({
  id,
  home: { name: 'Ada' },
  title: `title of ${id}`,
  stop: (node) => stopped.push(node),
});
const stopped: string[] = [];

const ask = (id: string, over: Partial<AskNode> = {}): AskNode => ({
  kind: 'ask',
  id,
  at: 1000,
  agent: { name: 'bob' },
  askedBy: 'You',
  depth: 1,
  prompt: '\n  is it safe?\nmore',
  withContext: false,
  state: 'running',
  kept: false,
  cut: 0,
  ...over,
});

const done = (node: AskNode, end: AskNode['end'] = { how: 'done' }): AskNode => ({
  ...node,
  state: 'done',
  endedAt: 5000,
  end,
});

const question = (state: PermissionNode['state']): PermissionNode => ({
  kind: 'permission',
  id: 'p',
  parent: 'a',
  at: 1,
  questionId: 'q',
  name: 'bob/bash',
  verb: 'run',
  command: 'ls',
  hidden: 0,
  cwd: '/',
  chain: [],
  diffs: [],
  canAllow: true,
  canRemember: true,
  card: false,
  more: 0,
  state,
});

const command = (over: Partial<ToolNode>): ToolNode => ({
  kind: 'tool',
  id: 't',
  at: 1,
  toolCallId: 'call',
  name: 'bash',
  title: '',
  toolKind: 'execute',
  state: 'running',
  what: '',
  output: '',
  outputCut: 0,
  diffs: [],
  ...over,
});

function tree() {
  const asks = new AskTree();
  const note = (node: Parameters<AskTree['note']>[2], id = 'c1') => asks.note(() => source(id), id, node);
  const rows = () => asks.groups().flatMap((g) => g.rows.map((r) => `${r.agent.name} ${r.state}`));
  return { asks, note, rows };
}

describe('the asks of a window', () => {
  it('says who asked whom, why, and how far the chain may still go', () => {
    const { asks, note } = tree();
    note(ask('a', { state: 'starting' }));
    note(ask('r', { parent: 'a', agent: { name: 'riker' }, askedBy: 'bob', depth: 2, tokens: 640 }));
    note(ask('c', { agent: { name: 'claude' }, parent: 'turn-of-ada', askedBy: 'Ada' }));
    const [group, ...others] = asks.groups();
    expect(others).toEqual([]);
    expect(group).toMatchObject({ id: 'c1', home: { name: 'Ada' }, title: 'title of c1' });
    expect(group!.rows).toMatchObject([
      { agent: { name: 'bob' }, askedBy: 'You', what: 'is it safe?', state: 'starting', left: 1 },
      { agent: { name: 'riker' }, askedBy: 'bob', parent: 'c1/a', left: 0, tokens: 640 },
      { agent: { name: 'claude' }, askedBy: 'Ada', parent: undefined },
    ]);
  });

  it('a row stands below who asked, in whatever order the asks began', () => {
    const { note, rows } = tree();
    note(ask('a'));
    note(ask('c', { agent: { name: 'claude' } }));
    note(ask('r', { parent: 'a', agent: { name: 'riker' } }));
    expect(rows()).toEqual(['bob running', 'riker running', 'claude running']);
  });

  it.each([
    [{ how: 'done' }, 'done', undefined],
    [{ how: 'max_tokens' }, 'done', undefined],
    [{ how: 'stopped' }, 'cancelled', undefined],
    [{ how: 'refusal' }, 'failed', 'refused to answer'],
    [{ how: 'watchdog', seconds: 300 }, 'failed', 'silent for 300 s'],
    [{ how: 'not-asked', why: 'bob was not asked.' }, 'failed', 'bob was not asked.'],
    [{ how: 'died', title: 'bob ended with exit code 1', stderrTail: '' }, 'failed', 'bob ended with exit code 1'],
  ] as const)('an end %j is shown as %s', (end, state, why) => {
    const { asks, note } = tree();
    note(ask('a'));
    note(done(ask('a'), end));
    const [row] = asks.groups()[0]!.rows;
    expect(row).toMatchObject({ state, endedAt: 5000 });
    expect(row!.why).toBe(why);
  });

  it('names the call that waits for the person, as long as it waits', () => {
    const { asks, note } = tree();
    const wants = () => asks.groups()[0]!.rows[0]!.wants;
    note(ask('a', { state: 'waiting' }));
    note(question('waiting'));
    expect(wants()).toBe('bob/bash');
    note(question('allowed'));
    expect(wants()).toBeUndefined();
    note(question('waiting'));
    note(done(ask('a')));
    expect(wants()).toBeUndefined();
  });

  it('what had ended before this window saw it is none of its asks', () => {
    const { note, rows } = tree();
    note(done(ask('old')));
    expect(rows()).toEqual([]);
  });

  it('keeps the latest that ended, never lets go of one that runs, nor of whoever it works for', () => {
    const { asks, note } = tree();
    note(ask('a'));
    note(ask('r', { parent: 'a' }));
    note(done(ask('a')));
    for (let i = 0; i < 150; i++) {
      note(ask(`x${i}`));
      note(done(ask(`x${i}`)));
    }
    const ids = asks.groups()[0]!.rows.map((row) => row.id);
    expect(ids).toContain('c1/a');
    expect(ids).toContain('c1/r');
    expect(ids).toContain('c1/x149');
    expect(ids).not.toContain('c1/x0');
    expect(ids).toHaveLength(101);
  });

  it('the conversation with the newest ask stands first', () => {
    const { asks, note } = tree();
    note(ask('a'), 'c1');
    note(ask('a'), 'c2');
    expect(asks.groups().map((g) => g.id)).toEqual(['c2', 'c1']);
  });

  it('leads to the entry, and knows what Stop of all has to end', () => {
    const { asks, note } = tree();
    note(ask('a'));
    note(ask('r', { parent: 'a' }));
    note(done(ask('z')));
    expect(asks.place('c1/r')).toEqual({ conversation: 'c1', node: 'r' });
    expect(asks.place('c1')).toEqual({ conversation: 'c1' });
    expect(asks.place('c1/z')).toBeUndefined();
    expect(asks.stoppable()).toEqual(['c1/a']);
    stopped.length = 0;
    for (const id of ['c1/a', 'c1/none', 'none']) asks.stop(id);
    expect(stopped).toEqual(['a']);
    note(done(ask('a')));
    asks.stop('c1/a');
    expect(stopped).toEqual(['a']);
    expect(asks.stoppable()).toEqual(['c1/r']);
  });

  it('asks of a script stand below the agent whose command it is, and cannot be stopped alone', () => {
    const { asks, note } = tree();
    note(ask('a'));
    const one = { id: 's1', agent: 'riker', what: 'sum it up', state: 'running' as const, at: 2000 };
    note(command({ parent: 'a', asks: [one] }));
    note(
      command({ id: 'own', parent: 'turn', asks: [{ ...one, state: 'failed', why: 'no such agent', endedAt: 3000 }] }),
    );
    const rows = asks.groups()[0]!.rows;
    expect(rows).toMatchObject([
      { agent: { name: 'bob' } },
      {
        parent: 'c1/a',
        agent: { name: 'riker' },
        askedBy: 'a script of bob',
        what: 'sum it up',
        left: 0,
        script: true,
      },
      { agent: { name: 'riker' }, askedBy: 'a script of Ada', state: 'failed', why: 'no such agent', left: 1 },
    ]);
    expect(asks.stoppable()).toEqual(['c1/a']);
    expect(asks.place(rows[1]!.id)).toEqual({ conversation: 'c1', node: 't' });
  });
});
