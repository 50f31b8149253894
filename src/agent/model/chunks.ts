import type { Usage } from '../../acp/meta';
import { ToolCallCollector } from './tool-calls';
import type { ModelEnd, ModelEvent } from './types';

/** The fields of a chunk that we read; nothing in it is trusted to have its type. */
interface Chunk {
  choices?: { delta?: Record<string, unknown>; message?: Record<string, unknown>; finish_reason?: unknown }[];
  usage?: Record<string, unknown> | null;
}

/**
 * Reads the chunks of one streamed chat completion, or its whole JSON body where a server ignores `stream`, and gives our events.
 * Nothing that a server leaves out or adds makes it throw.
 */
export class ChunkReader {
  #calls = new ToolCallCollector();
  #reason: ModelEnd | undefined;
  #usage: Usage | undefined;
  #refused = false;
  /** Something of an answer came. */
  started = false;

  /** The server has said that nothing more comes: by `[DONE]`, or by a whole body. */
  done = false;

  /** True once a `finish_reason` came, or `[DONE]`. */
  get finished(): boolean {
    return this.done || this.#reason !== undefined;
  }

  read(value: unknown): ModelEvent[] {
    if (!value || typeof value !== 'object') return [];
    const chunk = value as Chunk;
    const events: ModelEvent[] = [];
    if (chunk.usage && typeof chunk.usage === 'object') this.#usage = usageOf(chunk.usage);
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!choice || typeof choice !== 'object') return events;
    const delta = choice.delta ?? choice.message;
    if (delta && typeof delta === 'object') {
      const thought = text(delta.reasoning_content) || text(delta.reasoning) || text(delta.reasoning_text);
      if (thought) events.push({ type: 'thought', text: thought });
      const words = text(delta.content);
      if (words) events.push({ type: 'text', text: words });
      const refusal = text(delta.refusal);
      if (refusal) {
        this.#refused = true;
        events.push({ type: 'text', text: refusal });
      }
      this.#calls.add(delta.tool_calls);
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason) this.#reason = reasonOf(choice.finish_reason);
    if (events.length > 0 || this.#calls.size > 0) this.started = true;
    return events;
  }

  /** What is left to say when the stream has ended. `taken` are call ids that the history already has. */
  finish(taken: ReadonlySet<string>): ModelEvent[] {
    const events: ModelEvent[] = this.#calls.finish(taken).map((call) => ({ type: 'call', call }));
    if (this.#usage) events.push({ type: 'usage', usage: this.#usage });
    events.push({ type: 'end', reason: this.#refused ? 'refusal' : (this.#reason ?? 'stop') });
    return events;
  }
}

function reasonOf(reason: string): ModelEnd {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  if (reason === 'content_filter' || reason === 'refusal') return 'refusal';
  return 'stop';
}

/** A text, also where it comes as a list of parts. */
function text(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || depth > 3) return '';
  return value
    .map((part) => text(part && typeof part === 'object' ? (part as { text?: unknown }).text : part, depth + 1))
    .join('');
}

function usageOf(usage: Record<string, unknown>): Usage {
  const number = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
  return {
    inputTokens: number(usage.prompt_tokens),
    outputTokens: number(usage.completion_tokens),
    totalTokens: number(usage.total_tokens),
  };
}
