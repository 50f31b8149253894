import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRegistry } from '../../../src/a2a/open-registry';
import type { Registry } from '../../../src/a2a/registry';
import type { AgentRow } from '../../../src/a2a/view';
import { silentLog } from '../../../src/base/log';
import { parseConfig } from '../../../src/config/load';
import type { MmConfig } from '../../../src/config/types';
import { type AdminAction, createAgent, doAdminAction } from '../../../src/vscode/agentAdmin';
import { type ProxyStandIn, startProxyStandIn } from '../../agents/proxy-stand-in.mjs';
import { ScriptedA2A } from '../../support/a2a-agent';
import { fake } from '../../support/vscode';

/** What an admin does with an agent, at the stand-in for the proxy. */

let proxy: ProxyStandIn;
let registry: Registry;
let config: MmConfig | undefined;

const headers = { authorization: 'Bearer sk-1234', 'content-type': 'application/json' };

async function open(o: { database?: boolean; adminKey?: boolean } = {}): Promise<void> {
  proxy = await startProxyStandIn({
    database: o.database ?? true,
    agents: [{ agent_name: 'in-file', agent_card_params: { name: 'x', url: 'http://127.0.0.1:1/' } }],
  });
  if (o.database !== false) {
    const body = JSON.stringify({
      agent_name: 'scenes',
      agent_card_params: { name: 'scenes', url: 'http://127.0.0.1:1/' },
    });
    await fetch(`${proxy.url}/v1/agents`, { method: 'POST', headers, body });
  }
  const admin = o.adminKey === false ? '' : ', adminKey: "${secret:a}"';
  const read = parseConfig(
    '/shop/mm.yaml',
    `provider: demo\nproxies: {team: {url: "${proxy.url}", key: "\${secret:k}"${admin}}}\n`,
    {},
  );
  if (!read.ok) throw new Error(read.errors[0]!.message);
  config = read.config;
  registry = openRegistry({
    source: () => ({ config: read.config, local: () => [] }),
    key: async () => 'sk-1234',
    log: silentLog,
  });
  await registry.refresh();
}
const row = (name = 'scenes'): AgentRow | undefined =>
  registry
    .groups()
    .flatMap(({ rows }) => rows)
    .find((r) => r.name === name);
const act = (action: AdminAction) => doAdminAction(action, row()!.id, registry);

/** Answers the modal question with this button, or closes it. */
async function answer(button?: string): Promise<string> {
  await vi.waitFor(() => expect(fake.messages.length).toBeGreaterThan(0));
  const message = fake.messages.at(-1)!;
  message.answer(button);
  return `${message.message} ${message.options?.detail ?? ''}`;
}

beforeEach(() => fake.reset());
afterEach(async () => {
  registry.dispose();
  await proxy.close();
});

describe('who may', () => {
  const admins = (r: AgentRow | undefined) =>
    r?.actions.filter((a) => ['edit-limits', 'make-public', 'create-key', 'delete'].includes(a));

  it('with the admin key and a database: all of it, but not for what stands in the proxy’s file', async () => {
    await open();
    expect(admins(row())).toEqual(['edit-limits', 'make-public', 'create-key', 'delete']);
    expect(admins(row('in-file'))).toEqual([]);
  });

  it.each([{ adminKey: false }, { database: false }])('%j: nothing', async (o) => {
    await open(o);
    expect(admins(row(o.database === false ? 'in-file' : 'scenes'))).toEqual([]);
  });
});

