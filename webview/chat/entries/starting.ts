import { html, nothing, type TemplateResult } from 'lit';
import type { AskNode, TurnNode } from '../../../src/chat/nodes';
import { everySecond, seconds } from '../base/clock';
import { icon } from '../base/icons';
import { filled, slot, t } from '../base/l10n';
import { hue } from '../base/names';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';

/** Silence after which the view says that it goes on, milliseconds. */
const late = 15_000;

/** The child is being started. */
export function starting(page: Page, node: TurnNode | AskNode): TemplateResult {
  const clock = html`<span class="num" aria-hidden="true">${everySecond(() => seconds(Date.now() - node.at))}</span>`;
  return html`<p class="turn-end" data-entry=${node.id} data-hue=${hue(node.agent.name)} role="status" aria-label=${t('Starting {0}…', node.agent.name)}>${icon('loading', 'spin')}<span>${filled(t('Starting {0}…', slot), html`<b>${node.agent.name}</b>`)} ${clock}${showLog(page, node)}</span></p>`;
}

/** Nothing came for a while: said, so that nobody has to guess. Drawn every second, because silence has no event. */
export function silence(page: Page, entry: Entry, node: TurnNode | AskNode): unknown {
  return everySecond(() => {
    const since = Date.now() - entry.touched;
    if (since < late || node.state !== 'running') return nothing;
    const runs = entry.children.some((child) => child.node.kind === 'tool' && child.node.state === 'running');
    const asks = entry.children.some((child) => child.node.kind === 'ask' && child.node.state !== 'done');
    // a command that runs or another agent that works has its own clock
    if (runs || asks) return nothing;
    const text = filled(
      t('{0} has not answered for {1}.', node.agent.name, slot),
      html`<span class="num">${seconds(since)}</span>`,
    );
    return html`<p class="turn-end">${icon('loading', 'spin')}<span>${text}${entry.children.length === 0 ? ` ${t('It may be loading its model.')}` : nothing}${showLog(page, node)}&ensp;<button type="button" class="btn-text" @click=${() => stop(page, node)}>${t('Stop')}</button></span></p>`;
  });
}

function stop(page: Page, node: TurnNode | AskNode): void {
  page.post(node.kind === 'ask' ? { type: 'stopAsk', id: node.id } : { type: 'stop' });
}

function showLog(page: Page, node: TurnNode | AskNode): TemplateResult {
  return html`&ensp;<button type="button" class="btn-text" @click=${() => page.post({ type: 'action', node: node.id, action: 'show-log' })}>${t('Show log')}</button>`;
}
