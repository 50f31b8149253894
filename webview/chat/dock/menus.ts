import { html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { Face } from '../../../src/chat/nodes';
import type { AskableAgent } from '../../../src/chat/page';
import { avatar } from '../base/face';
import { icon } from '../base/icons';
import { t } from '../base/l10n';
import { modelOf } from '../base/names';
import type { Row } from './slash';

/** Keeps the focus where it is: a click on a row is no reason to leave the text. */
const stay = (event: Event) => event.preventDefault();

const intoView = (element: Element | undefined) => element?.scrollIntoView?.({ block: 'nearest' });

/** The menu "Commands" over the composer. */
export function commandsMenu(rows: readonly Row[], active: number, choose: (row: Row) => void): TemplateResult {
  if (rows.length === 0) {
    return html`<div class="menu" id="commands"><div class="menu-group">${t('No agent of that name. `mmConfigs` in mm.yaml says whom you can ask.').replaceAll('`', '')}</div></div>`;
  }
  return html`<div class="menu" role="listbox" aria-label=${t('Commands')} id="commands" @mousedown=${stay}>
    <div role="group" aria-labelledby="commands-ask"><div class="menu-group" id="commands-ask">${t('Ask another agent')}</div>${rows.map(
      (row, i) =>
        html`<div class="opt" role="option" id=${`command-${i}`} aria-selected=${i === active} @click=${() => choose(row)} ${i === active ? ref(intoView) : nothing}>${
          row.kind === 'context'
            ? html`${icon('comment-discussion')}<b>/ask-with-context-…</b><span class="cut">${t('Sends this conversation too')}</span>`
            : html`${avatar(row.agent.name, 's')}<b>${row.command}</b><span class="cut">${row.agent.description}</span>${stateDot(row.agent.state)}`
        }</div>`,
    )}</div>
  </div>`;
}

/** The menu "Agents": who may be the home agent of this conversation. */
export function agentsMenu(
  homes: readonly Face[],
  agents: readonly AskableAgent[],
  home: string,
  active: number,
  choose: (face: Face) => void,
  keys: (event: KeyboardEvent) => void,
): TemplateResult {
  const about = (face: Face) => agents.find((a) => a.name === face.name)?.description || face.title || modelOf(face);
  return html`<div class="menu" role="listbox" aria-label=${t('Agents')} id="agents" tabindex="-1" aria-activedescendant=${`agent-${active}`} @keydown=${keys} @mousedown=${stay}>${homes.map(
    (face, i) =>
      html`<div class="opt" role="option" id=${`agent-${i}`} aria-selected=${i === active} @click=${() => choose(face)}>${avatar(face.name, 's')}<b>${face.name}</b><span class="cut">${about(face)}</span>${
        face.name === home ? icon('check') : nothing
      }</div>`,
  )}</div>`;
}

/** Whether an agent runs: shape first, and a word for who cannot see it. */
export function stateDot(state: AskableAgent['state']): TemplateResult | typeof nothing {
  // nobody here knows how it is
  if (state === 'elsewhere') return nothing;
  const shape = state === 'ready' || state === 'failing' ? state : state === 'starting' ? 'running' : '';
  return html`<span class="dot" data-state=${shape === '' ? nothing : shape} role="img" aria-label=${agentState(state)}></span>`;
}

export function agentState(state: AskableAgent['state']): string {
  switch (state) {
    case 'ready':
      return t('ready');
    case 'starting':
      return t('starting');
    case 'asleep':
      return t('asleep');
    case 'failing':
      return t('failing');
    case 'elsewhere':
      return t('elsewhere');
  }
}
