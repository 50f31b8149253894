import { createHash } from 'node:crypto';
import { isShallow } from '../base/json';
import { l10n } from '../base/l10n';
import { type Log, namedLog } from '../base/log';
import { type Card, readCard } from './card';
import { fieldsOf, lineOf, linesOf } from './fields';
import { httpAnswer, jsonOf } from './http';
import { type ProxyAgent, readAgent, readAgents } from './proxy-agents';
import { type AgentChange, changeBody, type NewAgent } from './proxy-change';
import { type About, garbage, ProxyError, proxyErrorOf } from './proxy-errors';
import {
  type Activity,
  type DayUsage,
  type KeyInfo,
  mergedDays,
  type ProxyModel,
  readActivity,
  readKeyInfo,
  readModels,
} from './proxy-spend';

/** Milliseconds that a request may take. */
export interface Deadlines {
  /** Readiness and version. */
  probe: number;
  /** Everything that only reads. */
  read: number;
  /** A list whose agents the proxy asks first: it gives them 30 s together (facts, 1.2). */
  health: number;
  /** Everything that changes something. */
  write: number;
}

export const usualDeadlines: Deadlines = { probe: 5_000, read: 20_000, health: 45_000, write: 30_000 };

export interface ProxyClientOptions {
  /** Its name and base address in `mm.yaml`. */
  entry: { name: string; url: string };
  /** Read anew for each request, and kept nowhere. Undefined: no key is sent. */
  key: () => Promise<string | undefined>;
  /** For what only an admin may do; where there is none, the usual key tries. */
  adminKey?: () => Promise<string | undefined>;
  log: Log;
  fetch?: typeof fetch;
  deadlines?: Partial<Deadlines>;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** Whether the proxy is there, and what it can do. */
export interface Readiness {
  /** Without a database nothing can be created, changed or counted. `lost`: it has one and does not reach it. */
  database: 'connected' | 'none' | 'lost' | 'unknown';
  /** Older versions say it here, later ones only to who has a key (`version`). */
  version?: string;
}

/** Who answers behind the proxy, by agent id. */
export interface Reachability {
  agents: ProxyAgent[];
  unreachable: Set<string>;
}

/** What a new key is for; what is left out is not limited. */
export interface KeyRequest {
  alias: string;
  agentId?: string;
  models?: string[];
  /** Ids of agents that it may ask. */
  agents?: string[];
  /** Dollars in each `budgetDuration`, such as `30d`. */
  maxBudget?: number;
  budgetDuration?: string;
  tpm?: number;
  rpm?: number;
}

interface Call extends CallOptions {
  method?: string;
  body?: unknown;
  deadline: keyof Deadlines;
  as: 'nobody' | 'user' | 'admin';
  maxBytes?: number;
}

/** Bytes of a list of agents, and of any other answer. */
const largestList = 20_000_000;
const largest = 4_000_000;

/** Pages of a spend report that are read, and rows of each: one per day, agent, model and key. */
const mostPages = 20;
const pageSize = 1_000;

/**
 * One LLM proxy (LiteLLM) with its registry of agents. Holds no state: each call reads its key, asks, checks what comes back, and throws a
 * ProxyError that says in words what is wrong. Cancelled by a signal, it throws CancelledError.
 */
export class ProxyClient {
  readonly name: string;
  readonly url: string;
  readonly #options: ProxyClientOptions;
  readonly #log: Log;

  constructor(options: ProxyClientOptions) {
    this.#options = options;
    this.name = options.entry.name;
    this.url = options.entry.url.replace(/\/+$/, '');
    this.#log = namedLog(options.log, `proxy ${this.name}`);
  }

  /** The agents that this key may ask, as the proxy's memory has them: after a restart it may have forgotten some. */
  async agents(options: CallOptions = {}): Promise<ProxyAgent[]> {
    return this.#list('/v1/agents', { ...options, as: 'user', deadline: 'read' });
  }