describe('limits', () => {
  it('are set and taken away, one at a time, and nothing else changes', async () => {
    await open();
    fake.quickPick = (items) => (items as { label: string }[]).find((i) => i.label === 'Asks a minute');
    fake.inputBox = () => '60';
    await act('edit-limits');
    expect(row()!.limits).toEqual({ asksPerMinute: 60 });
    fake.inputBox = () => ' ';
    await act('edit-limits');
    expect(row()!.limits).toBeUndefined();
    expect(proxy.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
      { rpm_limit: 60 },
      { rpm_limit: null },
    ]);
  });

  it('a closed question, or what is no number, changes nothing', async () => {
    await open();
    fake.quickPick = (items) => items[0];
    for (const text of [undefined, 'many', '-1', '1.5']) {
      fake.inputBox = () => text;
      await expect(act('edit-limits')).rejects.toThrow('cancelled');
    }
    expect(proxy.requests.some(({ method }) => method === 'PATCH')).toBe(false);
  });
});

describe('keys', () => {
  it('a new one goes into the clipboard and nowhere else', async () => {
    await open();
    const boxes = ['agent-scenes', '5'];
    fake.inputBox = () => boxes.shift();
    await act('create-key');
    expect(fake.clipboard).toMatch(/^sk-/);
    expect(JSON.stringify(fake.messages)).not.toContain(fake.clipboard);
    expect(proxy.requests.find(({ url }) => url === '/key/generate')!.body).toMatchObject({
      key_alias: 'agent-scenes',
      max_budget: 5,
      budget_duration: '30d',
    });
  });
});

describe('creating', () => {
  it('makes an agent from the card at its address, after it has shown it', async () => {
    await open();
    const agent = await ScriptedA2A.start();
    const boxes = [`${agent.url}/.well-known/agent-card.json`, 'checker'];
    fake.inputBox = () => boxes.shift();
    const [proxyEntry] = [...config!.proxies!.values()];
    const made = createAgent([proxyEntry!], registry);
    const asked = await answer('Create');
    expect(asked).toContain('Create checker at the proxy team?');
    expect(asked).toContain('Checks');
    expect(asked).toContain(agent.url);
    await made;
    expect(row('checker')).toMatchObject({ a2a: { streaming: true } });
    expect(proxy.requests.find(({ method, url }) => method === 'POST' && url === '/v1/agents')).toBeDefined();
    expect(registry.behind(row('checker')!.id)!.agent.upstream).toBe(agent.url);
    await agent.stop();
  });

  it.each([['file:///etc/passwd'], ['http://me:secret@x/'], ['nonsense'], [undefined]])(
    'an address that is none, or a closed question, makes nothing: %s',
    async (address) => {
      await open();
      fake.inputBox = () => address;
      await expect(createAgent([...config!.proxies!.values()], registry)).rejects.toThrow('cancelled');
    },
  );

  it('an address without a card is told in words, and nothing is made', async () => {
    await open();
    fake.inputBox = () => 'http://127.0.0.1:1';
    await expect(createAgent([...config!.proxies!.values()], registry)).rejects.toThrow('does not answer at');
  });

  it('without an admin key it says what to write', async () => {
    await open();
    await expect(createAgent([], registry)).rejects.toMatchObject({ hint: expect.stringContaining('adminKey') });
  });
});

describe('deleting', () => {
  it('asks first, and takes its keys along', async () => {
    await open();
    const boxes = ['agent-scenes', ''];
    fake.inputBox = () => boxes.shift();
    await act('create-key');
    fake.messages.length = 0;
    const asked = act('delete');
    expect(await answer('Delete')).toMatch(
      /Delete scenes at the proxy\?.*cannot be taken back\.\nIts key is deleted too/s,
    );
    await asked;
    expect(row()).toBeUndefined();
    expect(proxy.registry.keys.size).toBe(0);
  });

  it('a closed question deletes nothing', async () => {
    await open();
    const asked = act('delete');
    await answer();
    await expect(asked).rejects.toThrow('cancelled');
    expect(row()).toBeDefined();
  });
});

describe('publishing', () => {
  it('says what it does to the proxy’s file, and is offered once', async () => {
    await open();
    const asked = act('make-public');
    expect(await answer('Make Public')).toContain('rewrites its config.yaml');
    await asked;
    expect(row()!.actions).not.toContain('make-public');
  });
});
