import type { AnyUpdate } from './types';

/** Something that came for a session before the answer to `session/new` named it. */
export type EarlyItem =
  | { update: AnyUpdate; size: number }
  /** A request; `open` hands it to the session, `drop` answers it without one. */
  | { open(): void; drop(): void; size: number };

export const earlyLimits = { perSession: 100, sessions: 8, characters: 4 * 1024 * 1024 } as const;

/**
 * Keeps, in order, what comes for sessions that are not known yet (faults F024): some agents write before they answer. All of it is bounded, because
 * the ids are the agent's: at most 100 items of a session, 8 sessions and 4 million characters; the oldest go first.
 */
export class EarlyItems {
  #sessions = new Map<string, EarlyItem[]>();
  #characters = 0;
  readonly #onDropped: (sessionId: string) => void;

  /** `onDropped` is told each time that something is lost. */
  constructor(onDropped: (sessionId: string) => void) {
    this.#onDropped = onDropped;
  }

  add(sessionId: string, item: EarlyItem): void {
    let items = this.#sessions.get(sessionId);
    if (!items) {
      items = [];
      this.#sessions.set(sessionId, items);
    }
    items.push(item);
    this.#characters += item.size;
    if (items.length > earlyLimits.perSession) this.#dropFirst(sessionId, items);
    if (this.#sessions.size > earlyLimits.sessions) this.#dropOldestSession();
    while (this.#characters > earlyLimits.characters && this.#sessions.size > 0) this.#dropOldestSession();
  }

  /** What came for this session, oldest first; it is no longer kept. */
  take(sessionId: string): EarlyItem[] {
    const items = this.#sessions.get(sessionId) ?? [];
    this.#sessions.delete(sessionId);
    for (const item of items) this.#characters -= item.size;
    return items;
  }

  clear(): void {
    for (const sessionId of [...this.#sessions.keys()]) for (const item of this.take(sessionId)) drop(item);
  }

  #dropFirst(sessionId: string, items: EarlyItem[]): void {
    const first = items.shift()!;
    this.#characters -= first.size;
    drop(first);
    this.#onDropped(sessionId);
  }

  #dropOldestSession(): void {
    const [sessionId] = this.#sessions.keys();
    for (const item of this.take(sessionId!)) drop(item);
    this.#onDropped(sessionId!);
  }
}

function drop(item: EarlyItem): void {
  if ('drop' in item) item.drop();
}
