import * as vscode from 'vscode';
import { fileMemory, memoryFile } from '../a2a/keeper-proxy';
import type { KeyReader } from '../a2a/keys';
import { clientFor } from '../a2a/open-registry';
import { Watcher, type WatcherNews } from '../a2a/watcher';
import { type Disposable, DisposableStore } from '../base/disposable';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { MmConfig } from '../config/types';
import { EditorCommands, Settings } from './ids';

export interface RegistryWatchDeps {
  storage: vscode.Uri;
  log: Log;
  key: KeyReader;
  config(): MmConfig | undefined;
  /** The lists may have changed. */
  changed(news: WatcherNews): void;
  report(error: unknown): void;
}

/** "Watch the Registry": the keeper's rounds in this window, while the setting says so. It repairs only where there is an admin key. */
export class RegistryWatch implements Disposable {
  readonly #deps: RegistryWatchDeps;
  readonly #store = new DisposableStore();
  #watcher: DisposableStore | undefined;

  constructor(deps: RegistryWatchDeps) {
    this.#deps = deps;
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(Settings.watchRegistry)) this.#update();
      }),
    );
    this.#update();
  }

  dispose(): void {
    this.#watcher?.dispose();
    this.#store.dispose();
  }

  #update(): void {
    const on = isWatching();
    if (on === (this.#watcher !== undefined)) return;
    this.#watcher?.dispose();
    this.#watcher = on ? this.#start() : undefined;
  }

  #start(): DisposableStore {
    const { storage, log, key, config, changed } = this.#deps;
    const running = new DisposableStore();
    const file = (url: string) => vscode.Uri.joinPath(storage, 'registry', memoryFile(url)).fsPath;
    const watcher = running.add(
      new Watcher({
        proxies: () => [...(config()?.proxies?.values() ?? [])].filter(({ adminKey }) => adminKey !== undefined),
        client: (proxy) => clientFor(proxy, key, log),
        memory: (proxy) => fileMemory(file(proxy.url), log),
        log,
      }),
    );
    running.add(
      watcher.onNews((news) => {
        changed(news);
        void tell(news).catch(this.#deps.report);
      }),
    );
    watcher.start();
    return running;
  }
}

export function isWatching(): boolean {
  return vscode.workspace.getConfiguration().get<boolean>(Settings.watchRegistry, false);
}

/** The command: turns it on for this person, or off. */
export async function toggleWatch(): Promise<void> {
  const on = !isWatching();
  await vscode.workspace.getConfiguration().update(Settings.watchRegistry, on, vscode.ConfigurationTarget.Global);
  await vscode.window.showInformationMessage(
    on
      ? l10n.t('The registries of mm.yaml that have an adminKey are watched now, a look every minute.')
      : l10n.t('The registries are no longer watched.'),
  );
}

async function tell({ words, round }: WatcherNews): Promise<void> {
  if (words.length === 0) return;
  const show = l10n.t('Show Agents');
  const message = words.join(' ');
  const bad = !round || round.empty || round.findings.some(({ kind }) => kind === 'forgotten' || kind === 'unsteady');
  const chosen = bad
    ? await vscode.window.showWarningMessage(message, show)
    : await vscode.window.showInformationMessage(message, show);
  if (chosen === show) await vscode.commands.executeCommand(EditorCommands.focusAgents);
}
