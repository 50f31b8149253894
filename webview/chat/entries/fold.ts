import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../base/icons';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';

/** One line that opens; what is in it is drawn only while it is open. */
export interface Fold {
  /** Under this key the page remembers what the person did. */
  key: string;
  summary: unknown;
  /** Seconds at the right. */
  aside?: unknown;
  /** A spinner in the place of the chevron. */
  running?: boolean;
  open?: boolean;
  body: () => unknown;
}

export function fold(page: Page, entry: Entry, f: Fold): TemplateResult {
  const open = page.isOpen(f.key, f.open ?? false);
  return html`<details class="fold" .open=${open}>
    <summary @click=${(event: Event) => toggle(event, page, entry, f.key, open)}>${f.running ? icon('loading', 'spin') : icon('chevron-right')}${f.summary}${
      f.aside === undefined ? nothing : html`<span class="num">${f.aside}</span>`
    }</summary>${open ? f.body() : nothing}</details>`;
}

/** Opens or closes by state, so that drawing anew never undoes what the person did. */
export function toggle(event: Event, page: Page, entry: Entry, key: string, open: boolean): void {
  event.preventDefault();
  page.setOpen(key, !open);
  page.redraw(entry);
}
