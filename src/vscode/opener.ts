import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { isInside, linkTarget } from './links';

/** Paths of the workspace's folders on disk, in their order. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap((f) => (f.uri.scheme === 'file' ? [f.uri.fsPath] : []));
}

/** Asks in which of several folders the agents of a conversation shall work; undefined when the person closed the picker. */
export async function pickFolder(): Promise<string | undefined> {
  const picked = await vscode.window.showWorkspaceFolderPick({
    placeHolder: l10n.t('In which folder shall the agents of this conversation work?'),
  });
  return picked?.uri.scheme === 'file' ? picked.uri.fsPath : undefined;
}

/** A place in a file, 1-based. */
export interface Place {
  line: number;
  column?: number;
}

/** Shows a file, with the cursor at a place. */
export async function showFile(file: string, place?: Place): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const line = (place?.line ?? 1) - 1;
  const column = (place?.column ?? 1) - 1;
  const at = place ? new vscode.Range(line, column, line, column) : undefined;
  await vscode.window.showTextDocument(document, { preview: true, selection: at });
}

/** Opens files side by side as tabs that stay, the first one in front. One that is not there is left out; one that is no text is shown as such. */
export async function showFiles(files: readonly string[]): Promise<void> {
  const there = files.filter((file) => existsSync(file));
  for (const file of [...there].reverse()) {
    const options: vscode.TextDocumentShowOptions = { preview: false, preserveFocus: file !== there[0] };
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), options);
  }
}

/**
 * Opens a link that a model wrote: a web page by the editor's own opener, which asks, or a file of the workspace. A file
 * that lies outside, also by way of a symbolic link, does not open, nor does any other scheme.
 */
export async function openLink(href: string): Promise<void> {
  const folders = workspaceFolders();
  const target = linkTarget(href, folders, existsSync);
  if (!target) {
    throw new UserError(l10n.t('This link does not open: only web pages and files of the workspace do.'));
  }
  if (target.kind === 'web') {
    await vscode.env.openExternal(vscode.Uri.parse(target.address, true));
    return;
  }
  let real: string;
  try {
    real = await realpath(target.file);
  } catch (cause) {
    throw new UserError(l10n.t('{0} is not there.', target.file), { cause });
  }
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  if (!roots.some((root) => isInside(real, root))) {
    throw new UserError(l10n.t('{0} leads out of the workspace, so it was not opened.', target.file));
  }
  await showFile(target.file, target.line === undefined ? undefined : { line: target.line });
}
