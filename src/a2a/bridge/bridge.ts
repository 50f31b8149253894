import type { AskEvent, AskRequest } from '../../ask/types';
import { describe, ExitCode, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import type { Log } from '../../base/log';
import type { LocalEntry, MmConfig } from '../../config/types';
import { type CardFacts, cardOf } from './card';
import { Desk, markLost } from './desk';
import { BridgeHandler } from './handler';
import { isLoopback } from './hosts';
import { BearerCheck, keyProblem } from './key';
import type { RateLimit } from './rate';
import { RpcEndpoint } from './rpc';
import { BridgeServer, type Offered } from './server';
import { Slots } from './slots';
import type { TaskStore } from './store';

/** What a bridge bears. */
export interface BridgeLimits {
  /** Bytes of one request. */
  mostBytes: number;
  /** Calls of one caller. */
  rate: RateLimit;
  /** Tasks that work at the same time. */
  mostWorking: number;
  /** Tasks that wait for those; what comes then is refused with 429. */
  mostWaiting: number;
  /** Milliseconds that a task may take, with the time that it waits. */
  maxAge: number;
  /** Milliseconds for which a task is kept after its end. */
  keep: number;
  /** Milliseconds between two signs of life on a silent stream. */
  keepAlive: number;
}

const hour = 3_600_000;

export const usualLimits: BridgeLimits = {
  mostBytes: 10_000_000,
  rate: { burst: 600, perSecond: 60 },
  mostWorking: 16,
  mostWaiting: 1_000,
  maxAge: 24 * hour,
  keep: 7 * 24 * hour,
  keepAlive: 15_000,
};

export interface BridgeOptions {
  config: MmConfig;
  /** Names of `mmConfigs`; empty for all that run here. */
  agents: readonly string[];
  relay: { ask(request: AskRequest): AsyncIterable<AskEvent> };
  store: TaskStore;
  host: string;
  /** 0 takes a free one. */
  port: number;
  key?: string;
  /** The address that cards announce, where it is another than the one that is called. */
  url?: string;
  /** Of `mm`; stands in the cards. */
  version: string;
  /** How an agent shows itself, from its own file where it has one. */
  face?(name: string, entry: LocalEntry): Promise<{ title?: string; description?: string } | undefined>;
  cwd: string;
  log: Log;
  limits?: Partial<BridgeLimits>;
}

/** Local agents, offered over A2A (design, section 9). */
export interface Bridge {
  /** Of the agents, in the order of the file. */
  readonly served: readonly { name: string; url: string }[];
  /** Tasks of an earlier process that were found unfinished, and are now failed. */
  readonly lost: number;
  /** Takes nothing new, gives what works `grace` milliseconds to end by itself, or until the signal fires, and cancels the rest. */
  close(grace: number, hurry?: AbortSignal): Promise<void>;
}

/** @throws UserError, with exit code 2, when it cannot be served so. */
export async function startBridge(o: BridgeOptions): Promise<Bridge> {
  const limits = { ...usualLimits, ...o.limits };
  const key = checkedKey(o);
  const url = o.url === undefined ? undefined : baseOf(o.url);
  const entries = chosen(o.config, o.agents);
  const lost = await markLost(o.store);
  const slots = new Slots(limits.mostWorking);
  const desks: Desk[] = [];
  const agents = new Map<string, Offered>();
  for (const [name, entry] of entries) {
    const facts = await factsOf(o, name, entry);
    const { config, relay, store, log, cwd } = o;
    const desk = new Desk({ agent: name, config, relay, store, slots, log, cwd, maxAge: limits.maxAge });
    desks.push(desk);
    const handler = new BridgeHandler(cardOf(facts, url ?? ''), name, desk, store);
    agents.set(name, { facts, rpc: new RpcEndpoint(handler, limits.keepAlive) });
  }
  const server = new BridgeServer({
    agents,
    url,
    key,
    mostBytes: limits.mostBytes,
    rate: limits.rate,
    busy: () => slots.waiting >= limits.mostWaiting,
    log: o.log,
  });
  await server.listen(o.host, o.port);
  const prune = async () => {
    try {
      await o.store.prune(Date.now() - limits.keep);
    } catch (error) {
      o.log.warn(l10n.t('Old tasks could not be removed: {0}', describe(error)));
    }
  };
  await prune();
  const pruning = setInterval(() => void prune(), hour);
  pruning.unref();
  return {
    served: [...agents.keys()].map((name) => ({ name, url: `${url ?? server.address}/${name}` })),
    lost,
    async close(grace, hurry) {
      clearInterval(pruning);
      server.refuse();
      await Promise.all(desks.map((desk) => desk.close(grace, hurry)));
      await server.close();
      o.store.close();
    },
  };
}

/** Who is not on this machine needs a key. */
function checkedKey({ host, key }: BridgeOptions): BearerCheck | undefined {
  if (key === undefined) {
    if (isLoopback(host)) return undefined;
    throw new UserError(
      l10n.t('Nothing is served on {0} without a key: anybody who reaches it could use your agents.', host),
      {
        hint: l10n.t('Put a key into MM_SERVE_KEY, or name its variable with --key-env NAME.'),
        exitCode: ExitCode.usage,
      },
    );
  }
  const problem = keyProblem(key);
  if (problem === undefined) return new BearerCheck(key);
  throw new UserError(problem, {
    hint: l10n.t('A good one: openssl rand -hex 32'),
    exitCode: ExitCode.usage,
  });
}

function baseOf(url: string): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // said below
  }
  const fits =
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    !parsed.username &&
    !parsed.password &&
    !parsed.search &&
    !parsed.hash;
  if (!parsed || !fits)
    throw new UserError(l10n.t('{0} is no address that cards can announce.', url), {
      hint: l10n.t('It begins with http:// or https:// and has no name, password or “?” in it.'),
      exitCode: ExitCode.usage,
    });
  return parsed.href.replace(/\/+$/, '');
}

/** @throws UserError for a name that the file does not have, or whose agent does not run here. */
function chosen(config: MmConfig, names: readonly string[]): [string, LocalEntry][] {
  const local = [...config.mmConfigs].filter((pair): pair is [string, LocalEntry] => pair[1].kind !== 'a2a');
  const usage = (message: string, hint?: string) => new UserError(message, { hint, exitCode: ExitCode.usage });
  if (names.length === 0) {
    if (local.length > 0) return local;
    throw usage(
      l10n.t('{0} names no agent that runs here.', config.file),
      l10n.t('Name one under mmConfigs, or another file with -config FILE.'),
    );
  }
  for (const name of names) {
    const entry = config.mmConfigs.get(name);
    if (!entry)
      throw usage(
        l10n.t('There is no agent “{0}” in {1}.', name, config.file),
        l10n.t('Known agents: {0}', [...config.mmConfigs.keys()].join(', ')),
      );
    if (entry.kind === 'a2a')
      throw usage(l10n.t('{0} lives elsewhere already; only agents that run here are served.', name));
  }
  return local.filter(([name]) => names.includes(name));
}

async function factsOf(o: BridgeOptions, name: string, entry: LocalEntry): Promise<CardFacts> {
  const face = await o.face?.(name, entry);
  return {
    name,
    title: face?.title,
    description: entry.description ?? face?.description,
    version: o.version,
    secured: o.key !== undefined,
  };
}
