import * as vscode from 'vscode';
import { remoteTarget } from '../a2a/lazy';
import type { SelfLaunch } from '../ask/launch';
import { type Disposable, DisposableStore } from '../base/disposable';
import { CancelledError } from '../base/errors';
import type { Log } from '../base/log';
import type { Host } from '../host/host';
import type { ConfigService } from './config';
import { permissionPrompt } from './configDeps';
import { hostConfig } from './hostConfig';
import { Inputs } from './inputs';
import { workspaceFolders } from './opener';
import { keysOfWindow } from './secrets';

export interface WindowHostDeps {
  context: vscode.ExtensionContext;
  log: Log;
  config: ConfigService;
  self: SelfLaunch;
  /** Called once, before anybody gets the host: what lives as long as it does. */
  onStart(host: Host): Disposable;
  report(error: unknown): void;
}

/**
 * The window's host, made with its first use and not at activation: until then nothing of it is loaded, no file is read
 * and no process is there. Keeps it informed of configuration, trust and folders.
 */
export class WindowHost implements Disposable {
  readonly #deps: WindowHostDeps;
  readonly #store = new DisposableStore();
  #starting: Promise<Host> | undefined;
  #host: Host | undefined;
  #ended = false;

  constructor(deps: WindowHostDeps) {
    this.#deps = deps;
  }

  /** The host, if anything has needed it yet. */
  get live(): Host | undefined {
    return this.#host;
  }

  /** The host, with the window's configuration in it. A start that failed is tried again with the next call. */
  get(): Promise<Host> {
    if (this.#ended) return Promise.reject(new CancelledError());
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /** Tells the host what holds now; resolves when it works by it. */
  async apply(): Promise<void> {
    await this.#host?.setConfig(hostConfig(this.#deps.config.state, workspaceFolders()));
  }

  /** Looks again at everything: the file that holds, the folders, the program for agents. */
  async refresh(): Promise<void> {
    await this.#deps.config.refresh();
    await this.apply();
  }

  /** Ends all children at the same time and writes what is left (design, section 11). */
  async end(): Promise<void> {
    this.#ended = true;
    this.#store.dispose();
    await this.#host?.end();
  }

  dispose(): void {
    this.end().catch(this.#deps.report);
  }

  async #start(): Promise<Host> {
    const { context, log, config, self, report } = this.#deps;
    if (!this.#host) {
      const [{ Host }] = await Promise.all([import('../host/host'), config.refresh()]);
      if (this.#ended) throw new CancelledError();
      const storage = (name: string) =>
        vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, name).fsPath;
      const host = new Host({
        log,
        storageDir: storage('conversations'),
        rulesFile: storage('rules.json'),
        prompt: permissionPrompt,
        self,
        input: new Inputs(),
        elsewhere: [
          remoteTarget(async () => {
            const { RemoteTarget } = await import('../a2a/remote');
            return new RemoteTarget({ key: keysOfWindow(context.secrets), log });
          }),
        ],
        parentEnv: process.env,
        clientInfo: { name: 'mm', title: 'mm for VS Code', version: String(context.extension.packageJSON.version) },
      });
      this.#host = host;
      this.#store.add(this.#deps.onStart(host));
      this.#store.add(config.onDidChange(() => void this.apply().catch(report)));
    }
    await this.apply();
    return this.#host;
  }
}
