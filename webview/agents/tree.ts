import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AgentAction, AgentGroup, AgentRow, FromAgentsPage } from '../../src/a2a/view';
import { t } from '../chat/base/l10n';
import { filterItems, type HeadActs, nobodyYet, noneFound, searchBox, stateButtons } from './head';
import { guess, type Line, lines } from './lines';
import { counts, everything, isNarrowed, type SortBy, shownGroups, type Wanted, withRows } from './list';
import { Menu, type MenuItem } from './menu';
import { inMenu, lineView, type RowActs } from './row';
import { Heights, type Piece } from './sight';
import { actionText, agentCount } from './words';

/** What the page keeps over its lives. */
export interface Memory {
  closed?: string[];
  hidden?: string[];
  sort?: SortBy;
}

/** Milliseconds after which the next letter begins a new name. */
const typing = 700;

/**
 * The tree "Agents": rows as flat siblings with their level, of which only those in sight are in the page, and one of them in the order of Tab.
 * Arrows move and open, Home and End go to the ends, letters go to a name, `/` and Ctrl+F to the search box, Escape empties that.
 */
export class AgentTreeView {
  #groups: readonly AgentGroup[] | undefined;
  #wanted: Wanted = everything;
  #closed: Set<string>;
  /** What the person closed while they searched; the next search shows all again. */
  #closedFound = new Set<string>();
  readonly #open = new Set<string>();
  #lines: Line[] = [];
  #found = counts([], everything);
  #selected: string | undefined;
  /** The agent to which the selected line belongs. */
  #near: string | undefined;
  readonly #heights = new Heights<Line>(guess);
  #width = 0;
  #typed = { text: '', at: 0 };
  readonly #page: HTMLElement;
  readonly #menu: Menu;
  readonly #acts: RowActs;
  readonly #head: HeadActs;

