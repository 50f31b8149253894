import type { AskMeta } from '../acp/meta';
import type {
  AnyUpdate,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from '../acp/types';
import { isShallow } from '../base/json';
import { cap, visible } from '../base/text';

const kinds: ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];
const statuses: ToolCallStatus[] = ['pending', 'in_progress', 'completed', 'failed'];
/** Characters of one text that is passed on to our client. */
const maxText = 200_000;
/** Characters of a title or a name. */
const maxLabel = 2_000;

/**
 * An asked agent's tool call as a call of ours, for a client that is no hub: under an id and a name of its own, with `_meta.mm.ask`.
 * What it says is untrusted, so only fields that are what they should be pass.
 */
export class CallForwarder {
  readonly #prefix: string;
  readonly #ask: () => AskMeta;
  /** Calls that were announced and have not ended. */
  #open = new Set<string>();
  #known = new Set<string>();

  constructor(prefix: string, ask: () => AskMeta) {
    this.#prefix = prefix;
    this.#ask = ask;
  }

  /** Our id for a call of the asked agent. */
  idOf(toolCallId: string): string {
    return `${this.#prefix}/${cap(toolCallId, 200).text}`;
  }

  /** The update to send, or nothing where there is no call to be seen in it. */
  update(update: AnyUpdate): SessionUpdate | undefined {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return undefined;
    const from = update as unknown as Record<string, unknown>;
    if (typeof from.toolCallId !== 'string') return undefined;
    const toolCallId = this.idOf(from.toolCallId);
    const fields = this.fields(from);
    const first = !this.#known.has(toolCallId);
    this.#known.add(toolCallId);
    if (fields.status === 'completed' || fields.status === 'failed') this.#open.delete(toolCallId);
    else if (first) this.#open.add(toolCallId);
    const _meta = { mm: { ask: this.#ask() } };
    if (first)
      return {
        sessionUpdate: 'tool_call',
        ...fields,
        toolCallId,
        title: fields.title ?? fields.name ?? this.#ask().agent,
        status: fields.status ?? 'pending',
        _meta,
      };
    return { sessionUpdate: 'tool_call_update', ...fields, toolCallId, _meta };
  }

  /** The ends of calls that the asked agent left open. */
  leftOpen(): SessionUpdate[] {
    const open = [...this.#open];
    this.#open.clear();
    return open.map((toolCallId) => ({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }));
  }

  /** What of a call is what it should be; names get the agent's in front. */
  fields(from: Record<string, unknown>) {
    const title = label(from.title);
    const name = label(from.name);
    const kind = kinds.find((known) => known === from.kind);
    const status = statuses.find((known) => known === from.status);
    const content = contentOf(from.content);
    const locations = locationsOf(from.locations);
    return {
      ...(title === undefined ? {} : { title }),
      ...(name === undefined ? {} : { name: `${this.#ask().agent}/${name}` }),
      ...(kind ? { kind } : {}),
      ...(status ? { status } : {}),
      ...(content ? { content } : {}),
      ...(locations ? { locations } : {}),
      ...(isRecord(from.rawInput) && isShallow(from.rawInput) ? { rawInput: from.rawInput } : {}),
      ...(isRecord(from.rawOutput) && isShallow(from.rawOutput) ? { rawOutput: from.rawOutput } : {}),
    };
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value ? cap(value, maxText).text : undefined;
}

/** A title or a name: clients show it as it is, so nothing in it is hidden, and a cut is seen. */
function label(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value) return undefined;
  const { text, cut } = cap(visible(cap(value, maxLabel).text), maxLabel);
  return cut > 0 || value.length > maxLabel ? `${text}…` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function contentOf(value: unknown): ToolCallContent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const content: ToolCallContent[] = [];
  for (const item of value) {
    if (!isRecord(item)) continue;
    if (item.type === 'content' && isRecord(item.content) && item.content.type === 'text') {
      const words = text(item.content.text);
      if (words) content.push({ type: 'content', content: { type: 'text', text: words } });
    }
    if (item.type === 'diff' && typeof item.path === 'string' && typeof item.newText === 'string')
      content.push({
        type: 'diff',
        path: item.path,
        oldText: text(item.oldText) ?? null,
        newText: cap(item.newText, maxText).text,
      });
  }
  return content;
}

function locationsOf(value: unknown): ToolCallLocation[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((item): item is { path: string; line?: unknown } => isRecord(item) && typeof item.path === 'string')
    .map(({ path, line }) => ({
      path,
      ...(Number.isInteger(line) && Number(line) >= 0 ? { line: Number(line) } : {}),
    }));
}
