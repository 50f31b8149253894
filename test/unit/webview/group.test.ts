import { describe, expect, it } from 'vitest';
import type { Node, ToolNode } from '../../../src/chat/nodes';
import { groups, sentence } from '../../../webview/chat/entries/group';

let count = 0;
const item = (node: Partial<Node> & { kind: Node['kind'] }) => {
  const id = `n${++count}`;
  return { id, node: { id, at: 0, ...node } as Node };
};
const tool = (toolKind: string, state: ToolNode['state'] = 'done', more: Partial<ToolNode> = {}) =>
  item({ kind: 'tool', name: toolKind, toolKind, state, diffs: [], output: '', endedAt: 100, ...more } as ToolNode);
const thought = () => item({ kind: 'thought', text: 'x', done: true, endedAt: 3000 });
const words = (text = 'x') => item({ kind: 'text', text, done: true });
const ask = () => item({ kind: 'ask', agent: { name: 'riker' }, state: 'done' } as Partial<Node> & { kind: 'ask' });
const shape = (list: ReturnType<typeof item>[], parent: 'turn' | 'ask', ended: boolean) =>
  groups(list, parent, ended).map((g) =>
    g.kind === 'steps' ? `[${sentence(g.entries.map((e) => e.node))}]` : g.entry.node.kind,
  );

describe('which steps fold', () => {
  it('reads and searches at once, commands when the turn has ended', () => {
    const list = () => [tool('read'), tool('read'), tool('execute'), words()];
    expect(shape(list(), 'turn', false)).toEqual(['[Read 2 files]', 'tool', 'text']);
    expect(shape(list(), 'turn', true)).toEqual(['[Read 2 files, ran 1 command]', 'text']);
  });
  it('a failed, rejected, running or long call and a change keep their cards', () => {
    for (const card of [
      tool('execute', 'failed'),
      tool('execute', 'rejected'),
      tool('execute', 'running'),
      tool('execute', 'done', { endedAt: 11_000 }),
    ]) {
      expect(shape([tool('read'), card, tool('read')], 'ask', true)).toEqual([
        '[Read 1 file]',
        'tool',
        '[Read 1 file]',
      ]);
    }
    expect(
      shape([tool('edit', 'done', { diffs: [{ path: 'a', added: 1, removed: 0, rows: [], cut: 0 }] })], 'turn', true),
    ).toEqual(['tool']);
  });
  it('an ended ask folds its thoughts and asks too, and its words stay', () => {
    const list = [thought(), tool('execute'), words(), ask(), words()];
    expect(shape(list, 'ask', true)).toEqual(['[Thought for 3 s, ran 1 command]', 'text', '[Asked riker]', 'text']);
    expect(shape(list, 'turn', true)).toEqual(['thought', '[Ran 1 command]', 'text', 'ask', 'text']);
  });
  it('an answered question goes with its calls and is no fold of its own', () => {
    const allowed = item({ kind: 'permission', state: 'allowed', name: 'bash' } as Partial<Node> & {
      kind: 'permission';
    });
    expect(shape([tool('execute'), allowed, tool('execute')], 'ask', true)).toEqual(['[Ran 2 commands]']);
    expect(shape([allowed], 'ask', true)).toEqual(['permission']);
  });
  it('words that have not come yet part nothing', () => {
    expect(shape([tool('read'), words(''), tool('read')], 'turn', true)).toEqual(['[Read 2 files]']);
  });
});
