import type {
  AgentAction,
  AgentGroup,
  AgentLimits,
  AgentRow,
  GroupAction,
  GroupNotice,
  Probe,
  Spend,
} from '../../src/a2a/view';
import { seconds } from '../chat/base/clock';
import { money, number, t } from '../chat/base/l10n';
import type { StateFilter } from './list';

/** The state of an agent in words; nothing where nobody has looked. */
export function stateText(row: Pick<AgentRow, 'state' | 'running'>): string {
  switch (row.state) {
    case 'ready':
      return t('ready');
    case 'running':
      return row.running !== undefined && row.running > 1 ? t('{0} running', row.running) : t('running');
    case 'starting':
      return t('starting');
    case 'asleep':
      return t('asleep');
    case 'failing':
      return t('failing');
    case 'defined':
      return t('only defined');
    case 'forgotten':
      return t('forgotten');
    case 'not-allowed':
      return t('not allowed');
    case 'unknown':
      return '';
  }
}

export function filterText(filter: StateFilter): string {
  switch (filter) {
    case 'all':
      return t('All');
    case 'ready':
      return t('Ready');
    case 'running':
      return t('Running');
    case 'asleep':
      return t('Asleep');
    case 'look':
      return t('Needs a look');
  }
}

/** What the dim line below the name says: why, where that is all that counts, else what the agent is for. */
export function subText(row: AgentRow): string {
  const whyAlone = row.why && ['failing', 'forgotten', 'not-allowed', 'defined'].includes(row.state);
  const parts = whyAlone ? [row.why] : [row.description, row.why];
  if (row.offered) parts.push(t('offered to the team'));
  return parts.filter(Boolean).join(' · ');
}

export function actionText(action: AgentAction, row: Pick<AgentRow, 'name' | 'state'>): string {
  switch (action) {
    case 'ask':
      return t('Ask {0}', row.name);
    case 'ask-with-context':
      return t('Ask with Context');
    case 'details':
      return t('Details');
    case 'probe':
      return t('Probe Now');
    case 'copy-model':
      return t('Copy Model Name');
    case 'copy-curl':
      return t('Copy curl');
    case 'open-card':
      return t('Open Card');
    case 'compare':
      return t('Compare with the Local Definition');
    case 'add-to-file':
      return t('Add to mm.yaml');
    case 'open-file':
      return t('Open Its File');
    case 'offer':
      return t('Offer to the Team…');
    case 'withdraw':
      return t('Stop Offering');
    case 'register':
      return row.state === 'forgotten' ? t('Register again') : t('Register');
    case 'edit-limits':
      return t('Edit Limits…');
    case 'make-public':
      return t('Make Public…');
    case 'create-key':
      return t('Create Key…');
    case 'delete':
      return t('Delete…');
  }
}

export function groupActionText(action: GroupAction): string {
  switch (action) {
    case 'refresh':
      return t('Try Again');
    case 'enter-key':
      return t('Enter the Key');
    case 'open-file':
      return t('Check the Address');
    case 'open-address':
      return t('Open in the Browser');
    case 'add-registry':
      return t('Add a Registry');
    case 'create':
      return t('Create an Agent');
    case 'learn-more':
      return t('What This Means');
  }
}

/** A notice as it is drawn: what its kind says, unless it says more itself. `where` is the proxy's host, or the group's title. */
export function noticeText(
  notice: GroupNotice,
  where: string,
): { sentence: string; action?: GroupAction; tone: '' | 'bad' | 'wait' } {
  const own = standard(notice.kind, where);
  const action = notice.action ?? own.action;
  return { sentence: notice.sentence ?? own.sentence, tone: own.tone, ...(action ? { action } : {}) };
}

function standard(
  kind: GroupNotice['kind'],
  where: string,
): { sentence: string; action?: GroupAction; tone: '' | 'bad' | 'wait' } {
  switch (kind) {
    case 'loading':
      return { sentence: t('Asking {0}…', where), tone: '' };
    case 'offline':
      return {
        sentence: t('{0} does not answer. Start it, or check its address in mm.yaml.', where),
        action: 'refresh',
        tone: 'bad',
      };
    case 'wrong-key':
      return {
        sentence: t('{0} does not accept your key. Enter the one that it gave you.', where),
        action: 'enter-key',
        tone: 'bad',
      };
    case 'no-key':
      return { sentence: t('{0} wants a key, and none is set.', where), action: 'enter-key', tone: 'wait' };
    case 'no-database':
      return {
        sentence: t('{0} runs without a database: it knows no keys, budgets or spend. Its agents can be asked.', where),
        action: 'learn-more',
        tone: '',
      };
    case 'html':
      return {
        sentence: t(
          '{0} answered with a web page in place of a list of agents. Is its address in mm.yaml right?',
          where,
        ),
        action: 'open-file',
        tone: 'bad',
      };
    case 'captive-portal':
      return {
        sentence: t('This network wants a sign-in before it lets anything through to {0}.', where),
        action: 'open-address',
        tone: 'wait',
      };
    case 'garbage':
      return {
        sentence: t('{0} answered with something that is no list of agents. Is its address in mm.yaml right?', where),
        action: 'open-file',
        tone: 'bad',
      };
    case 'failed':
      return { sentence: t('{0} answered with an error.', where), action: 'refresh', tone: 'bad' };
    case 'empty':
      return { sentence: t('{0} has no agent that you may ask yet.', where), action: 'refresh', tone: '' };
    case 'lost':
      return {
        sentence: t('{0} looks healthy and has forgotten all its agents.', where),
        action: 'refresh',
        tone: 'wait',
      };
  }
}

