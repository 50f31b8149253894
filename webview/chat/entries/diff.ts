import { html, nothing, type TemplateResult } from 'lit';
import type { DiffView } from '../../../src/chat/nodes';
import { icon } from '../base/icons';
import { number, t } from '../base/l10n';

/** A change of one file, in unified rows. `id` makes it the description of a permission card. */
export function diff(view: DiffView, id?: string): TemplateResult {
  const name = view.path.split(/[\\/]/).at(-1) ?? view.path;
  return html`<div class="diff" id=${id ?? nothing}>
    <div class="diff-head">${icon('file-code', 'dim')}<code class="cut">${view.path}</code><span class="num plus">+${number(view.added)}</span><span class="num minus">−${number(view.removed)}</span></div>
    <div class="diff-scroll" tabindex="0" role="group" aria-label=${t('Changes in {0}', name)}><div class="diff-rows">${view.rows.map(row)}${
      view.cut > 0
        ? html`<div class="gap"><span></span><span></span><span>${t('{0} more rows are not shown', number(view.cut))}</span></div>`
        : nothing
    }</div></div>
  </div>`;
}

function row(r: DiffView['rows'][number]): TemplateResult {
  switch (r.kind) {
    case 'gap':
      return html`<div class="gap"><span></span><span></span><span>${r.text}</span></div>`;
    case 'add':
      return html`<div class="add"><span>${r.line ?? ''}</span><span class="plus">+</span><span>${r.text}</span></div>`;
    case 'del':
      return html`<div class="del"><span>${r.line ?? ''}</span><span class="minus">−</span><span>${r.text}</span></div>`;
    case 'same':
      return html`<div><span>${r.line ?? ''}</span><span> </span><span>${r.text}</span></div>`;
  }
}
