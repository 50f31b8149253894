import { structuredPatch } from 'diff';
import { l10n } from '../base/l10n';
import { cap } from '../base/text';
import type { DiffView } from './nodes';

/** Rows that a preview shows; the rest is counted in `cut` (faults F060). */
const maxRows = 400;
/** Characters of one row. */
const maxRow = 500;
/** Above this many characters on both sides together no line is compared: the preview shows the new text's first rows. */
const maxCompared = 2_000_000;
/** Milliseconds and edits after which comparing is given up and the whole is shown as replaced. */
const limits = { timeout: 80, maxEditLength: 4000 };

type Row = DiffView['rows'][number];

/**
 * The preview of one changed file. Never slower than about a tenth of a second, whatever comes: one line of 1 MB, 200,000 lines, no
 * line in common. `oldText` is undefined or null for a new file.
 */
export function diffView(path: string, oldText: string | null | undefined, newText: string): DiffView {
  const old = oldText ?? '';
  const view: DiffView = { path: cap(path, 1000).text, added: 0, removed: 0, rows: [], cut: 0 };
  if (old === newText) return view;
  const patch =
    old.length + newText.length > maxCompared
      ? undefined
      : structuredPatch('', '', old, newText, undefined, undefined, { context: 3, ...limits });
  if (!patch) {
    const before = lines(old);
    const after = lines(newText);
    for (let i = 0; i < before.length; i++) push(view, 'del', i + 1, before[i]!);
    for (let i = 0; i < after.length; i++) push(view, 'add', i + 1, after[i]!);
    return view;
  }
  let end = 1;
  for (const hunk of patch.hunks) {
    const gap = hunk.newStart - end;
    if (gap > 0) {
      push(view, 'gap', undefined, gap === 1 ? l10n.t('1 unchanged line') : l10n.t('{0} unchanged lines', gap));
    }
    let from = hunk.oldStart;
    let to = hunk.newStart;
    for (const line of hunk.lines) {
      const mark = line[0];
      if (mark === '-') push(view, 'del', from++, line.slice(1));
      else if (mark === '+') push(view, 'add', to++, line.slice(1));
      else if (mark === ' ') {
        push(view, 'same', to, line.slice(1));
        from++;
        to++;
      }
    }
    end = to;
  }
  return view;
}

/** A diff as it stands in a tool call's content or a permission request; undefined when it is none. */
export function readDiff(item: Record<string, unknown>): DiffView | undefined {
  if (item.type !== 'diff' || typeof item.path !== 'string' || typeof item.newText !== 'string') return undefined;
  return diffView(item.path, typeof item.oldText === 'string' ? item.oldText : undefined, item.newText);
}

function push(view: DiffView, kind: Row['kind'], line: number | undefined, text: string): void {
  if (kind === 'add') view.added++;
  else if (kind === 'del') view.removed++;
  if (view.rows.length >= maxRows) {
    if (kind !== 'gap') view.cut++;
    return;
  }
  const { text: shown, cut } = cap(text, maxRow);
  view.rows.push({ kind, ...(line === undefined ? {} : { line }), text: cut > 0 ? `${shown}…` : shown });
}

function lines(text: string): string[] {
  if (text === '') return [];
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}
