import type { Disposable } from '../base/disposable';
import { Emitter } from '../base/event';
import { l10n } from '../base/l10n';
import { firstLine } from '../base/text';
import type { AskGroup, AskRow, AskState } from '../chat/asks';
import type { AskNode, End, Face, Node, NodeId, PermissionNode, ToolNode } from '../chat/nodes';

/** Finished asks that stay to be seen. */
const keepFinished = 100;
/** Characters of a prompt's first line, and of a reason. */
const maxWhat = 200;
/** How deep a chain may go: home is 0 (rule 9). */
const deepest = 2;

/** Begins the id of a source that is no conversation. */
export const outsidePrefix = 'outside:';

/** The conversation in which an ask stands. */
export interface AskSource {
  id: string;
  home: Face;
  title: string;
  /** Ends one of its asks. */
  stop(node: NodeId): void;
}

/** Where an ask is shown. */
export interface AskPlace {
  conversation: string;
  /** Absent for the conversation itself. */
  node?: NodeId;
}

interface Entry {
  row: AskRow;
  source: AskSource;
  node: NodeId;
  /** Questions that wait for the person, by node. */
  questions: Map<NodeId, string>;
}

/**
 * The asks of a window: what runs, and the latest that ended. It lives from the entries of the conversations, so it knows nothing that
 * does not stand there, and an ask that is let go here still stands in its conversation.
 */
export class AskTree implements Disposable {
  /** In the order in which they began. */
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  /** Asks that run. */
  get running(): number {
    let count = 0;
    for (const { row } of this.#entries.values()) if (isLive(row.state)) count++;
    return count;
  }

  /** An entry of a conversation was written. What ended before this window saw it is none of its asks. */
  note(source: () => AskSource, conversation: string, node: Node): void {
    switch (node.kind) {
      case 'ask':
        this.#ask(source, conversation, node);
        return;
      case 'tool':
        if (node.asks) this.#scripts(source, conversation, node);
        return;
      case 'permission':
        this.#question(conversation, node);
    }
  }

  /** Where a row, or a group, is shown; undefined when it is no longer there. */
  place(id: string): AskPlace | undefined {
    const entry = this.#entries.get(id);
    if (entry) return { conversation: entry.source.id, node: entry.node };
    for (const { source } of this.#entries.values()) if (source.id === id) return { conversation: id };
    return undefined;
  }

  /** Ends an ask and what it asked; one that has ended, or that only its script can end, stays as it is. */
  stop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry && isLive(entry.row.state) && !entry.row.script) entry.source.stop(entry.node);
  }

  /** All that runs and can be stopped, outermost only: what they asked ends with them. */
  stoppable(): string[] {
    const ids: string[] = [];
    for (const [id, { row }] of this.#entries) {
      const above = row.parent === undefined ? undefined : this.#entries.get(row.parent);
      if (isLive(row.state) && !row.script && !(above && isLive(above.row.state))) ids.push(id);
    }
    return ids;
  }

  /** By conversation, the one with the newest ask first; each row below who asked. */
  groups(): AskGroup[] {
    const groups = new Map<string, AskGroup>();
    const below = new Map<string, AskRow[]>();
    for (const { row, source } of this.#entries.values()) {
      // written again, so that the order is that of the newest asks
      const group: AskGroup = groups.get(source.id) ?? {
        id: source.id,
        home: source.home,
        title: source.title,
        rows: [],
      };
      groups.delete(source.id);
      groups.set(source.id, { ...group, home: source.home, title: source.title });
      const parent = row.parent !== undefined && this.#entries.has(row.parent) ? row.parent : source.id;
      const list = below.get(parent);
      if (list) list.push(row);
      else below.set(parent, [row]);
    }
    const add = (group: AskGroup, parent: string): void => {
      for (const row of below.get(parent) ?? []) {
        const top = parent === group.id;
        group.rows.push({ ...row, ...(top ? { parent: undefined } : {}) });
        add(group, row.id);
      }
    };
    const list = [...groups.values()].reverse();
    for (const group of list) add(group, group.id);
    return list;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #ask(source: () => AskSource, conversation: string, node: AskNode): void {
    const id = rowId(conversation, node.id);
    const known = this.#entries.get(id);
    const state = stateOf(node);
    if (!known && !isLive(state)) return;
    const why = node.end && state === 'failed' ? whyOf(node.end) : undefined;
    const row: AskRow = {
      id,
      ...(node.parent === undefined ? {} : { parent: rowId(conversation, node.parent) }),
      agent: node.agent,
      askedBy: node.askedBy,
      what: firstLine(node.prompt.trimStart(), maxWhat),
      state,
      ...(why ? { why } : {}),
      at: node.at,
      ...(node.endedAt === undefined ? {} : { endedAt: node.endedAt }),
      ...(node.tokens === undefined ? {} : { tokens: node.tokens }),
      left: Math.max(0, deepest - node.depth),
    };
    this.#put({ row, source: source(), node: node.id, questions: known?.questions ?? new Map() });
  }

