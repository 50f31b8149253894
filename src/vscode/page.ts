import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import type { Log } from '../base/log';
import { strings } from './dictionary';
import { makeNonce, pageHtml } from './html';

export interface PageOptions {
  /** For the log: "asks". */
  name: string;
  /** Of `dist/webview`. */
  script: string;
  styles: readonly string[];
  /** Name of the document, for screen readers. */
  title: string;
  log: Log;
  /** The page is there, also again, and knows nothing. */
  onReady(): void | Promise<void>;
  /** Anything but `ready`, as it came. */
  onMessage(raw: unknown): void | Promise<void>;
  report(error: unknown): void;
}

/** One of our pages in a frame of the editor: a view's, or a panel's. The editor may throw it away and make it anew at any time. */
export class Page<To> implements Disposable {
  readonly #extension: vscode.Uri;
  readonly #o: PageOptions;
  #store: DisposableStore | undefined;
  #webview: vscode.Webview | undefined;
  #ready = false;

  constructor(extension: vscode.Uri, options: PageOptions) {
    this.#extension = extension;
    this.#o = options;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Fills the frame. */
  show(frame: vscode.WebviewView | vscode.WebviewPanel): void {
    this.dispose();
    const store = new DisposableStore();
    this.#store = store;
    const { webview } = frame;
    this.#webview = webview;
    const assets = vscode.Uri.joinPath(this.#extension, 'dist', 'webview');
    const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(assets, name)).toString();
    webview.options = { enableScripts: true, localResourceRoots: [assets] };
    store.add(webview.onDidReceiveMessage((raw) => void Promise.resolve(this.#receive(raw)).catch(this.#o.report)));
    if ('onDidChangeVisibility' in frame) {
      store.add(
        frame.onDidChangeVisibility(() => {
          // a hidden page is thrown away by the editor; the next one says `ready` by itself
          if (!frame.visible) this.#ready = false;
        }),
      );
    }
    store.add(
      frame.onDidDispose(() => {
        if (this.#store === store) this.dispose();
      }),
    );
    webview.html = pageHtml(
      {
        cspSource: webview.cspSource,
        script: asset(this.#o.script),
        styles: this.#o.styles.map(asset),
        language: vscode.env.language,
        title: this.#o.title,
      },
      makeNonce(),
    );
  }

  /** Dropped while no page is ready for it. */
  post(message: To): void {
    if (!this.#ready) return;
    this.#webview?.postMessage(message).then(undefined, (error) => {
      this.#o.log.warn(`page of ${this.#o.name}: ${describe(error)}`);
    });
  }

  /** A message whose form nobody knows. */
  unknown(): void {
    this.#o.log.warn(`page of ${this.#o.name}: a message of unknown form was ignored`);
  }

  dispose(): void {
    this.#ready = false;
    this.#webview = undefined;
    const store = this.#store;
    this.#store = undefined;
    store?.dispose();
  }

  async #receive(raw: unknown): Promise<void> {
    if ((raw as { type?: unknown } | null)?.type !== 'ready') return this.#o.onMessage(raw);
    this.#ready = true;
    this.post({ type: 'init', strings: strings(), locale: vscode.env.language } as To);
    await this.#o.onReady();
  }
}
