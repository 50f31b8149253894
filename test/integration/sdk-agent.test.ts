import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/host/conversation';
import type { Host } from '../../src/host/host';
import { idle, nodes, outline, Place, until } from './host-helper';

/** The SDK's own agent, in a process of its own, answers our window: at home and asked. */

const agent = fileURLToPath(new URL('../agents/sdk-agent.mjs', import.meta.url));
let place: Place;
let host: Host;
let c: Conversation;

beforeEach(async () => {
  place = new Place({
    'mm.yaml': `acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  sid: {command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(agent)}]}\n`,
  });
  host = await place.host();
  c = await host.latest();
});
afterEach(() => place.dispose());

const words = () =>
  nodes(c, 'text')
    .map((n) => n.text)
    .join('|');

describe.each([
  { way: 'home', start: '', name: 'bash', end: 'turn' },
  { way: 'asked', start: '/ask-sid ', name: 'sid/bash', end: 'ask' },
] as const)('the SDK’s agent, $way', ({ way, start, name, end }) => {
  beforeEach(() => {
    if (way === 'home') expect(c.setHome('sid')).toBe(true);
  });

  it.each([
    { answer: 'allow_once', state: 'done', output: 'removed', option: 'yes' },
    { answer: 'reject', state: 'rejected', output: 'not allowed', option: 'no' },
  ] as const)('a prompt with a call that asks: $answer', async ({ answer, state, output, option }) => {
    c.send(`${start}go`);
    const question = await until(host, c, () => host.queue.current);
    expect(question.shown).toMatchObject({ name, command: 'rm notes.txt' });
    host.queue.answer(question.id, answer);
    await idle(host, c);
    expect(words(), outline(c).join('\n')).toBe(`one two |${option} -32601`);
    expect(nodes(c, 'tool')).toMatchObject([{ name, what: 'rm notes.txt', state, output }]);
    expect(nodes(c, end)).toMatchObject([{ agent: { title: 'SDK Agent' }, end: { how: 'done' } }]);
  });

  it('Stop ends a turn; the next one is answered by the same child', async () => {
    c.send(`${start}wait`);
    await until(host, c, () => words() === 'waiting');
    c.stop();
    await idle(host, c);
    expect(nodes(c, end)).toMatchObject([{ end: { how: 'stopped' } }]);
    c.send(`${start}go`);
    const question = await until(host, c, () => host.queue.current);
    host.queue.answer(question.id, 'allow_once');
    await idle(host, c);
    expect(nodes(c, end)[1]).toMatchObject({ end: { how: 'done' } });
    expect(nodes(c, 'notice')).toEqual([]);
  });

  it('Stop while it asks: it is answered cancelled, and so is its turn', async () => {
    c.send(`${start}go`);
    await until(host, c, () => host.queue.current);
    c.stop();
    await idle(host, c);
    expect(host.queue.size).toBe(0);
    expect(nodes(c, 'permission')).toMatchObject([{ state: 'withdrawn' }]);
    expect(nodes(c, end)).toMatchObject([{ end: { how: 'stopped' } }]);
  });
});