  #scripts(source: () => AskSource, conversation: string, node: ToolNode): void {
    const parent = node.parent === undefined ? undefined : rowId(conversation, node.parent);
    const above = parent === undefined ? undefined : this.#entries.get(parent);
    for (const ask of node.asks ?? []) {
      const id = `${rowId(conversation, node.id)}/${ask.id}`;
      const row: AskRow = {
        id,
        ...(above && parent !== undefined ? { parent } : {}),
        agent: { name: ask.agent },
        askedBy: l10n.t('a script of {0}', above?.row.agent.name ?? source().home.name),
        what: firstLine(ask.what, maxWhat),
        state: ask.state,
        ...(ask.why ? { why: ask.why } : {}),
        at: ask.at,
        ...(ask.endedAt === undefined ? {} : { endedAt: ask.endedAt }),
        left: above ? Math.max(0, above.row.left - 1) : deepest - 1,
        script: true,
      };
      this.#put({ row, source: source(), node: node.id, questions: new Map() });
    }
  }

  #question(conversation: string, node: PermissionNode): void {
    const entry = node.parent === undefined ? undefined : this.#entries.get(rowId(conversation, node.parent));
    if (!entry) return;
    if (node.state === 'waiting') entry.questions.set(node.id, node.name);
    else if (!entry.questions.delete(node.id)) return;
    this.#put(entry);
  }

  #put(entry: Entry): void {
    const { row } = entry;
    const live = isLive(row.state);
    if (!live) entry.questions.clear();
    const [wants] = entry.questions.values();
    row.wants = wants;
    this.#entries.set(row.id, entry);
    if (!live) this.#letGo();
    this.#changed.fire();
  }

  /** The oldest that ended go, but not below what they asked. */
  #letGo(): void {
    let over = this.#entries.size - this.running - keepFinished;
    if (over <= 0) return;
    const needed = new Set<string>();
    for (const { row } of [...this.#entries.values()].reverse()) {
      if (row.parent !== undefined && (isLive(row.state) || needed.has(row.id))) needed.add(row.parent);
    }
    for (const [id, { row }] of this.#entries) {
      if (over <= 0) return;
      if (isLive(row.state) || needed.has(id)) continue;
      this.#entries.delete(id);
      over--;
    }
  }
}

/** It runs, or waits for the person. */
function isLive(state: AskState): boolean {
  return state === 'starting' || state === 'running' || state === 'waiting';
}

function rowId(conversation: string, node: NodeId): string {
  return `${conversation}/${node}`;
}

function stateOf({ state, end }: AskNode): AskState {
  if (state !== 'done') return state;
  switch (end?.how) {
    case undefined:
    case 'done':
    case 'max_tokens':
    case 'max_turn_requests':
      return 'done';
    case 'stopped':
      return 'cancelled';
    default:
      return 'failed';
  }
}

function whyOf(end: End): string {
  switch (end.how) {
    case 'refusal':
      return l10n.t('refused to answer');
    case 'empty':
      return l10n.t('returned nothing');
    case 'watchdog':
      return l10n.t('silent for {0} s', end.seconds);
    case 'not-asked':
    case 'withheld':
      return firstLine(end.why, maxWhat);
    case 'died':
    case 'failed':
      return firstLine(end.title, maxWhat);
    default:
      return '';
  }
}
