import { html, nothing, type TemplateResult } from 'lit';
import type { AgentRow, GroupAction, GroupNotice } from '../../src/a2a/view';
import { icon } from '../chat/base/icons';
import { groupActionText, levelOf, noticeText, share, stateText } from './words';

/** What the tree and the page of one agent draw in the same way. */

/** Shape first, colour second, and the word beside it. */
export function stateSign(row: Pick<AgentRow, 'state' | 'running'>): TemplateResult | typeof nothing {
  const { state } = row;
  if (state === 'unknown') return nothing;
  const tone = state === 'failing' ? ' bad' : state === 'forgotten' ? ' wait' : '';
  return html`<span class=${`row-state${tone}`}>${stateShape(state)}<span>${stateText(row)}</span></span>`;
}

export function stateShape(state: AgentRow['state']): TemplateResult | typeof nothing {
  switch (state) {
    case 'unknown':
      return nothing;
    case 'forgotten':
      return icon('question');
    case 'not-allowed':
      return icon('lock');
    default:
      return html`<span class="dot" data-state=${state === 'starting' ? 'running' : state}></span>`;
  }
}

/** Those that cannot be asked as they are have a dashed face. */
export function isOff(state: AgentRow['state']): boolean {
  return state === 'defined' || state === 'not-allowed';
}

/** The bar of a meter; what it says stands beside it in words. */
export function bar(used: number, limit: number): TemplateResult {
  return html`<span class="gauge-bar" data-level=${levelOf(used, limit) ?? nothing} aria-hidden="true"><span .style=${`width:${share(used, limit)}%`}></span></span>`;
}

/** The sentence of a group that is not what it should be, and its one button. */
export function noticeView(
  notice: GroupNotice,
  where: string,
  tab: number,
  act: (action: GroupAction) => void,
): TemplateResult {
  const { sentence, action, tone } = noticeText(notice, where);
  const sign = notice.kind === 'loading' ? 'loading' : tone === 'bad' ? 'error' : tone === 'wait' ? 'warning' : 'info';
  return html`<div class="row-notice-line">${icon(sign, notice.kind === 'loading' ? 'spin' : tone)}<span>${sentence}</span></div>${
    action
      ? html`<div class="btns"><button type="button" class="btn" tabindex=${tab} @click=${() => act(action)}>${groupActionText(action)}</button></div>`
      : nothing
  }`;
}
