import type { Message, ToolRequest } from './model/types';

/** A pair that an ask left (rule 6). */
export interface Pair {
  id: string;
  user: string;
  assistant: string;
}

/** The messages of one session, in memory, without the system prompt, as they were said. */
export class History {
  #messages: Message[] = [];
  #pairs = new Set<string>();
  #calls = new Set<string>();

  get messages(): readonly Message[] {
    return this.#messages;
  }

  user(text: string): void {
    this.#messages.push({ role: 'user', text });
  }

  /** A model's message; nothing is kept of one that is empty. */
  assistant(text: string, calls: ToolRequest[]): void {
    if (!text && calls.length === 0) return;
    for (const call of calls) this.#calls.add(call.id);
    this.#messages.push({ role: 'assistant', text, calls });
  }

  result(call: ToolRequest, text: string): void {
    this.#messages.push({ role: 'tool', callId: call.id, name: call.name, text });
  }

  /** Puts a pair in, once for each id. False when it was there already. */
  pair(pair: Pair): boolean {
    if (this.#pairs.has(pair.id)) return false;
    this.#pairs.add(pair.id);
    this.#messages.push({ role: 'user', text: pair.user }, { role: 'assistant', text: pair.assistant, calls: [] });
    return true;
  }

  hasCall(id: string): boolean {
    return this.#calls.has(id);
  }

  /** The messages of a request: the system prompt first or nowhere. */
  forModel(systemPrompt: string | undefined): Message[] {
    return systemPrompt ? [{ role: 'system', text: systemPrompt }, ...this.#messages] : [...this.#messages];
  }
}
