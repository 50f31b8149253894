#!/usr/bin/env node
/**
 * A stand-in for the LiteLLM proxy on 127.0.0.1, for tests: its registry of agents, cards, keys and spend, answering as version 1.100.1
 * did when it was recorded (test/fixtures/litellm; a test holds every answer against its recording). It is not LiteLLM: it passes no
 * message on to an agent, and counts only what a test tells it.
 *
 *   node test/agents/proxy-stand-in.mjs [PORT]        with a database, master key sk-1234; prints its address
 *
 * In a test: `const proxy = await startProxyStandIn({database: true})`, then
 *   proxy.url, proxy.requests                         where it is; what came, without its keys
 *   proxy.registry                                    its state, see proxy-stand-in-registry.mjs
 *   proxy.restart()                                   forgets its memory, keeps its database
 *   proxy.fail('html', {path?, times?})               answers so from now on; `proxy.fail(undefined)` ends it
 */
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { error, Registry, refuse, sha256 } from './proxy-stand-in-registry.mjs';

/** What can go wrong between a client and a proxy. `hang` never answers, `drop` cuts the connection. */
const faults = {
  html: [
    200,
    '<!doctype html><html><head><title>Welcome</title></head><body>Log in</body></html>',
    { 'content-type': 'text/html' },
  ],
  portal: [302, '', { location: 'http://portal.invalid/login?from=proxy' }],
  gateway: [502, '<html><head><title>502 Bad Gateway</title></head></html>', { 'content-type': 'text/html' }],
  garbage: [200, '{"agents": [', {}],
  shape: [200, '{"hello": "world"}', {}],
  crash: [500, '{"error":{"message":"Internal server error","type":"internal_server_error"}}', {}],
  forbidden: [403, '{"detail":"Agent \'lab\' is not allowed for your key/team. Contact proxy admin for access."}', {}],
  limit: [
    429,
    '{"detail":"Rate limit exceeded for api_key: 1c1799cf. Limit type: requests. Current limit: 1, Remaining: 0. Limit resets at: 2026-01-01T00:00:00.000Z UTC"}',
    { 'retry-after': '60', rate_limit_type: 'requests', reset_at: '2026-01-01T00:00:00.000Z UTC' },
  ],
  budget: [
    429,
    '{"error":{"message":"Budget has been exceeded! Key=poor (sk-...3L6Q) Current cost: 0.0, Max budget: 0.0","type":"budget_exceeded","param":null,"code":"429"}}',
    {},
  ],
  gone: [404, '{"detail":"Not Found"}', {}],
};

