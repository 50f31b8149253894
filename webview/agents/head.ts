import { html, nothing, type TemplateResult } from 'lit';
import type { AgentGroup, GroupAction } from '../../src/a2a/view';
import { icon } from '../chat/base/icons';
import { number, t } from '../chat/base/l10n';
import { type SortBy, type StateFilter, stateFilters, type Wanted } from './list';
import type { MenuItem } from './menu';
import { stateShape } from './parts';
import { filterText } from './words';

/** What can be done over the tree, and in its place where it is empty. */
export interface HeadActs {
  want(change: Partial<Wanted>): void;
  /** Empties the search box, which keeps the focus. */
  clear(): void;
  /** Opens the menu of the filter beside its button. */
  filter(anchor: HTMLElement): void;
  /** Shows what was left out; the focus goes to the search box, for its own place is gone. */
  again(change: Partial<Wanted>): void;
  group(action: GroupAction): void;
}

const shapes = { ready: 'ready', running: 'running', asleep: 'asleep', look: 'failing' } as const;

export function searchBox({ search, hidden, sort }: Wanted, acts: HeadActs): TemplateResult {
  const set = hidden.size + (sort === 'given' ? 0 : 1);
  return html`<search class="find"><div class="find-box">${icon('search')}<input type="search" autocomplete="off" spellcheck="false" aria-label=${t('Search agents')} placeholder=${t('Search by name, skill or model')} .value=${search} @input=${(
    event: Event,
  ) => acts.want({ search: (event.target as HTMLInputElement).value })}>${
    search === ''
      ? nothing
      : html`<button type="button" class="btn btn-icon" aria-label=${t('Clear the search')} title=${t('Clear (Escape)')} @click=${() => acts.clear()}>${icon('close')}</button>`
  }<button type="button" class="btn btn-icon" ?data-set=${set > 0} aria-label=${set === 0 ? t('Filter, none set') : t('Filter, {0} set', set)} title=${t('Filter and sort')} aria-haspopup="menu" aria-expanded="false" @click=${(
    event: Event,
  ) => acts.filter(event.currentTarget as HTMLElement)}>${icon('filter')}</button></div></search>`;
}

export function stateButtons(wanted: Wanted, found: Record<StateFilter, number>, acts: HeadActs): TemplateResult {
  return html`<div class="states" role="group" aria-label=${t('Show only')}>${stateFilters.map(
    (state) =>
      html`<button type="button" aria-pressed=${wanted.state === state} @click=${() => acts.want({ state: wanted.state === state ? 'all' : state })}>${
        state === 'all' ? nothing : stateShape(shapes[state])
      }${filterText(state)} <span class="num">${number(found[state])}</span></button>`,
  )}</div>`;
}

/** There is no agent at all. */
export function nobodyYet(acts: HeadActs): TemplateResult {
  return html`<div class="tree-empty"><p>${t('No agents yet. Write one down in mm.yaml, or add the registry of your team, and it stands here.')}</p><div class="btns"><button type="button" class="btn btn-primary" @click=${() => acts.group('add-registry')}>${t('Add a Registry')}</button><button type="button" class="btn" @click=${() => acts.group('open-file')}>${t('Open mm.yaml')}</button></div></div>`;
}

/** There are agents, and none that is wanted. */
export function noneFound({ search, state, hidden }: Wanted, acts: HeadActs): TemplateResult {
  const word = search.trim();
  const narrowed = word !== '' || state !== 'all';
  const sentence =
    word !== ''
      ? t('No agent has “{0}” in its name, model, description or skills.', word)
      : narrowed
        ? t('No agent is in this state now.')
        : t('All groups are hidden by the filter.');
  return html`<div class="tree-empty"><p>${sentence}</p><div class="btns"><button type="button" class="btn" @click=${() =>
    acts.again({
      search: '',
      state: 'all',
      hidden: narrowed ? hidden : new Set(),
    })}>${t('Show All')}</button></div></div>`;
}

/** The menu of the filter: which groups are shown, and in which order their agents stand. */
export function filterItems(
  groups: readonly AgentGroup[],
  { hidden, sort }: Wanted,
  want: HeadActs['want'],
): MenuItem[] {
  const shown = groups.map(
    (group, i): MenuItem => ({
      label: group.aside ? `${group.title} (${group.aside})` : group.title,
      choice: { set: !hidden.has(group.id) },
      ...(i === 0 ? { part: t('Show') } : {}),
      run: () => {
        const next = new Set(hidden);
        if (!next.delete(group.id)) next.add(group.id);
        want({ hidden: next });
      },
    }),
  );
  const by = (value: SortBy, label: string, part?: string): MenuItem => ({
    label,
    choice: { set: sort === value, one: true },
    ...(part === undefined ? {} : { part }),
    run: () => want({ sort: value }),
  });
  return [
    ...shown,
    by('given', t('As They Are Written'), t('Sort')),
    by('name', t('By Name')),
    by('state', t('By State')),
  ];
}
