import { describe, expect, it } from 'vitest';
import { joined, registryName } from '../../../src/a2a/rows';
import type { AgentGroup, AgentRow } from '../../../src/a2a/view';

const row = (group: string, name: string, over: Partial<AgentRow> = {}): AgentRow => ({
  id: `${group}/${name}`,
  group,
  name,
  state: 'ready',
  actions: ['ask', 'details'],
  ...over,
});
const group = (id: AgentGroup['id'], rows: AgentRow[]): AgentGroup => ({ id, title: id, rows });

describe('one row for an agent that is here and at the proxy', () => {
  const remote = row('proxy:team', 'bob', {
    model: 'gpt-5',
    description: 'of the team',
    state: 'asleep',
    spend: { used: 1 },
    skills: ['sql'],
    why: 'wakes in 20 s',
    actions: ['ask', 'probe', 'copy-curl'],
  });
  const local = row('window', 'bobby', {
    model: 'qwen3',
    description: 'of the file',
    state: 'running',
    registry: { ref: 'bob@team', serves: 'proxy' },
    actions: ['ask', 'open-file'],
  });

  it('stands in the window, with the state of its child and what the proxy says of it', () => {
    const [here, there] = joined([
      group('window', [local, row('window', 'Ada')]),
      group('proxy:team', [remote, row('proxy:team', 'worf')]),
    ]);
    expect(here!.rows.map((r) => r.id)).toEqual(['window/bobby', 'window/Ada']);
    expect(here!.rows[0]).toEqual({
      ...local,
      model: 'gpt-5',
      description: 'of the team',
      spend: { used: 1 },
      skills: ['sql'],
      actions: ['ask', 'open-file', 'probe', 'copy-curl'],
    });
    expect(there!.rows.map((r) => r.name)).toEqual(['worf']);
  });

  it('keeps the words of its file while that serves', () => {
    const own: AgentRow = { ...local, registry: { ref: 'bob@team', serves: 'file' } };
    const [here] = joined([group('window', [own]), group('proxy:team', [remote])]);
    expect(here!.rows[0]).toMatchObject({ model: 'qwen3', description: 'of the file', state: 'running' });
  });

  it('says that the proxy has forgotten it where its child says nothing', () => {
    const lost = row('proxy:team', 'bob', { state: 'forgotten', why: 'Gone since 08:55' });
    const [here] = joined([group('window', [local]), group('proxy:team', [lost])]);
    expect(here!.rows[0]).toMatchObject({ state: 'running', why: 'Gone since 08:55' });
  });

  it('never joins by the name alone, nor with another proxy', () => {
    const before = [group('window', [row('window', 'bob'), local]), group('proxy:other', [row('proxy:other', 'bob')])];
    expect(joined(before)).toEqual(before);
  });

  it('reads NAME@PROXY from its end', () => {
    expect(registryName('a@b@team')).toEqual({ name: 'a@b', proxy: 'team' });
    for (const wrong of ['', '@team', 'bob@', 'bob']) expect(registryName(wrong), wrong).toBeUndefined();
  });
});
