import { html, nothing, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { number, t } from './base/l10n';
import { isLive, type Page } from './base/page';
import type { Entry } from './base/store';
import { groups } from './entries/group';
import { notice } from './entries/notice';
import { entryView } from './entries/said';
import { hello } from './hello';

/** Nodes that are drawn when a conversation opens, and with each further step back or forth. */
const firstNodes = 150;
const moreNodes = 30;
/** More nodes than this are never drawn at once while the person reads what is older: the browser's work for a frame grows with them. */
const mostNodes = 300;
/** Distance from the end at which the view still follows it, and from the top at which earlier entries are drawn, pixels. */
const nearEnd = 32;
const nearTop = 1500;

/**
 * The conversation. Only a part of it is drawn: its newest entries when it opens, and earlier ones when the person scrolls to them, while what
 * is far below is let go. The view follows the end only while the person is there.
 */
export class Log {
  /** The first and the last entry that are drawn; undefined: from the beginning, to the end. */
  #first: Entry | undefined;
  #last: Entry | undefined;
  /** The element at the top, which has no distance to anything. */
  #top: Element | undefined;
  #height = 0;
  #pinned = true;
  #rememberTimer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void)[] = [];

  constructor(
    private readonly page: Page,
    private readonly host: HTMLElement,
    private readonly below: (count: number, cut: boolean) => void,
  ) {
    host.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // the composer grows and the view is dragged: the end stays where it is
    if (typeof ResizeObserver === 'function') new ResizeObserver(() => this.#settle()).observe(host);
    page.frame.after(() => this.#settle());
    page.stateChanged.subscribe(() => this.draw());
    page.reveal = (id) => this.goTo(id);
  }

  /** Shows the conversation that the page holds now, from its end or from where the person was. */
  open(at?: { id: string; offset: number }): void {
    for (const stop of this.#stop) stop();
    this.#stop = [this.page.store.topChanged.subscribe(() => this.draw())];
    this.#pinned = true;
    const { top } = this.page.store;
    const target = at ? top.findIndex((entry) => entry.id === at.id) : -1;
    if (target >= 0) this.#around(target);
    else this.#atEnd();
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
    const end = this.#end();
    const earlier = start;
    render(
      html`<h1 class="sr">${t('Conversation with {0}', state.home.name)}</h1>${
        earlier > 0
          ? html`<p class="mark"><button type="button" class="btn-text" @click=${() => this.#earlier()}>${t('{0} earlier entries', number(earlier))}</button></p>`
          : nothing
      }${repeat(
        start === 0 && end === store.top.length ? store.top : store.top.slice(start, end),
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
    if (this.#last) {
      this.#atEnd();
      this.draw();
    } else this.#trim();
    this.#settle();
  }

  /** Brings an entry into view: everything around it is opened. */
  reveal(id: string): void {
    const entry = this.page.store.get(id);
    if (!entry) return;
    const way: Entry[] = [];
    for (let e: Entry | undefined = entry; e; e = e.parent) {
      way.unshift(e);
      if (e.node.kind === 'ask') this.page.setOpen(`ask:${e.id}`, true);
      const fold = foldOf(e);
      if (fold !== undefined) this.page.setOpen(fold, true);
    }
    const topmost = way[0] ?? entry;
    const { top } = this.page.store;
    const at = top.indexOf(topmost);
    if (at < this.#start() || at >= this.#end()) this.#around(at);
    this.draw();
    for (const e of way) this.page.redraw(e);
    const element = this.#element(id) ?? this.#element(topmost.id);
    if (!element) return;
    this.#pinned = false;
    element.scrollIntoView({ block: 'center' });
    this.#scrolled();
  }

  /** The person wants to see an entry: it comes into view and has the focus, so that it is read out and its buttons are next. */
  goTo(id: string): void {
    this.reveal(id);
    const element = this.#element(id);
    if (!element) return;
    if (!element.hasAttribute('tabindex')) element.tabIndex = -1;
    element.focus({ preventScroll: true });
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
    this.#atEnd();
    return this.#first ? top.indexOf(this.#first) : 0;
  }

  /** Behind the last entry that is drawn. */
  #end(): number {
    const { top } = this.page.store;
    const at = this.#last ? top.indexOf(this.#last) : -1;
    return at < 0 ? top.length : at + 1;
  }

  #atEnd(): void {
    const { top } = this.page.store;
    this.#first = top[windowStart(top, top.length, firstNodes)];
    this.#last = undefined;
  }

  /** Draws the part in whose middle an entry stands. */
  #around(at: number): void {
    const { top } = this.page.store;
    this.#first = top[windowStart(top, at + 1, firstNodes)];
    const end = windowEnd(top, at, firstNodes);
    this.#last = end >= top.length ? undefined : top[end - 1];
  }

  #earlier(): void {
    const { top } = this.page.store;
    const start = this.#start();
    if (start === 0) return;
    const next = windowStart(top, start, moreNodes);
    this.#keeping(top[start]!, () => {
      this.#first = next === 0 ? undefined : top[next];
      const end = windowEnd(top, next, mostNodes);
      if (end < this.#end()) this.#last = top[end - 1];
    });
  }

  #later(): void {
    const { top } = this.page.store;
    const end = this.#end();
    if (end >= top.length) return;
    const next = windowEnd(top, end, moreNodes);
    this.#keeping(top[end - 1]!, () => {
      this.#last = next >= top.length ? undefined : top[next - 1];
      const start = windowStart(top, next, mostNodes);
      if (start > this.#start()) this.#first = top[start];
    });
  }

  /** Draws another part; what the person looks at stays where it is. */
  #keeping(anchor: Entry, change: () => void): void {
    const before = this.#element(anchor.id)?.getBoundingClientRect().top;
    change();
    this.draw();
    const after = this.#element(anchor.id)?.getBoundingClientRect().top;
    if (before !== undefined && after !== undefined && after !== before) this.host.scrollTop += after - before;
  }

  /** Back at the end, what was drawn far above is let go, so that a page that was read from its beginning stays light. */
  #trim(): void {
    const { top } = this.page.store;
    if (this.#start() >= windowStart(top, top.length, mostNodes)) return;
    this.#atEnd();
    this.draw();
    this.#settle();
  }

  #scrolled(): void {
    const { host } = this;
    const rest = host.scrollHeight - host.scrollTop - host.clientHeight;
    this.#pinned = rest < nearEnd && this.#last === undefined;
    if (this.#pinned) {
      this.#count();
      this.#trim();
    } else if (host.scrollTop < nearTop && this.#start() > 0) this.#earlier();
    else if (rest < nearTop && this.#last) this.#later();
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
    this.below(this.page.store.added, this.#last !== undefined);
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

/** The same forwards: where a window that begins with `start` ends. */
function windowEnd(top: readonly Entry[], start: number, nodes: number): number {
  let count = 0;
  let at = start;
  while (at < top.length && count < nodes) {
    count += 1 + top[at]!.children.length;
    at++;
  }
  return at;
}

/** The fold of finished calls in which an entry stands. */
function foldOf(entry: Entry): string | undefined {
  const { parent } = entry;
  if (parent?.node.kind !== 'turn' && parent?.node.kind !== 'ask') return undefined;
  const list = groups(parent.children, parent.node.kind, !isLive(parent));
  const group = list.find((g) => g.kind === 'steps' && g.entries.includes(entry));
  return group?.kind === 'steps' ? group.key : undefined;
}
