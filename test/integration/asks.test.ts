import { afterEach, describe, expect, it } from 'vitest';
import type { AskRow } from '../../src/chat/asks';
import type { Conversation } from '../../src/host/conversation';
import type { Host } from '../../src/host/host';
import { idle, nodes, outline, Place, until, wordsOf } from './host-helper';

let place: Place;
afterEach(() => place.dispose());

const rows = (host: Host): AskRow[] => host.asks.groups().flatMap((group) => group.rows);
const find = (host: Host, name: string) => rows(host).find((row) => row.agent.name === name);

/** Allows the question with this name when it comes. */
async function allow(host: Host, c: Conversation, name: string): Promise<void> {
  const question = await until(host, c, () => host.queue.waiting.find((q) => q.shown.name === name), name);
  host.queue.answer(question.id, 'allow_once');
}

describe('the tree of asks, with real children', () => {
  it('a chain You → bob → riker: who, why, what waits, the depth left; Stop of the inner ask leaves the outer one', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob ask riker: run: sleep 60\nsay: bob goes on');
    await allow(host, c, 'bob/ask_agent');
    await until(host, c, () => find(host, 'riker')?.wants === 'bob/riker/bash', 'riker waits');
    expect(host.asks.groups()).toMatchObject([{ id: c.id, home: { name: 'Ada' } }]);
    expect(rows(host)).toMatchObject([
      { agent: { name: 'bob' }, askedBy: 'You', what: 'ask riker: run: sleep 60', left: 1 },
      { agent: { name: 'riker' }, askedBy: 'bob', what: 'run: sleep 60', state: 'waiting', left: 0 },
    ]);
    const bob = find(host, 'bob')!;
    expect(find(host, 'riker')!.parent).toBe(bob.id);

    const { node } = host.asks.place(find(host, 'riker')!.id)!;
    expect(nodes(c, 'ask').find((ask) => ask.id === node)?.agent.name).toBe('riker');
    c.stopAsk(node!);
    await idle(host, c);
    expect(find(host, 'riker'), outline(c).join('\n')).toMatchObject({ state: 'cancelled', wants: undefined });
    expect(find(host, 'bob')).toMatchObject({ state: 'done' });
    expect(host.queue.size).toBe(0);
  });

  it('F054 Stop of the outer ask, while riker waits for a permission, takes the question back and ends all', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob ask riker: run: sleep 60');
    await allow(host, c, 'bob/ask_agent');
    await until(host, c, () => host.queue.waiting.some((q) => q.shown.name === 'bob/riker/bash'), 'the question');
    c.stopAsk(host.asks.place(find(host, 'bob')!.id)!.node!);
    await idle(host, c);
    expect(host.queue.size).toBe(0);
    expect(rows(host).map((row) => row.state)).toEqual(['cancelled', 'cancelled']);
    expect(nodes(c, 'permission').find((p) => p.name === 'bob/riker/bash')?.state).toBe('withdrawn');
    // both children live on and answer the next question
    c.send('/ask-riker say: still here');
    await idle(host, c);
    expect(rows(host).at(-1)).toMatchObject({ agent: { name: 'riker' }, state: 'done' });
  });

  it('rule 9: one riker serves You → riker, where it may ask, and You → bob → riker, where it may not', async () => {
    place = new Place({
      'mm.yaml':
        'acp: {title: Ada}\nprovider: demo\nmodel: demo\nyolo: true\nmmConfigs:\n  bob: {path: bob.yaml}\n  riker: {path: riker.yaml}\n',
      'bob.yaml': 'acp: {title: Bob}\nprovider: demo\nmodel: demo\nmmConfigs:\n  riker: {path: riker.yaml}\n',
      'riker.yaml': 'acp: {title: Riker}\nprovider: demo\nmodel: demo\nmmConfigs:\n  data: {path: data.yaml}\n',
      'data.yaml': 'acp: {title: Data}\nprovider: demo\nmodel: demo\n',
    });
    const host = await place.host();
    const c = await host.latest();
    // at the same time, on the same child
    c.send('/ask-riker ask data: say: from data');
    c.send('/ask-bob ask riker: ask data: say: too deep');
    await idle(host, c);
    expect(rows(host).map((row) => `${row.askedBy} → ${row.agent.name} ${row.state} ${row.left}`)).toEqual([
      'You → riker done 1',
      'riker → data done 0',
      'You → bob done 1',
      'bob → riker done 0',
    ]);
    const pids = host.pool.statuses().filter((s) => s.name === 'riker' && s.state !== 'ended');
    expect(pids).toHaveLength(1);
  });

  it('rule 1: twenty asks of one agent at the same time share its child, and each gets its own answer', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    for (let i = 0; i < 20; i++) c.send(`/ask-bob say: answer ${i}.`);
    await idle(host, c);
    expect(rows(host).map((row) => row.state)).toEqual(Array(20).fill('done'));
    const words = nodes(c, 'ask').map((ask) => wordsOf(c, ask.id));
    for (let i = 0; i < 20; i++) expect(words[i]).toContain(`answer ${i}.`);
    expect(host.pool.statuses().filter((s) => s.name === 'bob' && s.state !== 'ended')).toHaveLength(1);
  });

  it('rule 9: a cycle in a chain is refused before anything is started', async () => {
    place = new Place({
      'mm.yaml': 'acp: {title: Ada}\nprovider: demo\nmodel: demo\nyolo: true\nmmConfigs:\n  bob: {path: bob.yaml}\n',
      'bob.yaml':
        'acp: {title: Bob}\nprovider: demo\nmodel: demo\nmmConfigs:\n  ada: {path: mm.yaml}\n  again: {path: bob.yaml}\n',
    });
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob ask ada: hi\nask again: hi');
    await idle(host, c);
    expect(host.pool.statuses().map((s) => s.name)).toEqual(['bob']);
    expect(rows(host)).toMatchObject([{ agent: { name: 'bob' }, state: 'done' }]);
    const tools = nodes(c, 'tool').filter((tool) => tool.name === 'bob/ask_agent');
    expect(
      tools.map((tool) => tool.output.includes('was not asked')),
      outline(c).join('\n'),
    ).toEqual([true, true]);
  });

  it('rule 13: an ask of a script in an agent’s command stands below that agent', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob run: "$MM_BIN" --ask riker "say: told to a script"');
    await allow(host, c, 'bob/bash');
    await idle(host, c);
    const row = find(host, 'riker');
    expect(row, outline(c).join('\n')).toMatchObject({
      parent: find(host, 'bob')!.id,
      askedBy: 'a script of bob',
      what: 'say: told to a script',
      state: 'done',
      left: 0,
      script: true,
    });
    expect(nodes(c, 'tool')[0]!.output).toContain('told to a script');
    expect(host.asks.place(row!.id)?.node).toBe(nodes(c, 'tool')[0]!.id);
  });
});
