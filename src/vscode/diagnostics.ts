import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import type { Diagnostic } from '../config/types';
import type { ConfigService, ConfigState } from './config';

function shown(d: Diagnostic): vscode.Diagnostic {
  const line = Math.max(0, d.line - 1);
  const column = Math.max(0, d.column - 1);
  // to the end of the line, wherever that is: the editor cuts it there
  const range = new vscode.Range(line, column, line, column + 1_000);
  const severity = d.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(range, d.message, severity);
  diagnostic.source = 'mm';
  return diagnostic;
}

/** Puts what is wrong with the `mm.yaml` in use into the Problems panel, beside the file's own line. */
export function showDiagnostics(config: ConfigService): Disposable {
  const store = new DisposableStore();
  const collection = store.add(vscode.languages.createDiagnosticCollection('mm'));
  const show = (state: ConfigState): void => {
    collection.clear();
    if (state.kind !== 'ready' && state.kind !== 'invalid') return;
    const all = state.kind === 'invalid' ? [...state.errors, ...state.warnings] : state.warnings;
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const d of all) byFile.set(d.file, [...(byFile.get(d.file) ?? []), shown(d)]);
    for (const [file, list] of byFile) collection.set(vscode.Uri.file(file), list);
  };
  store.add(config.onDidChange(show));
  show(config.state);
  return store;
}
