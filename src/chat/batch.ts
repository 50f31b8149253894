import type { NodeId, Patch } from './nodes';

/**
 * Patches on their way to a page or to the disk. What a later patch makes pointless is merged while it waits: words of one text become one
 * `append`, of two states of one node the last one stays (faults F037: a tool that repeats all its output with every update).
 * Folding the drained patches gives what folding the added ones gives.
 */
export class Batch {
  #entries: (Patch | undefined)[] = [];
  #last = new Map<NodeId, number>();

  get empty(): boolean {
    return this.#last.size === 0 && this.#entries.length === 0;
  }

  add(patch: Patch): void {
    switch (patch.op) {
      case 'put': {
        const at = this.#last.get(patch.node.id);
        const copy: Patch = { op: 'put', node: { ...patch.node } };
        if (at !== undefined && this.#entries[at]?.op === 'put') {
          this.#entries[at] = copy;
          return;
        }
        // Words that the whole node repeats. The node itself stands where it was put, should it be new.
        if (at !== undefined) this.#entries[at] = undefined;
        this.#push(patch.node.id, copy);
        return;
      }
      case 'append': {
        const at = this.#last.get(patch.id);
        const entry = at === undefined ? undefined : this.#entries[at];
        if (entry?.op === 'append') entry.text += patch.text;
        else if (entry?.op === 'put') {
          if (entry.node.kind === 'text' || entry.node.kind === 'thought') entry.node.text += patch.text;
        } else this.#push(patch.id, { op: 'append', id: patch.id, text: patch.text });
        return;
      }
      case 'remove': {
        const at = this.#last.get(patch.id);
        if (at !== undefined) this.#entries[at] = undefined;
        // A later `put` of this id is a new node at the end, so nothing may be merged into what stands before.
        this.#entries.push({ op: 'remove', id: patch.id });
        this.#last.delete(patch.id);
        return;
      }
    }
  }

  /** Takes all that waits, in order. `hold` may keep some back for the next time: only a `put` of a node that was sent before. */
  drain(hold?: (patch: Patch) => boolean): Patch[] {
    const out: Patch[] = [];
    const kept: Patch[] = [];
    for (const entry of this.#entries) {
      if (entry === undefined) continue;
      if (hold?.(entry)) kept.push(entry);
      else out.push(entry);
    }
    this.#entries = [];
    this.#last.clear();
    for (const entry of kept) this.#push(entry.op === 'put' ? entry.node.id : entry.id, entry);
    return out;
  }

  #push(id: NodeId, patch: Patch): void {
    this.#last.set(id, this.#entries.length);
    this.#entries.push(patch);
  }
}
