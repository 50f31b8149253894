import type { Node, NodeId, Patch } from '../../../src/chat/nodes';

/** Tells whoever draws a thing that it has changed. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  fire(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** One node with its place in the tree. */
export class Entry {
  parent: Entry | undefined;
  children: Entry[] = [];
  /** The node was put anew. Words that are only appended go to `words`. */
  readonly self = new Signal();
  /** An entry below came, went or changed its state, so that the folds of this one may have to be drawn anew. */
  readonly kids = new Signal();
  /** Who draws the words of a text or thought; gets what is added. */
  words: ((added: string) => void) | undefined;
  /** When something in this entry or below it changed last, milliseconds since the epoch. */
  touched: number;

  constructor(
    public node: Node,
    now: number,
  ) {
    this.touched = now;
  }

  get id(): NodeId {
    return this.node.id;
  }
}

/**
 * The conversation in the page: a tree made of the flat nodes, changed by patches. Signals are collected and fired together by `flush`,
 * so that a thousand patches of one message draw each entry once, and words added to one text draw nothing else.
 */
export class Store {
  readonly #entries = new Map<NodeId, Entry>();
  readonly #dirty = new Set<Signal>();
  /** Entries without a parent, in order. */
  readonly top: Entry[] = [];
  readonly topChanged = new Signal();
  /** Nodes that came since the count was taken back to zero: "3 new below". */
  added = 0;

  constructor(
    nodes: readonly Node[],
    private readonly changed: () => void,
    private readonly now: () => number = () => Date.now(),
  ) {
    for (const node of nodes) this.#put(node, node.at);
    // when the last of its words came is not known: whoever has said something has not been silent
    for (const entry of this.#entries.values()) if (entry.children.length > 0) entry.touched = now();
    this.#dirty.clear();
    this.added = 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: NodeId): Entry | undefined {
    return this.#entries.get(id);
  }

  all(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  apply(patches: readonly Patch[]): void {
    const now = this.now();
    for (const patch of patches) {
      if (patch.op === 'put') this.#put(patch.node, now);
      else if (patch.op === 'append') this.#append(patch.id, patch.text, now);
      else this.#remove(patch.id);
    }
    if (this.#dirty.size > 0) this.changed();
  }

  /** Fires what has changed since the last call. */
  flush(): void {
    const signals = [...this.#dirty];
    this.#dirty.clear();
    for (const signal of signals) signal.fire();
  }

  #put(node: Node, now: number): void {
    const known = this.#entries.get(node.id);
    if (known && known.node.parent === node.parent) {
      known.node = { ...node };
      this.#touch(known, now);
      this.#dirty.add(known.self);
      this.#dirty.add(known.parent?.kids ?? this.topChanged);
      return;
    }
    const entry = known ?? new Entry({ ...node }, now);
    if (known) {
      this.#detach(known);
      known.node = { ...node };
    }
    this.#entries.set(node.id, entry);
    const parent = node.parent === undefined ? undefined : this.#entries.get(node.parent);
    // a parent that nobody knows, or that stands inside the entry itself, must not make the entry vanish
    if (parent && !isInside(parent, entry)) {
      entry.parent = parent;
      parent.children.push(entry);
      this.#dirty.add(parent.kids);
    } else {
      entry.parent = undefined;
      this.top.push(entry);
      this.#dirty.add(this.topChanged);
    }
    this.added++;
    this.#touch(entry, now);
  }

  #append(id: NodeId, text: string, now: number): void {
    const entry = this.#entries.get(id);
    if (!entry || (entry.node.kind !== 'text' && entry.node.kind !== 'thought')) return;
    const first = entry.node.text === '';
    entry.node.text += text;
    this.#touch(entry, now);
    entry.words?.(text);
    // with its first words a text begins to count for its neighbours
    if (first) this.#dirty.add(entry.parent?.kids ?? this.topChanged);
  }

  #remove(id: NodeId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#detach(entry);
    this.#forget(entry);
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id);
    for (const child of entry.children) this.#forget(child);
  }

  #detach(entry: Entry): void {
    const list = entry.parent?.children ?? this.top;
    const at = list.indexOf(entry);
    if (at >= 0) list.splice(at, 1);
    this.#dirty.add(entry.parent?.kids ?? this.topChanged);
    entry.parent = undefined;
  }

  #touch(entry: Entry, now: number): void {
    for (let e: Entry | undefined = entry; e; e = e.parent) e.touched = now;
  }
}

function isInside(entry: Entry, outer: Entry): boolean {
  for (let e: Entry | undefined = entry; e; e = e.parent) if (e === outer) return true;
  return false;
}
