import { l10n } from '../base/l10n';
import { cap } from '../base/text';
import { clean } from './agent-rows';
import type { Card } from './card';
import type { ProxyAgent } from './proxy-agents';
import type { Activity } from './proxy-spend';
import type { AccessView, AgentDetails, AgentRow, CardView, Gauge, Probe, UsesView } from './view';

/** Characters of raw JSON that a page gets. */
const longestRaw = 200_000;

export interface DetailsParts {
  row: AgentRow;
  host?: string;
  card?: Card;
  agent?: ProxyAgent;
  activity?: Activity;
  /** Newest first. */
  probes: readonly Probe[];
  /** Where it is asked. */
  address?: string;
  /** Whether its own address answers, where somebody has looked. */
  answers?: boolean;
  /** When the raw data came, milliseconds since the epoch. */
  at?: number;
}

/** All of one agent, as its page shows it: a part that no source gives is not there. */
export function detailsOf(p: DetailsParts): AgentDetails {
  const { row, host, card, agent, activity, probes } = p;
  const raw = rawOf(p);
  return clean<AgentDetails>({
    row,
    host,
    card: card && cardView(card),
    pin: card?.pinned,
    gauges: agent && gaugesOf(agent),
    spend: activity && {
      days: activity.days.slice(-31).map(({ date, spend, requests }) => clean({ date, spend, asks: requests })),
    },
    probes: probes.length > 0 ? [...probes] : undefined,
    access: accessOf(p),
    uses: agent?.permissions && usesOf(agent.permissions),
    raw,
  });
}

function rawOf({ agent, card, at }: DetailsParts): AgentDetails['raw'] {
  const value = agent ? { ...agent, card: agent.card?.raw } : card?.raw;
  if (value === undefined) return undefined;
  return { text: cap(JSON.stringify(value, null, 2), longestRaw).text, at: at ?? Date.now() };
}

export function cardView(card: Card): CardView {
  return clean<CardView>({
    version: card.version,
    organization: card.provider?.organization,
    skills: card.skills.map(({ id, name, description, tags, examples }) =>
      clean({ id, name, description: description || undefined, tags, examples }),
    ),
    takes: card.inputModes,
    gives: card.outputModes,
    can: [...(card.streaming ? [l10n.t('stream')] : [l10n.t('be polled by task id')]), l10n.t('cancel')],
    security: card.security,
    interfaces: card.versions.map(({ url, binding, version }) => ({ url, binding, version })),
  });
}

function gaugesOf(agent: ProxyAgent): Gauge[] | undefined {
  const { limits, spend, budget } = agent;
  const gauges: Gauge[] = [];
  const add = (kind: Gauge['kind'], used: number | undefined, limit: number | undefined, label?: string) => {
    if (used !== undefined || limit !== undefined) gauges.push(clean({ kind, label, used, limit }));
  };
  add('spend', spend, budget?.max, budget?.duration ? l10n.t('In {0}', budget.duration) : l10n.t('So far'));
  add('asks-per-minute', undefined, limits.rpm);
  add('tokens-per-minute', undefined, limits.tpm);
  add('asks-per-session', undefined, limits.sessionRpm);
  add('tokens-per-session', undefined, limits.sessionTpm);
  return gauges.length > 0 ? gauges : undefined;
}

function accessOf({ agent, address, answers }: DetailsParts): AccessView | undefined {
  const upstream = agent?.upstream;
  const access = clean<AccessView>({
    public: agent?.isPublic || undefined,
    address,
    announced: upstream === undefined ? undefined : clean({ url: upstream, answers }),
  });
  return Object.keys(access).length > 0 ? access : undefined;
}

function usesOf({
  models,
  mcpServers,
  mcpTools,
  agents,
}: NonNullable<ProxyAgent['permissions']>): UsesView | undefined {
  const tools = Object.entries(mcpTools).flatMap(([server, names]) => names.map((name) => `${server}/${name}`));
  const uses = { models, mcpServers, tools, agents };
  const some = Object.entries(uses).filter(([, list]) => list.length > 0);
  return some.length > 0 ? (Object.fromEntries(some) as UsesView) : undefined;
}
