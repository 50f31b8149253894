import { type Disposable, DisposableStore } from '../base/disposable';
import type { ToPage } from '../chat/page';
import type { Conversation } from './conversation';

/**
 * What goes to one page. A page that is hidden gets nothing (VS Code drops or keeps messages as it likes, and may have thrown the page
 * away); when it shows again it gets the whole conversation once. Patches come already merged, at most about 30 times a second.
 */
export class Outbox implements Disposable {
  readonly #post: (message: ToPage) => void;
  #conversation: Conversation | undefined;
  #attached = new DisposableStore();
  #visible = false;
  #ready = false;
  /** The page has seen a snapshot and every patch since. */
  #current = false;

  constructor(post: (message: ToPage) => void) {
    this.#post = post;
  }

  /** Shows another conversation in the page, from its beginning. */
  attach(conversation: Conversation): void {
    if (this.#conversation === conversation) return;
    this.#attached.dispose();
    this.#attached = new DisposableStore();
    this.#conversation = conversation;
    this.#current = false;
    this.#attached.add(
      conversation.onPatches((patches) => {
        if (this.#live) this.#post({ type: 'patches', patches });
        else this.#current = false;
      }),
    );
    this.#attached.add(
      conversation.onState(() => {
        if (this.#live) this.#post({ type: 'state', state: conversation.state() });
        else this.#current = false;
      }),
    );
    this.#catchUp();
  }

  /** The page says that it is there, for the first time or anew: it knows nothing. */
  ready(): void {
    this.#ready = true;
    this.#current = false;
    this.#catchUp();
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#catchUp();
  }

  /** The page is gone; `ready` begins anew. */
  gone(): void {
    this.#ready = false;
    this.#current = false;
  }

  dispose(): void {
    this.#attached.dispose();
    this.#ready = false;
  }

  get #live(): boolean {
    return this.#ready && this.#visible && this.#current;
  }

  #catchUp(): void {
    const conversation = this.#conversation;
    if (!conversation || !this.#ready || !this.#visible || this.#current) return;
    this.#current = true;
    this.#post({
      type: 'snapshot',
      nodes: conversation.snapshot(),
      state: conversation.state(),
      draft: conversation.draft,
    });
  }
}
