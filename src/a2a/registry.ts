import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import { Emitter } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { MmConfig, ProxyEntry, RemoteEntry } from '../config/types';
import { detailsOf } from './agent-details';
import { cardRow, entriesFor, type Known, missingRow, missingState, noticeOf, proxyRow, rowId } from './agent-rows';
import type { Card } from './card';
import type { ProxyClient, Readiness } from './proxy';
import type { ProxyAgent } from './proxy-agents';
import type { Activity } from './proxy-spend';
import { joined } from './rows';
import type { AgentDetails, AgentGroup, AgentRow, Probe } from './view';

/** What a registry looks at: a file, and what runs here. */
export interface RegistrySource {
  config: MmConfig;
  /** The agents of this window, with the state of their children. */
  local(): AgentRow[];
}

export interface RegistryOptions {
  source(): RegistrySource | undefined;
  client(proxy: ProxyEntry): ProxyClient;
  /** The card of an agent at an address of its own. */
  cardAt(entry: RemoteEntry, signal: AbortSignal): Promise<Card>;
  log: Log;
  now?(): number;
}

/** What was heard of one proxy. */
interface ProxyState {
  agents: ProxyAgent[];
  readiness?: Readiness;
  error?: unknown;
  loading: boolean;
  /** Ids of agents whose own address did not answer the proxy; undefined until it was asked. */
  unreachable?: Set<string>;
  /** Of entries that the list does not have. */
  missing: Map<string, Known>;
  at?: number;
}

/** Probes of one agent that are remembered. */
const mostProbes = 50;

/**
 * Who can be asked, here and elsewhere: joins the agents of a window with those of each proxy and those at addresses of their own (design,
 * section 9). Asks a proxy only when it is told to, and keeps what was known when it does not answer.
 */
export class Registry implements Disposable {
  readonly #o: RegistryOptions;
  readonly #proxies = new Map<string, ProxyState>();
  readonly #cards = new Map<string, { card?: Card; known: Known }>();
  readonly #probes = new Map<string, Probe[]>();
  readonly #changed = new Emitter<void>();
  readonly #end = new AbortController();
  readonly onDidChange = this.#changed.event;
  #refreshing: Promise<void> | undefined;
  #probing: Promise<void> | undefined;

  constructor(options: RegistryOptions) {
    this.#o = options;
  }

