import { html, nothing, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { number, t } from './base/l10n';
import type { Page } from './base/page';
import type { Entry } from './base/store';
import { notice } from './entries/notice';
import { entryView } from './entries/said';
import { hello } from './hello';

/** Nodes that are drawn when a conversation opens, and with each further step back. */
const firstNodes = 150;
const moreNodes = 30;
/** Distance from the end at which the view still follows it, and from the top at which earlier entries are drawn, pixels. */
const nearEnd = 32;
const nearTop = 1500;

/**
 * The conversation. Only its newest part is drawn when it opens; earlier entries are drawn when the person scrolls to them. The view follows
 * the end only while the person is there.
 */
export class Log {
  /** The first entry that is drawn; undefined: all are. */
  #first: Entry | undefined;
  /** The element at the top, which has no distance to anything. */
  #top: Element | undefined;
  #height = 0;
  #pinned = true;
  #rememberTimer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void)[] = [];

  constructor(
    private readonly page: Page,
    private readonly host: HTMLElement,
    private readonly below: (count: number) => void,
  ) {
    host.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // the composer grows and the view is dragged: the end stays where it is
    if (typeof ResizeObserver === 'function') new ResizeObserver(() => this.#settle()).observe(host);
    page.frame.after(() => this.#settle());
    page.stateChanged.subscribe(() => this.draw());
    page.reveal = (id) => this.reveal(id);
  }

  /** Shows the conversation that the page holds now, from its end or from where the person was. */
  open(at?: { id: string; offset: number }): void {
    for (const stop of this.#stop) stop();
    this.#stop = [this.page.store.topChanged.subscribe(() => this.draw())];
    this.#first = undefined;
    this.#pinned = true;
    const { top } = this.page.store;
    const target = at ? top.findIndex((entry) => entry.id === at.id) : -1;
    this.#first = top[windowStart(top, target >= 0 ? target + 1 : top.length, firstNodes)];
    // a new conversation is not the old one with changes
    render(nothing, this.host);
    this.draw();
    if (at && target >= 0) {
      const element = this.#element(at.id);
      if (element) {
        this.#pinned = false;
        this.host.scrollTop += element.getBoundingClientRect().top - this.host.getBoundingClientRect().top - at.offset;
      }
    }
    this.#settle();
  }

  draw(): void {
    const { store, state } = this.page;
    const start = this.#start();
    const earlier = start;
    render(
      html`<h1 class="sr">${t('Conversation with {0}', state.home.name)}</h1>${
        earlier > 0
          ? html`<p class="mark"><button type="button" class="btn-text" @click=${() => this.#earlier()}>${t('{0} earlier entries', number(earlier))}</button></p>`
          : nothing
      }${repeat(
        start === 0 ? store.top : store.top.slice(start),
        (entry) => entry.id,
        (entry) => entryView(this.page, entry),
      )}${state.blocker ? notice(this.page, state.blocker) : store.top.length === 0 ? hello(this.page) : nothing}`,
      this.host,
    );
    const first = this.host.children[1];
    if (first !== this.#top) {
      this.#top?.classList.remove('first');
      first?.classList.add('first');
      this.#top = first;
    }
    this.page.frame.touch();
  }

  toEnd(): void {
    this.#pinned = true;
    this.#trim();
    this.#settle();
  }

  /** Brings an entry into view: everything around it is opened. */
  reveal(id: string): void {
    const entry = this.page.store.get(id);
    if (!entry) return;
    let topmost = entry;
    for (let e: Entry | undefined = entry; e; e = e.parent) {
      topmost = e;
      if (e.node.kind === 'ask') this.page.setOpen(`ask:${e.id}`, true);
    }
    const { top } = this.page.store;
    const at = top.indexOf(topmost);
    if (at < this.#start()) this.#first = top[Math.max(0, at - 5)];
    this.draw();
    this.page.redraw(topmost);
    const element = this.#element(id) ?? this.#element(topmost.id);
    if (!element) return;
    this.#pinned = false;
    element.scrollIntoView({ block: 'center' });
    this.#scrolled();
  }

  /** Whether an entry is within the view, for the most part. */
  sees(id: string): boolean {
    const element = this.#element(id);
    if (!element) return false;
    const box = element.getBoundingClientRect();
    const view = this.host.getBoundingClientRect();
    const seen = Math.min(box.bottom, view.bottom) - Math.max(box.top, view.top);
    return seen >= Math.min(box.height, view.height) * 0.6;
  }

  #element(id: string): HTMLElement | null {
    return this.host.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`);
  }

  #start(): number {
    if (!this.#first) return 0;
    const { top } = this.page.store;
    const at = top.indexOf(this.#first);
    if (at >= 0) return at;
    // it was removed
    this.#first = top[windowStart(top, top.length, firstNodes)];
    return this.#first ? top.indexOf(this.#first) : 0;
  }

  #earlier(): void {
    const { top } = this.page.store;
    const start = this.#start();
    if (start === 0) return;
    const anchor = top[start]!;
    const before = this.#element(anchor.id)?.getBoundingClientRect().top ?? 0;
    const next = windowStart(top, start, moreNodes);
    this.#first = next === 0 ? undefined : top[next];
    this.draw();
    // what the person looks at stays where it is
    const after = this.#element(anchor.id)?.getBoundingClientRect().top ?? before;
    if (after !== before) this.host.scrollTop += after - before;
  }

  /** Back at the end, what was drawn far above is let go, so that a page that was read from its beginning stays light. */
  #trim(): void {
    const { top } = this.page.store;
    const start = windowStart(top, top.length, 3 * firstNodes);
    if (this.#start() >= start) return;
    this.#first = top[windowStart(top, top.length, firstNodes)];
    this.draw();
    this.#settle();
  }

  #scrolled(): void {
    const { host } = this;
    this.#pinned = host.scrollHeight - host.scrollTop - host.clientHeight < nearEnd;
    if (this.#pinned) {
      this.#count();
      this.#trim();
    }
    if (host.scrollTop < nearTop && this.#start() > 0 && !this.#pinned) this.#earlier();
    clearTimeout(this.#rememberTimer);
    this.#rememberTimer = setTimeout(() => this.#remember(), 300);
  }

  /** After something was drawn: to the end, if the person is there. */
  #settle(): void {
    if (this.#pinned) {
      const height = this.host.scrollHeight;
      const end = height - this.host.clientHeight;
      if (Math.abs(this.host.scrollTop - end) > 1) this.host.scrollTop = end;
      // what comes into sight gets its real height only then
      if (height !== this.#height) this.page.frame.touch();
      this.#height = height;
    }
    this.#count();
  }

  #count(): void {
    if (this.#pinned) this.page.store.added = 0;
    this.below(this.page.store.added);
  }

  #remember(): void {
    const { host } = this;
    const conversationId = this.page.state.conversationId;
    if (this.#pinned) {
      this.page.api.remember({ conversationId, scroll: undefined });
      return;
    }
    const top = host.getBoundingClientRect().top;
    for (const element of host.querySelectorAll<HTMLElement>(':scope > [data-entry]')) {
      const box = element.getBoundingClientRect();
      if (box.bottom <= top) continue;
      this.page.api.remember({ conversationId, scroll: { id: element.dataset.entry!, offset: box.top - top } });
      return;
    }
  }
}

/** Where a window that ends before `end` begins, so that it holds about `nodes` nodes. */
function windowStart(top: readonly Entry[], end: number, nodes: number): number {
  let count = 0;
  let at = end;
  while (at > 0 && count < nodes) {
    at--;
    count += 1 + top[at]!.children.length;
  }
  return at;
}
