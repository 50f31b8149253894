import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable';
import type { Host } from '../host/host';
import { ContextKeys, EditorCommands } from './ids';

/** Tells menus whether an agent's process runs. */
export function watchChildren(pool: Host['pool'], report: (error: unknown) => void): Disposable {
  return pool.onDidChange(() => {
    const running = pool.statuses().some((child) => child.state !== 'ended');
    vscode.commands
      .executeCommand(EditorCommands.setContext, ContextKeys.childrenRunning, running)
      .then(undefined, report);
  });
}
