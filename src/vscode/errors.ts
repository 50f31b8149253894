import * as vscode from 'vscode';
import { describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';

/** What `reportError` needs of the editor. */
export interface ErrorDeps {
  log: Log & { show(preserveFocus?: boolean): void };
}

/**
 * The one place where an error of a command or of a message from the page reaches a person. What was cancelled is no
 * error; a `UserError` is shown in its own words; anything else is a fault of ours: logged with its stack, shown plainly.
 */
export function reportError(error: unknown, deps: ErrorDeps): void {
  if (isCancelled(error) || error instanceof vscode.CancellationError) return;
  let message: string;
  if (error instanceof UserError) {
    deps.log.error(error.detail ? `${error.message}\n${error.detail}` : error.message);
    message = error.hint ? `${error.message} ${error.hint}` : error.message;
  } else {
    deps.log.error(error instanceof Error && error.stack ? error.stack : describe(error));
    message = l10n.t('mm made a mistake: {0}. The log has the details.', describe(error));
  }
  const showLog = l10n.t('Show Log');
  vscode.window.showErrorMessage(message, showLog).then(
    (chosen) => {
      if (chosen === showLog) deps.log.show(true);
    },
    (failed) => deps.log.error(describe(failed)),
  );
}
