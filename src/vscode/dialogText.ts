import { l10n } from '../base/l10n';
import { cap, firstLine, hiddenCharacters, visible } from '../base/text';
import type { DiffView, PermissionNode } from '../chat/nodes';
import { maxCommand } from '../chat/question';

/** What a dialog says of a question; the same data as the card in the view. */
export type DialogQuestion = Pick<
  PermissionNode,
  'name' | 'verb' | 'command' | 'hidden' | 'cwd' | 'chain' | 'reason' | 'diffs' | 'canAllow' | 'canRemember' | 'why'
>;

export interface DialogText {
  /** `bob/bash`. */
  title: string;
  detail: string;
  /** The buttons in their order; the last one is the close affordance, so Escape rejects this once. */
  buttons: ('allow_once' | 'allow_conversation' | 'show' | 'reject')[];
}

/** What a dialog can show without pushing its buttons off the screen (design, section 8; VS Code #87266). */
export const maxLines = 15;
export const maxCharacters = 1_000;

/** Words of an agent in one line: what is hidden made visible, and no line break that could look like our own lines. */
function oneLine(text: string, max: number): string {
  return firstLine(visible(text).replace(/\s*\n\s*/g, ' ⏎ '), max);
}

function diffText(diff: DiffView): string[] {
  const rows = diff.rows.map((row) => {
    const sign = row.kind === 'add' ? '+' : row.kind === 'del' ? '−' : row.kind === 'gap' ? '…' : ' ';
    return `${sign} ${visible(row.text)}`.trimEnd();
  });
  const head = `${oneLine(diff.path, 300)} (+${diff.added} −${diff.removed})`;
  return diff.cut > 0 ? [head, ...rows, l10n.t('… {0} more lines', diff.cut)] : [head, ...rows];
}

function what(q: DialogQuestion): string {
  const agent = q.chain.at(-1)?.name ?? q.name;
  const name = oneLine(agent, 60);
  switch (q.verb) {
    case 'run':
      return l10n.t('{0} wants to run:', name);
    case 'change':
      return q.diffs.length > 1
        ? l10n.t('{0} wants to change {1} files:', name, q.diffs.length)
        : l10n.t('{0} wants to change a file:', name);
    case 'ask':
      return l10n.t('{0} wants to ask another agent:', name);
    default:
      return l10n.t('{0} wants to use this tool:', name);
  }
}

/** Lines as a dialog breaks them at the least: by newlines only. */
function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

/**
 * The words and buttons of one permission dialog. A question that does not fit is never cut: its dialog offers only the
 * way to the card in the view, and the rejection (faults F046: what is allowed must have been seen).
 */
export function dialogText(q: DialogQuestion): DialogText {
  const title = oneLine(q.name, 120);
  const whole = visible(q.command).replace(/\s+$/, '');
  // of a change the paths stand over their rows already
  const command = q.diffs.length > 0 && whole === q.diffs.map((d) => visible(d.path)).join('\n') ? '' : whole;
  const body = [...(command ? [command] : []), ...q.diffs.flatMap(diffText)].join('\n');
  const hidden = Math.max(
    q.hidden,
    [q.command, ...q.diffs.flatMap((d) => [d.path, ...d.rows.map((r) => r.text)])].reduce(
      (sum, text) => sum + (text.match(hiddenCharacters)?.length ?? 0),
      0,
    ),
  );
  const facts: string[] = [];
  if (hidden > 0) {
    facts.push(
      hidden === 1
        ? l10n.t('1 character that a terminal would hide stands as [U+…]. Read the text as it stands here.')
        : l10n.t('{0} characters that a terminal would hide stand as [U+…]. Read the text as it stands here.', hidden),
    );
  }
  facts.push(l10n.t('Folder: {0}', oneLine(q.cwd, 300)));
  facts.push(l10n.t('Chain: {0}', q.chain.map((face) => oneLine(face.name, 60)).join(' → ')));
  if (q.reason) facts.push(l10n.t('Reason: “{0}”', oneLine(q.reason, 160)));

  if (!q.canAllow) {
    const why =
      q.why ??
      (q.command.length >= maxCommand
        ? l10n.t('This call is too long to be shown as a whole, so it can only be rejected.')
        : l10n.t('This agent offers no way to allow a call once, so it can only be rejected.'));
    return {
      title,
      detail: assemble(what(q), shortened(body), [...facts, visible(why)]),
      buttons: ['reject'],
    };
  }

  const all = q.canRemember
    ? [...facts, l10n.t('Allow for This Conversation: every call of {0} in this conversation.', title)]
    : facts;
  const detail = assemble(what(q), body, all);
  if (lineCount(detail) <= maxLines && detail.length <= maxCharacters && q.diffs.every((d) => d.cut === 0)) {
    return {
      title,
      detail,
      buttons: q.canRemember ? ['allow_once', 'allow_conversation', 'reject'] : ['allow_once', 'reject'],
    };
  }
  const size = l10n.t(
    'This is too long for a dialog: {0} lines, {1} characters. Read it in the view and answer there.',
    lineCount(body),
    body.length,
  );
  return { title, detail: [what(q), size, '', ...facts].join('\n'), buttons: ['show', 'reject'] };
}

/** A body of which nothing can be allowed may be cut: the answer is the same. */
function shortened(body: string): string {
  const lines = body.split('\n');
  const first = lines.slice(0, 8).join('\n');
  const { text, cut } = cap(first, 500);
  return cut > 0 || lines.length > 8 ? `${text}\n…` : text;
}

function assemble(head: string, body: string, facts: string[]): string {
  return [head, ...(body ? ['', body] : []), '', ...facts].join('\n');
}
