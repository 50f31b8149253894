import { describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { MmConfig, ProxyEntry, RemoteEntry } from '../config/types';
import type { Card } from './card';
import type { ProxyAgent } from './proxy-agents';
import { ProxyError } from './proxy-errors';
import type { AgentAction, AgentRow, AgentState, GroupNotice, GroupProblem, Probe } from './view';

/** What is known of one agent beside its definition. */
export interface Known {
  state: AgentState;
  why?: string;
  probe?: Probe;
}

/** Names by which an agent of a proxy can be asked: entries of `mm.yaml` that name it. */
export function entriesFor(config: MmConfig, proxy: string, agent: string): string[] {
  return [...config.mmConfigs].flatMap(([name, { ...entry }]) =>
    entry.kind === 'a2a' && entry.at.kind === 'proxy' && entry.at.proxy.name === proxy && entry.at.agent === agent
      ? [name]
      : [],
  );
}

export const rowId = {
  local: (name: string) => `window/${name}`,
  proxy: (proxy: string, agent: string) => `proxy/${proxy}/${agent}`,
  card: (name: string) => `card/${name}`,
};

/** One agent of a proxy's list. `entries`: see `entriesFor`. */
export function proxyRow(
  agent: ProxyAgent,
  proxy: ProxyEntry,
  entries: readonly string[],
  known: Known,
  may: { admin: boolean },
): AgentRow {
  const { name, card, limits, spend, budget, model } = agent;
  return clean({
    id: rowId.proxy(proxy.name, name),
    group: `proxy:${proxy.name}`,
    name,
    model: model?.name ?? model?.provider,
    description: card?.description || agent.cardProblem,
    ...known,
    why: known.why ?? aliasWords(name, entries),
    skills: card?.skills.map((skill) => skill.name),
    limits: limitsOf(limits),
    spend:
      spend === undefined ? undefined : clean({ used: spend, budget: budget?.max, days: daysOf(budget?.duration) }),
    a2a: model || !card ? undefined : { versions: versionsOf(card), streaming: card.streaming },
    taskless: model ? (true as const) : undefined,
    actions: [...actionsOf(entries.length > 0), ...(may.admin ? adminActions(agent) : [])],
  });
}

function adminActions({ isPublic }: ProxyAgent): AgentAction[] {
  return ['edit-limits', ...(isPublic ? [] : (['make-public'] as const)), 'create-key', 'delete'];
}

/** An entry that the proxy's list does not have: not allowed, forgotten, or never there. */
export function missingRow(entryName: string, entry: RemoteEntry, known: Known): AgentRow {
  const { at, description } = entry;
  if (at.kind !== 'proxy') throw new TypeError('an entry at an address of its own');
  return clean({
    id: rowId.proxy(at.proxy.name, at.agent),
    group: `proxy:${at.proxy.name}`,
    name: at.agent,
    description,
    ...known,
    actions:
      known.state === 'not-allowed' ? (['probe', 'open-file'] as AgentAction[]) : actionsOf(true, entryName === ''),
  });
}

/** An agent at an address of its own. */
export function cardRow(name: string, entry: RemoteEntry, card: Card | undefined, known: Known): AgentRow {
  return clean({
    id: rowId.card(name),
    group: 'cards:',
    name,
    description: entry.description ?? card?.description,
    ...known,
    skills: card?.skills.map((skill) => skill.name),
    a2a: card && { versions: versionsOf(card), streaming: card.streaming },
    actions: ['ask', 'ask-with-context', 'details', 'probe', 'copy-curl', 'open-card', 'open-file'] as AgentAction[],
  });
}

function actionsOf(asked: boolean, lost = false): AgentAction[] {
  const ask: AgentAction[] = asked ? ['ask', 'ask-with-context'] : ['add-to-file'];
  return lost ? ask : [...ask, 'details', 'probe', 'copy-model', 'copy-curl', 'open-card'];
}

/** An agent that is asked under another name than the proxy's. */
function aliasWords(name: string, entries: readonly string[]): string | undefined {
  const others = entries.filter((entry) => entry !== name);
  return others.length > 0 && !entries.includes(name) ? l10n.t('asked as {0}', others.join(', ')) : undefined;
}

/** `0.3`, `1.0`: each once. */
export function versionsOf(card: Card): string[] {
  const versions = card.pinned ? [card.pinned] : card.versions.map(({ version }) => version);
  return [...new Set(versions)];
}

function limitsOf({ rpm, tpm, sessionRpm, sessionTpm }: ProxyAgent['limits']): AgentRow['limits'] {
  const limits = clean({
    asksPerMinute: rpm,
    tokensPerMinute: tpm,
    asksPerSession: sessionRpm,
    tokensPerSession: sessionTpm,
  });
  return Object.keys(limits).length > 0 ? limits : undefined;
}

/** `30d` → 30; undefined for what is not counted in days. */
function daysOf(duration: string | undefined): number | undefined {
  const days = /^(\d{1,4})d$/.exec(duration ?? '')?.[1];
  return days === undefined ? undefined : Number(days);
}

/** Without what is not known: a key that is there is drawn. */
export function clean<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}

const problems: Partial<Record<ProxyError['kind'], GroupProblem>> = {
  offline: 'offline',
  timeout: 'offline',
  'wrong-key': 'wrong-key',
  'no-key': 'no-key',
  'not-allowed': 'wrong-key',
  'not-json': 'html',
};

/** Why a proxy's list could not be had, in words and with the button that helps. */
export function noticeOf(error: unknown, proxy: ProxyEntry): GroupNotice {
  const sentence = error instanceof UserError && error.hint ? `${error.message} ${error.hint}` : describe(error);
  const kind = error instanceof ProxyError ? (problems[error.kind] ?? 'failed') : 'no-key';
  const secret = proxy.key?.kind === 'secret';
  if (kind === 'no-key' || kind === 'wrong-key') return { kind, sentence, action: secret ? 'enter-key' : 'open-file' };
  return { kind, sentence };
}

/** How an agent that is not in the list stands, by what its card's place answers. */
export function missingState(error: unknown): Known {
  const kind = error instanceof ProxyError ? error.kind : undefined;
  if (kind === 'not-allowed') return { state: 'not-allowed', why: l10n.t('Your key may not use it') };
  if (kind === 'not-found') return { state: 'defined', why: l10n.t('The proxy knows no agent of this name') };
  return { state: 'unknown', why: describe(error) };
}
