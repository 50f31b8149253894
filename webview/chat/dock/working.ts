import { html, nothing, type TemplateResult } from 'lit';
import type { Face } from '../../../src/chat/nodes';
import type { PageState } from '../../../src/chat/page';
import { clockTime, everySecond } from '../base/clock';
import { avatar } from '../base/face';
import { icon } from '../base/icons';
import { filled, slot, t } from '../base/l10n';
import { firstLine, hue, waitingName, workingName } from '../base/names';
import type { Page } from '../base/page';
import { waitingCard } from '../entries/permission';

/** Who is shown as working: who waits for the person before who works, the newest ask before the home agent. */
export interface Worker {
  agent: Face;
  askedBy: string;
  since: number;
  waiting: boolean;
  starting: boolean;
  home: boolean;
  /** Node of the ask. */
  id?: string;
}

export function worker(state: PageState, person: string): Worker | undefined {
  const asks: Worker[] = state.running.map((ask) => ({
    id: ask.id,
    agent: ask.agent,
    askedBy: ask.askedBy,
    since: ask.since,
    waiting: ask.state === 'waiting',
    starting: ask.state === 'starting',
    home: false,
  }));
  const waits = asks.findLast((ask) => ask.waiting);
  if (waits) return waits;
  const home: Worker = {
    agent: state.home,
    askedBy: person,
    since: state.busySince ?? 0,
    waiting: state.waiting > 0,
    starting: state.starting,
    home: true,
  };
  // a question that none of the asks waits for is the home agent's own
  if (state.busy && home.waiting) return home;
  return asks.at(-1) ?? (state.busy ? home : undefined);
}

/** One line over the composer: who works or who waits, and since when. */
export function workingLine(page: Page): unknown {
  const person = t('You');
  const who = worker(page.state, person);
  if (!who) return nothing;
  if (who.waiting) return waitingLine(page, who);
  const name = html`<b>${who.agent.name}</b>`;
  const command = who.starting ? undefined : runningCommand(page, who);
  const text = who.starting
    ? filled(t('{0} is starting', slot), name)
    : command !== undefined
      ? filled(t('{0} is running {1}', slot, slot), name, html`<code>${command}</code>`)
      : who.home
        ? filled(t('{0} is working', slot), name)
        : who.askedBy === person
          ? filled(t('{0} is answering you', slot), name)
          : filled(t('{0} is answering {1}', slot, who.askedBy), name);
  return html`<div class="working" data-hue=${hue(who.agent.name)}>${avatar(who.agent.name, 's')}<span role="status" aria-label=${workingName(who.agent, who.askedBy)} class="cut">${text}</span><span class="num" aria-hidden="true">${
    who.since > 0 ? everySecond(() => clockTime(Date.now() - who.since)) : nothing
  }</span></div>`;
}

function waitingLine(page: Page, who: Worker): TemplateResult {
  const card = waitingCard(page);
  return html`<div class="working" data-state="waiting">${icon('shield', 'wait')}<span role="status" aria-label=${waitingName(who.agent, who.askedBy)} class="cut">${filled(t('{0} waits for you', slot), html`<b>${who.agent.name}</b>`)}</span>${
    card
      ? html`<button type="button" class="btn-text" @click=${() => page.reveal(card.id)}>${t('Show the question')}</button>`
      : nothing
  }</div>`;
}

/** The command that whoever works is running at this moment. */
function runningCommand(page: Page, who: Worker): string | undefined {
  const owner =
    who.id === undefined ? page.store.top.findLast((entry) => entry.node.kind === 'turn') : page.store.get(who.id);
  const tool = owner?.children.findLast((child) => child.node.kind === 'tool' && child.node.state === 'running')?.node;
  return tool?.kind === 'tool' && tool.toolKind === 'execute' ? firstLine(tool.what || tool.title, 40) : undefined;
}
