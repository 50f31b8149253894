/**
 * The state of the stand-in proxy (proxy-stand-in.mjs): a database that keeps, and a memory that forgets when it restarts, as LiteLLM's
 * does (test/fixtures/litellm). Knows nothing of HTTP; what it refuses is thrown as `{status, body}`.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const recorded = (name) =>
  JSON.parse(readFileSync(new URL(`../fixtures/litellm/${name}.json`, import.meta.url), 'utf8')).response.body;

/** An answer that is no success. */
export const refuse = (status, body, headers) =>
  Object.assign(new Error(`refused with ${status}`), { status, body, headers });
const detail = (status, text) => refuse(status, { detail: text });

const needsDatabase =
  'DB not connected. This endpoint needs a database; set DATABASE_URL to a PostgreSQL connection string (postgresql://...) to enable it. See https://docs.litellm.ai/docs/proxy/virtual_keys';

export class Registry {
  /** @param {{agents?: object[], database?: boolean, storeModelInDb?: boolean}} options */
  constructor(options) {
    this.options = options;
    /** Rows of the database: agents by id, keys by their SHA-256. */
    this.rows = new Map();
    this.keys = new Map();
    /** Ids; LiteLLM writes them into its config.yaml, so they survive. */
    this.publicGroups = [];
    /** Days of spend: date → agent id → metrics. */
    this.activity = new Map();
    this.restart();
  }

  /** The memory is filled from the configuration file, and from the database only with `store_model_in_db`. */
  restart() {
    this.memory = new Map(this.options.storeModelInDb ? this.rows : []);
    for (const agent of this.options.agents ?? []) {
      // an entry without a card, and a second one of the same name, vanish silently
      if (!agent.agent_card_params || this.byName(agent.agent_name)) continue;
      const id = sha256(agent.agent_name);
      this.memory.set(id, row({ ...agent, agent_id: id }));
    }
  }

  byName(nameOrId) {
    return [...this.memory.values()].find((a) => a.agent_name === nameOrId || a.agent_id === nameOrId);
  }

  // --- agents ---

  list() {
    return [...this.memory.values()].map((agent) => this.#joined(agent));
  }

  get(id) {
    if (!this.options.database) throw detail(500, 'Prisma client not initialized');
    const agent = this.memory.get(id);
    if (agent) return this.#joined(agent);
    if (!this.rows.has(id)) throw detail(404, `Agent with ID ${id} not found`);
    return { ...this.rows.get(id), keys: this.#keysOf(id) };
  }

  create(config, base) {
    if (!this.options.database) throw detail(500, 'Prisma client not initialized');
    if (this.byName(config.agent_name)) throw detail(400, `Agent with name ${config.agent_name} already exists`);
    const id = randomUUID();
    const card = mergedCard(config.agent_card_params, id, base);
    if ([...this.rows.values()].some((a) => a.agent_name === config.agent_name))
      throw detail(500, 'Error adding agent to DB: Unique constraint failed on the fields: (`agent_name`)');
    return this.#store(row({ ...config, agent_id: id, agent_card_params: card }, now()));
  }

  replace(id, config, base) {
    if (!this.options.database) throw detail(500, needsDatabase);
    const old = this.rows.get(id);
    if (!old) throw detail(404, `Agent with ID ${id} not found`);
    const card = mergedCard(config.agent_card_params, id, base);
    const emptied = { static_headers: {}, extra_headers: [], ...config };
    return this.#store({
      ...row({ ...emptied, agent_id: id, agent_card_params: card }, old.created_at),
      spend: old.spend,
    });
  }

  patch(id, change, base) {
    if (!this.options.database) throw detail(500, needsDatabase);
    const old = this.rows.get(id);
    // an agent of the configuration file has no row
    if (!old) throw detail(404, `Agent with ID ${id} not found`);
    const known = Object.fromEntries(Object.entries(change).filter(([key]) => key in old));
    const card = change.agent_card_params ? mergedCard(change.agent_card_params, id, base) : old.agent_card_params;
    return this.#store({ ...old, ...known, agent_card_params: card, updated_at: now() });
  }

