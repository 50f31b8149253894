import * as path from 'node:path';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import type { NoticeAction, NoticeNode } from '../chat/nodes';
import type { Diagnostic } from '../config/types';

/** Ids of what the extension itself puts over a conversation. The page sends them back with an action. */
export const noticePrefix = 'mm:';

const maxPrograms = 12;
const maxErrors = 6;

function card(
  id: string,
  level: NoticeNode['level'],
  title: string,
  rest: { text?: string; code?: string; actions: NoticeAction[] },
): NoticeNode {
  return { kind: 'notice', id: `${noticePrefix}${id}`, at: 0, shape: 'card', level, title, ...rest };
}

/** Restricted Mode: nothing of the folder is read, nothing is started (design, section 10). */
export function untrusted(): NoticeNode {
  return card('trust', 'warning', l10n.t('This workspace is not trusted'), {
    text: l10n.t('No agent is started and no mm.yaml of this folder is read. You can still read old conversations.'),
    actions: [{ id: 'manage-trust', label: l10n.t('Manage Trust'), primary: true }],
  });
}

/** Without a folder there is no place in which an agent could work (rule 2). */
export function noFolder(): NoticeNode {
  return card('folder', 'info', l10n.t('No folder is open'), {
    text: l10n.t('An agent works in a folder, and none is started without one.'),
    actions: [{ id: 'open-folder', label: l10n.t('Open Folder'), primary: true }],
  });
}

const approvalId = 'approval:';

/** The version that a card of `approval` showed, from the card's id. */
export function shownVersion(node: string): string {
  const prefix = `${noticePrefix}${approvalId}`;
  return node.startsWith(prefix) ? node.slice(prefix.length) : '';
}

/**
 * A folder's `mm.yaml` that nobody has allowed yet. The card's id holds the version that it shows. `seen`: the file was shown, so
 * allowing it is now the next step; `again`: another version was shown before.
 */
export function approval(o: {
  hash: string;
  programs: readonly string[];
  facts: readonly string[];
  seen: boolean;
  again: boolean;
}): NoticeNode {
  const { programs, seen } = o;
  const all = [...o.facts, ...programs];
  const lines = all.slice(0, maxPrograms).map(visible);
  const more = all.length - lines.length;
  if (more > 0) lines.push(l10n.t('… {0} more; the file names them all', more));
  const title =
    programs.length > 0
      ? l10n.t('This folder’s mm.yaml names a program')
      : l10n.t('This folder brings its own mm.yaml');
  const rule =
    programs.length > 0
      ? l10n.t('It runs only after you have seen it. You are asked again when the file changes.')
      : l10n.t('Its agents run only after you have seen it. You are asked again when the file changes.');
  return card(`${approvalId}${o.hash}`, 'warning', title, {
    text: o.again ? `${l10n.t('It has changed again since it was shown here.')} ${rule}` : rule,
    code: lines.length > 0 ? lines.join('\n') : undefined,
    actions: [
      { id: 'show-file', label: l10n.t('Show the File'), primary: !seen },
      { id: 'allow-version', label: l10n.t('Allow This Version'), primary: seen },
      { id: 'not-now', label: l10n.t('Not Now') },
    ],
  });
}

/** `mm.yaml:3:1: …`: the file by its name, since the way to it is the card's button. */
export function shortDiagnostic(d: Diagnostic): string {
  return `${path.basename(d.file)}:${d.line}:${d.column}: ${visible(d.message)}`;
}

/** An `mm.yaml` that cannot be used, with the lines that are wrong. */
export function invalid(file: string, errors: readonly Diagnostic[]): NoticeNode {
  const name = path.basename(file);
  const lines = errors.slice(0, maxErrors).map(shortDiagnostic);
  if (errors.length > maxErrors) lines.push(l10n.t('… {0} more errors', errors.length - maxErrors));
  const line = errors[0]?.line ?? 1;
  return card('config', 'error', l10n.t('{0} has an error in line {1}', name, line), {
    text: l10n.t('No agent is started until it is mended. The view follows as soon as the file is saved.'),
    code: lines.join('\n'),
    actions: [
      { id: 'open-config', label: l10n.t('Open {0}', name), primary: true },
      { id: 'show-log', label: l10n.t('Show Log') },
    ],
  });
}

/** A remark on an `mm.yaml` that works, over the composer. */
export function warning(d: Diagnostic, index: number): NoticeNode {
  return {
    kind: 'notice',
    id: `${noticePrefix}warning:${index}`,
    at: 0,
    shape: 'line',
    level: 'warning',
    title: shortDiagnostic(d),
    actions: [{ id: 'open-config', label: l10n.t('Open {0}', path.basename(d.file)) }],
  };
}
