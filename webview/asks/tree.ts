import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AskGroup, AskRow, FromAsksPage } from '../../src/chat/asks';
import { clockTime, everySecond, tenths } from '../chat/base/clock';
import { avatar } from '../chat/base/face';
import { icon } from '../chat/base/icons';
import { t } from '../chat/base/l10n';
import { modelOf, tokens } from '../chat/base/names';
import { askCount, askState, counts, isLive, levels } from './words';

/** A line of the tree as it is drawn. */
interface Line {
  id: string;
  level: number;
  parent?: string;
  /** Undefined where nothing is below. */
  open?: boolean;
  group?: AskGroup;
  row?: AskRow;
}

/**
 * The tree "Asks": rows as flat siblings with their level, one of them in the order of Tab. Arrows move and open, Home and End go to the
 * ends, Enter shows the entry in the conversation, Delete stops the ask.
 */
export class AskTreeView {
  #groups: readonly AskGroup[] = [];
  readonly #closed = new Set<string>();
  #lines: Line[] = [];
  #selected: string | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly post: (message: FromAsksPage) => void,
  ) {
    host.addEventListener('keydown', (event) => this.#key(event));
    // a screen reader may go to a row by itself
    host.addEventListener('focusin', (event) => this.#focused(event.target));
  }

  show(groups: readonly AskGroup[]): void {
    this.#groups = groups;
    this.draw();
  }

  draw(): void {
    const had = this.host.contains(document.activeElement);
    const at = this.#lines.findIndex((line) => line.id === this.#selected);
    this.#lines = lines(this.#groups, this.#closed);
    if (!this.#lines.some((line) => line.id === this.#selected)) {
      // whoever was on a row that has gone is on the one in its place
      this.#selected = this.#lines[Math.min(Math.max(at, 0), this.#lines.length - 1)]?.id;
    }
    render(this.#page(), this.host);
    if (had && !this.host.contains(document.activeElement)) this.#focus();
  }

  #page(): TemplateResult {
    const { running, waiting } = counts(this.#groups);
    return html`<h1 class="sr">${t('Asks of this window')}</h1>${
      running + waiting > 0
        ? html`<div class="tree-bar"><div class="facts-line"><ul>${running > 0 ? html`<li><span class="run">${t('{0} running', running)}</span></li>` : nothing}${
            waiting > 0
              ? html`<li><span class="wait">${waiting === 1 ? t('1 waits for you') : t('{0} wait for you', waiting)}</span></li>`
              : nothing
          }</ul></div><button type="button" class="btn btn-icon" aria-label=${t('Stop all asks')} title=${t('Stop all asks')} @click=${() => this.post({ type: 'stopAll' })}>${icon('stop-circle')}</button></div>`
        : nothing
    }${
      this.#lines.length === 0
        ? html`<p class="tree-empty">${t('No agent has been asked in this window yet. Type /ask- and a name in the conversation; what runs stands here, with who asked whom.')}</p>`
        : nothing
    }<div class="tree" role="tree" aria-label=${t('Asks')} ?hidden=${this.#lines.length === 0}>${repeat(
      this.#lines,
      (line) => line.id,
      (line) => this.#line(line),
    )}</div>`;
  }

  #line(line: Line): TemplateResult {
    const { id, level, open, group, row } = line;
    const selected = id === this.#selected;
    const name = group?.home.name ?? row?.agent.name ?? '';
    return html`<div class="row" role="treeitem" data-id=${id} aria-level=${level} aria-selected=${selected} aria-expanded=${open ?? nothing} tabindex=${selected ? 0 : -1} @click=${() => this.#click(line)}>${
      level > 1
        ? html`<span class="guides" aria-hidden="true">${Array.from({ length: level - 1 }, () => html`<i></i>`)}</span>`
        : nothing
    }${open === undefined ? html`<span class="no-twist"></span>` : html`<span class="twist" @click=${(e: Event) => this.#twist(e, line)}>${icon('chevron-right')}</span>`}${avatar(name)}<div class="row-main">${
      group ? groupText(group) : row ? this.#rowText(row) : nothing
    }</div></div>`;
  }

  #rowText(row: AskRow): TemplateResult {
    const { agent, what, wants, why, askedBy, state } = row;
    const canStop = isLive(state) && !row.script;
    return html`<div class="row-line"><b>${agent.name}</b> <span class="cut" title=${what}>${what}</span> ${stateOf(row)}${
      canStop
        ? html`<button type="button" tabindex="-1" class="btn btn-icon row-stop" aria-label=${t('Stop {0}', agent.name)} title=${t('Stop {0} (Delete)', agent.name)} @click=${(
            event: Event,
          ) => {
            event.stopPropagation();
            this.post({ type: 'stop', id: row.id });
          }}>${icon('stop-circle')}</button>`
        : nothing
    }</div><div class="facts-line"><ul>${wants ? html`<li><span class="wait">${t('wants to use {0}', wants)}</span></li>` : nothing}${
      why ? html`<li><span class="bad">${why}</span></li>` : nothing
    }<li>${t('asked by {0}', askedBy)}</li>${row.tokens ? html`<li>${tokens(row.tokens)}</li>` : nothing}<li>${levels(row.left)}</li></ul></div>`;
  }

  // The person

  #click(line: Line): void {
    this.#select(line.id);
    if (line.row) this.post({ type: 'open', id: line.id });
    else this.#toggle(line);
  }

  #twist(event: Event, line: Line): void {
    event.stopPropagation();
    this.#select(line.id);
    this.#toggle(line);
  }

  #toggle(line: Line, open = !line.open): void {
    if (line.open === undefined || line.open === open) return;
    if (open) this.#closed.delete(line.id);
    else this.#closed.add(line.id);
    this.draw();
  }

  #select(id: string | undefined): void {
    if (id === undefined) return;
    this.#selected = id;
    this.draw();
    this.#focus();
  }

  #focus(): void {
    this.host.querySelector<HTMLElement>('.row[tabindex="0"]')?.focus();
  }

  #focused(target: EventTarget | null): void {
    const row = target instanceof Element ? target.closest('[role="treeitem"]') : null;
    const id = row?.getAttribute('data-id') ?? undefined;
    if (id === undefined || id === this.#selected) return;
    this.#selected = id;
    this.draw();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
    if (!event.target.matches('[role="treeitem"]')) return;
    const at = this.#lines.findIndex((line) => line.id === this.#selected);
    const line = this.#lines[at];
    if (!line || !this.#do(event.key, line, at)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @returns whether the key is one of the tree's. */
  #do(key: string, line: Line, at: number): boolean {
    const go = (to: number) => this.#select(this.#lines[to]?.id);
    switch (key) {
      case 'ArrowDown':
        go(at + 1);
        return true;
      case 'ArrowUp':
        go(at - 1);
        return true;
      case 'Home':
        go(0);
        return true;
      case 'End':
        go(this.#lines.length - 1);
        return true;
      case 'ArrowRight':
        if (line.open) go(at + 1);
        else this.#toggle(line, true);
        return true;
      case 'ArrowLeft':
        if (line.open) this.#toggle(line, false);
        else this.#select(line.parent);
        return true;
      case ' ':
        this.#toggle(line);
        return true;
      case 'Enter':
        this.post({ type: 'open', id: line.id });
        return true;
      case 'Delete':
      case 'Backspace':
        if (line.row && isLive(line.row.state) && !line.row.script) this.post({ type: 'stop', id: line.id });
        return true;
      default:
        return false;
    }
  }
}

function groupText(group: AskGroup): TemplateResult {
  const model = modelOf(group.home);
  return html`<div class="row-line"><b>${group.home.name}</b> <span class="cut" title=${group.title}>${group.title}</span></div><div class="facts-line"><ul>${model === '' ? nothing : html`<li>${model}</li>`}<li>${askCount(group.rows.length)}</li></ul></div>`;
}

function stateOf(row: AskRow): TemplateResult {
  const { state, at, endedAt } = row;
  const sign = {
    starting: html`<span class="dot" data-state="running"></span>`,
    running: html`<span class="dot" data-state="running"></span>`,
    waiting: icon('shield'),
    done: icon('check'),
    failed: icon('error'),
    cancelled: icon('circle-slash'),
  }[state];
  const tint = state === 'waiting' ? ' wait' : state === 'failed' ? ' bad' : '';
  const time = isLive(state) ? everySecond(() => clockTime(Date.now() - at)) : tenths((endedAt ?? at) - at);
  const seen = state === 'starting' || state === 'cancelled';
  const word = html`<span class=${seen ? '' : 'sr'}>${askState(state)}</span> `;
  return html`<span class=${`row-state${tint}`}>${sign}${word}<span class="num">${time}</span></span>`;
}

/** The rows that are to be seen: nothing below what the person has closed. */
export function lines(groups: readonly AskGroup[], closed: ReadonlySet<string>): Line[] {
  const result: Line[] = [];
  for (const group of groups) {
    const open = !closed.has(group.id);
    result.push({ id: group.id, level: 1, open, group });
    if (!open) continue;
    const levelOf = new Map<string, number>();
    const above = new Set(group.rows.map((row) => row.parent));
    for (const row of group.rows) {
      const parent = row.parent ?? group.id;
      const level = row.parent === undefined ? 2 : levelOf.get(row.parent);
      // below a row that is closed, or that is not shown itself
      if (level === undefined) continue;
      const rowOpen = above.has(row.id) ? !closed.has(row.id) : undefined;
      if (rowOpen !== false) levelOf.set(row.id, level + 1);
      result.push({ id: row.id, level, parent, row, ...(rowOpen === undefined ? {} : { open: rowOpen }) });
    }
  }
  return result;
}
