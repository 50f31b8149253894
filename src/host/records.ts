import { readPatch } from '../chat/check';
import type { NodeId, Patch } from '../chat/nodes';
import { Thread } from '../chat/patch';
import { obj, str } from '../chat/raw';

/** First line of a conversation's file. */
export interface Header {
  v: 1;
  id: string;
  /** Milliseconds since the epoch. */
  created: number;
  /** Folder in which the conversation's agents work. */
  cwd: string;
  /** The home agent's name. */
  home: string;
}

/** A pair that an ask left for the home agent (rule 6). */
export interface StoredExchange {
  id: string;
  /** The ask's node. */
  node: NodeId;
  user: string;
  assistant: string;
  delivered: boolean;
}

/** One line of the file after the header. */
export type Record =
  | { patch: Patch }
  | { exchange: Omit<StoredExchange, 'delivered'> }
  /** The pair with this id is in the home agent's history. */
  | { delivered: string }
  | { home: string }
  | { title: string }
  /** The transcript waits for the next prompt, or was given; `node` is the notice that says so. */
  | { transcript: 'queued' | 'given'; node: NodeId };

/** A conversation as its file tells it. */
export interface Loaded {
  header: Header;
  title: string | undefined;
  home: string;
  thread: Thread;
  exchanges: StoredExchange[];
  /** The notice of a transcript that waits to be given. */
  transcript: NodeId | undefined;
  /** Lines that could not be read: a torn last one, or another version's. */
  unreadable: number;
  /** The file ends in the middle of a line. */
  torn: boolean;
  /** Bytes of the file that are in here: who follows it goes on from there. */
  read: number;
}

export function readHeader(line: string): Header | undefined {
  const h = obj(parse(line));
  if (h?.v !== 1 || typeof h.id !== 'string' || typeof h.created !== 'number') return undefined;
  if (typeof h.cwd !== 'string' || typeof h.home !== 'string') return undefined;
  return { v: 1, id: h.id, created: h.created, cwd: h.cwd, home: h.home };
}

/** The title in the first lines of a file, without folding the rest. */
export function readTitle(head: string): string | undefined {
  for (const line of head.split('\n', 60)) {
    if (line.startsWith('{"title":')) return str(obj(parse(line))?.title);
  }
  return undefined;
}

/** Folds a file. Nothing in it makes this throw; without a readable header there is no conversation. */
export function readConversation(content: string): Loaded | undefined {
  const lines = content.split('\n');
  const torn = lines.at(-1) !== '';
  if (!torn) lines.pop();
  const header = readHeader(lines[0] ?? '');
  if (!header) return undefined;
  const thread = new Thread();
  const exchanges = new Map<string, StoredExchange>();
  const loaded: Loaded = {
    header,
    title: undefined,
    home: header.home,
    thread,
    exchanges: [],
    transcript: undefined,
    unreadable: 0,
    torn,
    read: Buffer.byteLength(content),
  };
  let last = true;
  for (let i = 1; i < lines.length; i++) {
    last = readRecord(lines[i]!, loaded, exchanges);
    if (!last) loaded.unreadable++;
  }
  // a line that is still being written is read again when it is whole
  if (torn && !last) loaded.read = Buffer.byteLength(content.slice(0, content.lastIndexOf('\n') + 1));
  loaded.exchanges = [...exchanges.values()];
  return loaded;
}

/** What a line that another window has added tells about a conversation that is only read. Undefined for what is none. */
export function readAdded(line: string): { patch: Patch } | { title: string } | { home: string } | undefined {
  const r = obj(parse(line));
  const patch = r?.patch === undefined ? undefined : readPatch(r.patch);
  if (patch) return { patch };
  if (typeof r?.title === 'string') return { title: r.title };
  return typeof r?.home === 'string' ? { home: r.home } : undefined;
}

function readRecord(line: string, into: Loaded, exchanges: Map<string, StoredExchange>): boolean {
  const r = obj(parse(line));
  if (!r) return false;
  if (r.patch !== undefined) {
    const patch = readPatch(r.patch);
    if (patch) into.thread.apply(patch);
    return patch !== undefined;
  }
  if (r.exchange !== undefined) {
    const e = obj(r.exchange);
    if (!e || typeof e.id !== 'string' || typeof e.node !== 'string') return false;
    if (typeof e.user !== 'string' || typeof e.assistant !== 'string') return false;
    const { id, node, user, assistant } = e;
    if (!exchanges.has(id)) exchanges.set(id, { id, node, user, assistant, delivered: false });
    return true;
  }
  if (typeof r.delivered === 'string') {
    const e = exchanges.get(r.delivered);
    if (e) e.delivered = true;
    return e !== undefined;
  }
  if (typeof r.home === 'string') into.home = r.home;
  else if (typeof r.title === 'string') into.title = r.title;
  else if (r.transcript === 'queued' && typeof r.node === 'string') into.transcript = r.node;
  else if (r.transcript === 'given') into.transcript = undefined;
  else return false;
  return true;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A torn or foreign line; the caller counts it.
    return undefined;
  }
}
