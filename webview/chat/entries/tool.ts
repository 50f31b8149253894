import { html, nothing, type TemplateResult } from 'lit';
import type { ToolNode } from '../../../src/chat/nodes';
import { clockTime, everySecond, tenths } from '../base/clock';
import { icon } from '../base/icons';
import { number, t } from '../base/l10n';
import { toolLabel } from '../base/names';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { diff } from './diff';
import { toggle } from './fold';
import { stepVerb } from './group';
import { output } from './output';

/** The card of one call: a header that says what and how it went, and what came out. */
export function toolCard(page: Page, entry: Entry, node: ToolNode, parentLive: boolean): TemplateResult {
  const key = `tool:${entry.id}`;
  const open = page.isOpen(key, opensItself(node, parentLive));
  return html`<article class="tool" data-entry=${entry.id} aria-label=${toolLabel(node)}>
    <details class="tool-box" .open=${open}><summary @click=${(event: Event) => toggle(event, page, entry, key, open)}>${icon('chevron-right', 'twist')}<span class="tool-name">${node.name}</span><code class="tool-what">${what(node)}</code><span class="tool-state">${state(node)}</span></summary>${
      open ? body(page, entry, node) : nothing
    }</details>
  </article>`;
}

/** One call inside of a fold: a line, which opens when something came out. */
export function toolStep(page: Page, entry: Entry, node: ToolNode): TemplateResult {
  const key = `step:${entry.id}`;
  const has = node.output !== '' || node.diffs.length > 0;
  const open = has && page.isOpen(key, false);
  const line = html`${node.state === 'running' ? icon('loading', 'spin') : icon('check')}<span>${stepVerb(node)}</span><code class="cut">${what(node)}</code>${
    node.endedAt === undefined ? nothing : html`<span class="num">${tenths(node.endedAt - node.at)}</span>`
  }`;
  if (!has) return html`<article class="step" data-entry=${entry.id} aria-label=${toolLabel(node)}>${line}</article>`;
  return html`<article class="step-more" data-entry=${entry.id} aria-label=${toolLabel(node)}><details .open=${open}><summary class="step" @click=${(event: Event) => toggle(event, page, entry, key, open)}>${line}</summary>${
    open ? html`<div class="tool-box">${body(page, entry, node)}</div>` : nothing
  }</details></article>`;
}

function what(node: ToolNode): string {
  return node.what || node.title;
}

/** What came out of a command is seen while its turn goes on; what failed stays open. */
function opensItself(node: ToolNode, parentLive: boolean): boolean {
  if (node.state === 'failed') return node.output !== '' || node.diffs.length > 0;
  if (node.state === 'running') return node.output !== '';
  return parentLive && node.state === 'done' && node.toolKind === 'execute' && node.output !== '';
}

function state(node: ToolNode): unknown {
  const took = node.endedAt === undefined ? '' : tenths(node.endedAt - node.at);
  const changes =
    node.diffs.length === 0
      ? nothing
      : html`<span class="ok">+${number(node.diffs.reduce((sum, d) => sum + d.added, 0))}</span><span class="bad">−${number(node.diffs.reduce((sum, d) => sum + d.removed, 0))}</span>`;
  switch (node.state) {
    case 'running':
      return html`<span>${icon('loading', 'spin')}<span class="num" aria-hidden="true">${everySecond(() => clockTime(Date.now() - node.at))}</span></span>`;
    case 'waiting':
      return html`<span class="wait">${icon('shield')}${t('waits for you')}</span>`;
    case 'done':
      return html`${changes}<span>${icon('check')}${node.diffs.length > 0 ? nothing : took}</span>`;
    case 'failed':
      return html`<span class="bad">${icon('error')}${node.exitCode === undefined ? t('failed') : t('exit {0}', node.exitCode)}</span>${took}`;
    case 'cancelled':
      return html`<span>${icon('stop-circle')}${t('stopped')}</span>`;
    case 'rejected':
      return html`<span>${icon('circle-slash')}${t('rejected')}</span>`;
    case 'no-result':
      return html`<span>${icon('dash')}${t('no result')}</span>`;
  }
}

function body(page: Page, entry: Entry, node: ToolNode): TemplateResult {
  const said =
    node.output === '' && node.diffs.length === 0 ? html`<p class="tool-none dim">${without(node)}</p>` : nothing;
  return html`<div class="tool-body">${node.diffs.map((d) => diff(d))}${
    node.output === ''
      ? said
      : output(page, entry, node.output, {
          title: node.title || node.what,
          cut: node.outputCut,
          running: node.state === 'running',
        })
  }</div>`;
}

/** What is said where nothing came out. */
function without(node: ToolNode): string {
  switch (node.state) {
    case 'running':
      return t('Nothing came out yet.');
    case 'waiting':
      return t('It runs when you allow it.');
    case 'rejected':
      return t('Rejected by you; the agent was told so.');
    case 'cancelled':
      return t('Stopped with the turn.');
    case 'no-result':
      return t('The turn ended before the agent said how this call went.');
    default:
      return t('Nothing came out.');
  }
}
