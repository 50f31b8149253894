import type { Node, ToolNode } from '../../../src/chat/nodes';
import { seconds } from '../base/clock';
import { t } from '../base/l10n';

/** What `groups` needs of an entry. */
export interface Item {
  readonly id: string;
  readonly node: Node;
}

/** What stands in an entry: things by themselves, and runs of steps that fold into one sentence. */
export type Group<T extends Item> = { kind: 'one'; entry: T } | { kind: 'steps'; key: string; entries: T[] };

/** A call that took longer keeps its card when it ended well: the person has waited for it. */
const longCall = 10_000;

/** Kinds of tools that only look: they fold at once, while they run. */
const quiet = new Set(['read', 'search', 'fetch', 'think']);

/**
 * Which steps of a turn or an ask fold into one line (look, "Fold"): calls that ended well, once the turn has ended; reads and searches at
 * once. A failed, running, rejected or long call keeps its card. When an ask has ended, its thoughts and the asks inside it fold too, and
 * its words stay.
 */
export function groups<T extends Item>(children: readonly T[], parent: 'turn' | 'ask', ended: boolean): Group<T>[] {
  const result: Group<T>[] = [];
  let run: T[] = [];
  const flush = () => {
    // answers to questions belong to the calls beside them and do not make a line of their own
    if (run.some((entry) => entry.node.kind !== 'permission')) {
      result.push({ kind: 'steps', key: `steps:${run[0]!.id}`, entries: run });
    } else for (const entry of run) result.push({ kind: 'one', entry });
    run = [];
  };
  for (const entry of children) {
    if (folds(entry.node, parent, ended)) run.push(entry);
    // words that have not come yet part nothing
    else if (!(entry.node.kind === 'text' && entry.node.text === '')) {
      flush();
      result.push({ kind: 'one', entry });
    }
  }
  flush();
  return result;
}

function folds(node: Node, parent: 'turn' | 'ask', ended: boolean): boolean {
  switch (node.kind) {
    case 'tool':
      if (quiet.has(node.toolKind)) return node.state === 'done' || node.state === 'running';
      return ended && node.state === 'done' && node.diffs.length === 0 && !isLong(node);
    case 'permission':
      return ended && (node.state === 'allowed' || node.state === 'allowed-conversation');
    case 'thought':
      return ended && parent === 'ask' && node.text !== '';
    case 'ask':
      return ended && parent === 'ask' && node.state === 'done' && (node.end === undefined || node.end.how === 'done');
    default:
      return false;
  }
}

function isLong(node: ToolNode): boolean {
  return node.endedAt !== undefined && node.endedAt - node.at > longCall;
}

/** "Read 3 files, ran 1 command, asked riker". */
export function sentence(nodes: readonly Node[]): string {
  const order: string[] = [];
  const counts = new Map<string, { phrase: (n: number) => string; count: number }>();
  const add = (key: string, phrase: (n: number) => string, by = 1) => {
    const known = counts.get(key);
    if (known) known.count += by;
    else {
      order.push(key);
      counts.set(key, { phrase, count: by });
    }
  };
  for (const node of nodes) {
    if (node.kind === 'thought')
      add('thought', (ms) => t('thought for {0}', seconds(ms)), (node.endedAt ?? node.at) - node.at);
    else if (node.kind === 'ask') add(`ask ${node.agent.name}`, () => t('asked {0}', node.agent.name));
    else if (node.kind === 'tool') add(...toolPhrase(node));
  }
  const words = order.map((key) => {
    const { phrase, count } = counts.get(key)!;
    return phrase(count);
  });
  const text = words.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toolPhrase(node: ToolNode): [string, (n: number) => string] {
  switch (node.toolKind) {
    case 'read':
      return ['read', (n) => (n === 1 ? t('read 1 file') : t('read {0} files', n))];
    case 'edit':
      return ['edit', (n) => (n === 1 ? t('changed 1 file') : t('changed {0} files', n))];
    case 'delete':
      return ['delete', (n) => (n === 1 ? t('deleted 1 file') : t('deleted {0} files', n))];
    case 'move':
      return ['move', (n) => (n === 1 ? t('moved 1 file') : t('moved {0} files', n))];
    case 'search':
      return ['search', (n) => (n === 1 ? t('searched once') : t('searched {0} times', n))];
    case 'fetch':
      return ['fetch', (n) => (n === 1 ? t('fetched 1 page') : t('fetched {0} pages', n))];
    case 'execute':
      return ['execute', (n) => (n === 1 ? t('ran 1 command') : t('ran {0} commands', n))];
    default:
      return [`tool ${node.name}`, (n) => (n === 1 ? t('used {0}', node.name) : t('used {0} {1} times', node.name, n))];
  }
}

/** The verb of one step: "Read", "Ran". */
export function stepVerb(node: ToolNode): string {
  switch (node.toolKind) {
    case 'read':
      return t('Read');
    case 'edit':
      return t('Changed');
    case 'delete':
      return t('Deleted');
    case 'move':
      return t('Moved');
    case 'search':
      return t('Searched');
    case 'fetch':
      return t('Fetched');
    case 'execute':
      return t('Ran');
    default:
      return node.name;
  }
}

/** The same while it runs: "Reading". */
export function runningVerb(node: ToolNode): string {
  switch (node.toolKind) {
    case 'read':
      return t('Reading');
    case 'search':
      return t('Searching');
    case 'fetch':
      return t('Fetching');
    default:
      return t('Running');
  }
}
