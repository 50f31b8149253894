import { html, type TemplateResult } from 'lit';
import type { ThoughtNode } from '../../../src/chat/nodes';
import { everySecond, seconds } from '../base/clock';
import { t } from '../base/l10n';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { fold } from './fold';
import { words } from './markdown';

/** A thought: one line; its words are there when it is opened. `live`: its turn goes on. */
export function thought(page: Page, entry: Entry, node: ThoughtNode, live: boolean): TemplateResult {
  const running = !node.done && live;
  const took = node.endedAt === undefined ? undefined : node.endedAt - node.at;
  const summary = running ? t('Thinking…') : took === undefined ? t('Thought') : t('Thought for {0}', seconds(took));
  return html`<article class="thought" data-entry=${entry.id} aria-label=${t('Thought')}>${fold(page, entry, {
    key: `thought:${entry.id}`,
    summary: html`<span>${summary}</span>`,
    aside: running ? everySecond(() => seconds(Date.now() - node.at)) : undefined,
    running,
    body: () => html`<div class="fold-body"><div class="md" ${words(page, entry, !running)}></div></div>`,
  })}</article>`;
}
