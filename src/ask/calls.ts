import type { AnyUpdate, ToolCallUpdate } from '../acp/types';

/** Calls that are remembered at once; the oldest go first. */
const mostCalls = 200;

type Call = ToolCallUpdate & Record<string, unknown>;

/**
 * The calls that an agent has announced and not finished. Some requests for permission carry an id and little else
 * (kimi: neither kind nor input), some come for an id that was never announced (codex, gemini; F035): what is known
 * fills what is missing, and nothing that is there gets lost.
 */
export class OpenCalls {
  #calls = new Map<string, Call>();
  /** Those that have a time limit of their own: commands, and asks of others. */
  #commands = new Set<string>();
  /** Commands that were allowed before they were announced. */
  #allowed = new Set<string>();
  /** Calls that were refused and not ended: what the agent still says of them makes none run. */
  #refused = new Set<string>();

  /** A command runs, or another agent is asked: its time is not the agent's silence (rule 11). */
  get commandRuns(): boolean {
    return this.#commands.size > 0;
  }

  note(update: AnyUpdate): void {
    const kind = update.sessionUpdate;
    if (kind !== 'tool_call' && kind !== 'tool_call_update') return;
    const { sessionUpdate: _, ...call } = update as unknown as Call & { sessionUpdate: string };
    if (typeof call.toolCallId !== 'string') return;
    if (call.status === 'completed' || call.status === 'failed') {
      this.#forget(call.toolCallId);
      return;
    }
    const merged = merge(this.#calls.get(call.toolCallId), call as Call);
    this.#calls.set(call.toolCallId, merged);
    const runs = isCommand(merged) || this.#allowed.has(call.toolCallId);
    if (runs && !this.#refused.has(call.toolCallId)) this.#commands.add(call.toolCallId);
    if (this.#calls.size > mostCalls) this.#forget(this.#calls.keys().next().value!);
  }

  /** How the question for a call was settled: one that was refused does not run, whether or not the agent ends it (gemini does not). */
  settled(toolCall: ToolCallUpdate, allowed: boolean): void {
    const { toolCallId } = toolCall;
    if (!allowed) {
      this.#commands.delete(toolCallId);
      if (this.#refused.size < mostCalls) this.#refused.add(toolCallId);
      return;
    }
    this.#refused.delete(toolCallId);
    if (!isCommand(toolCall as Call)) return;
    if (this.#calls.has(toolCallId)) this.#commands.add(toolCallId);
    else if (this.#allowed.size < mostCalls) this.#allowed.add(toolCallId);
  }

  /** A turn begins: what the last one left open runs no more. */
  begin(): void {
    this.#commands.clear();
    this.#allowed.clear();
    this.#refused.clear();
  }

  #forget(toolCallId: string): void {
    this.#calls.delete(toolCallId);
    this.#commands.delete(toolCallId);
    this.#allowed.delete(toolCallId);
    this.#refused.delete(toolCallId);
  }

  /** A permission request's call with what was announced of it. */
  complete(toolCall: unknown): ToolCallUpdate {
    const call = (toolCall && typeof toolCall === 'object' && !Array.isArray(toolCall) ? toolCall : {}) as Call;
    const id = typeof call.toolCallId === 'string' ? call.toolCallId : '';
    return merge(this.#calls.get(id), { ...call, toolCallId: id } as Call);
  }
}

function isCommand({ kind, name }: Call): boolean {
  return kind === 'execute' || name === 'bash' || name === 'ask_agent';
}

/** Fields of `next` win where they say something. A sentence of prose does not hide a diff that is already known. */
function merge(known: Call | undefined, next: Call): Call {
  if (!known) return next;
  const merged: Call = { ...known };
  for (const [field, value] of Object.entries(next)) {
    if (value !== undefined && value !== null) merged[field] = value;
  }
  const diffs = diffsOf(known.content);
  if (diffs.length > 0 && Array.isArray(next.content) && diffsOf(next.content).length === 0) {
    merged.content = [...next.content, ...diffs] as Call['content'];
  }
  return merged;
}

function diffsOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content.filter((c) => (c as { type?: unknown } | null)?.type === 'diff') : [];
}
