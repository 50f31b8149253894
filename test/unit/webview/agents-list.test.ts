import { describe, expect, it } from 'vitest';
import type { AgentState } from '../../../src/a2a/view';
import { detailsOf, guess, lines } from '../../../webview/agents/lines';
import { counts, everything, matches, shownGroups, withRows } from '../../../webview/agents/list';
import { Heights } from '../../../webview/agents/sight';
import { agent, agentGroups } from '../../webview/agent-scenes';

const names = (wanted: Partial<typeof everything>, groups = agentGroups()) =>
  shownGroups(groups, { ...everything, ...wanted }).map(({ group, rows }) => [group.id, ...rows.map((r) => r.name)]);

describe('what is shown of the agents', () => {
  it('finds each word in name, model, description, skills and registry name, without case and accents', () => {
    const rene = agent('window', 'René', { model: 'Qwen3', description: 'Löst Rätsel', skills: ['Timeline'] });
    for (const search of ['rene', 'qwen', 'LOST', 'timeline ren', 'é', ''])
      expect(matches(rene, search), search).toBe(true);
    for (const search of ['renex', 'rene sonnet']) expect(matches(rene, search), search).toBe(false);
    expect(names({ search: 'bob@team' })).toEqual([['window', 'bob']]);
  });

  it('leaves out groups without a match, and only then', () => {
    expect(names({ search: 'continuity' })).toEqual([['proxy:team', 'scenes']]);
    expect(names({ search: '  ' }).map(([id]) => id)).toEqual(['window', 'proxy:team', 'defined']);
    expect(names({ state: 'look' })).toEqual([
      ['window', 'troi'],
      ['proxy:team', 'data', 'picard'],
    ]);
    expect(names({ hidden: new Set(['window', 'proxy:team']) })).toEqual([['defined', 'quark']]);
  });

  it('counts as the design does, whichever button is pressed', () => {
    const all = { all: 11, ready: 2, running: 2, asleep: 2, look: 3 };
    expect(counts(agentGroups(), everything)).toEqual(all);
    expect(counts(agentGroups(), { ...everything, state: 'look' })).toEqual(all);
    expect(counts(agentGroups(), { ...everything, search: 'gpt-5' })).toEqual({
      all: 4,
      ready: 1,
      running: 0,
      asleep: 0,
      look: 1,
    });
    expect(counts(agentGroups(), { ...everything, hidden: new Set(['proxy:team']) }).all).toBe(5);
  });

  it('sorts by name as people do, and by state with what needs the person first', () => {
    const states: AgentState[] = ['ready', 'defined', 'failing', 'running', 'forgotten'];
    const rows = states.map((state, i) => agent('window', `a${10 - i}`, { state }));
    const groups = [{ id: 'window' as const, title: 'w', rows }];
    expect(names({ sort: 'given' }, groups)[0]).toEqual(['window', 'a10', 'a9', 'a8', 'a7', 'a6']);
    expect(names({ sort: 'name' }, groups)[0]).toEqual(['window', 'a6', 'a7', 'a8', 'a9', 'a10']);
    expect(names({ sort: 'state' }, groups)[0]).toEqual(['window', 'a8', 'a6', 'a7', 'a10', 'a9']);
    expect(rows[0]!.name).toBe('a10');
  });

  it('takes changed rows in their place and leaves other groups alone', () => {
    const before = agentGroups();
    const bob = { ...before[0]!.rows[1]!, state: 'running' as const };
    const after = withRows(before, [bob, agent('window', 'stranger')]);
    expect(after[0]!.rows.map((r) => r.name)).toEqual(['Ada', 'bob', 'claude', 'troi']);
    expect(after[0]!.rows[1]).toBe(bob);
    expect(after[1]).toBe(before[1]);
  });
});

