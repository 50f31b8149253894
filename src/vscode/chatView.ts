import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import { Emitter } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { FromPage, ToPage } from '../chat/page';
import { strings } from './dictionary';
import { makeNonce, pageHtml } from './html';
import { EditorCommands } from './ids';
import { parseFromPage } from './messages';

/**
 * The webview of the chat: its document, its messages, its badge. It holds no state of the conversation: the editor may
 * throw the page away at any time (it is hidden, moved, reloaded) and make it anew, and then it says `ready` again.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #messages = new Emitter<FromPage>();
  /** What the page said, checked. `ready` is the sign to send a snapshot. */
  readonly onMessage = this.#messages.event;
  readonly #closed = new Emitter<void>();
  /** The page is gone or hidden; nothing can be sent until the next `ready`. */
  readonly onClosed = this.#closed.event;

  readonly #extension: vscode.Uri;
  readonly #log: Log;
  #view: vscode.WebviewView | undefined;
  #page: DisposableStore | undefined;
  #ready = false;
  #focused = false;
  #waiting: ToPage[] = [];
  #badge = 0;
  #home = '';
  #malformed = 0;

  constructor(extension: vscode.Uri, log: Log) {
    this.#extension = extension;
    this.#log = log;
  }

  /** The page has said `ready` and is shown. */
  get ready(): boolean {
    return this.#ready;
  }

  /** The page has the keyboard. */
  get focused(): boolean {
    return this.#focused;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#close();
    const page = new DisposableStore();
    this.#page = page;
    this.#view = view;
    const assets = vscode.Uri.joinPath(this.#extension, 'dist', 'webview');
    const { webview } = view;
    webview.options = { enableScripts: true, localResourceRoots: [assets] };
    page.add(webview.onDidReceiveMessage((raw) => this.#receive(raw)));
    page.add(
      view.onDidChangeVisibility(() => {
        // a hidden page is thrown away by the editor; the next one says `ready` by itself
        if (!view.visible) this.#lost();
      }),
    );
    page.add(
      view.onDidDispose(() => {
        if (this.#view === view) this.#close();
      }),
    );
    const nonce = makeNonce();
    webview.html = pageHtml(
      {
        cspSource: webview.cspSource,
        script: webview.asWebviewUri(vscode.Uri.joinPath(assets, 'chat.js')).toString(),
        styles: [webview.asWebviewUri(vscode.Uri.joinPath(assets, 'chat.css')).toString()],
        language: vscode.env.language,
        title: 'mm',
      },
      nonce,
    );
    this.#showBadge();
    this.#showHome();
  }

  /** Sends at once if the page is there; nothing is kept otherwise, the snapshot will have it. */
  post(message: ToPage): void {
    if (!this.#ready || !this.#view) return;
    this.#view.webview.postMessage(message).then(
      (arrived) => {
        if (!arrived) this.#log.debug(`page: ${message.type} was not taken`);
      },
      (error) => this.#log.warn(`page: ${describe(error)}`),
    );
  }

  /** For what no snapshot has: `compose`, `reveal`, `focus` wait for the page. */
  postWhenReady(message: ToPage): void {
    if (this.#ready) this.post(message);
    else this.#waiting = [...this.#waiting.filter((m) => m.type !== message.type), message];
  }

  /** Called when the snapshot was posted: what waited follows it. */
  flushWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) this.post(message);
  }

  /** Brings the view to the front, wherever the person has put it. */
  async show(): Promise<void> {
    await vscode.commands.executeCommand(EditorCommands.focusChat);
  }

  /** Brings the composer to the front, with the keyboard. */
  async focusComposer(): Promise<void> {
    await this.show();
    this.postWhenReady({ type: 'focus' });
  }

  /** Questions that wait for the person, as a number on the view. */
  setBadge(count: number): void {
    if (count === this.#badge) return;
    this.#badge = count;
    this.#showBadge();
  }

  /** The home agent's name, beside the view's own. */
  set home(name: string) {
    if (name === this.#home) return;
    this.#home = name;
    this.#showHome();
  }

  dispose(): void {
    this.#close();
    this.#messages.dispose();
    this.#closed.dispose();
  }

  #receive(raw: unknown): void {
    const message = parseFromPage(raw);
    if (!message) {
      this.#malformed++;
      // one line, however often: a broken page must not fill the log
      if (this.#malformed === 1) this.#log.warn('page: a message of unknown form was ignored');
      return;
    }
    if (message.type === 'focused') {
      this.#focused = message.on;
      return;
    }
    if (message.type === 'ready') {
      this.#ready = true;
      this.post({ type: 'init', strings: strings(), locale: vscode.env.language });
    }
    this.#messages.fire(message);
  }

  #lost(): void {
    if (!this.#ready) return;
    this.#ready = false;
    this.#focused = false;
    this.#closed.fire();
  }

  #close(): void {
    this.#lost();
    this.#page?.dispose();
    this.#page = undefined;
    this.#view = undefined;
  }

  #showBadge(): void {
    if (!this.#view) return;
    const value = this.#badge;
    const tooltip = value === 1 ? l10n.t('1 question waits for you') : l10n.t('{0} questions wait for you', value);
    this.#view.badge = value > 0 ? { value, tooltip } : undefined;
  }

  #showHome(): void {
    if (this.#view) this.#view.description = this.#home;
  }
}