  groups(): AgentGroup[] {
    const source = this.#o.source();
    if (!source) return [];
    const { config } = source;
    const groups: AgentGroup[] = [{ id: 'window', title: l10n.t('This window'), rows: source.local() }];
    for (const proxy of config.proxies?.values() ?? []) groups.push(this.#group(proxy, config));
    const cards = cardEntries(config);
    if (cards.length > 0) {
      const rows = cards.map(([name, entry]) => {
        const { card, known = { state: 'unknown' } } = this.#cards.get(name) ?? {};
        return this.#withProbe(cardRow(name, entry, card, known));
      });
      groups.push({ id: 'cards:', title: l10n.t('At their own addresses'), rows });
    }
    return joined(groups);
  }

  /** Asks every proxy and every address again. Never rejects: what went wrong stands in the groups. Calls at the same time are one. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Asks for the lists, and then whether the agents answer. */
  async look(): Promise<void> {
    await this.refresh();
    await this.probeAll();
  }

  /** Whether the agents themselves answer. The proxies ask them, which may take half a minute. Calls at the same time are one. */
  probeAll(): Promise<void> {
    this.#probing ??= this.#probeAll().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probeAll(): Promise<void> {
    const proxies = [...(this.#o.source()?.config.proxies?.values() ?? [])];
    await Promise.all(
      proxies.map(async (proxy) => {
        const state = this.#state(proxy);
        try {
          const { agents, unreachable } = await this.#o.client(proxy).reachability({ signal: this.#end.signal });
          Object.assign(state, { agents, unreachable });
        } catch (error) {
          this.#o.log.info(`${proxy.name}: ${describe(error)}`);
        }
        this.#fire();
      }),
    );
  }

  /** Looks at one agent: does its card come, and how fast. */
  async probe(id: string): Promise<void> {
    const began = this.#now();
    const note = (probe: Omit<Probe, 'at'>) => {
      const probes = [{ at: began, ...probe }, ...(this.#probes.get(id) ?? [])];
      this.#probes.set(id, probes.slice(0, mostProbes));
      this.#fire();
    };
    try {
      await this.#card(id);
      note({ ms: Math.max(1, this.#now() - began), what: l10n.t('card') });
    } catch (error) {
      note({ error: describe(error) });
    }
  }

  /** All of one agent that can be had; undefined where it is not known. */
  async details(id: string): Promise<AgentDetails | undefined> {
    const row = this.row(id);
    if (!row) return undefined;
    const place = this.#place(id);
    const found = place?.kind === 'proxy' ? place : undefined;
    const state = found && this.#state(found.proxy);
    const agent = state?.agents.find(({ name }) => name === found?.agent);
    const card = await this.#card(id).catch((error: unknown) => {
      this.#o.log.info(`${row.name}: ${describe(error)}`);
      return undefined;
    });
    const database = state?.readiness?.database === 'connected';
    return detailsOf({
      row: this.row(id) ?? row,
      host: found ? new URL(found.proxy.url).host : undefined,
      card,
      agent,
      activity: database && agent && found ? await this.#activity(found.proxy, agent) : undefined,
      probes: this.#probes.get(id) ?? [],
      address: this.address(id),
      answers: agent && state?.unreachable ? !state.unreachable.has(agent.id) : undefined,
      at: state?.at,
    });
  }

  row(id: string): AgentRow | undefined {
    for (const { rows } of this.groups()) for (const row of rows) if (row.id === id) return row;
    return undefined;
  }

  /** Names in `mm.yaml` under which it can be asked. */
  askedAs(id: string): string[] {
    const config = this.#o.source()?.config;
    const place = this.#place(id);
    if (!config || !place) return [];
    return place.kind === 'proxy' ? entriesFor(config, place.proxy.name, place.agent) : [place.name];
  }

  /** An agent of a proxy's list, and who can change it there. */
  behind(id: string): { client: ProxyClient; agent: ProxyAgent } | undefined {
    const place = this.#place(id);
    if (place?.kind !== 'proxy') return undefined;
    const agent = this.#state(place.proxy).agents.find(({ name }) => name === place.agent);
    return agent && { client: this.#o.client(place.proxy), agent };
  }

  /** Where it is asked. */
  address(id: string): string | undefined {
    const place = this.#place(id);
    if (place?.kind === 'proxy') return `${place.proxy.url}/a2a/${encodeURIComponent(place.agent)}`;
    return place?.entry.at.kind === 'card' ? place.entry.at.url : undefined;
  }

  /** `a2a: …` for an entry of `mm.yaml`. */
  reference(id: string): string | undefined {
    const place = this.#place(id);
    return place?.kind === 'proxy' ? `${place.agent}@${place.proxy.name}` : this.address(id);
  }

  /** The card of an agent that nothing names yet. */
  cardAt(url: string): Promise<Card> {
    return this.#o.cardAt({ kind: 'a2a', env: {}, at: { kind: 'card', url } }, this.#end.signal);
  }

  /** Who can change what a proxy lists. */
  clientOf(proxy: ProxyEntry): ProxyClient {
    return this.#o.client(proxy);
  }

  /** The card as it came. */
  async rawCard(id: string): Promise<Record<string, unknown>> {
    return (await this.#card(id)).raw;
  }

  dispose(): void {
    this.#end.abort();
  }

  async #refresh(): Promise<void> {
    const config = this.#o.source()?.config;
    if (!config) return;
    const proxies = [...(config.proxies?.values() ?? [])];
    for (const gone of [...this.#proxies.keys()].filter((key) => !proxies.some((p) => keyOf(p) === key)))
      this.#proxies.delete(gone);
    await Promise.all([
      ...proxies.map((proxy) => this.#refreshProxy(proxy, config)),
      ...cardEntries(config).map(([name, entry]) => this.#refreshCard(name, entry)),
    ]);
  }

  async #refreshProxy(proxy: ProxyEntry, config: MmConfig): Promise<void> {
    const state = this.#state(proxy);
    const client = this.#o.client(proxy);
    const { signal } = this.#end;
    state.loading = true;
    this.#fire();
    try {
      const [agents, readiness] = await Promise.all([
        client.agents({ signal }),
        // an older proxy says less; its list is what counts
        client.readiness({ signal }).catch(() => undefined),
      ]);
      Object.assign(state, { agents, readiness, error: undefined, at: this.#now() });
      const missing = missingEntries(config, proxy, agents);
      const looked = await Promise.all(
        missing.map(async ([name, entry]): Promise<[string, Known]> => {
          const { agent } = entry.at as Extract<RemoteEntry['at'], { kind: 'proxy' }>;
          try {
            await client.card(agent, { signal });
            return [name, { state: 'unknown' }];
          } catch (error) {
            return [name, missingState(error)];
          }
        }),
      );
      state.missing = new Map(looked);
    } catch (error) {
      if (!signal.aborted) state.error = error;
    }
    state.loading = false;
    this.#fire();
  }

  async #refreshCard(name: string, entry: RemoteEntry): Promise<void> {
    try {
      const card = await this.#o.cardAt(entry, this.#end.signal);
      this.#cards.set(name, { card, known: { state: 'ready' } });
    } catch (error) {
      // a card that was there once stays readable
      const { card } = this.#cards.get(name) ?? {};
      this.#cards.set(name, { card, known: { state: card ? 'failing' : 'defined', why: describe(error) } });
    }
    this.#fire();
  }

  #group(proxy: ProxyEntry, config: MmConfig): AgentGroup {
    const state = this.#state(proxy);
    const rows = state.agents.map((agent) =>
      this.#withProbe(
        proxyRow(agent, proxy, entriesFor(config, proxy.name, agent.name), this.#known(agent, state), {
          // what stands in its configuration file cannot be changed from outside
          admin: proxy.adminKey !== undefined && state.readiness?.database === 'connected' && !agent.fromFile,
        }),
      ),
    );
    for (const [name, entry] of missingEntries(config, proxy, state.agents)) {
      const known = state.missing.get(name) ?? { state: 'unknown' as const };
      if (!rows.some((row) => row.id === rowId.proxy(proxy.name, (entry.at as { agent: string }).agent)))
        rows.push(this.#withProbe(missingRow(name, entry, known)));
    }
    const group: AgentGroup = {
      id: `proxy:${proxy.name}`,
      title: l10n.t('Behind the proxy {0}', proxy.name),
      aside: new URL(proxy.url).host,
      rows,
    };
    if (state.error !== undefined) group.notice = noticeOf(state.error, proxy);
    else if (state.at === undefined) group.notice = { kind: 'loading' };
    else if (state.agents.length === 0) {
      const create = proxy.adminKey !== undefined && state.readiness?.database === 'connected';
      group.notice = { kind: 'empty', ...(create ? { action: 'create' } : {}) };
    } else if (state.readiness?.database === 'none') group.notice = { kind: 'no-database' };
    return group;
  }

  #known(agent: ProxyAgent, { unreachable, error }: ProxyState): Known {
    if (error !== undefined) return { state: 'unknown' };
    // a model of the proxy itself has no address that could be down
    if (agent.model) return { state: 'ready' };
    if (unreachable?.has(agent.id)) return { state: 'failing', why: l10n.t('Its address does not answer the proxy') };
    return { state: unreachable ? 'ready' : 'unknown' };
  }

  #withProbe(row: AgentRow): AgentRow {
    const [probe] = this.#probes.get(row.id) ?? [];
    return probe ? { ...row, probe } : row;
  }

  async #card(id: string): Promise<Card> {
    const place = this.#place(id);
    if (!place) throw new Error(l10n.t('This agent is no longer there.'));
    const { signal } = this.#end;
    return place.kind === 'proxy'
      ? this.#o.client(place.proxy).card(place.agent, { signal })
      : this.#o.cardAt(place.entry, signal);
  }

  async #activity(proxy: ProxyEntry, agent: ProxyAgent): Promise<Activity | undefined> {
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const to = this.#now();
    try {
      return await this.#o
        .client(proxy)
        .dailyActivity(
          { from: day(to - 30 * 86_400_000), to: day(to), agents: [agent.id] },
          { signal: this.#end.signal },
        );
    } catch (error) {
      // only an admin's key may see it
      this.#o.log.info(`${proxy.name}: ${describe(error)}`);
      return undefined;
    }
  }

  #place(
    id: string,
  ):
    | { kind: 'proxy'; proxy: ProxyEntry; agent: string }
    | { kind: 'card'; name: string; entry: RemoteEntry }
    | undefined {
    const config = this.#o.source()?.config;
    for (const proxy of config?.proxies?.values() ?? []) {
      const prefix = rowId.proxy(proxy.name, '');
      if (id.startsWith(prefix)) return { kind: 'proxy', proxy, agent: id.slice(prefix.length) };
    }
    for (const [name, entry] of config ? cardEntries(config) : [])
      if (rowId.card(name) === id) return { kind: 'card', name, entry };
    return undefined;
  }

  #state(proxy: ProxyEntry): ProxyState {
    const key = keyOf(proxy);
    let state = this.#proxies.get(key);
    if (!state) {
      state = { agents: [], loading: false, missing: new Map() };
      this.#proxies.set(key, state);
    }
    return state;
  }

  #now(): number {
    return this.#o.now?.() ?? Date.now();
  }

  #fire(): void {
    if (!this.#end.signal.aborted) this.#changed.fire();
  }
}

/** Another address is another proxy, also under the same name. */
function keyOf({ name, url }: ProxyEntry): string {
  return `${name}\n${url}`;
}

function cardEntries(config: MmConfig): [string, RemoteEntry][] {
  return [...config.mmConfigs].filter(
    (pair): pair is [string, RemoteEntry] => pair[1].kind === 'a2a' && pair[1].at.kind === 'card',
  );
}

/** Entries that name an agent which the proxy's list does not have. */
function missingEntries(config: MmConfig, proxy: ProxyEntry, agents: readonly ProxyAgent[]): [string, RemoteEntry][] {
  return [...config.mmConfigs].filter((pair): pair is [string, RemoteEntry] => {
    const [, entry] = pair;
    if (entry.kind !== 'a2a' || entry.at.kind !== 'proxy' || entry.at.proxy.name !== proxy.name) return false;
    const { agent } = entry.at;
    return !agents.some(({ id, name }) => name === agent || id === agent);
  });
}