  constructor(
    host: HTMLElement,
    private readonly post: (message: FromAgentsPage) => void,
    private readonly memory: { stored: Memory; store(memory: Memory): void },
  ) {
    const { stored } = memory;
    this.#closed = new Set(stored.closed ?? []);
    this.#wanted = { ...everything, hidden: new Set(stored.hidden ?? []), sort: stored.sort ?? 'given' };
    this.#page = document.createElement('div');
    this.#page.className = 'agents';
    const over = document.createElement('div');
    host.append(this.#page, over);
    this.#menu = new Menu(over);
    this.#acts = {
      click: (line) => this.#click(line),
      menu: (line, event) => this.#rowMenu(line, event),
      do: (action, row) => this.post({ type: 'do', action, id: row.id }),
      group: (action, group) => this.post({ type: 'group', action, group }),
    };
    this.#head = {
      want: (change) => this.#want(change),
      clear: () => this.#clear(),
      filter: (anchor) =>
        this.#menu.open(
          anchor,
          t('Filter and sort'),
          filterItems(this.#groups ?? [], this.#wanted, (change) => this.#want(change)),
        ),
      again: (change) => {
        this.#want(change);
        this.#box()?.focus();
      },
      group: (action) => this.post({ type: 'group', action }),
    };
    host.addEventListener('keydown', (event) => this.#key(event));
    // a screen reader may go to a row by itself
    host.addEventListener('focusin', (event) => this.#focused(event.target));
    if (typeof ResizeObserver === 'function') new ResizeObserver(() => this.#resized()).observe(host);
  }

  show(groups: readonly AgentGroup[]): void {
    this.#groups = groups;
    this.draw();
  }

  change(rows: readonly AgentRow[]): void {
    if (!this.#groups) return;
    this.#groups = withRows(this.#groups, rows);
    this.draw();
  }

  reveal(id: string): void {
    const group = this.#groups?.find((g) => g.rows.some((row) => row.id === id));
    if (!group) return;
    const hidden = new Set(this.#wanted.hidden);
    hidden.delete(group.id);
    this.#wanted = { ...this.#wanted, search: '', state: 'all', hidden };
    this.#closed.delete(group.id);
    this.#setOpen(id, true);
    this.#select(id);
  }

  search(): void {
    const box = this.#box();
    box?.focus();
    box?.select();
  }

  draw(): void {
    const had = this.#page.contains(document.activeElement);
    const at = this.#lines.findIndex((line) => line.id === this.#selected);
    this.#lines = lines(
      shownGroups(this.#groups ?? [], this.#wanted),
      isNarrowed(this.#wanted) ? this.#closedFound : this.#closed,
      this.#open,
    );
    if (!this.#lines.some((line) => line.id === this.#selected)) {
      // whoever was on a row that has gone is on the one in its place
      this.#selected = this.#lines[Math.min(Math.max(at, 0), this.#lines.length - 1)]?.id;
    }
    this.#found = counts(this.#groups ?? [], this.#wanted);
    this.#heights.use(this.#lines);
    this.#paint();
    if (had && !this.#page.contains(document.activeElement)) this.#focus();
  }

  /** Draws what is in sight, and again if it turned out to be higher or lower than thought. */
  #paint(): void {
    for (let turn = 0; turn < 3; turn++) {
      render(this.#template(this.#pieces()), this.#page);
      if (!this.#measured()) return;
      this.#heights.use(this.#lines);
    }
  }

  #pieces(): Piece[] {
    const scroller = this.#scroller();
    const tree = this.#tree();
    const height = scroller?.clientHeight || window.innerHeight;
    const above = scroller && tree ? scroller.getBoundingClientRect().top - tree.getBoundingClientRect().top : 0;
    const selected = this.#lines.findIndex((line) => line.id === this.#selected);
    this.#near = this.#lines[selected]?.row?.id;
    return this.#heights.pieces(Math.max(0, above), above + height, selected);
  }

  #measured(): boolean {
    let changed = false;
    for (const element of this.#tree()?.children ?? []) {
      const id = element.getAttribute('data-id');
      if (id !== null) changed = this.#heights.measure(id, element.getBoundingClientRect().height) || changed;
    }
    return changed;
  }

  /** A menu stands beside what opened it, so it goes when that is turned away. */
  readonly #wheel = { handleEvent: () => this.#menu.close(), passive: true };

  #resized(): void {
    const width = this.#scroller()?.clientWidth ?? 0;
    if (width !== this.#width) {
      this.#width = width;
      this.#heights.forget();
    }
    this.#paint();
  }

  #template(pieces: readonly Piece[]): TemplateResult {
    const groups = this.#groups ?? [];
    const nobody = this.#groups !== undefined && groups.every((g) => g.rows.length === 0 && !g.notice);
    const found = this.#found;
    return html`<h1 class="sr">${t('Agents, local and behind the proxy')}</h1>${nobody ? nothing : searchBox(this.#wanted, this.#head)}<div class="agents-scroll" @scroll=${() => this.#paint()} @wheel=${this.#wheel}>${
      nobody
        ? nobodyYet(this.#head)
        : groups.some((g) => g.rows.length > 0)
          ? stateButtons(this.#wanted, found, this.#head)
          : nothing
    }<p class="sr" role="status">${isNarrowed(this.#wanted) ? agentCount(found[this.#wanted.state]) : ''}</p>${
      !nobody && this.#groups && this.#lines.length === 0 ? noneFound(this.#wanted, this.#head) : nothing
    }<div class="tree" role="tree" aria-label=${t('Agents')} ?hidden=${this.#lines.length === 0 || nobody}>${repeat(
      pieces,
      (piece) => ('gap' in piece ? `gap ${piece.from}` : this.#lines[piece.line]!.id),
      (piece) =>
        'gap' in piece
          ? html`<div class="row-gap" role="none" .style=${`height:${piece.gap}px`}></div>`
          : this.#line(this.#lines[piece.line]!),
    )}</div></div>`;
  }

  #line(line: Line): TemplateResult {
    const selected = line.id === this.#selected;
    const near = line.row !== undefined && line.row.id === this.#near;
    return lineView(line, selected, selected || near, this.#acts);
  }

  // What is to be seen

  #want(change: Partial<Wanted>): void {
    this.#wanted = { ...this.#wanted, ...change };
    this.#closedFound.clear();
    const scroller = this.#scroller();
    if (scroller) scroller.scrollTop = 0;
    this.draw();
    this.#remember();
  }

  #clear(): void {
    this.#want({ search: '' });
    this.#box()?.focus();
  }

  #remember(): void {
    const { hidden, sort } = this.#wanted;
    this.memory.store({ closed: [...this.#closed], hidden: [...hidden], sort });
  }

  #rowMenu(line: Line, event: Event): void {
    const { row } = line;
    if (!row) return;
    const button = event.currentTarget instanceof HTMLButtonElement ? event.currentTarget : undefined;
    if (!button) this.#select(line.id);
    const item = (action: AgentAction): MenuItem => ({
      label: actionText(action, row),
      run: () => this.post({ type: 'do', action, id: row.id }),
    });
    // a row that is not open has no buttons, so all is in its menu
    const actions = button ? inMenu(row) : row.actions;
    const anchor = button ?? this.#element(line.id);
    if (anchor) this.#menu.open(anchor, t('Actions for {0}', row.name), actions.map(item));
  }

  // The person

  #click(line: Line): void {
    this.#select(line.id);
    this.#toggle(line);
  }

  #toggle(line: Line, open = !line.open): void {
    if (line.open === undefined || line.open === open) return;
    if (line.group) {
      const closed = isNarrowed(this.#wanted) ? this.#closedFound : this.#closed;
      if (open) closed.delete(line.id);
      else closed.add(line.id);
      this.#remember();
    } else this.#setOpen(line.id, open);
    this.draw();
  }

  #setOpen(id: string, open: boolean): void {
    if (open === this.#open.has(id)) return;
    if (!open) {
      this.#open.delete(id);
      return;
    }
    this.#open.add(id);
    this.post({ type: 'opened', id });
  }

  #select(id: string | undefined): void {
    if (id === undefined) return;
    this.#selected = id;
    this.draw();
    this.#focus();
  }

