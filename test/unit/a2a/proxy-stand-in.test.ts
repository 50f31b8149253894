import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { type ProxyStandIn, type StandInOptions, startProxyStandIn } from '../../agents/proxy-stand-in.mjs';
import { type Recording, recording } from './recordings';

/** The stand-in proxy against what a real one answered: the same request, and every answer the same but for its times, ids and keys. */

type Agent = { agent_name: string; litellm_params: Record<string, unknown>; [key: string]: unknown };

const started: ProxyStandIn[] = [];
afterAll(async () => {
  await Promise.all(started.map((proxy) => proxy.close()));
});

/** Agents of a recorded list as their configuration file had them. */
function configured(name: string): Agent[] {
  return (recording(name).response.body as Agent[])
    .filter((agent) => !agent.created_at)
    .map(({ litellm_params: { is_public: _, ...params }, ...agent }) => ({ ...agent, litellm_params: params }));
}

/** Sends recorded requests to a stand-in. What is made anew each time (ids, keys) stands in for what was made then. */
class Replay {
  readonly #names = new Map<string, string>();

  private constructor(readonly proxy: ProxyStandIn) {}

  static async start(options: StandInOptions): Promise<Replay> {
    // agents of the lab that nobody could reach
    const reaches = (url: string) => !/41298|hang/.test(url);
    const proxy = await startProxyStandIn({ reaches, ...options });
    started.push(proxy);
    return new Replay(proxy);
  }

  /** `then` was said in the recording, `now` is the same thing here. */
  same(then: string, now: string): void {
    this.#names.set(then, now);
  }

