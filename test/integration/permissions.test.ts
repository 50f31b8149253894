import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { patternsOf } from '../../src/ask/rules';
import type { Conversation } from '../../src/host/conversation';
import type { Host, HostOptions } from '../../src/host/host';
import { idle, nodes, Place, until } from './host-helper';

/** Permissions with real children: the demo's agents run what they are told. */

let place: Place;
afterEach(() => place.dispose());

async function window(over: Partial<HostOptions> = {}): Promise<{ host: Host; c: Conversation }> {
  place = new Place();
  const host = await place.host(over);
  return { host, c: await host.latest() };
}

/** Asks bob to run a command and answers his question, if there is one. Whether there was one. */
async function run(host: Host, c: Conversation, command: string, answer: 'allow_once' | 'reject' = 'allow_once') {
  c.send(`/ask-bob run: ${command}`);
  await until(host, c, () => host.queue.size > 0 || (!c.working && nodes(c, 'ask').at(-1)?.state === 'done'));
  const asked = host.queue.size > 0;
  for (const question of host.queue.waiting) host.queue.answer(question.id, answer);
  await idle(host, c);
  return asked;
}

describe('commands like this one', () => {
  it('a rule that is made of a decision answers the same command and no other, in another conversation too, until it is revoked', async () => {
    const { host, c } = await window();
    expect(await run(host, c, 'echo one two')).toBe(true);
    expect(await run(host, c, 'echo one two')).toBe(true);
    const [decision] = host.decisions.list();
    expect(decision).toMatchObject({
      name: 'bob/bash',
      home: 'Ada',
      chain: ['You', 'bob'],
      outcome: 'allowed',
      by: 'person',
      shown: 'echo one two',
      command: { folder: place.work, commands: [['echo', 'one', 'two']] },
    });
    const { home, path, tool, command } = decision!;
    host.rules.add({ home, path, tool: tool!, folder: command!.folder }, patternsOf(command!.commands[0]!).slice(0, 1));

    expect(await run(host, c, 'echo one two')).toBe(false);
    expect(host.decisions.list()[0]).toMatchObject({ outcome: 'allowed', by: 'command-rule' });
    expect(await run(host, c, 'echo one two; touch x', 'reject')).toBe(true);
    expect(await run(host, c, 'echo one two $(touch x)', 'reject')).toBe(true);
    expect(await run(host, c, 'echo one two three', 'reject')).toBe(true);
    expect(await run(host, host.create(), 'echo one two')).toBe(false);
    // it is bob's, not Ada's
    c.send('run: echo one two');
    await until(host, c, () => host.queue.size === 1);
    host.queue.answer(host.queue.current!.id, 'reject');
    await idle(host, c);

    host.rules.remove(host.rules.list()[0]!.id);
    expect(await run(host, c, 'echo one two')).toBe(true);
    expect(readFileSync(join(place.folder, 'rules.json'), 'utf8')).not.toContain('echo');
  });

  it('F047 a grant that is revoked is asked again', async () => {
    const { host, c } = await window();
    c.send('/ask-bob run: echo one');
    await until(host, c, () => host.queue.size === 1);
    host.queue.answer(host.queue.current!.id, 'allow_conversation');
    await idle(host, c);
    expect(await run(host, c, 'echo two')).toBe(false);
    expect(c.grants.list()).toEqual([['bob', 'bash']]);
    c.grants.delete(['bob'], 'bash');
    expect(await run(host, c, 'echo three')).toBe(true);
  });
});

