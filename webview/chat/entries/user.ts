import { html, type TemplateResult } from 'lit';
import type { UserNode } from '../../../src/chat/nodes';
import { t } from '../base/l10n';

/** What the person said looks like the place where it was typed. */
export function user(node: UserNode): TemplateResult {
  return html`<article class="you" data-entry=${node.id} aria-label=${t('You')}><div class="you-box"><p class="typed">${withSlash(node.text)}</p></div></article>`;
}

/** A text whose `/ask-…` at the beginning is marked. */
export function withSlash(text: string): unknown {
  const match = /^\s*(\/ask-\S+)/.exec(text);
  return match ? html`<span class="slash">${match[1]}</span>${text.slice(match[0].length)}` : text;
}