  async answer(name: string): Promise<Recording['response']> {
    const { method, path, headers, body } = recording(name).request;
    const host = headers.host ?? '127.0.0.1:4000';
    const sent: Record<string, string> = Object.fromEntries(
      Object.entries(headers).map(([key, value]) => [key, this.#translate(value, 'now')]),
    );
    const response = await fetch(`${this.proxy.url}${this.#translate(path, 'now')}`, {
      method,
      headers: sent,
      body:
        body === undefined ? undefined : typeof body === 'string' ? body : this.#translate(JSON.stringify(body), 'now'),
    });
    const text = this.#translate(await response.text(), 'then')
      .replaceAll(new URL(this.proxy.url).host, host)
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"2026-01-01T00:00:00.000Z"');
    return { status: response.status, headers: Object.fromEntries(response.headers), body: JSON.parse(text) };
  }

  /** The answer is the recorded one, to the letter. */
  async expectSame(name: string): Promise<void> {
    const { status, headers, body } = recording(name).response;
    const here = await this.answer(name);
    expect({ status: here.status, body: here.body }, name).toEqual({ status, body });
    expect(here.headers['content-type'], name).toBe(headers['content-type']);
  }

  #translate(text: string, to: 'now' | 'then'): string {
    let translated = text;
    for (const [then, now] of this.#names)
      translated = to === 'now' ? translated.replaceAll(then, now) : translated.replaceAll(now, then);
    return translated;
  }
}

describe('without a database, and without the package prisma', async () => {
  const replay = await Replay.start({ agents: configured('agents-list'), models: ['a2a/lab', 'fake'] });

  it.each([
    ...['agents-list', 'agents-list-healthcheck', 'agents-list-nokey', 'agents-list-wrongkey', 'agents-list-badkey'],
    ...['agents-list-query', 'agents-get-byid', 'agents-get-byname', 'agents-get-unknown', 'agents-post'],
    ...['agents-post-duplicate', 'agents-post-invalid', 'agents-put', 'agents-patch', 'agents-delete'],
    ...['agents-make-public', 'agents-make-public-many', 'agents-kill-switch', 'agent-hub', 'models'],
    ...['card-byname', 'card-byid', 'card-agent-json', 'card-pinned10', 'card-lab-as10', 'card-unpinned-as03'],
    ...['card-unpinned-as10', 'card-refused', 'card-unknown', 'card-nokey', 'card-forwarded'],
    ...['auth-without-bearer', 'auth-x-api-key', 'auth-x-litellm-api-key', 'health-readiness', 'health-liveliness'],
    ...['db-key-generate', 'db-key-info', 'db-key-delete', 'db-daily-activity'],
  ])('%s', (name) => replay.expectSame(name));
});

describe('without a database, with the package prisma', async () => {
  const replay = await Replay.start({ prisma: true, agents: configured('extras.agents-list') });
  // it stands as `litellm_settings.public_agent_groups` in that configuration
  const [lab] = configured('extras.agents-list');
  replay.proxy.registry.publicGroups.push(lab!.agent_id as string);

  it.each([
    ...['extras.agents-list', 'extras.agents-list-nokey', 'extras.agents-list-wrongkey', 'extras.agents-list-badkey'],
    ...['extras.agents-list-query', 'extras.card-nokey', 'extras.health-readiness'],
  ])('%s', (name) => replay.expectSame(name));
});

describe('without a master key', async () => {
  const replay = await Replay.start({ masterKey: null, agents: configured('open.agents-list-nokey') });

  it.each([
    ...['open.agents-list-nokey', 'open.agents-list-wrongkey', 'open.agents-get-byid', 'open.agents-get-unknown'],
    ...['open.agents-post', 'open.agents-post-duplicate', 'open.agents-post-invalid', 'open.db-key-generate'],
  ])('%s', (name) => replay.expectSame(name));
});

describe('with a database, in the order in which it was recorded', async () => {
  const options = { database: true, agents: configured('withdb.1-list') };
  const replay = await Replay.start(options);
  const { proxy } = replay;
  const thenId = (recording('withdb.1-post').response.body as Agent).agent_id as string;

  it('an agent comes, and is refused where it should be', async () => {
    for (const name of ['readiness', 'nokey', 'wrongkey', 'badkey']) await replay.expectSame(`withdb.1-${name}`);
    const posted = await replay.answer('withdb.1-post');
    replay.same(thenId, (posted.body as Agent).agent_id as string);
    expect(
      JSON.parse(JSON.stringify(posted.body).replaceAll((posted.body as Agent).agent_id as string, thenId)),
    ).toEqual(recording('withdb.1-post').response.body);
    for (const name of ['post-again', 'post-name-of-config', 'post-bad-version', 'post-no-card', 'list', 'get', 'card'])
      await replay.expectSame(`withdb.1-${name}`);
    for (const name of ['get-config-agent', 'get-unknown', 'delete-unknown', 'put-unknown', 'patch-unknown'])
      await replay.expectSame(`withdb.1-${name}`);
  });

  it('is changed', async () => {
    for (const name of ['patch-name-only', 'patch-params', 'patch-card', 'patch-limit', 'patch-config-agent', 'put'])
      await replay.expectSame(`withdb.1-${name}`);
    for (const name of ['make-public', 'agent-hub']) await replay.expectSame(`withdb.1-${name}`);
  });

  it('has keys', async () => {
    for (const name of [
      'key-generate',
      'key-generate-granted',
      'key-generate-budget',
      'key-generate-poor',
      'key-generate-slow',
    ]) {
      const then = recording(`withdb.1-${name}`).response.body as { key: string; token: string };
      const { body } = await replay.answer(`withdb.1-${name}`);
      const now = body as { key: string; token: string; key_name: string };
      expect(now.key_name).toBe(`sk-...${now.key.slice(-4)}`);
      expect(now.token).toBe(createHash('sha256').update(now.key).digest('hex'));
      replay.same(then.key, now.key);
      replay.same(then.token, now.token);
      replay.same(`sk-...${then.key.slice(-4)}`, now.key_name);
      expect(Object.keys(now).sort()).toEqual(Object.keys(then).sort());
    }
    for (const name of ['key-generate-alias-taken', 'key-info']) await replay.expectSame(`withdb.1-${name}`);
    for (const name of ['list', 'get', 'post', 'keygen']) await replay.expectSame(`withdb.1-agentkey-${name}`);
    for (const name of ['list', 'other-card']) await replay.expectSame(`withdb.1-granted-${name}`);
    await replay.expectSame('withdb.1-key-delete');
    const gone = await replay.answer('withdb.1-key-deleted');
    expect(gone).toMatchObject({ status: 401, body: { error: { type: 'token_not_found_in_db', code: '401' } } });
  });

  it('counts', async () => {
    proxy.registry.use([...proxy.registry.rows.keys()][0]!, { spend: 1.5, promptTokens: 15, completionTokens: 20 });
    await replay.expectSame('withdb.1-list-spend');
    const there = recording('withdb.1-daily-activity').response.body as Report;
    const { body } = await replay.answer('withdb.1-daily-activity');
    const here = body as Report;
    for (const part of [(r: Report) => r, (r: Report) => r.metadata, (r: Report) => r.results[0]!.metrics])
      expect(Object.keys(part(here)).sort()).toEqual(Object.keys(part(there)).sort());
    expect(Object.keys(here.results[0]!.breakdown).sort()).toEqual(Object.keys(there.results[0]!.breakdown).sort());
    const [entity] = Object.values(here.results[0]!.breakdown.entities!);
    expect(entity).toMatchObject({ metrics: { spend: 1.5, prompt_tokens: 15 }, metadata: { agent_name: 'added' } });
  });

  it('forgets at a restart, and is repaired by the smallest PATCH', async () => {
    // its configuration file was another one by then
    proxy.registry.publicGroups.length = 0;
    proxy.restart();
    for (const name of ['agent-hub', 'list', 'get', 'card', 'agentkey-list', 'granted-list', 'post'])
      await replay.expectSame(`withdb.2-${name}`);
    for (const name of ['patch', 'list-repaired', 'patch-twice', 'list-twice'])
      await replay.expectSame(`withdb.2-${name}`);
  });

  it('remembers with store_model_in_db, and deletes', async () => {
    proxy.registry.options.storeModelInDb = true;
    proxy.restart();
    for (const name of ['list', 'delete', 'get-deleted', 'list-deleted']) await replay.expectSame(`withdb.3-${name}`);
    // LiteLLM deletes the agent and leaves its keys
    expect((await replay.answer('withdb.3-agentkey-deleted')).status).toBe(200);
  });
});

interface Report {
  results: { metrics: object; breakdown: Record<string, Record<string, object>> }[];
  metadata: object;
}

describe('what goes wrong on purpose', async () => {
  const replay = await Replay.start({ agents: configured('agents-list') });
  const { proxy } = replay;
  const get = () => fetch(`${proxy.url}/v1/agents`, { redirect: 'manual', signal: AbortSignal.timeout(200) });

  it.each([
    ['limit', 'withdb.1-slow-2', ['retry-after', 'rate_limit_type', 'reset_at']],
    ['budget', 'withdb.1-poor-send', []],
    ['forbidden', 'withdb.1-granted-other', []],
    ['crash', 'agents-list-nokey', []],
    ['gone', 'agents-kill-switch', []],
  ] as const)('%s is %s', async (fault, name, headers) => {
    proxy.fail(fault, { times: 1 });
    const response = await get();
    const { status, body, headers: then } = recording(name).response;
    expect(response.status).toBe(status);
    const hash = /\b[0-9a-f]{8,64}\b/;
    expect((await response.text()).replace(hash, '#')).toBe(JSON.stringify(body).replace(hash, '#'));
    for (const header of headers) expect(response.headers.get(header)).toBe(then[header]);
  });

  it('pages, redirects, garbage, silence and a cut connection; once, and only where it was said', async () => {
    proxy.fail('html');
    expect((await get()).headers.get('content-type')).toBe('text/html');
    proxy.fail('portal');
    expect((await get()).headers.get('location')).toContain('portal.invalid');
    proxy.fail('garbage');
    await expect((await get()).json()).rejects.toThrow();
    proxy.fail('drop');
    await expect(get()).rejects.toThrow('fetch failed');
    proxy.fail('hang');
    await expect(get()).rejects.toThrow(/timeout|aborted/);
    proxy.fail('crash', { path: '/v1/agents', times: 1 });
    expect((await fetch(`${proxy.url}/health/readiness`)).status).toBe(200);
    expect((await get()).status).toBe(500);
    expect(proxy.requests.some(({ url }) => url === '/health')).toBe(false);
    await replay.expectSame('agents-list');
  });
});
