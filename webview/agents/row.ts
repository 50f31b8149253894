import { html, nothing, type TemplateResult } from 'lit';
import type { AgentAction, AgentRow, GroupAction } from '../../src/a2a/view';
import { everySecond } from '../chat/base/clock';
import { avatar } from '../chat/base/face';
import { icon } from '../chat/base/icons';
import { number, t } from '../chat/base/l10n';
import type { Line } from './lines';
import { bar, isOff, noticeView, stateSign } from './parts';
import {
  actionText,
  limitTexts,
  probeText,
  protocolText,
  registryText,
  spendLabel,
  spendText,
  subText,
  whereOf,
} from './words';

/** What can be done in a line. */
export interface RowActs {
  click(line: Line): void;
  menu(line: Line, event: Event): void;
  do(action: AgentAction, row: AgentRow): void;
  group(action: GroupAction, group: string): void;
}

/** What is done with an agent most: it is asked, or written down so that it can be. */
export function primaryOf({ actions }: Pick<AgentRow, 'actions'>): AgentAction | undefined {
  return (['ask', 'add-to-file'] as const).find((action) => actions.includes(action));
}

/** The actions that are no buttons of an open row. */
export function inMenu(row: AgentRow): AgentAction[] {
  const first = primaryOf(row);
  return row.actions.filter((action) => action !== first && action !== 'details');
}

/**
 * One line of the tree. `selected` is the one in the order of Tab; `near` says that it belongs to the selected agent, whose buttons can be
 * reached by Tab too.
 */
export function lineView(line: Line, selected: boolean, near: boolean, acts: RowActs): TemplateResult {
  const { id, level, open, group, row, position, size, detail } = line;
  const tab = near ? 0 : -1;
  const kind = detail
    ? line.last
      ? 'row-detail last'
      : 'row-detail'
    : line.notice
      ? 'row row-notice'
      : group
        ? 'row row-group'
        : row && isOff(row.state)
          ? 'row off'
          : 'row';
  return html`<div class=${kind} role="treeitem" data-id=${id} aria-level=${level} aria-posinset=${position} aria-setsize=${size} aria-selected=${selected} aria-expanded=${open ?? nothing} tabindex=${selected ? 0 : -1} ?data-open=${open === true || detail !== undefined} @click=${(
    event: Event,
  ) => {
    // what a button in the row does is its own
    if (!(event.target as Element).closest('button')) acts.click(line);
  }} @contextmenu=${(event: Event) => {
    if (!row) return;
    event.preventDefault();
    acts.menu(line, event);
  }}>${
    line.notice && group
      ? noticeView(group.notice!, whereOf(group), tab, (action) => acts.group(action, group.id))
      : group
        ? groupText(line)
        : row && detail
          ? detailText(line, row, tab, acts)
          : row
            ? rowText(line, row, tab, acts)
            : nothing
  }</div>`;
}

function groupText(line: Line): TemplateResult {
  const group = line.group!;
  return html`${icon('chevron-right', 'twist')}<b class="cut" title=${group.title}>${group.title}</b> ${
    line.count === 0 && group.notice ? nothing : html`<span class="num">${number(line.count ?? 0)}</span> `
  }${group.aside ? html`<span class="cut row-aside" title=${group.aside}>${group.aside}</span>` : nothing}`;
}

function rowText(line: Line, row: AgentRow, tab: number, acts: RowActs): TemplateResult {
  const sub = subText(row);
  const remedy = row.actions.includes('register') && (row.state === 'forgotten' || row.state === 'defined');
  // cut, unless it is open and all of it is to be read
  const cut = line.open ? 'row-sub' : 'row-sub cut';
  return html`${
    line.open === undefined ? html`<span class="no-twist"></span>` : icon('chevron-right', 'twist')
  }${avatar(row.name)}<div class="row-main"><div class="row-line"><b class="cut" title=${row.name}>${row.name}</b> ${
    row.model ? html`<span class="cut dim small" title=${row.model}>${row.model}</span> ` : nothing
  }${stateSign(row)}</div>${
    remedy
      ? html`<div class="row-act"><span class=${cut}>${sub}</span> <button type="button" class="btn-text" tabindex=${tab} @click=${() => acts.do('register', row)}>${actionText('register', row)}</button></div>`
      : sub === ''
        ? nothing
        : html`<div class=${cut} title=${line.open ? nothing : sub}>${sub}</div>`
  }</div>`;
}

function detailText(line: Line, row: AgentRow, tab: number, acts: RowActs): TemplateResult | typeof nothing {
  switch (line.detail) {
    case 'skills':
      return html`<span class="sr">${t('Skills:')} </span><span class="chips">${row.skills!.map(
        (skill) => html`<span class="tag">${skill}</span> `,
      )}</span>`;
    case 'spend': {
      const { used, budget } = row.spend!;
      return html`<span class="gauge-line"><span>${spendLabel(row.spend!)}</span> <span class="num">${spendText(used, budget)}</span></span>${
        budget === undefined ? nothing : bar(used, budget)
      }`;
    }
    case 'facts':
      return facts(row);
    case 'buttons':
      return rowButtons(line, row, tab, acts);
    default:
      return nothing;
  }
}

function facts(row: AgentRow): TemplateResult {
  const { probe, registry, limits } = row;
  const list: unknown[] = [];
  const protocol = protocolText(row);
  if (protocol !== '') list.push(protocol);
  if (registry) list.push(registryText(registry));
  if (limits) list.push(...limitTexts(limits));
  if (probe) list.push(everySecond(() => probeText(probe, Date.now())));
  return html`<span class="facts-line"><span>${list.map((fact) => html`<span>${fact}</span> `)}</span></span>`;
}

function rowButtons(line: Line, row: AgentRow, tab: number, acts: RowActs): TemplateResult {
  const has = (action: AgentAction) => row.actions.includes(action);
  const first = primaryOf(row);
  return html`<span class="btns">${
    first
      ? html`<button type="button" class="btn btn-primary" tabindex=${tab} @click=${() => acts.do(first, row)}><span class="cut">${actionText(first, row)}</span></button>`
      : nothing
  }${
    has('details')
      ? html`<button type="button" class="btn" tabindex=${tab} aria-label=${t('Details of {0}', row.name)} @click=${() => acts.do('details', row)}>${actionText('details', row)}</button>`
      : nothing
  }<span class="grow"></span>${
    inMenu(row).length > 0
      ? html`<button type="button" class="btn btn-icon" tabindex=${tab} aria-label=${t('More actions for {0}', row.name)} title=${t('More actions')} aria-haspopup="menu" aria-expanded="false" @click=${(
          event: Event,
        ) => acts.menu(line, event)}>${icon('ellipsis')}</button>`
      : nothing
  }</span>`;
}
