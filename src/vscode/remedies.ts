import type * as vscode from 'vscode';
import { AskError } from '../ask/errors';
import { describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { NoticeAction } from '../chat/nodes';
import { BlockedError } from '../host/outside';
import { Commands, EditorCommands } from './ids';

/** Failures that no file and no log explains further: somebody said no, or nothing. */
const plain: ReadonlySet<AskError['failure']> = new Set([
  'cancelled',
  'refused',
  'withheld',
  'refusal',
  'empty',
  'depth',
  'cycle',
]);

/** Where the remedies of a blocked window lead from outside the view. */
const byAction: Partial<Record<NoticeAction['id'], string>> = {
  'manage-trust': EditorCommands.manageTrust,
  'open-folder': EditorCommands.openFolder,
  'open-config': Commands.openConfiguration,
  'show-log': Commands.showLog,
};

/** What happened and what to do, as a sentence or two. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof UserError)) return l10n.t('mm made a mistake: {0}. The log has the details.', describe(error));
  return error.hint ? `${error.message.replace(/([^.!?])$/, '$1.')} ${error.hint}` : error.message;
}

/** Buttons that lead to the remedy. */
export function remediesFor(error: unknown): vscode.Command[] {
  const showLog = { command: Commands.showLog, title: l10n.t('Show Log') };
  const openConfiguration = { command: Commands.openConfiguration, title: l10n.t('Open Configuration') };
  if (error instanceof BlockedError) {
    const { actions } = error.blocker;
    const known = actions.flatMap(({ id, label }) => {
      const command = byAction[id];
      return command === undefined ? [] : [{ command, title: label }];
    });
    // an approval is given where its card stands
    return known.length > 0 ? known : [{ command: EditorCommands.focusChat, title: l10n.t('Show in View') }];
  }
  if (!(error instanceof AskError)) return [showLog];
  if (plain.has(error.failure)) return [];
  switch (error.failure) {
    case 'hook':
    case 'start':
    case 'watchdog':
      return [openConfiguration, showLog];
    case 'unknown-agent':
      return [openConfiguration];
    default:
      return [showLog];
  }
}
