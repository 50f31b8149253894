import type { ToolCallUpdate } from '../acp/types';
import { cap, visible } from '../base/text';
import { quirkOf } from './quirks';

/** Longer names are cut: a name stands in a dialog's title and is a part of a grant. */
const longestName = 100;

/**
 * The `<tool>` of a question's name (rule 4): the call's `name`; else what the agent's quirks say; else its `kind`,
 * except `other`, with `execute` as `bash`. Undefined is "unnamed tool", which cannot be remembered.
 */
export function toolName(toolCall: ToolCallUpdate, program: string | undefined): string | undefined {
  const call = (toolCall ?? {}) as { name?: unknown; kind?: unknown; title?: unknown };
  const named = word(call.name);
  if (named) return named;
  const quirk = quirkOf(program);
  const kind = typeof call.kind === 'string' && /^[a-z_]{1,40}$/.test(call.kind) ? call.kind : undefined;
  const byKind = kind !== undefined && quirk?.toolByKind && Object.hasOwn(quirk.toolByKind, kind);
  if (byKind) return quirk!.toolByKind![kind!];
  if (quirk?.titleIsTool && !kind && typeof call.title === 'string' && /^\w{1,40}$/.test(call.title)) {
    return call.title.toLowerCase();
  }
  if (!kind || kind === 'other') return undefined;
  return kind === 'execute' ? 'bash' : kind;
}

/**
 * `bob/bash`, as shown. A slash in a tool's or agent's own name becomes a colon, so that no name can look like a longer
 * path; the grant is kept by its parts and not by this text.
 */
export function joinedName(path: readonly string[], tool: string | undefined, unnamed: string): string {
  return [...path, tool ?? unnamed].map((part) => oneLine(visible(part)).replaceAll('/', ':')).join('/');
}

/** A name has no line breaks and no tabs: it stands in titles, and what stands behind a break could look like something of ours. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ');
}

function word(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = oneLine(value).trim();
  return text ? cap(text, longestName).text : undefined;
}