/** @param {import('./proxy-stand-in.mjs').StandInOptions} options */
export async function startProxyStandIn(options = {}) {
  const { database = false, prisma = database, masterKey = 'sk-1234', port = 0, models = [] } = options;
  const reaches = options.reaches ?? healthy;
  const registry = new Registry({ ...options, database });
  const requests = [];
  let fault;

  /** Who asks; throws when the key is none. Without a master key there is no authentication at all. */
  function callerOf(headers) {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    const key = bearer ?? headers['x-litellm-api-key'] ?? headers['x-api-key'];
    if (masterKey === null) return { role: 'internal_user' };
    if (!key && prisma) throw error(401, 'auth_error', 'Authentication Error, No api key passed in.');
    // without the Python package prisma it stumbles over its own error
    if (!key) throw refuse(500, { error: { message: 'Internal server error', type: 'internal_server_error' } });
    if (key === masterKey) return { role: 'admin' };
    if (!database)
      throw refuse(400, { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } });
    if (!key.startsWith('sk-'))
      throw error(401, 'auth_error', "LiteLLM Virtual Key expected. Received=****, expected to start with 'sk-'.");
    const token = sha256(key);
    const known = registry.keys.get(token);
    if (!known) {
      const shown = key.length > 12 ? `sk-...${key.slice(-4)}` : 'sk-...';
      const text = `Authentication Error, Invalid proxy server token passed. Received API Key = ${shown}, Key Hash (Token) =${token}. Unable to find token in cache or \`LiteLLM_VerificationTokenTable\``;
      throw error(401, 'token_not_found_in_db', text, 'key');
    }
    return { role: 'internal_user', key, agents: known.object_permission?.agents };
  }

  const onlyAdmin = (caller) => {
    if (caller.role === 'admin') return;
    const text = 'Only proxy admins can create, update, or delete agents. Your role=internal_user';
    throw refuse(403, { detail: { error: text } });
  };
  const onlyKeyAdmin = (caller, path) => {
    if (caller.role === 'admin' || masterKey === null) return;
    const text = `Authentication Error, Only proxy admin can be used to generate, delete, update info for new keys/users/teams. Route=${path}. Your role=unknown. Your user_id=*******`;
    throw error(401, 'auth_error', text);
  };
  const mayUse = (caller, agent) => !caller.agents || caller.agents.includes(agent.agent_id);

  async function list(caller, query) {
    if (query.has('query')) {
      const message =
        'agent search needs litellm_settings.agent_search_embedding_model set to an embedding model from model_list';
      throw refuse(400, { detail: { error: 'agent_search_not_configured', message } });
    }
    let agents = registry.list().filter((agent) => mayUse(caller, agent));
    if (query.get('health_check') === 'true') {
      // those that do not answer are dropped, not marked
      const there = await Promise.all(agents.map((agent) => reaches(agent.agent_card_params.url)));
      agents = agents.filter((_, at) => there[at]);
    }
    return agents.map((agent) => seenBy(caller, agent));
  }

  function card(caller, name, headers, base) {
    const agent = registry.byName(name);
    if (!agent) throw refuse(404, { detail: `Agent '${name}' not found` });
    if (!mayUse(caller, agent))
      throw refuse(403, {
        detail: `Agent '${name}' is not allowed for your key/team. Contact proxy admin for access.`,
      });
    return servedCard(agent.agent_card_params, `${base}/a2a/${name}`, headers['a2a-version']);
  }

  /** The routes, in the order in which LiteLLM checks: form, key, role, database, name. */
  async function answer({ method, url, headers, body, base }) {
    const { pathname: path, searchParams: query } = new URL(url, base);
    if (path === '/health/readiness') return { status: 'healthy', db: database ? 'connected' : 'Not connected' };
    if (path === '/health/liveliness') return "I'm alive!";
    if (path === '/public/agent_hub')
      return registry.publicGroups.flatMap((id) => {
        const agent = registry.memory.get(id);
        if (!agent) return [];
        const { supportedInterfaces: _, ...card } = servedCard(agent.agent_card_params, `${base}/a2a/${id}`);
        return [card];
      });
    const caller = callerOf(headers);
    if (path === '/health/readiness/details')
      return {
        status: 'healthy',
        db: database ? 'connected' : 'Not connected',
        cache: null,
        litellm_version: '1.100.1',
      };
    if (path === '/v1/agents' && method === 'GET') return list(caller, query);
    if (path === '/v1/agents' && method === 'POST') {
      const missing = ['agent_name', 'agent_card_params'].filter((name) => body?.[name] === undefined);
      if (missing.length > 0)
        throw refuse(422, {
          detail: missing.map((name) => ({ type: 'missing', loc: ['body', name], msg: 'Field required', input: body })),
        });
      onlyAdmin(caller);
      return registry.create(body, base);
    }
    const publish = /^\/v1\/agents\/([^/]+)\/make_public$/.exec(path);
    if (method === 'POST' && (publish || path === '/v1/agents/make_public')) {
      onlyAdmin(caller);
      return registry.makePublic(publish ? [decodeURIComponent(publish[1])] : body.agent_ids);
    }
    const one = /^\/v1\/agents\/([^/]+)$/.exec(path);
    if (one) {
      const id = decodeURIComponent(one[1]);
      if (method === 'GET') return seenBy(caller, registry.get(id));
      onlyAdmin(caller);
      if (method === 'PUT') return registry.replace(id, body, base);
      if (method === 'PATCH') return registry.patch(id, body, base);
      if (method === 'DELETE') return registry.remove(id);
    }
    const named = /^\/a2a\/([^/]+)\/\.well-known\/(agent-card|agent)\.json$/.exec(path);
    if (named && method === 'GET') return card(caller, decodeURIComponent(named[1]), headers, base);
    if (path === '/key/generate') {
      onlyKeyAdmin(caller, path);
      return registry.generateKey(body);
    }
    if (path === '/key/delete') {
      onlyKeyAdmin(caller, path);
      return registry.deleteKeys(body.keys);
    }
    // without a name it is the caller's own
    if (path === '/key/info') return registry.keyInfo(query.get('key') ?? caller.key ?? masterKey ?? '');
    if (path === '/agent/daily/activity') {
      onlyKeyAdmin(caller, path);
      return registry.dailyActivity({
        from: query.get('start_date'),
        to: query.get('end_date'),
        ids: (query.get('agent_ids') ?? '').split(',').filter(Boolean),
        page: Number(query.get('page') ?? 1),
        size: Number(query.get('page_size') ?? 10),
      });
    }
    if (path === '/v1/models')
      return {
        data: models.map((id) => ({ id, object: 'model', created: 1767225600, owned_by: 'openai' })),
        object: 'list',
      };
    if (path === '/model_group/info') return { data: models.map(modelGroup) };
    throw refuse(404, { detail: 'Not Found' });
  }

  const server = http.createServer(async (request, response) => {
    const send = (status, body, headers) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    try {
      let text = '';
      for await (const piece of request) text += piece;
      const { method, url, headers } = request;
      const keyed = Boolean(headers.authorization ?? headers['x-litellm-api-key'] ?? headers['x-api-key']);
      requests.push({ method, url, keyed, body: text ? parsed(text) : undefined });
      if (fault && url.startsWith(fault.path ?? '/') && fault.times-- > 0) {
        if (fault.kind === 'hang') return;
        if (fault.kind === 'drop') return void request.socket.destroy();
        const [status, body, more] = faults[fault.kind];
        response.writeHead(status, { 'content-type': 'application/json', ...more });
        return void response.end(body);
      }
      // X-Forwarded-Proto counts, X-Forwarded-Host does not
      const base = `${headers['x-forwarded-proto'] ?? 'http'}://${headers.host}`;
      send(200, await answer({ method, url, headers, body: text ? parsed(text) : undefined, base }));
    } catch (thrown) {
      if (!thrown.status) console.error(thrown);
      send(thrown.status ?? 500, thrown.body ?? { detail: String(thrown) }, thrown.headers);
    }
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    registry,
    requests,
    restart: () => registry.restart(),
    fail(kind, { path, times = Number.POSITIVE_INFINITY } = {}) {
      if (kind && kind !== 'hang' && kind !== 'drop' && !faults[kind]) throw new Error(`no such fault: ${kind}`);
      fault = kind && { kind, path, times };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** LiteLLM takes everything below 500 for an answer, also a 404; it waits 5 s. */
async function healthy(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5_000) })).status < 500;
  } catch {
    return false;
  }
}

