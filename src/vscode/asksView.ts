import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { ToAsksPage } from '../chat/asks';
import { type AskTree, outsidePrefix } from '../host/asks-tree';
import type { Conversation } from '../host/conversation';
import { strings } from './dictionary';
import { makeNonce, pageHtml } from './html';
import { parseFromAsksPage } from './messages';

/** What the view needs of a window's host; `host/host.ts` fits. */
export interface AsksHost {
  readonly asks: AskTree;
  open(id: string): Promise<Conversation | undefined>;
}

export interface AsksViewDeps {
  log: Log;
  /** The window's host, if it is there; the view starts nothing. */
  live(): AsksHost | undefined;
  /** The view of the chat; without a node it shows the conversation. */
  chat: { showEntry(conversation: Conversation, node: string | undefined): Promise<void> };
  report(error: unknown): void;
}

/** Milliseconds between two pictures of the tree. */
const pause = 100;

/** The view "Asks": the page with the tree, and what the person does there. Before the window's host is there, the tree is empty. */
export class AsksView implements vscode.WebviewViewProvider, Disposable {
  readonly #extension: vscode.Uri;
  readonly #deps: AsksViewDeps;
  #page: DisposableStore | undefined;
  #webview: vscode.Webview | undefined;
  #ready = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(extension: vscode.Uri, deps: AsksViewDeps) {
    this.#extension = extension;
    this.#deps = deps;
  }

  /** From now on the tree is that of this host. */
  attach(host: AsksHost): Disposable {
    this.#later();
    return host.asks.onDidChange(() => this.#later());
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#close();
    const page = new DisposableStore();
    this.#page = page;
    const { webview } = view;
    this.#webview = webview;
    const assets = vscode.Uri.joinPath(this.#extension, 'dist', 'webview');
    const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(assets, name)).toString();
    webview.options = { enableScripts: true, localResourceRoots: [assets] };
    page.add(webview.onDidReceiveMessage((raw) => void this.#receive(raw).catch(this.#deps.report)));
    page.add(
      view.onDidChangeVisibility(() => {
        // a hidden page is thrown away by the editor; the next one says `ready` by itself
        if (!view.visible) this.#ready = false;
      }),
    );
    page.add(
      view.onDidDispose(() => {
        if (this.#page === page) this.#close();
      }),
    );
    webview.html = pageHtml(
      {
        cspSource: webview.cspSource,
        script: asset('asks.js'),
        styles: [asset('chat.css'), asset('asks.css')],
        language: vscode.env.language,
        title: l10n.t('Asks'),
      },
      makeNonce(),
    );
  }

  dispose(): void {
    this.#close();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = parseFromAsksPage(raw);
    const host = this.#deps.live();
    switch (message?.type) {
      case 'ready':
        this.#ready = true;
        this.#post({ type: 'init', strings: strings(), locale: vscode.env.language });
        this.#show();
        return;
      case 'stop':
        host?.asks.stop(message.id);
        return;
      case 'stopAll':
        for (const id of host?.asks.stoppable() ?? []) host?.asks.stop(id);
        return;
      case 'open':
        if (host) await this.#open(host, message.id);
        return;
      default:
        this.#deps.log.warn('page of asks: a message of unknown form was ignored');
    }
  }

  async #open(host: AsksHost, id: string): Promise<void> {
    const place = host.asks.place(id);
    const outside = place?.conversation.startsWith(outsidePrefix) ?? false;
    const conversation = place && !outside ? await host.open(place.conversation) : undefined;
    if (conversation) {
      await this.#deps.chat.showEntry(conversation, place?.node);
      return;
    }
    const gone = outside
      ? l10n.t('This was asked outside of the view: its answer stands where the question was asked.')
      : l10n.t('The conversation of this ask is no longer there.');
    vscode.window.showInformationMessage(gone).then(undefined, this.#deps.report);
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, pause);
  }

  #show(): void {
    if (this.#ready) this.#post({ type: 'asks', groups: this.#deps.live()?.asks.groups() ?? [] });
  }

  #post(message: ToAsksPage): void {
    this.#webview?.postMessage(message).then(undefined, (error) => {
      this.#deps.log.warn(`page of asks: ${describe(error)}`);
    });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ready = false;
    this.#webview = undefined;
    this.#page?.dispose();
    this.#page = undefined;
  }
}
