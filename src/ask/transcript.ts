import { firstLine } from '../base/text';

/**
 * A line of a conversation, as little as a transcript needs (rule 7). The host makes these from its entries, the engine
 * from its history. There is no kind for what must not travel: tool output, system prompts, reasoning.
 */
export type TranscriptItem =
  /** `speaker` is "User" or an agent's name. */
  | { kind: 'message'; speaker: string; text: string }
  /** One tool call: who made it, the tool's name, its command, path or title, and how it ended where that is known. */
  | { kind: 'tool'; speaker: string; tool: string; what: string; state?: string };

/** Characters of one transcript unless told otherwise; about 25,000 tokens. */
const mostCharacters = 100_000;

/**
 * Questions, answers, and one line per tool call. Where it gets too long the oldest items are left out, and the first
 * line says how many. English: a model reads it.
 */
export function transcript(items: readonly TranscriptItem[], max = mostCharacters): string {
  const lines = items.map(render).filter((line): line is string => line !== undefined);
  let length = 0;
  let from = lines.length;
  while (from > 0 && length + lines[from - 1]!.length + 2 <= max) length += lines[--from]!.length + 2;
  const kept = lines.slice(from);
  // Always the newest item, cut at its beginning when it alone is too long.
  if (kept.length === 0 && lines.length > 0) {
    from = lines.length - 1;
    kept.push(`…${lines[from]!.slice(-max)}`);
  }
  if (from > 0) kept.unshift(`[${from} earlier ${from === 1 ? 'entry was' : 'entries were'} left out]`);
  return kept.join('\n\n');
}

function render(item: TranscriptItem): string | undefined {
  if (item.kind === 'message') {
    const text = item.text.trim();
    return text ? `${item.speaker}: ${text}` : undefined;
  }
  const what = firstLine(item.what, 200);
  const state = item.state ? ` (${item.state})` : '';
  return `[${item.speaker} used ${item.tool}${what ? `: ${what}` : ''}${state}]`;
}
