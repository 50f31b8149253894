import type { Page } from './base/page';
import { waitingCard } from './entries/permission';

/**
 * Which of several waiting cards the keys answer, and where the focus goes (faults F045): a card to which the person goes has the keys, and
 * when one with the focus in it goes away, by an answer or because it was withdrawn, the focus is in the composer again and not nowhere.
 */
export class Cards {
  /** The card that has the focus in it. */
  #focused: Element | undefined;

  constructor(
    private readonly page: Page,
    private readonly toComposer: () => void,
  ) {
    document.addEventListener('focusin', (event) => {
      this.#focused = (event.target as Element).closest('.perm') ?? undefined;
      const id = this.#focused?.getAttribute('data-entry');
      if (id) this.choose(id);
    });
    page.frame.after(() => this.#keepFocus());
  }

  /** The person goes to this card. */
  choose(id: string): void {
    this.page.card = id;
    this.changed();
  }

  /** Cards came or went: the keys may belong to another one. */
  changed(): void {
    const { page } = this;
    const before = page.keysAt;
    const now = waitingCard(page)?.id;
    if (now === before) return;
    page.keysAt = now;
    for (const id of [before, now]) {
      const entry = id === undefined ? undefined : page.store.get(id);
      if (entry) page.redraw(entry);
    }
  }

  #keepFocus(): void {
    if (!this.#focused || this.#focused.isConnected) return;
    this.#focused = undefined;
    // a page without the focus does not take it from an editor
    if (document.activeElement === document.body && document.hasFocus()) this.toComposer();
  }
}
