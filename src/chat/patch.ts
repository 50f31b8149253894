import type { Node, NodeId, Patch } from './nodes';

/**
 * A conversation in memory: nodes in the order in which they came, changed by patches only. The host, the store and a second window
 * that fold the same patches hold the same nodes.
 */
export class Thread {
  /** A `Map` keeps the place of a key whose value is replaced, which is what `put` promises. */
  readonly #nodes = new Map<NodeId, Node>();

  get size(): number {
    return this.#nodes.size;
  }

  get(id: NodeId): Node | undefined {
    return this.#nodes.get(id);
  }

  /** The nodes themselves, in order; valid until the next patch. */
  nodes(): Node[] {
    return [...this.#nodes.values()];
  }

  values(): IterableIterator<Node> {
    return this.#nodes.values();
  }

  /** A copy that later patches do not change, for a page's snapshot. */
  snapshot(): Node[] {
    return Array.from(this.#nodes.values(), (node) => ({ ...node }));
  }

  /** Applies one patch; what cannot be applied (words for a node that is not there or has none) changes nothing. */
  apply(patch: Patch): void {
    switch (patch.op) {
      case 'put':
        // A copy: words are added to it in place, and whoever sent the patch keeps what he sent.
        this.#nodes.set(patch.node.id, { ...patch.node });
        return;
      case 'append': {
        const node = this.#nodes.get(patch.id);
        // Concatenation makes a rope in V8: constant time, however long the text has become.
        if (node !== undefined && (node.kind === 'text' || node.kind === 'thought')) node.text += patch.text;
        return;
      }
      case 'remove':
        this.#nodes.delete(patch.id);
        return;
    }
  }
}
