import { structuredPatch } from 'diff';
import { l10n } from '../base/l10n';
import { cap } from '../base/text';
import type { DiffView } from './nodes';

/** How much of a change is shown. */
export interface DiffBounds {
  /** Rows; the rest is counted in `cut` (faults F060). */
  rows: number;
  /** Characters of one row. A longer one ends in `…`. */
  row: number;
  /** Characters of all rows together. */
  all: number;
}

/** A preview, in the card of a call: nobody decides by it. */
const preview: DiffBounds = { rows: 400, row: 500, all: Number.POSITIVE_INFINITY };
/** Characters of a path: what a file system takes. */
export const maxPath = 4096;
/** Above this many characters on both sides together no line is compared: the preview shows the new text's first rows. */
const maxCompared = 2_000_000;
/** Milliseconds and edits after which comparing is given up and the whole is shown as replaced. */
const limits = { timeout: 80, maxEditLength: 4000 };

type Row = DiffView['rows'][number];

/**
 * The preview of one changed file. Never slower than about a tenth of a second, whatever comes: one line of 1 MB, 200,000 lines, no
 * line in common. `oldText` is undefined or null for a new file.
 */
export function diffView(
  path: string,
  oldText: string | null | undefined,
  newText: string,
  bounds: DiffBounds = preview,
): DiffView {
  const old = oldText ?? '';
  const view: DiffView = { path: cap(path, maxPath).text, added: 0, removed: 0, rows: [], cut: 0 };
  if (old === newText) return view;
  let room = bounds.all;
  let full = false;
  const push = (kind: Row['kind'], line: number | undefined, whole: string): void => {
    if (kind === 'add') view.added++;
    else if (kind === 'del') view.removed++;
    const { text, cut } = cap(whole, bounds.row);
    // Nothing behind a row that was left out: what is shown is the beginning.
    full ||= view.rows.length >= bounds.rows || text.length > room;
    if (full) {
      if (kind !== 'gap') view.cut++;
      return;
    }
    room -= text.length;
    view.rows.push({ kind, ...(line === undefined ? {} : { line }), text: cut > 0 ? `${text}…` : text });
  };
  const part = old.length + newText.length > maxCompared ? middle(old, newText) : { old, next: newText, before: 0 };
  const patch =
    part.old.length + part.next.length > maxCompared
      ? undefined
      : structuredPatch('', '', part.old, part.next, undefined, undefined, { context: 3, ...limits });
  if (!patch) {
    const before = lines(old);
    const after = lines(newText);
    for (let i = 0; i < before.length; i++) push('del', i + 1, before[i]!);
    for (let i = 0; i < after.length; i++) push('add', i + 1, after[i]!);
    return view;
  }
  let end = 1;
  for (const hunk of patch.hunks) {
    let from = hunk.oldStart + part.before;
    let to = hunk.newStart + part.before;
    const gap = to - end;
    if (gap > 0) {
      push('gap', undefined, gap === 1 ? l10n.t('1 unchanged line') : l10n.t('{0} unchanged lines', gap));
    }
    for (const line of hunk.lines) {
      const mark = line[0];
      if (mark === '-') push('del', from++, line.slice(1));
      else if (mark === '+') push('add', to++, line.slice(1));
      else if (mark === ' ') {
        push('same', to, line.slice(1));
        from++;
        to++;
      }
    }
    end = to;
  }
  return view;
}

/** A diff as it stands in a tool call's content or a permission request; undefined when it is none. */
export function readDiff(item: Record<string, unknown>, bounds?: DiffBounds): DiffView | undefined {
  if (item.type !== 'diff' || typeof item.path !== 'string' || typeof item.newText !== 'string') return undefined;
  return diffView(item.path, typeof item.oldText === 'string' ? item.oldText : undefined, item.newText, bounds);
}

/** What lies between the same beginning and the same end of two large texts, with some lines of both; `before` lines were left away. */
function middle(old: string, next: string): { old: string; next: string; before: number } {
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old.charCodeAt(start) === next.charCodeAt(start)) start++;
  for (let line = 0; line < 5 && start > 0; line++) start = old.lastIndexOf('\n', start - 2) + 1;
  let end = 0;
  while (end < shorter - start && old.charCodeAt(old.length - 1 - end) === next.charCodeAt(next.length - 1 - end))
    end++;
  for (let line = 0; line < 5 && end > 0; line++) {
    const stop = old.indexOf('\n', old.length - end);
    end = stop === -1 ? 0 : old.length - stop - 1;
  }
  let before = 0;
  for (let at = old.indexOf('\n'); at !== -1 && at < start; at = old.indexOf('\n', at + 1)) before++;
  return { old: old.slice(start, old.length - end), next: next.slice(start, next.length - end), before };
}

function lines(text: string): string[] {
  if (text === '') return [];
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}
