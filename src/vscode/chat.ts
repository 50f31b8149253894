import { type Disposable, DisposableStore } from '../base/disposable';
import { UserError } from '../base/errors';
import type { Event } from '../base/event';
import type { NodeId, NoticeAction } from '../chat/nodes';
import type { AskableAgent, FromPage, ToPage } from '../chat/page';
import type { Diagnostic } from '../config/types';
import type { Conversation } from '../host/conversation';
import { Outbox } from '../host/outbox';
import { noticePrefix, shownVersion } from './blockers';
import type { ConfigState } from './config';
import type { Place } from './opener';

/** The webview; `chatView.ts` is the real one. */
export interface Page {
  readonly onMessage: Event<FromPage>;
  readonly onClosed: Event<void>;
  post(message: ToPage): void;
  postWhenReady(message: ToPage): void;
  flushWaiting(): void;
  show(): Promise<void>;
  focusComposer(): Promise<void>;
  home: string;
}

export interface ChatDeps {
  page: Page;
  config: {
    readonly state: ConfigState;
    allow(shown: string): Promise<void>;
    notNow(shown: string): Promise<void>;
    markSeen(shown: string): void;
  };
  /** The window's conversations; `host/host.ts` fits. */
  conversations: {
    latest(): Promise<Conversation>;
    create(home?: string): Promise<Conversation>;
    close(id: string): Promise<void>;
    reopen(id: string): Promise<Conversation | undefined>;
  };
  /** Asks for one of several folders; undefined: the person did not say, and nothing goes out. */
  pickFolder(): Promise<string | undefined>;
  answer(questionId: string, answer: 'allow_once' | 'allow_conversation' | 'reject'): void;
  typed(): void;
  openLink(href: string): Promise<void>;
  showFile(file: string, place?: Place): Promise<void>;
  /** Opens them all, the first one in front. */
  showFiles(files: readonly string[]): Promise<void>;
  showLog(): void;
  openConfiguration(): unknown;
  editor(command: 'manage-trust' | 'open-folder' | 'reload-window'): Promise<unknown>;
  report(error: unknown): void;
}

/**
 * Brings a conversation and the page together. What the person does in the page goes to the conversation, or is answered
 * here where it is about the window: trust, files, the log.
 */
