import { html, nothing, type TemplateResult } from 'lit';
import type { AskNode, NoticeAction, TurnNode } from '../../../src/chat/nodes';
import { everySecond, seconds } from '../base/clock';
import { icon } from '../base/icons';
import { filled, slot, t } from '../base/l10n';
import { hue } from '../base/names';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';

/** Silence after which the view says that it goes on, milliseconds. */
const late = 15_000;
/** A start that takes longer may be given more time. */
const slow = 5_000;
/** A stopped agent that goes on for longer may be ended. */
const stubborn = 1_000;

type Run = TurnNode | AskNode;

/** The child is being started. A start has an end, which is shown when it is slow, and which "Wait" puts off (faults F006). */
export function starting(page: Page, node: Run): TemplateResult {
  const name = node.agent.name;
  return html`<p class="turn-end" data-entry=${node.id} data-hue=${hue(name)}>${icon('loading', 'spin')}<span><span role="status" aria-label=${t('Starting {0}…', name)}>${filled(t('Starting {0}…', slot), html`<b>${name}</b>`)}</span> ${everySecond(
    () => {
      const took = Date.now() - node.at;
      if (took < slow || node.until === undefined) {
        return html`<span class="num" aria-hidden="true">${seconds(took)}</span>`;
      }
      const whole = t('{0} of {1}', seconds(took), seconds(node.until - node.at));
      return html`<span class="num" aria-hidden="true">${whole}</span>${action(page, node, 'wait', t('Wait longer'))}`;
    },
  )}${action(page, node, 'show-log', t('Show log'))}${stop(page, node)}</span></p>`;
}

/** Nothing came for a while: said, so that nobody has to guess. Drawn every second, because silence has no event. */
export function silence(page: Page, entry: Entry, node: Run): unknown {
  return everySecond(() => {
    if (node.state === 'done') return nothing;
    if (node.stoppedAt !== undefined) return stopping(page, node, Date.now() - node.stoppedAt);
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
    return html`<p class="turn-end">${icon('loading', 'spin')}<span>${text}${entry.children.length === 0 ? ` ${t('It may be loading its model.')}` : nothing}${action(page, node, 'show-log', t('Show log'))}${stop(page, node)}</span></p>`;
  });
}

/** It was stopped and goes on: who cannot wait for its end may end its process (faults F051). */
function stopping(page: Page, node: Run, since: number): unknown {
  if (since < stubborn) return nothing;
  const text = filled(
    t('{0} was told to stop {1} ago, and goes on.', node.agent.name, slot),
    html`<span class="num">${seconds(since)}</span>`,
  );
  return html`<p class="turn-end">${icon('loading', 'spin')}<span>${text}${action(page, node, 'force-stop', t('Force stop'))}</span></p>`;
}

function action(page: Page, node: Run, id: NoticeAction['id'], label: string): TemplateResult {
  return html`&ensp;<button type="button" class="btn-text" @click=${() => page.post({ type: 'action', node: node.id, action: id })}>${label}</button>`;
}

function stop(page: Page, node: Run): TemplateResult {
  return action(page, node, 'stop', t('Stop'));
}
