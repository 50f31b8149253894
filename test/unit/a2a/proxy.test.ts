import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallOptions, type Deadlines, ProxyClient } from '../../../src/a2a/proxy';
import type { ProxyError, ProxyErrorKind } from '../../../src/a2a/proxy-errors';
import { CancelledError } from '../../../src/base/errors';
import { type Fault, type ProxyStandIn, type StandInOptions, startProxyStandIn } from '../../agents/proxy-stand-in.mjs';

const card = {
  name: 'lab card',
  description: 'd',
  url: 'http://127.0.0.1:1',
  version: '1.0.0',
  protocolVersion: '0.3',
  capabilities: { streaming: true },
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [{ id: 's', name: 's', description: 'd', tags: [] }],
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function standIn(options: StandInOptions = {}): Promise<ProxyStandIn> {
  const proxy = await startProxyStandIn({ agents: [{ agent_name: 'lab', agent_card_params: card }], ...options });
  closing.push(() => proxy.close());
  return proxy;
}

function clientOf(url: string, key: string | undefined = 'sk-1234', deadlines: Partial<Deadlines> = {}) {
  const lines: string[] = [];
  const log = { debug: (m: string) => lines.push(m), info() {}, warn() {}, error() {} };
  const client = new ProxyClient({ entry: { name: 'team', url }, key: async () => key, log, deadlines });
  return { client, lines };
}

/** The error of a promise that must fail. */
async function failure(promise: Promise<unknown>): Promise<ProxyError> {
  return promise.then(
    () => {
      throw new Error('expected an error');
    },
    (error: ProxyError) => error,
  );
}

async function serve(answer: http.RequestListener): Promise<{ url: string }> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('reading, without a database', () => {
  it('agents, a card, readiness, version, models', async () => {
    const proxy = await standIn({ models: ['a2a/lab', 'fake'] });
    const { client, lines } = clientOf(`${proxy.url}/`);
    const [lab] = await client.agents();
    expect(lab).toMatchObject({ name: 'lab', fromFile: true, isPublic: false, upstream: 'http://127.0.0.1:1' });
    expect(lab!.card).toMatchObject({ name: 'lab card', pinned: '0.3', streaming: true });
    const served = await client.card('lab');
    expect(served.url).toBe(`${proxy.url}/a2a/lab`);
    expect(await client.readiness()).toEqual({ database: 'none', version: undefined });
    expect(await client.version()).toBe('1.100.1');
    expect((await client.models()).map(({ name }) => name)).toEqual(['a2a/lab', 'fake']);
    expect(lines[0]).toMatch(/^proxy team: GET \/v1\/agents: 200 after \d+ ms$/);
    expect(proxy.requests.map(({ url, keyed }) => `${url} ${keyed}`)).toContain('/health/readiness false');
    expect(proxy.requests.every(({ url }) => url !== '/health')).toBe(true);
  });

  it('who does not answer is missing from the second list', async () => {
    const agents = ['up', 'down'].map((name) => ({
      agent_name: name,
      agent_card_params: { ...card, url: `http://${name}` },
    }));
    const proxy = await standIn({ agents, reaches: (url) => url === 'http://up' });
    const { agents: all, unreachable } = await clientOf(proxy.url).client.reachability();
    expect(all.map(({ id, name }) => `${name} ${unreachable.has(id)}`)).toEqual(['up false', 'down true']);
  });

  it('what needs a database says so', async () => {
    const proxy = await standIn();
    const { client } = clientOf(proxy.url);
    const id = (await client.agents())[0]!.id;
    const calls: Record<string, (options: CallOptions) => Promise<unknown>> = {
      agent: (options) => client.agent(id, options),
      create: (options) => client.create({ name: 'new', card }, options),
      patch: (options) => client.patch(id, { params: { a: 1 } }, options),
      touch: (options) => client.touch(id, 'lab', options),
      remove: (options) => client.remove(id, options),
      makePublic: (options) => client.makePublic(id, options),
      generateKey: (options) => client.generateKey({ alias: 'a' }, options),
      keyInfo: (options) => client.keyInfo('sk-abcd', options),
      deleteKey: (options) => client.deleteKey('sk-abcd', options),
      dailyActivity: (options) => client.dailyActivity({ from: '2026-01-01', to: '2026-01-31' }, options),
    };
    for (const [name, call] of Object.entries(calls)) expect((await failure(call({}))).kind, name).toBe('no-database');
    // all of them listen to a signal
    for (const [name, call] of Object.entries(calls))
      expect(await failure(call({ signal: AbortSignal.abort() })), name).toBeInstanceOf(CancelledError);
  });

  it.each<[string, StandInOptions, string | undefined, ProxyErrorKind]>([
    ['a wrong key', {}, 'sk-wrong', 'wrong-key'],
    ['a wrong key, with a database', { database: true }, 'sk-wrong', 'wrong-key'],
    ['something that is no key', { database: true }, 'wrong', 'wrong-key'],
    ['no key', { prisma: true }, '', 'no-key'],
    ['no key, and the proxy falls over it', {}, '', 'no-key'],
  ])('%s', async (_, options, key, kind) => {
    const { client } = clientOf((await standIn(options)).url, key);
    expect((await failure(client.agents())).kind).toBe(kind);
    expect((await failure(client.card('lab'))).kind).toBe(kind);
    // the probe needs none
    expect((await client.readiness()).database).toBe(options.database ? 'connected' : 'none');
  });
});

describe('changing, with a database', () => {
  let proxy: ProxyStandIn;
  let client: ProxyClient;
  beforeEach(async () => {
    proxy = await standIn({ database: true });
    client = clientOf(proxy.url).client;
  });
  const settings = { api_key: 'secret-upstream', cost_per_query: 0.25, note: 'kept' };

  it('creates, reads, changes a limit, empties it, deletes', async () => {
    const made = await client.create({
      name: 'added',
      card,
      params: settings,
      limits: { rpm: 100 },
      extraHeaders: ['x-user-id'],
    });
    expect(made).toMatchObject({ name: 'added', fromFile: false, spend: 0, extraHeaders: ['x-user-id'] });
    expect(made.limits.rpm).toBe(100);
    expect(made.settings).toEqual({ ...settings, api_key: '***' });
    expect((await client.patch(made.id, { limits: { tpm: 5 } })).limits).toMatchObject({ rpm: 100, tpm: 5 });
    expect((await client.patch(made.id, { limits: { rpm: null } })).limits.rpm).toBeUndefined();
    expect((await client.agent(made.id)).cost.perQuery).toBe(0.25);
    expect(await client.makePublic(made.id)).toEqual([made.id]);
    expect((await client.agents()).find(({ id }) => id === made.id)!.isPublic).toBe(true);
    await client.remove(made.id);
    expect((await failure(client.agent(made.id))).kind).toBe('not-found');
    expect((await failure(client.remove(made.id))).kind).toBe('not-found');
  });

  it('a change of one setting keeps the others, secrets too, and drops only what it says', async () => {
    const { id } = await client.create({ name: 'added', card, params: settings });
    await client.patch(id, { params: { note: 'changed' } });
    expect(proxy.registry.rows.get(id)!.litellm_params).toEqual({ ...settings, note: 'changed' });
    await client.patch(id, { params: { note: null, max_iterations: 3 } });
    expect(proxy.registry.rows.get(id)!.litellm_params).toEqual({
      api_key: 'secret-upstream',
      cost_per_query: 0.25,
      max_iterations: 3,
    });
  });

  it('never writes a mask in the place of a secret', async () => {
    const { id } = await client.create({ name: 'added', card, params: settings });
    for (const mask of ['REDACTED_BY_LITELM', 'se****am', '*****']) {
      proxy.registry.rows.get(id)!.litellm_params = { api_key: mask };
      proxy.requests.length = 0;
      const error = await failure(client.patch(id, { params: { note: 'x' } }));
      expect(error.kind).toBe('refused');
      expect(error.message).toContain('only a mask of litellm_params.api_key');
      expect(proxy.requests.map(({ method }) => method)).toEqual(['GET']);
      // the secret anew is no mask
      await client.patch(id, { params: { note: 'x', api_key: 'new-secret' } });
      expect(proxy.registry.rows.get(id)!.litellm_params).toEqual({ note: 'x', api_key: 'new-secret' });
    }
    proxy.requests.length = 0;
    expect((await failure(client.patch(id, { staticHeaders: { authorization: 'Be****er' } }))).message).toContain(
      'static_headers',
    );
    expect(
      (await failure(client.create({ name: 'b', card: { ...card, description: 'REDACTED_BY_LITELM' } }))).kind,
    ).toBe('refused');
    expect(proxy.requests).toEqual([]);
  });

  it('what is taken, forgotten, and repaired by a touch', async () => {
    const { id } = await client.create({ name: 'added', card, params: settings });
    expect((await failure(client.create({ name: 'added', card }))).kind).toBe('conflict');
    proxy.restart();
    expect((await client.agents()).map(({ name }) => name)).toEqual(['lab']);
    expect((await client.agent(id)).name).toBe('added');
    expect((await failure(client.card('added'))).kind).toBe('not-found');
    expect((await failure(client.create({ name: 'added', card }))).kind).toBe('forgotten');
    await client.touch(id, 'added');
    expect(proxy.requests.at(-1)).toMatchObject({ method: 'PATCH', body: { agent_name: 'added' } });
    expect((await client.agents()).map(({ name }) => name)).toEqual(['lab', 'added']);
    expect(proxy.registry.rows.get(id)!.litellm_params).toEqual(settings);
  });

  it('an agent of the configuration file cannot be changed', async () => {
    const [lab] = await client.agents();
    expect((await failure(client.patch(lab!.id, { limits: { rpm: 1 } }))).kind).toBe('not-found');
  });

  it('keys: made, told by their hash, deleted; they see only their agents and may change nothing', async () => {
    const { id } = await client.create({
      name: 'added',
      card,
      params: settings,
      staticHeaders: { 'x-token': 't0ken' },
    });
    const { key, info } = await client.generateKey({
      alias: 'a',
      agentId: id,
      models: ['fake'],
      agents: [id],
      maxBudget: 5,
    });
    expect(key).toMatch(/^sk-/);
    expect(info).toMatchObject({ alias: 'a', agentId: id, models: ['fake'], maxBudget: 5, spend: 0, blocked: false });
    expect((await failure(client.generateKey({ alias: 'a' }))).kind).toBe('conflict');
    expect(await client.keyInfo(key)).toMatchObject({ alias: 'a', token: info.token });
    expect((await client.agents()).find((agent) => agent.id === id)!.keys).toEqual([
      { token: info.token, alias: 'a', name: info.name },
    ]);
    const own = clientOf(proxy.url, key).client;
    const [seen, ...more] = await own.agents();
    expect(more).toEqual([]);
    expect(seen).toMatchObject({ name: 'added', keys: [], staticHeaders: [], settings: { api_key: '***' } });
    expect((await failure(own.card('lab'))).kind).toBe('not-allowed');
    expect((await failure(own.create({ name: 'b', card }))).kind).toBe('not-allowed');
    expect((await failure(own.generateKey({ alias: 'b' }))).kind).toBe('not-allowed');
    expect(await own.keyInfo()).toMatchObject({ alias: 'a', agents: [id] });
    expect((await failure(own.dailyActivity({ from: '2026-01-01', to: '2026-01-02' }))).kind).toBe('not-allowed');
    await client.deleteKey(key);
    expect((await failure(own.agents())).kind).toBe('wrong-key');
    expect((await failure(client.keyInfo(key))).message).toContain('knows no such key');
    // no key ever stood in an address or in a body
    expect(JSON.stringify(proxy.requests)).not.toContain(key);
  });

  it('what only an admin may do takes the admin key, everything else the usual one', async () => {
    const { key } = await client.generateKey({ alias: 'user' });
    const used: string[] = [];
    const both = new ProxyClient({
      entry: { name: 'team', url: proxy.url },
      key: async () => {
        used.push('key');
        return `${key}\n`;
      },
      adminKey: async () => {
        used.push('admin');
        return 'sk-1234';
      },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await both.agents();
    const { id } = await both.create({ name: 'added', card });
    await both.agent(id);
    await both.patch(id, { params: { a: 1 } });
    expect(used).toEqual(['key', 'admin', 'key', 'admin', 'admin']);
  });

  it('spend per day, oldest first, also of a day that stands on two pages', async () => {
    const { id } = await client.create({ name: 'added', card });
    const others = ['a', 'b', 'c', 'd'];
    for (let day = 1; day <= 28; day++)
      for (let month = 1; month <= 9; month++)
        for (const agent of [id, ...others])
          proxy.registry.use(agent, {
            date: `2026-0${month}-${String(day).padStart(2, '0')}`,
            spend: 0.5,
            promptTokens: 3,
          });
    proxy.registry.use('stranger', { date: '2026-09-28', spend: 7 });
    proxy.registry.use(id, { date: '2026-01-01', failed: true });
    const report = await client.dailyActivity({ from: '2026-01-01', to: '2026-12-31', agents: [id, 'a', 'b'] });
    expect(report.days).toHaveLength(252);
    expect(report.days[0]).toMatchObject({ date: '2026-01-01', spend: 1.5, promptTokens: 9, requests: 4, failed: 1 });
    expect(report.days[0]!.agents.get(id)).toMatchObject({ spend: 0.5, requests: 2, failed: 1 });
    expect(report).toMatchObject({ totalSpend: 378, more: false });
    // 1261 rows, newest first, in pages of 1000: six of the newest day, then five of each, so that a page ends within a day
    const everything = await client.dailyActivity({ from: '2026-01-01', to: '2026-12-31' });
    expect(everything.days).toHaveLength(252);
    expect(new Set(everything.days.map(({ agents }) => agents.size))).toEqual(new Set([5, 6]));
    expect(everything.totalSpend).toBe(252 * 5 * 0.5 + 7);
    expect(proxy.requests.filter(({ url }) => url.includes('page=2'))).toHaveLength(1);
  });
});

describe('a proxy that is not well', () => {
  it.each<[Fault, ProxyErrorKind, string]>([
    ['html', 'not-json', 'A web page answers at'],
    ['portal', 'not-json', 'sends its callers on to http://portal.invalid; the key was not sent there'],
    ['gateway', 'server', 'the proxy does not (502)'],
    ['garbage', 'not-json', 'that are no JSON'],
    ['shape', 'not-json', 'something that is no list of agents'],
    ['crash', 'server', 'failed (500): Internal server error'],
    ['forbidden', 'not-allowed', 'The agent “lab” is not allowed for your key'],
    ['limit', 'rate-limit', 'as many requests as the proxy'],
    ['budget', 'budget', 'Budget has been exceeded!'],
    ['gone', 'not-found', 'nothing at this address'],
    ['hang', 'timeout', 'did not answer within 1 s'],
    ['drop', 'offline', 'The connection to the proxy at'],
  ])('%s is %s', async (fault, kind, message) => {
    const proxy = await standIn();
    proxy.fail(fault);
    const error = await failure(clientOf(proxy.url, 'sk-1234', { read: 100 }).client.agents());
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
    expect(error.hint).toBeTruthy();
    expect(`${error.message}${error.hint}${error.detail}`).not.toContain('sk-1234');
  });

  it('that is away', async () => {
    const { url, close } = await startProxyStandIn();
    await close();
    expect((await failure(clientOf(url).client.readiness())).message).toBe(`No proxy answers at ${url}.`);
  });

  it('that sends a body without end, or stops in the middle of one', async () => {
    const endless = await serve((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(100_000))) if (response.destroyed) return;
        response.once('drain', more);
      };
      more();
    });
    expect((await failure(clientOf(endless.url).client.readiness())).message).toContain(
      'it answers with more than 4000 kB.',
    );
    const large = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 50_000_000 });
      response.write('[');
    });
    expect((await failure(clientOf(large.url).client.agents())).message).toContain(
      'it answers with more than 20000 kB.',
    );
    const half = await serve((_, response) => response.write('{"status":'));
    expect((await failure(clientOf(half.url, 'sk-1234', { probe: 100 }).client.readiness())).kind).toBe('timeout');
  });

  it('that answers at /health/readiness and is something else', async () => {
    const other = await serve((_, response) => response.end('{"ok":true}'));
    expect((await failure(clientOf(other.url).client.readiness())).message).toContain('is no LLM proxy');
    const later = await serve((_, response) =>
      response.end('{"status":"healthy","db":"disconnected","litellm_version":"1.83.7"}'),
    );
    expect(await clientOf(later.url).client.readiness()).toEqual({ database: 'lost', version: '1.83.7' });
  });

  it('a redirect within the same server is followed, with the key; a change is not sent twice; a ring ends', async () => {
    const seen: string[] = [];
    const { url } = await serve(({ url: path, headers, method }, response) => {
      seen.push(`${method} ${path} ${headers.authorization}`);
      if (path === '/llm/v1/agents') response.writeHead(307, { location: '/llm/v1/agents/' }).end();
      else if (path === '/llm/v1/agents/') response.end('[]');
      else response.writeHead(307, { location: path }).end();
    });
    const { client } = clientOf(`${url}/llm`);
    expect(await client.agents()).toEqual([]);
    expect(seen).toEqual(['GET /llm/v1/agents Bearer sk-1234', 'GET /llm/v1/agents/ Bearer sk-1234']);
    seen.length = 0;
    expect((await failure(client.create({ name: 'a', card }))).kind).toBe('not-json');
    expect(seen).toHaveLength(1);
    seen.length = 0;
    expect((await failure(client.readiness())).kind).toBe('not-json');
    expect(seen).toHaveLength(4);
  });

  it('a redirect to another server never gets the key', async () => {
    const seen: string[] = [];
    const other = await serve((request, response) => {
      seen.push(request.url!);
      response.end('[]');
    });
    const { url } = await serve((_, response) => response.writeHead(302, { location: `${other.url}/v1/agents` }).end());
    expect((await failure(clientOf(url).client.agents())).message).toContain(`sends its callers on to ${other.url}`);
    expect(seen).toEqual([]);
  });

  it('a cancellation in mid-answer is one, at once', async () => {
    const proxy = await standIn();
    proxy.fail('hang');
    const stop = new AbortController();
    const asked = failure(clientOf(proxy.url).client.agents({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 20);
    expect(await asked).toBeInstanceOf(CancelledError);
  });

  it('a key with characters that no key has is not sent, and not said', async () => {
    const proxy = await standIn();
    const error = await failure(clientOf(proxy.url, 'sk-se\ncret').client.agents());
    expect(error.kind).toBe('wrong-key');
    expect(`${error.message}${error.hint}`).not.toContain('cret');
    expect(proxy.requests).toEqual([]);
  });

  it.each(['..', '.', ''])('the name %j leads nowhere', async (name) => {
    const proxy = await standIn({ database: true });
    const { client } = clientOf(proxy.url);
    for (const call of [client.agent(name), client.card(name), client.remove(name), client.touch(name, 'x')])
      expect((await failure(call)).kind).toBe('not-found');
    expect(proxy.requests).toEqual([]);
  });

  it('a name with slashes stays one step of the path', async () => {
    const proxy = await standIn();
    expect((await failure(clientOf(proxy.url).client.card('../../key/info?x=#'))).kind).toBe('not-found');
    expect(proxy.requests[0]!.url).toBe('/a2a/..%2F..%2Fkey%2Finfo%3Fx%3D%23/.well-known/agent-card.json');
  });
});