describe('lines of the tree', () => {
  const shown = shownGroups(agentGroups(), everything);

  it('say level, place and number of siblings', () => {
    const all = lines(shown, new Set(['defined']), new Set(['proxy:team/scenes']));
    const of = (id: string) => all.find((line) => line.id === id);
    expect(of('proxy:team')).toMatchObject({ level: 1, position: 2, size: 3, open: true, count: 6 });
    expect(of('proxy:team/scenes')).toMatchObject({ level: 2, position: 1, size: 6, open: true, parent: 'proxy:team' });
    expect(
      all.filter((line) => line.parent === 'proxy:team/scenes').map((l) => [l.detail, l.position, l.size]),
    ).toEqual([
      ['skills', 1, 4],
      ['spend', 2, 4],
      ['facts', 3, 4],
      ['buttons', 4, 4],
    ]);
    expect(of('defined')?.open).toBe(false);
    expect(of('defined/quark')).toBeUndefined();
  });

  it('are there only for what there is data for', () => {
    expect(detailsOf(agent('window', 'a', { actions: [] }))).toEqual([]);
    expect(detailsOf(agent('window', 'a', { actions: [], limits: {} }))).toEqual([]);
    expect(detailsOf(agent('window', 'a', { actions: [], limits: { asksPerMinute: 0 } }))).toEqual(['facts']);
    const [, row] = lines(
      [{ group: shown[0]!.group, rows: [agent('window', 'a', { actions: [] })] }],
      new Set(),
      new Set(),
    );
    expect(row).not.toHaveProperty('open');
  });

  it('have a notice above the agents, and what is so for good below them', () => {
    const { group, rows } = shown[0]!;
    const at = (kind: 'offline' | 'no-database') =>
      lines([{ group: { ...group, notice: { kind } }, rows }], new Set(), new Set()).map((l) => [
        l.position,
        l.size,
        l.notice,
      ]);
    expect(at('offline')[1]).toEqual([1, 5, true]);
    expect(at('offline')[2]).toEqual([2, 5, undefined]);
    expect(at('no-database')[1]).toEqual([1, 5, undefined]);
    expect(at('no-database')[5]).toEqual([5, 5, true]);
  });
});

describe('what is drawn of a long list', () => {
  const all = Array.from({ length: 1000 }, (_, i) => ({ id: String(i) }));
  const make = () => {
    const heights = new Heights<{ id: string }>(() => 40);
    heights.use(all);
    return heights;
  };
  const drawn = (pieces: ReturnType<Heights<{ id: string }>['pieces']>) =>
    pieces.flatMap((p) => ('line' in p ? [p.line] : []));

  it('is what is in sight with some to spare, and room for the rest', () => {
    const pieces = make().pieces(4000, 4400, -1);
    const list = drawn(pieces);
    expect(list[0]).toBe(88);
    expect(list.at(-1)).toBe(122);
    const room = pieces.reduce((sum, p) => sum + ('gap' in p ? p.gap : 40), 0);
    expect(room).toBe(40_000);
  });

  it('is the line with the focus too, wherever that is', () => {
    expect(drawn(make().pieces(0, 400, 700)).at(-1)).toBe(700);
    expect(drawn(make().pieces(36_000, 36_400, 3))[0]).toBe(3);
    expect(drawn(make().pieces(0, 400, 5)).filter((line) => line === 5)).toEqual([5]);
  });

  it('goes by what was measured, until the width changes', () => {
    const heights = make();
    expect(heights.measure('0', 100)).toBe(true);
    expect(heights.measure('0', 100.2)).toBe(false);
    heights.use(all);
    expect(heights.top(1)).toBe(100);
    expect(heights.at(99)).toBe(0);
    expect(heights.at(100)).toBe(1);
    heights.forget();
    expect(heights.top(1)).toBe(40);
  });

  it('bears an empty list and places beyond its ends', () => {
    const heights = new Heights<{ id: string }>(() => 40);
    expect(heights.pieces(0, 500, -1)).toEqual([]);
    heights.use(all.slice(0, 2));
    expect(drawn(heights.pieces(99_000, 99_500, -1))).toEqual([0, 1]);
  });

  it('guesses every kind of line', () => {
    const list = lines(shownGroups(agentGroups(), everything), new Set(), new Set(['proxy:team/scenes']));
    for (const line of list) expect(guess(line), line.id).toBeGreaterThan(20);
  });
});