  remove(id) {
    if (!this.options.database) throw detail(500, 'Prisma client not initialized');
    if (!this.rows.delete(id)) throw detail(404, `Agent with ID ${id} not found in DB.`);
    this.memory.delete(id);
    return { message: `Agent ${id} deleted successfully` };
  }

  makePublic(ids) {
    if (!this.options.database) throw detail(500, needsDatabase);
    for (const id of ids) if (!this.publicGroups.includes(id)) this.publicGroups.push(id);
    const message = 'Successfully updated public agent groups';
    return { message, public_agent_groups: [...this.publicGroups], updated_by: 'default_user_id' };
  }

  #store(agent) {
    this.rows.set(agent.agent_id, agent);
    this.memory.set(agent.agent_id, agent);
    return agent;
  }

  #joined(agent) {
    const inDatabase = this.options.database && this.rows.has(agent.agent_id);
    return {
      ...agent,
      litellm_params: { ...agent.litellm_params, is_public: this.publicGroups.includes(agent.agent_id) },
      spend: inDatabase ? agent.spend : null,
      keys: inDatabase ? this.#keysOf(agent.agent_id) : null,
    };
  }

  #keysOf(id) {
    const bound = [...this.keys].filter(([, key]) => key.agent_id === id);
    if (bound.length === 0) return null;
    return bound.map(([token, { key_alias, key_name }]) => ({ token, key_alias, key_name }));
  }

  // --- keys ---

  generateKey(request) {
    if (!this.options.database) throw error(500, 'internal_server_error', `{'error': '${needsDatabase}'}`);
    if (request.key_alias && [...this.keys.values()].some((key) => key.key_alias === request.key_alias))
      throw error(
        400,
        'bad_request_error',
        `Key with alias '${request.key_alias}' already exists. Unique key aliases across all keys are required.`,
        'key_alias',
      );
    const key = `sk-${randomBytes(16).toString('base64url')}`;
    const token = sha256(key);
    const { agents } = request.object_permission ?? {};
    // the grants are shown by /key/info, not in this answer
    const granted = { object_permission: agents ? { agents } : null };
    const info = { ...recorded('withdb.1-key-info').info, ...keyFields(request, key), ...granted };
    this.keys.set(token, info);
    return { ...recorded('withdb.1-key-generate'), ...keyFields(request, key), key, token, token_id: token };
  }

  keyInfo(keyOrToken) {
    if (!this.options.database)
      throw error(
        500,
        'internal_server_error',
        'Database not connected. Connect a database to your proxy - https://docs.litellm.ai/docs/simple_proxy#managing-auth---virtual-keys',
      );
    const info = this.keys.get(tokenOf(keyOrToken));
    if (!info) throw error(404, 'not_found_error', 'Key not found in database', 'key');
    return { key: keyOrToken, info };
  }

  deleteKeys(keys) {
    if (!this.options.database) throw error(500, 'internal_server_error', 'Not connected to DB!');
    for (const key of keys) this.keys.delete(tokenOf(key));
    return { deleted_keys: keys };
  }

  // --- spend ---

  /** Counts one call of an agent, as a test wants it. */
  use(id, { date = now().slice(0, 10), spend = 0, promptTokens = 0, completionTokens = 0, failed = false } = {}) {
    const day = this.activity.get(date) ?? new Map();
    this.activity.set(date, day);
    const add = {
      spend,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
    const counted = { ...add, api_requests: 1, successful_requests: failed ? 0 : 1, failed_requests: failed ? 1 : 0 };
    day.set(id, sum([day.get(id) ?? {}, counted]));
    const agent = this.rows.get(id);
    if (agent) agent.spend += spend;
  }

  dailyActivity({ from, to, ids, page, size }) {
    if (!this.options.database) throw refuse(500, { detail: { error: needsDatabase } });
    if (!from || !to) throw refuse(400, { detail: { error: 'Please provide start_date and end_date' } });
    const template = recorded('withdb.1-daily-activity');
    const [day] = template.results;
    const empty = Object.fromEntries(Object.keys(day.metrics).map((key) => [key, 0]));
    const [entity] = Object.values(day.breakdown.entities);
    const rows = [...this.activity]
      .filter(([date]) => date >= from && date <= to)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .flatMap(([date, agents]) => [...agents].map(([id, metrics]) => ({ date, id, metrics })))
      .filter(({ id }) => ids.length === 0 || ids.includes(id));
    // pages are pages of rows: a day may begin on one and end on the next, and the totals are the page's own
    const shown = rows.slice((page - 1) * size, page * size);
    const results = [...new Set(shown.map(({ date }) => date))].map((date) => {
      const agents = shown.filter((row) => row.date === date);
      const entities = agents.map(({ id, metrics }) => {
        const metadata = { agent_name: this.rows.get(id)?.agent_name };
        return [id, { ...entity, metrics: sum([empty, metrics]), metadata, api_key_breakdown: {} }];
      });
      const breakdown = Object.fromEntries(Object.keys(day.breakdown).map((key) => [key, {}]));
      return {
        date,
        metrics: sum([empty, ...agents.map(({ metrics }) => metrics)]),
        breakdown: { ...breakdown, entities: Object.fromEntries(entities) },
      };
    });
    const all = sum([empty, ...shown.map(({ metrics }) => metrics)]);
    const totals = Object.fromEntries(
      Object.entries(all).map(([key, value]) => [`total_${key}`.replace('total_total', 'total'), value]),
    );
    const pages = Math.max(1, Math.ceil(rows.length / size));
    return { results, metadata: { ...totals, page, total_pages: pages, has_more: page < pages } };
  }
}

