import type { ToolRequest } from './types';

interface Slot {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** One element of `delta.tool_calls` as servers send it: every field may be missing, late or repeated. */
interface Delta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

const maxCalls = 64;
const maxArguments = 8_000_000;

/**
 * Puts streamed tool calls together. Servers differ: ids or names come late, a whole call comes in one delta, index 0 is used for
 * every call, the index is missing, arguments are an object (facts: agents.md, section 6.3).
 */
export class ToolCallCollector {
  #slots: Slot[] = [];

  get size(): number {
    return this.#slots.length;
  }

  add(deltas: unknown): void {
    if (!Array.isArray(deltas)) return;
    for (const delta of deltas) if (delta && typeof delta === 'object') this.#one(delta as Delta);
  }

  /** The calls that came, in order, each with an id that is unique among them and not in `taken`. */
  finish(taken: ReadonlySet<string> = new Set()): ToolRequest[] {
    const used = new Set(taken);
    let next = 0;
    return this.#slots
      .filter((slot) => slot.name)
      .map((slot) => {
        let id = slot.id;
        while (!id || used.has(id)) id = `call_${++next}`;
        used.add(id);
        return { id, name: slot.name, arguments: slot.arguments.trim() || '{}' };
      });
  }

  #one(delta: Delta): void {
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const id = typeof delta.id === 'string' ? delta.id : '';
    const name = typeof delta.function?.name === 'string' ? delta.function.name : '';
    const raw = delta.function?.arguments;
    const text = typeof raw === 'string' ? raw : raw && typeof raw === 'object' ? JSON.stringify(raw) : '';
    const slot = this.#slotFor(index, id, name);
    if (!slot) return;
    slot.id ||= id;
    slot.name ||= name;
    if (slot.arguments.length + text.length <= maxArguments) slot.arguments += text;
  }

  #slotFor(index: number | undefined, id: string, name: string): Slot | undefined {
    const known = id ? this.#slots.findLast((slot) => slot.id === id) : undefined;
    if (known) return known;
    const near =
      index === undefined
        ? this.#slots.at(-1)
        : this.#slots.findLast((slot) => slot.index === index || slot.index === undefined);
    // a second id at the same index, or a name after a whole call, begins another call
    if (near && !(id && near.id) && !(name && near.name && isWhole(near.arguments))) return near;
    if (this.#slots.length >= maxCalls) return undefined;
    const slot: Slot = { index, id: '', name: '', arguments: '' };
    this.#slots.push(slot);
    return slot;
  }
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
