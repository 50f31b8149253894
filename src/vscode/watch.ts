import * as path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';

/** A file name as a glob that means exactly this name. */
function literal(name: string): string {
  return name.replace(/[*?{}[\]]/g, '[$&]');
}

/**
 * Tells when one of the files appears, changes or goes; also outside the workspace, and where the folder is not there
 * yet. The window's return to the foreground counts too: some file systems (network, containers) report nothing.
 */
export function watchFiles(files: readonly string[], changed: () => void): Disposable {
  const store = new DisposableStore();
  for (const file of files) {
    const pattern = new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), literal(path.basename(file)));
    const watcher = store.add(vscode.workspace.createFileSystemWatcher(pattern));
    store.add(watcher.onDidCreate(changed));
    store.add(watcher.onDidChange(changed));
    store.add(watcher.onDidDelete(changed));
  }
  if (files.length > 0) {
    store.add(
      vscode.window.onDidChangeWindowState((state) => {
        if (state.focused) changed();
      }),
    );
  }
  return store;
}