/** What a group is called where a sentence needs a name for it. */
export function whereOf(group: Pick<AgentGroup, 'title' | 'aside'>): string {
  return group.aside ?? group.title;
}

export function spendLabel(spend: Spend): string {
  if (spend.days === undefined) return t('Spent');
  return spend.days <= 1 ? t('Spent today') : t('Spent in {0} days', spend.days);
}

/** "$1.20 of $2.00". */
export function spendText(used: number | undefined, budget: number | undefined): string {
  if (budget === undefined) return money(used ?? 0);
  return used === undefined ? t('at most {0}', money(budget)) : t('{0} of {1}', money(used), money(budget));
}

/** How full a meter is: from three quarters on it is worth a look. */
export function levelOf(used: number, limit: number): 'high' | 'over' | undefined {
  if (used > limit || (used === limit && limit >= 0)) return 'over';
  return used >= limit * 0.75 ? 'high' : undefined;
}

/** Width of a meter in per cent. */
export function share(used: number, limit: number): number {
  if (limit <= 0) return 100;
  return Math.min(100, Math.max(0, (used / limit) * 100));
}

/** "8 s", "2 min", "3 h", "5 days": one unit is enough for how long ago something was. */
export function span(milliseconds: number): string {
  const s = milliseconds / 1000;
  if (s < 60) return seconds(milliseconds);
  if (s < 3600) return t('{0} min', Math.floor(s / 60));
  if (s < 48 * 3600) return t('{0} h', Math.floor(s / 3600));
  return t('{0} days', Math.floor(s / 86_400));
}

/** "41 ms", "1.2 s". */
export function took(milliseconds: number): string {
  return milliseconds < 1000
    ? t('{0} ms', number(Math.round(milliseconds)))
    : t('{0} s', number(Math.round(milliseconds / 100) / 10));
}

/** "answered 8 s ago in 41 ms", "connection refused, 2 min ago". */
export function probeText(probe: Probe, now: number): string {
  const ago = span(now - probe.at);
  if (probe.error !== undefined) return t('{0}, {1} ago', probe.error, ago);
  return probe.ms === undefined ? t('answered {0} ago', ago) : t('answered {0} ago in {1}', ago, took(probe.ms));
}

/** "A2A 0.3 and 1.0, streams". */
export function protocolText(row: Pick<AgentRow, 'a2a' | 'taskless'>): string {
  const { a2a } = row;
  if (!a2a) return row.taskless ? t('a model with limits, no tasks') : '';
  const [first, ...others] = a2a.versions;
  const versions =
    others.length === 0 ? (first ?? '') : t('{0} and {1}', [first, ...others.slice(0, -1)].join(', '), others.at(-1)!);
  const name = versions === '' ? 'A2A' : `A2A ${versions}`;
  return a2a.streaming ? t('{0}, streams', name) : name;
}

/** "60 asks a minute", one for each limit that there is. */
export function limitTexts(limits: AgentLimits): string[] {
  const result: string[] = [];
  const { asksPerMinute, tokensPerMinute, asksPerSession, tokensPerSession } = limits;
  if (asksPerMinute !== undefined) result.push(t('{0} asks a minute', number(asksPerMinute)));
  if (tokensPerMinute !== undefined) result.push(t('{0} tokens a minute', short(tokensPerMinute)));
  if (asksPerSession !== undefined) result.push(t('{0} asks a minute for each session', number(asksPerSession)));
  if (tokensPerSession !== undefined) result.push(t('{0} tokens a minute for each session', short(tokensPerSession)));
  return result;
}

/** "9k", "1.5M": a number of which only the size matters. */
export function short(value: number): string {
  const one = (n: number) => number(Math.round(n * 10) / 10);
  if (value < 1000) return number(value);
  if (value < 999_950) return t('{0}k', one(value / 1000));
  return t('{0}M', one(value / 1_000_000));
}

/** "as bob@team", and whether the file serves in its place. */
export function registryText(registry: NonNullable<AgentRow['registry']>): string {
  if (registry.serves === 'file') return t('by its own file, in place of {0}', registry.ref);
  return t('as {0}', registry.ref);
}

export function agentCount(count: number): string {
  return count === 1 ? t('1 agent') : t('{0} agents', number(count));
}