describe('several questions at once', () => {
  it('F048 one of five is allowed for the conversation: the others run by themselves, and each stands in the log and in the list', async () => {
    const lines: string[] = [];
    const log = { debug() {}, info: (line: string) => void lines.push(line), warn() {}, error() {} };
    const { host, c } = await window({ log });
    for (const n of [1, 2, 3, 4, 5]) c.send(`/ask-bob run: echo n${n}`);
    await until(host, c, () => host.queue.size === 5);
    host.queue.answer(host.queue.waiting[2]!.id, 'allow_conversation');
    await idle(host, c);
    expect(nodes(c, 'tool').map((t) => t.state)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(nodes(c, 'permission').map((p) => p.state)).toEqual(Array(5).fill('allowed-conversation'));
    const by = host.decisions.list().map((d) => d.by);
    expect(by.sort()).toEqual(['grant', 'grant', 'grant', 'grant', 'person']);
    expect(lines.filter((line) => line.startsWith('bob/bash: allowed'))).toHaveLength(5);
    // what was to run is nobody's business in a log
    expect(lines.join('\n')).not.toContain('echo');
  });

  it('F041 F042 as cards: all wait in the view, each beside its call, each answered once, in any order', async () => {
    const { host, c } = await window({ prompt: () => 'inline' });
    for (const n of [1, 2, 3]) c.send(`/ask-bob run: echo n${n}`);
    await until(host, c, () => nodes(c, 'permission').filter((p) => p.card && p.state === 'waiting').length === 3);
    expect(host.queue.current).toBeUndefined();
    const all = c.snapshot();
    for (const card of nodes(c, 'permission')) {
      const beside = all.filter((n) => n.parent === card.parent);
      const before = beside[beside.findIndex((n) => n.id === card.id) - 1];
      expect(before).toMatchObject({ kind: 'tool', what: card.command, state: 'waiting' });
    }
    const ids = host.queue.waiting.map((q) => q.id);
    expect(host.queue.answerCard(ids[1]!, 'allow_once')).toBe(true);
    expect(host.queue.answerCard(ids[1]!, 'reject')).toBe(false);
    expect(host.queue.answerCard(ids[2]!, 'reject')).toBe(true);
    expect(host.queue.answerCard(ids[0]!, 'allow_once')).toBe(true);
    await idle(host, c);
    const states = nodes(c, 'permission').map((p) => [p.command, p.state]);
    expect(states.filter(([, state]) => state === 'allowed')).toHaveLength(2);
    expect(states.filter(([, state]) => state === 'rejected')).toHaveLength(1);
  });

  it('F043 F044 cards vanish with Stop, and a late answer changes nothing', async () => {
    const { host, c } = await window({ prompt: () => 'inline' });
    c.send('/ask-bob run: touch x');
    await until(host, c, () => host.queue.size === 1);
    const id = host.queue.waiting[0]!.id;
    c.stop();
    await idle(host, c);
    expect(host.queue.size).toBe(0);
    expect(host.queue.answerCard(id, 'allow_once')).toBe(false);
    expect(nodes(c, 'permission')).toMatchObject([{ state: 'withdrawn' }]);
    expect(host.decisions.list()).toMatchObject([{ outcome: 'cancelled', by: 'stop' }]);
  });

  it('F049 two windows: only the one that has the conversation asks', async () => {
    const { host, c } = await window({ prompt: () => 'inline' });
    c.send('/ask-bob run: echo x');
    await until(host, c, () => host.queue.size === 1);
    await c.flush();
    const second = await place.host({ prompt: () => 'inline' });
    const other = await second.latest();
    expect(other.id).toBe(c.id);
    expect(second.queue.size).toBe(0);
    expect(nodes(other, 'permission')).toMatchObject([
      { state: 'waiting', card: false, why: expect.stringContaining('window') },
    ]);
    expect(second.queue.answerCard(host.queue.waiting[0]!.id, 'allow_once')).toBe(false);
    host.queue.answerCard(host.queue.waiting[0]!.id, 'reject');
    await idle(host, c);
  });
});

it.each([
  ['says nothing of it: the person is asked', 'path: bob.yaml', true],
  ['allows it: bob runs it', 'path: bob.yaml, yolo: true', false],
])('F055 bob’s own file allows itself everything; Ada’s entry for him %s', async (_, entry, asks) => {
  place = new Place();
  place.write({
    'mm.yaml': `acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  bob: {${entry}}\n`,
    'bob.yaml': 'acp: {title: Bob}\nprovider: demo\nmodel: demo\nyolo: true\n',
  });
  const host = await place.host();
  const c = await host.latest();
  expect(await run(host, c, 'touch x', 'reject')).toBe(asks);
  expect(nodes(c, 'tool')).toMatchObject([{ name: 'bob/bash', state: asks ? 'rejected' : 'done' }]);
});

it('F046 a command of 300 characters under the title “bash”: all of it, its folder, and nothing hidden', async () => {
  const { host, c } = await window();
  const long = `echo ${'x'.repeat(300)} # \u202etxt\u200b`;
  c.send(`/ask-bob run: ${long}`);
  await until(host, c, () => host.queue.size === 1);
  const { shown } = host.queue.current!;
  expect(shown.command).toBe(long.replace('\u202e', '[U+202E]').replace('\u200b', '[U+200B]'));
  expect(shown).toMatchObject({ hidden: 2, cwd: place.work, name: 'bob/bash' });
  host.queue.answer(host.queue.current!.id, 'reject');
  await idle(host, c);
});
