import { html, nothing, render } from 'lit';
import { icon } from '../chat/base/icons';

export interface MenuItem {
  label: string;
  run(): void;
  /** A choice that is set or not; `one` of several. Absent: something to do. */
  choice?: { set: boolean; one?: true };
  /** Begins a part of the menu, with a line of its own where it is not empty. */
  part?: string;
}

/** The page's menu: one at a time, over everything, closed by Escape, a choice, a click elsewhere, or when the focus goes. */
export class Menu {
  #back: HTMLElement | undefined;
  #open = false;

  constructor(private readonly host: HTMLElement) {
    host.addEventListener('keydown', (event) => this.#key(event));
    host.addEventListener('focusout', (event) => {
      if (this.#open && !(event.relatedTarget instanceof Node && host.contains(event.relatedTarget))) this.close(false);
    });
    window.addEventListener('resize', () => this.close(false));
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** `anchor` is what opened it; the focus goes back there. */
  open(anchor: HTMLElement, label: string, items: readonly MenuItem[]): void {
    if (items.length === 0) return;
    if (this.#open && this.#back === anchor) {
      this.close();
      return;
    }
    this.#back?.removeAttribute('aria-expanded');
    this.#back = anchor;
    this.#open = true;
    if (anchor.hasAttribute('aria-haspopup')) anchor.setAttribute('aria-expanded', 'true');
    render(
      html`<div class="menu" role="menu" aria-label=${label} @mousedown=${(e: Event) => e.preventDefault()}>${parts(
        items,
      ).map(
        ({ title, items: list }, i) =>
          html`${i > 0 ? html`<div class="menu-line" role="separator"></div>` : nothing}<div role="group" aria-label=${title || nothing}>${
            title ? html`<div class="menu-group" aria-hidden="true">${title}</div>` : nothing
          }${list.map((item) => this.#item(item))}</div>`,
      )}</div>`,
      this.host,
    );
    this.#place(anchor);
    this.#items()[0]?.focus();
  }

  close(giveBack = true): void {
    if (!this.#open) return;
    this.#open = false;
    const back = this.#back;
    this.#back = undefined;
    if (back?.hasAttribute('aria-haspopup')) back.setAttribute('aria-expanded', 'false');
    if (giveBack) back?.focus({ preventScroll: true });
    render(nothing, this.host);
  }

  #item(item: MenuItem) {
    const { choice } = item;
    const role = choice ? (choice.one ? 'menuitemradio' : 'menuitemcheckbox') : 'menuitem';
    const run = () => {
      this.close();
      item.run();
    };
    return html`<div class="opt" role=${role} tabindex="-1" aria-checked=${choice ? choice.set : nothing} @click=${run}>${
      choice ? html`<span class="opt-mark">${choice.set ? icon('check') : nothing}</span>` : nothing
    }<span class="cut">${item.label}</span></div>`;
  }

  #items(): HTMLElement[] {
    return [...this.host.querySelectorAll<HTMLElement>('.opt')];
  }

  /** Below what opened it, or above where there is no room; always wholly in the page. */
  #place(anchor: HTMLElement): void {
    const menu = this.host.firstElementChild;
    if (!(menu instanceof HTMLElement)) return;
    const at = anchor.getBoundingClientRect();
    const edge = 4;
    const width = Math.min(menu.offsetWidth, window.innerWidth - 2 * edge);
    const left = Math.max(edge, Math.min(at.right - width, window.innerWidth - width - edge));
    const below = window.innerHeight - at.bottom - 2 * edge;
    const above = at.top - 2 * edge;
    const down = menu.offsetHeight <= below || below >= above;
    const height = Math.min(menu.offsetHeight, Math.max(80, down ? below : above));
    menu.style.left = `${left}px`;
    menu.style.maxHeight = `${height}px`;
    menu.style.top = `${Math.max(edge, down ? at.bottom + edge : at.top - edge - height)}px`;
  }

  #key(event: KeyboardEvent): void {
    const items = this.#items();
    const at = items.indexOf(document.activeElement as HTMLElement);
    const go = (to: number) => items[(to + items.length) % items.length]?.focus();
    switch (event.key) {
      case 'ArrowDown':
        go(at + 1);
        break;
      case 'ArrowUp':
        go(at - 1);
        break;
      case 'Home':
        go(0);
        break;
      case 'End':
        go(-1);
        break;
      case 'Enter':
      case ' ':
        items[at]?.click();
        break;
      case 'Escape':
      case 'Tab':
        this.close();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

function parts(items: readonly MenuItem[]): { title: string; items: MenuItem[] }[] {
  const result: { title: string; items: MenuItem[] }[] = [];
  for (const item of items) {
    if (item.part !== undefined || result.length === 0) result.push({ title: item.part ?? '', items: [] });
    result.at(-1)!.items.push(item);
  }
  return result;
}
