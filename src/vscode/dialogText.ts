import { l10n } from '../base/l10n';
import { cap, firstLine, hiddenCharacters, inOneLine, visible } from '../base/text';
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
/** Characters of a folder or path in its line. A question with a longer one stands in the view. */
const longestFact = 300;
const longestName = 60;
const longestTitle = 120;
/** Characters of one line of a text in a tab. */
const widest = 160;
const goesOn = '┊ ';

/** Begins every line of an agent's own words, so that none of them can look like a line of ours. */
export const quoteMark = '│ ';

/** Words of an agent in one line: what is hidden made visible, and no line break that could look like our own lines. */
function oneLine(text: string, max: number): string {
  return firstLine(inOneLine(visible(text)), max);
}

function diffText(diff: DiffView, longest: number): string[] {
  const rows = diff.rows.map((row) => {
    const sign = row.kind === 'add' ? '+' : row.kind === 'del' ? '−' : row.kind === 'gap' ? '…' : ' ';
    return `${sign} ${visible(row.text)}`.trimEnd();
  });
  const head = `${oneLine(diff.path, longest)} (+${diff.added} −${diff.removed})`;
  return diff.cut > 0 ? [head, ...rows, l10n.t('… {0} more lines', diff.cut)] : [head, ...rows];
}

function what(q: DialogQuestion): string {
  const agent = q.chain.at(-1)?.name ?? q.name;
  const name = oneLine(agent, longestName);
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
 * way to the card in the view, and the rejection (faults F046: what is allowed must have been seen). `outside`: the view has no place
 * for it, so the way leads to a tab that holds `wholeText`.
 */
export function dialogText(q: DialogQuestion, outside = false): DialogText {
  const title = oneLine(q.name, longestTitle);
  const { facts, body } = contentOf(q, { fact: longestFact, name: longestName, reason: 160 });

  if (!q.canAllow) {
    const why =
      q.why ??
      (q.command.length >= maxCommand
        ? l10n.t('This call is too long to be shown as a whole, so it can only be rejected.')
        : l10n.t('This agent offers no way to allow a call once, so it can only be rejected.'));
    return {
      title,
      detail: assemble([...facts, visible(why)], what(q), shortened(body)),
      buttons: ['reject'],
    };
  }

  const all = q.canRemember
    ? [...facts, l10n.t('Allow for This Conversation: every call of {0} in this conversation.', title)]
    : facts;
  const detail = assemble(all, what(q), body);
  if (lineCount(detail) <= maxLines && detail.length <= maxCharacters && isWhole(q)) {
    return {
      title,
      detail,
      buttons: q.canRemember ? ['allow_once', 'allow_conversation', 'reject'] : ['allow_once', 'reject'],
    };
  }
  const count = lineCount(body);
  const lines = count === 1 ? l10n.t('1 line') : l10n.t('{0} lines', count);
  const size = outside
    ? l10n.t(
        '{0}, {1} characters: too long for a dialog. Read it in the editor and answer beside it.',
        lines,
        body.length,
      )
    : l10n.t('{0}, {1} characters: too long for a dialog. Read it in the view and answer there.', lines, body.length);
  return { title, detail: [...facts, '', what(q), size].join('\n'), buttons: ['show', 'reject'] };
}

/** All of a question, as a text to be read in a tab: nothing is cut, and no line is so long that an editor hides its end. */
export function wholeText(q: DialogQuestion): string {
  const all = Number.POSITIVE_INFINITY;
  const { facts, body } = contentOf(q, { fact: all, name: all, reason: all });
  const lines = `${oneLine(q.name, all)}\n\n${assemble(facts, what(q), body)}`.split('\n').flatMap(wrapped);
  if (lines.some((line) => line.startsWith(goesOn))) {
    lines.splice(1, 0, l10n.t('A line that begins with {0} goes on the one above it.', goesOn.trim()));
  }
  return `${lines.join('\n')}\n`;
}

/** A line in pieces that need no scrolling. */
function wrapped(line: string): string[] {
  const pieces: string[] = [];
  for (let rest = line; ; ) {
    const { text, cut } = cap(rest, widest);
    pieces.push(pieces.length === 0 ? text : goesOn + text);
    if (cut === 0) return pieces;
    rest = rest.slice(text.length);
  }
}

/** What is said of a question, and its call's own words. `longest`: characters of a line of ours. */
function contentOf(
  q: DialogQuestion,
  longest: { fact: number; name: number; reason: number },
): { facts: string[]; body: string } {
  const whole = visible(q.command).trimEnd();
  // of a change the paths stand over their rows already
  const command = q.diffs.length > 0 && whole === q.diffs.map((d) => visible(d.path)).join('\n') ? '' : whole;
  const body = [...(command ? [command] : []), ...q.diffs.flatMap((d) => diffText(d, longest.fact))].join('\n');
  const hidden = Math.max(
    q.hidden,
    [q.command, ...q.diffs.flatMap((d) => [d.path, ...d.rows.map((r) => r.text)])].reduce(
      (sum, text) => sum + (text.match(hiddenCharacters)?.length ?? 0),
      0,
    ),
  );
  const facts: string[] = [];
  facts.push(l10n.t('Folder: {0}', oneLine(q.cwd, longest.fact)));
  facts.push(l10n.t('Chain: {0}', q.chain.map((face) => oneLine(face.name, longest.name)).join(' → ')));
  if (q.reason) facts.push(l10n.t('Reason: “{0}”', oneLine(q.reason, longest.reason)));
  if (hidden > 0) {
    facts.push(
      hidden === 1
        ? l10n.t('1 character that a terminal would hide stands as [U+…]. Read the text as it stands here.')
        : l10n.t('{0} characters that a terminal would hide stand as [U+…]. Read the text as it stands here.', hidden),
    );
  }
  return { facts, body };
}

/** A body of which nothing can be allowed may be cut: the answer is the same. */
function shortened(body: string): string {
  const lines = body.split('\n');
  const first = lines.slice(0, 8).join('\n');
  const { text, cut } = cap(first, 500);
  return cut > 0 || lines.length > 8 ? `${text}\n…` : text;
}

/** What we say of a call stands first; the agent's words are the last, each line of them behind a mark. */
function assemble(facts: string[], head: string, body: string): string {
  const quoted = body ? body.split('\n').map((line) => `${quoteMark}${line}`) : [];
  return [...facts, '', head, ...quoted].join('\n');
}

/** No row and no line of the facts is cut. */
function isWhole(q: DialogQuestion): boolean {
  return (
    visible(q.name).length <= longestTitle &&
    [q.cwd, ...q.diffs.map((d) => d.path)].every((text) => visible(text).length <= longestFact) &&
    q.chain.every((face) => visible(face.name).length <= longestName) &&
    q.diffs.every((d) => d.cut === 0)
  );
}