export const error = (status, type, message, param = 'None') =>
  refuse(status, { error: { message, type, param, code: `${status}` } });

const now = () => new Date().toISOString();
const tokenOf = (key) => (key.startsWith('sk-') ? sha256(key) : key);

function sum(all) {
  const total = {};
  for (const metrics of all) for (const [key, value] of Object.entries(metrics)) total[key] = (total[key] ?? 0) + value;
  return total;
}

function keyFields(request, key) {
  return {
    key_alias: request.key_alias ?? null,
    key_name: `sk-...${key.slice(-4)}`,
    agent_id: request.agent_id ?? null,
    models: request.models ?? [],
    max_budget: request.max_budget ?? null,
    budget_duration: request.budget_duration ?? null,
    tpm_limit: request.tpm_limit ?? null,
    rpm_limit: request.rpm_limit ?? null,
    spend: 0,
    object_permission: null,
  };
}

/** One agent as the list has it. With `createdAt` it is one of the database, else one of the configuration file. */
function row(config, createdAt) {
  const by = createdAt ? 'default_user_id' : null;
  return {
    agent_id: config.agent_id,
    agent_name: config.agent_name,
    litellm_params: { ...config.litellm_params },
    agent_card_params: config.agent_card_params,
    object_permission: config.object_permission ?? null,
    spend: createdAt ? 0 : null,
    tpm_limit: config.tpm_limit ?? null,
    rpm_limit: config.rpm_limit ?? null,
    session_tpm_limit: config.session_tpm_limit ?? null,
    session_rpm_limit: config.session_rpm_limit ?? null,
    static_headers: config.static_headers ?? null,
    extra_headers: config.extra_headers ?? null,
    keys: null,
    search_score: null,
    created_at: createdAt ?? null,
    updated_at: createdAt ? now() : null,
    created_by: by,
    updated_by: by,
  };
}

/** What LiteLLM keeps of a card that is written into its database, and what it adds. */
function mergedCard(card, id, base) {
  const version = card.protocolVersion ?? '1.0';
  if (!/^(0\.3|1\.0)(\.\d+)?$/.test(version))
    throw detail(400, `Unsupported protocolVersion '${version}'. Supported versions: 0.3, 1.0.`);
  const skills =
    card.skills?.length > 0 ? card.skills : [{ id: 'chat', name: 'chat', description: 'Chat', tags: ['chat'] }];
  return {
    url: card.url,
    name: card.name,
    skills,
    version: card.version,
    provider: { url: base, organization: 'LiteLLM Proxy' },
    security: [{ LiteLLMKey: [] }],
    description: card.description,
    capabilities: { streaming: card.capabilities?.streaming === true },
    protocolVersion: version,
    securitySchemes: { LiteLLMKey: { type: 'http', scheme: 'bearer', description: 'LiteLLM virtual key' } },
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    supportedInterfaces: [{ url: `${base}/a2a/${id}`, protocolBinding: 'JSONRPC', protocolVersion: version }],
  };
}
