import type { Grants } from './types';

/**
 * "Allow for this conversation", kept by `[path…, tool]` and not by the joined name (rule 4): `['bob', 'bash']` covers
 * neither `['bash']` nor `['bob', 'riker', 'bash']`, whatever a tool calls itself.
 */
export class ConversationGrants implements Grants {
  #given = new Map<string, string[]>();

  has(path: readonly string[], tool: string): boolean {
    return this.#given.has(keyOf(path, tool));
  }

  add(path: readonly string[], tool: string): void {
    this.#given.set(keyOf(path, tool), [...path, tool]);
  }

  /** Takes one back; the next such call is asked again. */
  delete(path: readonly string[], tool: string): void {
    this.#given.delete(keyOf(path, tool));
  }

  /** What was allowed, each as `[path…, tool]`, the oldest first. */
  list(): string[][] {
    return [...this.#given.values()];
  }

  clear(): void {
    this.#given.clear();
  }
}

/** For callers that have no conversation (a script, `@mm`): nothing is remembered. */
export const noGrants: Grants = { has: () => false, add() {} };

function keyOf(path: readonly string[], tool: string): string {
  return JSON.stringify([...path, tool]);
}
