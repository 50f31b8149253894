import { html, nothing, type TemplateResult } from 'lit';
import type { NoticeNode } from '../../../src/chat/nodes';
import { type IconName, icon } from '../base/icons';
import { t } from '../base/l10n';
import type { Page } from '../base/page';
import { coloured } from './output';

/** A text in which what stands between backticks is code. */
export function withCode(text: string): unknown {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Something that the extension says: a line between rules, or a card that needs a choice. */
export function notice(page: Page, node: NoticeNode): TemplateResult {
  return node.shape === 'line' ? mark(page, node) : card(page, node);
}

function mark(page: Page, node: NoticeNode): TemplateResult {
  return html`<p class="mark" data-entry=${node.id}><span>${withCode(node.title)}${node.text ? html` ${withCode(node.text)}` : nothing}${node.actions.map(
    (a) => html`&ensp;<button type="button" class="btn-text" @click=${() => act(page, node, a.id)}>${a.label}</button>`,
  )}</span></p>`;
}

function card(page: Page, node: NoticeNode): TemplateResult {
  return html`<section class="notice" data-entry=${node.id} aria-label=${node.title.replaceAll('`', '')}>
    <div class="notice-head">${icon(...symbol(node))}<div class="grow"><h2>${withCode(node.title)}</h2>${node.text ? html`<p>${withCode(node.text)}</p>` : nothing}</div></div>${
      node.code
        ? html`<pre class="term" tabindex="0" role="group" aria-label=${t('Details')}>${coloured(node.code)}</pre>`
        : nothing
    }${
      node.actions.length > 0
        ? html`<div class="btns">${node.actions.map(
            (a) =>
              html`<button type="button" class=${a.primary ? 'btn btn-primary' : 'btn'} @click=${() => act(page, node, a.id)}>${a.label}</button>`,
          )}</div>`
        : nothing
    }
  </section>`;
}

/** A warning over the composer, for instance of `mm.yaml`. */
export function dockNotice(page: Page, node: NoticeNode): TemplateResult {
  if (node.shape === 'card') return card(page, node);
  const [name, tone] = symbol(node);
  return html`<p class="turn-end dock-notice">${icon(name, tone)}<span>${withCode(node.title)}${node.text ? html` ${withCode(node.text)}` : nothing}${node.actions.map(
    (a) => html`&ensp;<button type="button" class="btn-text" @click=${() => act(page, node, a.id)}>${a.label}</button>`,
  )}</span></p>`;
}

function symbol(node: NoticeNode): [IconName, string] {
  const has = (...ids: string[]) => node.actions.some((a) => ids.includes(a.id));
  if (node.level === 'error') return ['error', 'bad'];
  if (has('manage-trust')) return ['workspace-untrusted', 'wait'];
  if (has('allow-version', 'show-file')) return ['file-code', 'wait'];
  if (has('open-folder')) return ['folder', ''];
  return node.level === 'warning' ? ['warning', 'wait'] : ['info', ''];
}

function act(page: Page, node: NoticeNode, action: NoticeNode['actions'][number]['id']): void {
  page.post({ type: 'action', node: node.id, action });
}