export class Chat implements Disposable {
  readonly #store = new DisposableStore();
  readonly #deps: ChatDeps;
  readonly #outbox: Outbox;
  #conversation: Conversation | undefined;
  #listening: Disposable | undefined;
  #opening: Promise<Conversation> | undefined;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    const { page } = deps;
    this.#outbox = this.#store.add(new Outbox((message) => page.post(message)));
    this.#store.add(
      page.onMessage((message) => {
        this.#handle(message).catch(deps.report);
      }),
    );
    this.#store.add(
      page.onClosed(() => {
        this.#outbox.setVisible(false);
        this.#outbox.gone();
      }),
    );
  }

  /** Begins a new conversation and shows it; one in which nothing was said yet is new enough. */
  async newConversation(): Promise<void> {
    const current = await this.open();
    if (!current.empty) this.show(await this.#deps.conversations.create());
    await this.#deps.page.focusComposer();
  }

  /** Shows the view with `/ask-bob ` in its composer, before whatever the person had begun to write there. */
  async compose(agent: string, words?: string): Promise<void> {
    const conversation = await this.open();
    const draft = words ?? conversation.draft?.trimStart() ?? '';
    await this.#deps.page.show();
    this.#deps.page.postWhenReady({ type: 'compose', text: `/ask-${agent} ${draft.startsWith('/') ? '' : draft}` });
  }

  /** Who can be asked from the conversation that the window shows. */
  async agents(): Promise<AskableAgent[]> {
    return (await this.open()).askable();
  }

  /** Brings the place of a question to the front, with the conversation that it belongs to. */
  async reveal(conversation: Conversation | undefined, questionId: string): Promise<void> {
    if (conversation) this.show(conversation);
    await this.#deps.page.show();
    const card = this.#conversation?.snapshot().find((n) => n.kind === 'permission' && n.questionId === questionId);
    if (card) this.#deps.page.postWhenReady({ type: 'reveal', id: card.id });
  }

  /** Shows an entry, with the conversation that it belongs to; without one, the conversation. */
  async showEntry(conversation: Conversation, node: NodeId | undefined): Promise<void> {
    this.show(conversation);
    await this.#deps.page.show();
    this.#deps.page.postWhenReady(node === undefined ? { type: 'focus' } : { type: 'reveal', id: node });
  }

  /** The conversation that the window shows: the folder's latest at first. */
  async open(): Promise<Conversation> {
    if (this.#conversation) return this.#conversation;
    this.#opening ??= this.#deps.conversations.latest().finally(() => {
      this.#opening = undefined;
    });
    const opened = await this.#opening;
    if (!this.#conversation) this.show(opened);
    return this.#conversation ?? opened;
  }

  /** Shows a conversation in place of the present one, which is let go as soon as nothing runs in it. */
  show(conversation: Conversation): void {
    const before = this.#conversation;
    if (before === conversation) return;
    this.#conversation = conversation;
    this.#listening?.dispose();
    this.#listening = conversation.onState(() => this.#showHome());
    this.#outbox.attach(conversation);
    this.#showHome();
    // one that was opened anew has ended itself
    if (before && before.id !== conversation.id) this.#leave(before);
  }

  dispose(): void {
    this.#listening?.dispose();
    this.#store.dispose();
  }

  async #handle(message: FromPage): Promise<void> {
    const deps = this.#deps;
    switch (message.type) {
      case 'ready':
        await this.open();
        this.#outbox.setVisible(true);
        this.#outbox.ready();
        deps.page.flushWaiting();
        return;
      case 'typing':
        deps.typed();
        return;
      case 'open':
        return deps.openLink(message.href);
      case 'answer':
        deps.answer(message.questionId, message.answer);
        return;
      case 'send':
        return this.#send(message.text);
    }
    const conversation = await this.open();
    switch (message.type) {
      case 'draft':
        conversation.draft = message.text;
        return;
      case 'stop':
        conversation.stop();
        return;
      case 'stopAsk':
        conversation.stopAsk(message.id);
        return;
      case 'home':
        conversation.setHome(message.name);
        return;
      case 'action':
        return this.#act(conversation, message.node, message.action);
    }
  }

  /** What was written is not lost because it could not go: it stands in the composer again. */
  async #send(text: string): Promise<void> {
    const { page } = this.#deps;
    let taken = false;
    try {
      const conversation = await this.open();
      const { blocker } = conversation.state();
      if (blocker) throw new UserError(blocker.title, { hint: blocker.text });
      if (conversation.folder === undefined) {
        const folder = await this.#deps.pickFolder();
        if (folder === undefined) return;
        conversation.setFolder(folder);
      }
      taken = conversation.send(text);
      if (taken) conversation.draft = undefined;
    } finally {
      if (!taken) page.postWhenReady({ type: 'compose', text });
    }
  }

  async #act(conversation: Conversation, node: NodeId, action: NoticeAction['id']): Promise<void> {
    const deps = this.#deps;
    const state = deps.config.state;
    switch (action) {
      case 'show-log':
        deps.showLog();
        return;
      case 'manage-trust':
      case 'open-folder':
      case 'reload-window':
        await deps.editor(action);
        return;
      case 'take-over': {
        const { reopen, create } = deps.conversations;
        if (conversation.readOnly) this.show((await reopen(conversation.id)) ?? (await create()));
        return;
      }
      case 'show-file':
        if (state.kind !== 'approval') return;
        await deps.showFiles(state.files);
        deps.config.markSeen(state.hash);
        return;
      case 'allow-version':
        return deps.config.allow(shownVersion(node));
      case 'not-now':
        return deps.config.notNow(shownVersion(node));
      case 'open-config': {
        const place = this.#placeOf(node);
        await (place ? deps.showFile(place.file, place) : deps.openConfiguration());
        return;
      }
      default:
        conversation.act(node, action);
    }
  }

  /** The line that one of our own notices speaks of. */
  #placeOf(node: NodeId): Diagnostic | undefined {
    const state = this.#deps.config.state;
    if (state.kind === 'invalid' && node === `${noticePrefix}config`) return state.errors[0];
    if (state.kind !== 'ready') return undefined;
    return state.warnings.find((_, i) => node === `${noticePrefix}warning:${i}`);
  }

  #showHome(): void {
    const conversation = this.#conversation;
    if (conversation) this.#deps.page.home = conversation.state().home.name;
  }

  /** An idle conversation frees its file; one that works goes on, and its questions are still asked. */
  #leave(before: Conversation): void {
    const close = (): boolean => {
      if (before.working || before === this.#conversation) return before === this.#conversation;
      this.#deps.conversations.close(before.id).catch(this.#deps.report);
      return true;
    };
    if (close()) return;
    const waiting = before.onState(() => {
      if (close()) waiting.dispose();
    });
    this.#store.add(waiting);
  }
}
