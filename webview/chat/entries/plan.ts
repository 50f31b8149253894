import { html, type TemplateResult } from 'lit';
import type { PlanNode } from '../../../src/chat/nodes';
import { icon } from '../base/icons';
import { t } from '../base/l10n';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { fold } from './fold';

/** What the agent means to do, and how far it is. */
export function plan(page: Page, entry: Entry, node: PlanNode): TemplateResult {
  const done = node.entries.filter((e) => e.status === 'completed').length;
  return fold(page, entry, {
    key: `plan:${entry.id}`,
    summary: html`<span>${t('Plan')}</span>`,
    aside: t('{0} of {1}', done, node.entries.length),
    open: done < node.entries.length,
    body: () => html`<ol class="plan">${node.entries.map(step)}</ol>`,
  });
}

function step(entry: PlanNode['entries'][number]): TemplateResult {
  switch (entry.status) {
    case 'completed':
      return html`<li data-state="done"><span class="mark-col">${icon('check')}</span><span>${entry.content}<span class="sr"> ${t('done')}</span></span></li>`;
    case 'in_progress':
      return html`<li data-state="running"><span class="mark-col"><span class="dot" data-state="running"></span></span><span>${entry.content}<span class="sr"> ${t('running')}</span></span></li>`;
    case 'pending':
      return html`<li><span class="mark-col"><span class="dot"></span></span><span>${entry.content}</span></li>`;
  }
}
