import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegistry } from '../../../src/a2a/open-registry';
import type { Registry } from '../../../src/a2a/registry';
import type { AgentGroup, AgentRow } from '../../../src/a2a/view';
import { UserError } from '../../../src/base/errors';
import { silentLog } from '../../../src/base/log';
import { parseConfig } from '../../../src/config/load';
import { type ProxyStandIn, startProxyStandIn } from '../../agents/proxy-stand-in.mjs';
import { ScriptedA2A } from '../../support/a2a-agent';

/** The registry against the stand-in for the proxy. */

let proxy: ProxyStandIn;
let registry: Registry;
let local: AgentRow[];
let key: string | undefined;

const card = (name: string, url: string) => ({ name, url, protocolVersion: '0.3', capabilities: { streaming: true } });
const inFile = (name: string, url = 'http://127.0.0.1:1/') => ({
  agent_name: name,
  agent_card_params: card(name, url),
  litellm_params: {},
});

beforeEach(() => {
  key = 'sk-1234';
  local = [{ id: 'window/bob', group: 'window', name: 'bob', state: 'ready', actions: ['ask'] }];
});
afterEach(async () => {
  registry.dispose();
  await proxy.close();
});

function open(entries = ''): Registry {
  const text = `provider: demo\nmodel: demo\nproxies:\n  team: {url: "${proxy.url}", key: "\${secret:proxy}"}\nmmConfigs:\n  bob: {path: bob.yaml}\n${entries}`;
  const read = parseConfig('/tmp/nowhere-mm/mm.yaml', text, {});
  if (!read.ok) throw new Error(read.errors[0]!.message);
  registry = openRegistry({
    source: () => ({ config: read.config, local: () => local }),
    key: async () => {
      if (key === undefined) throw new UserError('The secret proxy is not set.', { hint: 'Set it.' });
      return key;
    },
    log: silentLog,
  });
  return registry;
}
const team = (): AgentGroup => registry.groups().find(({ id }) => id === 'proxy:team')!;
const rowOf = (name: string) => team().rows.find((row) => row.name === name);

