import { Lane, type Sink } from './lane';
import type { AskNode, Face, Node, NodeId, NoticeNode, Patch } from './nodes';
import type { Thread } from './patch';
import type { NameOf } from './tool';

export interface WriterOptions {
  thread: Thread;
  /** Hears of every change, after the thread has it. */
  emit(patch: Patch): void;
  now?(): number;
  /** Title and model of an agent, for chains. */
  face(name: string): Face;
  questionPlace(id: string): { card: boolean; more: number };
}

/**
 * Writes one conversation: what the person said, turns, asks and notices become nodes of the thread, and every change a patch.
 * Ids are counted on from what the thread already holds, so a conversation that was loaded goes on without a clash.
 */
export class Writer implements Sink {
  readonly #o: WriterOptions;
  #count: number;

  constructor(options: WriterOptions) {
    this.#o = options;
    let last = 0;
    for (const { id } of options.thread.values()) {
      const n = id.startsWith('n') ? Number.parseInt(id.slice(1), 36) : 0;
      if (Number.isSafeInteger(n) && n > last) last = n;
    }
    this.#count = last;
  }

  get(id: NodeId): Node | undefined {
    return this.#o.thread.get(id);
  }

  put(node: Node): void {
    this.#change({ op: 'put', node });
  }

  append(id: NodeId, text: string): void {
    this.#change({ op: 'append', id, text });
  }

  remove(id: NodeId): void {
    this.#change({ op: 'remove', id });
  }

  newId(): NodeId {
    return `n${(++this.#count).toString(36)}`;
  }

  now(): number {
    return this.#o.now?.() ?? Date.now();
  }

  face(name: string): Face {
    return this.#o.face(name);
  }

  questionPlace(id: string): { card: boolean; more: number } {
    return this.#o.questionPlace(id);
  }

  /** What the person wrote, as typed. */
  user(text: string): NodeId {
    const id = this.newId();
    this.put({ kind: 'user', id, at: this.now(), text });
    return id;
  }

  /** Begins a turn of the home agent. */
  turn(agent: Face, nameOf: NameOf): Lane {
    return new Lane(this, { kind: 'turn', id: this.newId(), at: this.now(), agent, state: 'running' }, nameOf);
  }

  /** Begins an ask that a person (or a script) made. One that a model made begins in its turn: `Lane.child`. */
  ask(o: Pick<AskNode, 'agent' | 'askedBy' | 'prompt' | 'withContext'>, nameOf: NameOf): Lane {
    const node: AskNode = {
      kind: 'ask',
      id: this.newId(),
      at: this.now(),
      ...o,
      depth: 1,
      state: 'starting',
      kept: false,
      cut: 0,
    };
    return new Lane(this, node, nameOf);
  }

  notice(o: Omit<NoticeNode, 'kind' | 'id' | 'at'>): NodeId {
    const id = this.newId();
    this.put({ kind: 'notice', id, at: this.now(), ...o });
    return id;
  }

  #change(patch: Patch): void {
    this.#o.thread.apply(patch);
    this.#o.emit(patch);
  }
}