/** An admin sees secrets in clear, everybody else masks and no headers. */
function seenBy(caller, agent) {
  if (caller.role === 'admin') return agent;
  const params = Object.entries(agent.litellm_params).map(([name, value]) => [
    name,
    /api_key|secret|token$/.test(name) ? mask(value) : value,
  ]);
  return {
    ...agent,
    litellm_params: Object.fromEntries(params),
    static_headers: null,
    extra_headers: null,
    keys: null,
  };
}

function mask(value) {
  const text = String(value);
  return text.length > 4 ? `${text.slice(0, 2)}****${text.slice(-2)}` : '*****';
}

/** The stored card with the proxy's address. Its pin decides the version, else the header, else 0.3. */
function servedCard(card, url, asked) {
  const interfaces = card.supportedInterfaces?.map((one, at) => (at === 0 ? { ...one, url } : one));
  const served = { ...card, url, ...(interfaces && { supportedInterfaces: interfaces }) };
  if (card.protocolVersion || !asked?.startsWith('1.')) return served;
  const { url: _, skills, ...rest } = served;
  const named = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.3.0' }];
  // empty lists are lost on the way
  return { ...rest, ...(skills?.length > 0 && { skills }), supportedInterfaces: named };
}

const modelGroup = (name) => ({
  model_group: name,
  providers: [name.startsWith('a2a/') ? 'a2a' : 'openai'],
  max_input_tokens: null,
  max_output_tokens: null,
  supports_function_calling: false,
  supports_vision: false,
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const proxy = await startProxyStandIn({ database: true, port: Number(process.argv[2] ?? 0) });
  console.log(proxy.url);
}