describe('the registry', () => {
  it('joins what runs here with what the proxy has, and says what is not known yet', async () => {
    proxy = await startProxyStandIn({ agents: [inFile('scene-checker')] });
    open('  scenes: {a2a: scene-checker@team}\n');
    expect(team()).toMatchObject({ notice: { kind: 'loading' }, rows: [{ name: 'scene-checker', state: 'unknown' }] });
    await registry.refresh();
    expect(registry.groups().map(({ id }) => id)).toEqual(['window', 'proxy:team']);
    expect(team().notice).toEqual({ kind: 'no-database' });
    expect(rowOf('scene-checker')).toMatchObject({
      state: 'unknown',
      why: 'asked as scenes',
      a2a: { versions: ['0.3'], streaming: true },
    });
    expect(rowOf('scene-checker')!.actions.slice(0, 2)).toEqual(['ask', 'ask-with-context']);
    const { id } = rowOf('scene-checker')!;
    expect(registry.askedAs(id)).toEqual(['scenes']);
    expect(registry.address(id)).toBe(`${proxy.url}/a2a/scene-checker`);
    expect(registry.reference(id)).toBe('scene-checker@team');
  });

  it('one that no entry names can be added, not asked', async () => {
    proxy = await startProxyStandIn({ agents: [inFile('worf')] });
    open();
    await registry.refresh();
    expect(rowOf('worf')!.actions[0]).toBe('add-to-file');
    expect(rowOf('worf')!.actions).not.toContain('ask');
  });

  it('who does not answer the proxy is failing, the others are ready', async () => {
    proxy = await startProxyStandIn({
      agents: [inFile('up', 'http://127.0.0.1:2/'), inFile('down', 'http://127.0.0.1:3/')],
      reaches: (url) => !url.includes(':3'),
    });
    open();
    await registry.refresh();
    await registry.probeAll();
    expect([rowOf('up')!.state, rowOf('down')!.state]).toEqual(['ready', 'failing']);
    expect(rowOf('down')!.why).toBe('Its address does not answer the proxy');
  });

  it('an entry that the list does not have: not allowed, or unknown there', async () => {
    proxy = await startProxyStandIn({ agents: [] });
    open('  a: {a2a: secret-one@team}\n  b: {a2a: nobody@team}\n');
    proxy.fail('forbidden', { path: '/a2a/secret-one' });
    await registry.refresh();
    expect(rowOf('secret-one')).toMatchObject({ state: 'not-allowed', why: 'Your key may not use it' });
    expect(rowOf('secret-one')!.actions).not.toContain('ask');
    expect(rowOf('nobody')).toMatchObject({ state: 'defined', why: 'The proxy knows no agent of this name' });
  });

  it.each([
    ['html', 'html'],
    ['drop', 'offline'],
    ['crash', 'failed'],
    ['garbage', 'html'],
  ] as const)('%s: the sentence and the kind %s, and what was known stays', async (fault, kind) => {
    proxy = await startProxyStandIn({ agents: [inFile('worf')] });
    open();
    await registry.refresh();
    proxy.fail(fault);
    await registry.refresh();
    expect(team().notice).toMatchObject({ kind, sentence: expect.stringMatching(/\S.*\.$/) });
    expect(rowOf('worf')).toMatchObject({ state: 'unknown' });
    proxy.fail(undefined);
    await registry.refresh();
    expect(team().notice).toEqual({ kind: 'no-database' });
  });

  it.each([
    ['a wrong one', 'sk-wrong', 'wrong-key'],
    ['none', undefined, 'no-key'],
  ])('the key: %s leads to where it is set', async (_, value, kind) => {
    proxy = await startProxyStandIn({ agents: [inFile('worf')] });
    key = value;
    open();
    await registry.refresh();
    expect(team().notice).toMatchObject({ kind, action: 'enter-key' });
    expect(JSON.stringify(registry.groups())).not.toContain('sk-');
  });

  it('a list that is empty says so', async () => {
    proxy = await startProxyStandIn({ agents: [] });
    open();
    await registry.refresh();
    expect(team()).toMatchObject({ notice: { kind: 'empty' }, rows: [] });
  });

  it('with a database it knows spend, limits and the days', async () => {
    proxy = await startProxyStandIn({ database: true, agents: [] });
    open();
    const client = (await import('../../../src/a2a/open-registry')).clientFor(
      { name: 'team', url: proxy.url, key: { kind: 'value', value: 'sk-1234' } },
      async () => 'sk-1234',
      silentLog,
    );
    const made = await client.create({
      name: 'added',
      card: card('added', 'http://127.0.0.1:2/'),
      limits: { rpm: 60 },
    } as never);
    proxy.registry.use(made.id, { spend: 1.25 });
    await registry.refresh();
    expect(team().notice).toBeUndefined();
    expect(rowOf('added')).toMatchObject({ limits: { asksPerMinute: 60 } });
    const details = await registry.details(rowOf('added')!.id);
    expect(details).toMatchObject({
      host: new URL(proxy.url).host,
      card: { skills: expect.any(Array) },
      spend: { days: [{ spend: 1.25 }] },
      access: { address: `${proxy.url}/a2a/added`, announced: { url: expect.stringContaining(':2') } },
    });
    expect(details!.raw!.text).toContain('"name": "added"');
  });

  it('a probe is remembered with its time, or with why not', async () => {
    proxy = await startProxyStandIn({ agents: [inFile('worf')] });
    open();
    await registry.refresh();
    const { id } = rowOf('worf')!;
    await registry.probe(id);
    expect(rowOf('worf')!.probe).toMatchObject({ ms: expect.any(Number), what: 'card' });
    proxy.fail('drop');
    await registry.probe(id);
    expect(rowOf('worf')!.probe).toMatchObject({ error: expect.stringContaining('broke') });
    expect((await registry.details(id))!.probes).toHaveLength(2);
  });

  it('an agent at an address of its own: ready, failing, or only defined', async () => {
    proxy = await startProxyStandIn({ agents: [] });
    const agent = await ScriptedA2A.start();
    open(`  one: {a2a: "${agent.url}"}\n  two: {a2a: "http://127.0.0.1:1"}\n`);
    const cards = () => registry.groups().find(({ id }) => id === 'cards:')!.rows;
    await registry.refresh();
    expect(cards().map(({ name, state }) => [name, state])).toEqual([
      ['one', 'ready'],
      ['two', 'defined'],
    ]);
    expect(cards()[1]!.why).toBe('127.0.0.1:1 does not answer at http://127.0.0.1:1.');
    await agent.stop();
    await registry.refresh();
    expect(cards()[0]).toMatchObject({ state: 'failing', a2a: { versions: ['0.3'] } });
  });

  it('refreshes at the same time are one, and the end of it stops them', async () => {
    proxy = await startProxyStandIn({ agents: [] });
    open();
    expect(registry.refresh()).toBe(registry.refresh());
    await registry.refresh();
    proxy.fail('hang');
    const hanging = registry.refresh();
    registry.dispose();
    await hanging;
  });
});
