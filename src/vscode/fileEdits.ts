import * as vscode from 'vscode';
import { type Document, isMap, parseDocument } from 'yaml';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';

/**
 * Changes `mm.yaml` in an editor, with its comments, and leaves saving to the person: the file is theirs, and what it will say is seen
 * before it holds.
 * @throws UserError where the file cannot be read as YAML
 */
export async function editFile(file: string, change: (document: Document) => void): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const before = document.getText();
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
  edit.replace(document.uri, whole, changed(before, change));
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new UserError(l10n.t('{0} could not be changed.', file), { hint: l10n.t('Is it read-only?') });
  const last = document.lineAt(document.lineCount - 1).range.end;
  editor.revealRange(new vscode.Range(last, last));
}

/** The text of a YAML file after a change, with its comments. @throws UserError where it cannot be read */
export function changed(text: string, change: (document: Document) => void): string {
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents)))
    throw new UserError(l10n.t('The file cannot be read as it stands.'), {
      hint: l10n.t('“mm: Open Configuration” leads to its first error.'),
    });
  change(document);
  return document.toString({ lineWidth: 0 });
}