  #focus(): void {
    const row = this.#selected === undefined ? undefined : this.#element(this.#selected);
    if (!row) return;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
    this.#paint();
    // what is around it was drawn only now, and may be higher than thought
    row.scrollIntoView({ block: 'nearest' });
  }

  #focused(target: EventTarget | null): void {
    const row = target instanceof Element ? target.closest('[role="treeitem"]') : null;
    const id = row?.getAttribute('data-id') ?? undefined;
    if (id === undefined || id === this.#selected) return;
    this.#selected = id;
    this.#paint();
  }

  #key(event: KeyboardEvent): void {
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof Element)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f') this.search();
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (target instanceof HTMLInputElement) {
      if (!this.#boxKey(event.key)) return;
    } else {
      const row = target.closest('[role="treeitem"]');
      if (!row) return;
      const at = this.#lines.findIndex((line) => line.id === this.#selected);
      const line = this.#lines[at];
      const done =
        line && (row === target ? this.#rowKey(event, line, at) : this.#buttonKey(event.key, target, row, at));
      if (!done) return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #boxKey(key: string): boolean {
    switch (key) {
      case 'Escape':
        if (this.#wanted.search === '') this.#focus();
        else this.#clear();
        return true;
      case 'ArrowDown':
      case 'Enter':
        // to the first agent, not to the group over it
        this.#select((this.#lines.find((line) => line.row) ?? this.#lines[0])?.id);
        return true;
      default:
        return false;
    }
  }

  /** @returns whether the key is one of the tree's. */
  #rowKey(event: KeyboardEvent, line: Line, at: number): boolean {
    const last = this.#lines.length - 1;
    const go = (to: number) => this.#select(this.#lines[Math.min(Math.max(to, 0), last)]?.id);
    const { key } = event;
    switch (key) {
      case 'ArrowDown':
        go(at + 1);
        return true;
      case 'ArrowUp':
        if (at === 0) this.search();
        else go(at - 1);
        return true;
      case 'Home':
        go(0);
        return true;
      case 'End':
        go(last);
        return true;
      case 'PageDown':
      case 'PageUp':
        go(this.#away(at, key === 'PageDown' ? 1 : -1));
        return true;
      case 'ArrowRight':
        if (line.open) go(at + 1);
        else if (line.open === false) this.#toggle(line, true);
        else this.#firstButton(line);
        return true;
      case 'ArrowLeft':
        if (line.open) this.#toggle(line, false);
        else this.#select(line.parent);
        return true;
      case 'Enter':
      case ' ':
        if (line.open === undefined) this.#firstButton(line);
        else this.#toggle(line);
        return true;
      case 'Escape':
        if (!isNarrowed(this.#wanted)) return false;
        this.#want({ search: '', state: 'all' });
        this.#focus();
        return true;
      case '/':
        this.search();
        return true;
      case 'ContextMenu':
        this.#rowMenu(line, event);
        return true;
      case 'F10':
        if (!event.shiftKey) return false;
        this.#rowMenu(line, event);
        return true;
      default:
        return key.length === 1 && this.#typeAhead(key, at);
    }
  }

  /** The line that is about one height of the view away. */
  #away(at: number, by: 1 | -1): number {
    const height = this.#scroller()?.clientHeight ?? window.innerHeight;
    const to = this.#heights.at(this.#heights.top(at) + by * Math.max(40, height - 40));
    return to === at ? at + by : to;
  }

  #buttonKey(key: string, target: Element, row: Element, at: number): boolean {
    const all = [...row.querySelectorAll<HTMLElement>('button')];
    const i = all.indexOf(target as HTMLElement);
    switch (key) {
      case 'ArrowRight':
        all[i + 1]?.focus();
        return true;
      case 'ArrowLeft':
        if (i > 0) all[i - 1]?.focus();
        else this.#focus();
        return true;
      case 'Escape':
        this.#focus();
        return true;
      case 'ArrowDown':
      case 'ArrowUp':
        this.#select(this.#lines[at + (key === 'ArrowDown' ? 1 : -1)]?.id);
        return true;
      default:
        return false;
    }
  }

  #firstButton(line: Line): void {
    this.#element(line.id)?.querySelector('button')?.focus();
  }

  /** The next agent whose name begins with what was typed. */
  #typeAhead(key: string, at: number): boolean {
    const now = performance.now();
    const text = (now - this.#typed.at < typing ? this.#typed.text : '') + key.toLocaleLowerCase();
    this.#typed = { text, at: now };
    // one letter again and again goes through all that begin with it
    const same = [...text].every((letter) => letter === text[0]);
    const begin = same ? text[0]! : text;
    const from = same ? 1 : 0;
    for (let i = 0; i < this.#lines.length; i++) {
      const line = this.#lines[(at + from + i) % this.#lines.length]!;
      const name = line.level === 2 ? line.row?.name : undefined;
      if (!name?.toLocaleLowerCase().startsWith(begin)) continue;
      this.#select(line.id);
      break;
    }
    return true;
  }

  // The page

  #box(): HTMLInputElement | null {
    return this.#page.querySelector('input');
  }

  #scroller(): HTMLElement | null {
    return this.#page.querySelector<HTMLElement>('.agents-scroll');
  }

  #tree(): HTMLElement | null {
    return this.#page.querySelector<HTMLElement>('.tree');
  }

  #element(id: string): HTMLElement | null {
    return this.#tree()?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`) ?? null;
  }
}
