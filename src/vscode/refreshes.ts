import * as vscode from 'vscode';
import { Settings } from './ids';
import type { Surface } from './surfaces';

/** What changes what holds in a window: trust, its folders, our settings. */
export function refreshSurfaces(refresh: () => void): Surface[] {
  return [
    ['trust', () => vscode.workspace.onDidGrantWorkspaceTrust(refresh)],
    ['folders', () => vscode.workspace.onDidChangeWorkspaceFolders(refresh)],
    [
      'settings',
      () =>
        vscode.workspace.onDidChangeConfiguration((change) => {
          if (Object.values(Settings).some((key) => change.affectsConfiguration(key))) refresh();
        }),
    ],
  ];
}