  /**
   * Who of them answers. The proxy drops the others from its list instead of marking them, so both lists are asked for. It takes what is
   * below 500 for an answer, and says nothing about whether A2A is spoken there. May take half a minute.
   */
  async reachability(options: CallOptions = {}): Promise<Reachability> {
    const agents = await this.agents(options);
    const call: Call = { ...options, as: 'user', deadline: 'health' };
    const there = new Set((await this.#list('/v1/agents?health_check=true', call)).map(({ id }) => id));
    return { agents, unreachable: new Set(agents.flatMap(({ id }) => (there.has(id) ? [] : id))) };
  }

  /**
   * One agent, also one that the list has forgotten. Needs a database.
   * @throws ProxyError `not-found` when it was really deleted; `no-database`, for every id
   */
  async agent(id: string, options: CallOptions = {}): Promise<ProxyAgent> {
    return this.#agentOf(await this.#json(`/v1/agents/${segment(id)}`, { ...options, as: 'user', deadline: 'read' }));
  }

  /** The card as the proxy serves it: stored there, so it comes also while the agent is down. Its addresses are the proxy's. */
  async card(nameOrId: string, options: CallOptions = {}): Promise<Card> {
    const path = `/a2a/${segment(nameOrId)}/.well-known/agent-card.json`;
    const read = readCard(await this.#json(path, { ...options, as: 'user', deadline: 'read' }), nameOrId);
    if (!read.ok) throw garbage(this.#about(), read.words);
    return read.card;
  }

  /** The probe: answers without a key, and asks no agent. Never `/health`, which sends each of them a prompt (facts, 1.8). */
  async readiness(options: CallOptions = {}): Promise<Readiness> {
    const value = await this.#json('/health/readiness', { ...options, as: 'nobody', deadline: 'probe' });
    const { status, db, litellm_version } = fieldsOf(value);
    if (typeof status !== 'string' && typeof db !== 'string')
      throw garbage(this.#about(), l10n.t('it does not say whether it is ready.'));
    const said = typeof db === 'string' ? db.toLowerCase() : '';
    const database = { connected: 'connected', 'not connected': 'none', disconnected: 'lost' } as const;
    return { database: database[said as keyof typeof database] ?? 'unknown', version: lineOf(litellm_version, 50) };
  }

  /** LiteLLM's version, where it says it. */
  async version(options: CallOptions = {}): Promise<string | undefined> {
    const value = await this.#json('/health/readiness/details', { ...options, as: 'user', deadline: 'probe' });
    return lineOf(fieldsOf(value).litellm_version, 50);
  }

  /** @throws ProxyError `conflict`: the name is taken; `forgotten`: it is taken by an agent that only the database knows */
  async create(agent: NewAgent, options: CallOptions = {}): Promise<ProxyAgent> {
    const body = changeBody(agent);
    return this.#agentOf(await this.#json('/v1/agents', { ...options, ...post, body }));
  }

  /**
   * Changes what is named and nothing else. A PATCH of `litellm_params` replaces them as a whole, so the present ones are read first and
   * sent along, as they are at that moment: two who change them at once overwrite one another, as everywhere in this registry.
   * @throws ProxyError `refused` before anything is sent, when the proxy shows a secret of them only masked
   */
  async patch(id: string, change: AgentChange, options: CallOptions = {}): Promise<ProxyAgent> {
    const path = `/v1/agents/${segment(id)}`;
    let present: Record<string, unknown> = {};
    if (change.params) {
      const value = await this.#json(path, { ...options, as: 'admin', deadline: 'read' });
      if (!readAgent(value)) throw this.#noAgent();
      present = fieldsOf(fieldsOf(value).litellm_params);
      if (!isShallow(present)) throw this.#noAgent();
    }
    return this.#patch(path, changeBody(change, present), options);
  }

  /** The smallest PATCH there is: the proxy reads the agent from its database into its memory again and changes nothing (facts, 1.10). */
  async touch(id: string, name: string, options: CallOptions = {}): Promise<ProxyAgent> {
    return this.#patch(`/v1/agents/${segment(id)}`, changeBody({ name }), options);
  }

  /** Its keys stay valid: delete them too. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    const call = { ...options, method: 'DELETE', as: 'admin', deadline: 'write' } as const;
    await this.#json(`/v1/agents/${segment(id)}`, call);
  }

  /**
   * Lists the agent for everybody. Without `store_model_in_db` the proxy rewrites its config.yaml for this and loses the comments in it:
   * say so before.
   * @returns the ids of all public agents
   */
  async makePublic(id: string, options: CallOptions = {}): Promise<string[]> {
    const value = await this.#json(`/v1/agents/${segment(id)}/make_public`, { ...options, ...post, body: {} });
    return linesOf(fieldsOf(value).public_agent_groups, 20_000, 500);
  }

  /** A new virtual key. `key` is the secret, shown this once: it belongs into a secret store and nowhere else. */
  async generateKey(request: KeyRequest, options: CallOptions = {}): Promise<{ key: string; info: KeyInfo }> {
    const body = {
      key_alias: request.alias,
      agent_id: request.agentId,
      models: request.models,
      max_budget: request.maxBudget,
      budget_duration: request.budgetDuration,
      tpm_limit: request.tpm,
      rpm_limit: request.rpm,
      object_permission: request.agents && { agents: request.agents },
    };
    const value = await this.#json('/key/generate', { ...options, ...post, body });
    const { key } = fieldsOf(value);
    const info = readKeyInfo(value);
    if (typeof key !== 'string' || !isKey(key) || !info)
      throw garbage(this.#about(), l10n.t('it answers without the key that it should have made.'));
    return { key, info };
  }

  /**
   * Limits, budget and spend of a key. The key itself never stands in an address: the proxy knows it by its SHA-256 too.
   * @param key the key, or its token; left out, it is the own one
   */
  async keyInfo(key?: string, options: CallOptions = {}): Promise<KeyInfo> {
    const path = key === undefined ? '/key/info' : `/key/info?key=${segment(tokenOf(key))}`;
    const as = key === undefined ? 'user' : 'admin';
    const info = readKeyInfo(await this.#json(path, { ...options, as, deadline: 'read' }));
    if (!info) throw garbage(this.#about(), l10n.t('it answers with something that is no key.'));
    return { ...info, token: info.token ?? (key === undefined ? undefined : tokenOf(key)) };
  }

  /** @param key the key, or its token */
  async deleteKey(key: string, options: CallOptions = {}): Promise<void> {
    await this.#json('/key/delete', { ...options, ...post, body: { keys: [tokenOf(key)] } });
  }

  /**
   * Spend per day, oldest first; numbers arrive within a minute. Needs a database.
   * @param from first and last day, `2026-11-30`
   */
  async dailyActivity(
    { from, to, agents = [] }: { from: string; to: string; agents?: string[] },
    options: CallOptions = {},
  ): Promise<Activity> {
    const days = new Map<string, DayUsage>();
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ start_date: from, end_date: to, page: `${page}`, page_size: `${pageSize}` });
      if (agents.length > 0) query.set('agent_ids', agents.join(','));
      const call: Call = { ...options, as: 'admin', deadline: 'read', maxBytes: largestList };
      const read = readActivity(await this.#json(`/agent/daily/activity?${query}`, call));
      if (!read) throw garbage(this.#about(), l10n.t('it answers with something that is no report of spend.'));
      // a page is one of the database's rows: a day may begin on one and end on the next
      for (const day of read.days) days.set(day.date, mergedDays(days.get(day.date), day));
      if (read.more && page < mostPages && read.days.length > 0) continue;
      const sorted = [...days.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
      return { days: sorted, totalSpend: sorted.reduce((sum, { spend }) => sum + spend, 0), more: read.more };
    }
  }

  /** The models that this key may use. Agents stand among them only where somebody has declared `a2a/<name>` as a model. */
  async models(options: CallOptions = {}): Promise<ProxyModel[]> {
    const call: Call = { ...options, as: 'user', deadline: 'read' };
    const value = await this.#json('/model_group/info', call).catch((error: unknown) => {
      // an older or another proxy: names are better than nothing
      if (error instanceof ProxyError && error.kind === 'not-found') return this.#json('/v1/models', call);
      throw error;
    });
    const models = readModels(value);
    if (!models) throw garbage(this.#about(), l10n.t('it answers with something that is no list of models.'));
    return models;
  }

  async #list(path: string, call: Call): Promise<ProxyAgent[]> {
    const agents = readAgents(await this.#json(path, { ...call, maxBytes: largestList }));
    if (!agents) throw garbage(this.#about(), l10n.t('it answers with something that is no list of agents.'));
    return agents;
  }

  async #patch(path: string, body: Record<string, unknown>, options: CallOptions): Promise<ProxyAgent> {
    return this.#agentOf(await this.#json(path, { ...options, ...post, method: 'PATCH', body }));
  }

  #agentOf(value: unknown): ProxyAgent {
    const agent = readAgent(value);
    if (!agent) throw this.#noAgent();
    return agent;
  }

  #noAgent(): ProxyError {
    return garbage(this.#about(), l10n.t('it answers with something that is no agent.'));
  }

  #about(key?: string): About {
    return { name: this.name, url: this.url, keySent: key !== undefined, secrets: key === undefined ? [] : [key] };
  }

  async #json(path: string, call: Call): Promise<unknown> {
    const key = call.as === 'nobody' ? undefined : await this.#key(call.as);
    const about = this.#about(key);
    if (key !== undefined && !isKey(key))
      throw new ProxyError(
        'wrong-key',
        l10n.t('The key of the proxy “{0}” holds characters that no key has.', this.name),
        {
          hint: l10n.t('Enter it anew, without spaces and line breaks.'),
        },
      );
    const { method = 'GET' } = call;
    const began = Date.now();
    const answer = await httpAnswer(
      {
        url: `${this.url}${path}`,
        method,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        body: call.body,
        deadline: { ...usualDeadlines, ...this.#options.deadlines }[call.deadline],
        signal: call.signal,
        maxBytes: call.maxBytes ?? largest,
        fetch: this.#options.fetch,
      },
      about,
    );
    this.#log.debug(`${method} ${path.split('?')[0]}: ${answer.status} after ${Date.now() - began} ms`);
    if (answer.status < 200 || answer.status > 299) throw proxyErrorOf(answer, about);
    // a login page comes with 200
    if (/\bhtml\b/i.test(answer.headers.get('content-type') ?? '')) throw proxyErrorOf(answer, about);
    return jsonOf(answer, about);
  }

  async #key(as: 'user' | 'admin'): Promise<string | undefined> {
    const { key, adminKey } = this.#options;
    const read = (as === 'admin' && (await adminKey?.())) || (await key());
    // what was pasted often ends with a line break
    return read?.trim() || undefined;
  }
}

const post = { method: 'POST', as: 'admin', deadline: 'write' } as const;

/** What may stand in a header; anything else would come back in the error of `fetch`, with the key in it. */
function isKey(key: string): boolean {
  return key.length <= 4_096 && /^[\x21-\x7e]+$/.test(key);
}

/** A name or id as one step of a path; never one that leads out of it. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new ProxyError('not-found', l10n.t('“{0}” is no name of an agent.', name));
  return encodeURIComponent(name);
}

/** By what the proxy knows a key. */
function tokenOf(key: string): string {
  return key.startsWith('sk-') ? createHash('sha256').update(key).digest('hex') : key;
}
