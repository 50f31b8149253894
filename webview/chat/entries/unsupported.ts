import { html, type TemplateResult } from 'lit';
import type { UnsupportedNode } from '../../../src/chat/nodes';
import { filled, slot, t } from '../base/l10n';
import { bytes } from '../base/names';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { fold } from './fold';

/** Something of a kind that this build does not know: it is named, and the turn goes on (faults F020). */
export function unsupported(page: Page, entry: Entry, node: UnsupportedNode): TemplateResult {
  return fold(page, entry, {
    key: `unsupported:${entry.id}`,
    summary: html`<span class="cut">${filled(t('Unsupported item: {0}, {1}', slot, bytes(node.size)), html`<code>${node.label}</code>`)}</span>`,
    body: () =>
      html`<div class="fold-body"><p>${t('This version of mm cannot show it. The turn goes on without it.')}</p></div>`,
  });
}
