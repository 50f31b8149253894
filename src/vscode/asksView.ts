import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { ToAsksPage } from '../chat/asks';
import { type AskTree, outsidePrefix } from '../host/asks-tree';
import type { Conversation } from '../host/conversation';
import { parseFromAsksPage } from './messages';
import { Page } from './page';

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
  readonly #deps: AsksViewDeps;
  readonly #page: Page<ToAsksPage>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(extension: vscode.Uri, deps: AsksViewDeps) {
    this.#deps = deps;
    this.#page = new Page(extension, {
      name: 'asks',
      script: 'asks.js',
      styles: ['chat.css', 'asks.css'],
      title: l10n.t('Asks'),
      log: deps.log,
      onReady: () => this.#show(),
      onMessage: (raw) => this.#receive(raw),
      report: deps.report,
    });
  }

  /** From now on the tree is that of this host. */
  attach(host: AsksHost): Disposable {
    this.#later();
    return host.asks.onDidChange(() => this.#later());
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#page.show(view);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#page.dispose();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = parseFromAsksPage(raw);
    const host = this.#deps.live();
    switch (message?.type) {
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
        this.#page.unknown();
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
    this.#page.post({ type: 'asks', groups: this.#deps.live()?.asks.groups() ?? [] });
  }
}
