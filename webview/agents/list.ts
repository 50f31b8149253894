import type { AgentGroup, AgentRow, AgentState } from '../../src/a2a/view';

/** The buttons over the tree. */
export type StateFilter = 'all' | 'ready' | 'running' | 'asleep' | 'look';

export const stateFilters: readonly StateFilter[] = ['all', 'ready', 'running', 'asleep', 'look'];

export type SortBy = 'given' | 'name' | 'state';

/** What the person wants to see. */
export interface Wanted {
  search: string;
  state: StateFilter;
  /** Ids of groups that are not to be shown. */
  hidden: ReadonlySet<string>;
  sort: SortBy;
}

export const everything: Wanted = { search: '', state: 'all', hidden: new Set(), sort: 'given' };

/** Under which button an agent stands; those that only exist on paper, or not for this person, are under "All" alone. */
export function filterOf(state: AgentState): StateFilter | undefined {
  switch (state) {
    case 'ready':
      return 'ready';
    case 'running':
    case 'starting':
      return 'running';
    case 'asleep':
      return 'asleep';
    case 'failing':
    case 'forgotten':
      return 'look';
    default:
      return undefined;
  }
}

/** Letters without case and accents: whoever types "rene" finds "René". */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Made once per row, for a thousand rows are looked through with each letter that is typed. */
const texts = new WeakMap<AgentRow, string>();

function textOf(row: AgentRow): string {
  let text = texts.get(row);
  if (text === undefined) {
    text = plain(
      [row.name, row.model, row.description, ...(row.skills ?? []), row.registry?.ref].filter(Boolean).join('\n'),
    );
    texts.set(row, text);
  }
  return text;
}

/** Each word must be there, anywhere in name, model, description or skills. */
export function matches(row: AgentRow, search: string): boolean {
  const text = textOf(row);
  return plain(search)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What needs the person comes first, then what works, then what could. */
const order: readonly AgentState[] = [
  'failing',
  'forgotten',
  'running',
  'starting',
  'ready',
  'asleep',
  'unknown',
  'not-allowed',
  'defined',
];

function sorted(rows: readonly AgentRow[], by: SortBy): readonly AgentRow[] {
  if (by === 'given') return rows;
  const name = (a: AgentRow, b: AgentRow) => collator.compare(a.name, b.name);
  if (by === 'name') return [...rows].sort(name);
  return [...rows].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || name(a, b));
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** A group with the rows of it that are wanted. */
export interface ShownGroup {
  group: AgentGroup;
  rows: readonly AgentRow[];
}

/** Whether anything is left out: then groups without a match are left out too. */
export function isNarrowed(wanted: Wanted): boolean {
  return wanted.search.trim() !== '' || wanted.state !== 'all';
}

export function shownGroups(groups: readonly AgentGroup[], wanted: Wanted): ShownGroup[] {
  const search = wanted.search.trim();
  const narrowed = isNarrowed(wanted);
  const result: ShownGroup[] = [];
  for (const group of groups) {
    if (wanted.hidden.has(group.id)) continue;
    const rows = narrowed
      ? group.rows.filter(
          (row) =>
            (wanted.state === 'all' || filterOf(row.state) === wanted.state) && (search === '' || matches(row, search)),
        )
      : group.rows;
    if (narrowed && rows.length === 0) continue;
    result.push({ group, rows: sorted(rows, wanted.sort) });
  }
  return result;
}

/** How many agents stand under each button, whichever is pressed: the search and the hidden groups count, the button does not. */
export function counts(groups: readonly AgentGroup[], wanted: Wanted): Record<StateFilter, number> {
  const result = { all: 0, ready: 0, running: 0, asleep: 0, look: 0 };
  const search = wanted.search.trim();
  for (const group of groups) {
    if (wanted.hidden.has(group.id)) continue;
    for (const row of group.rows) {
      if (search !== '' && !matches(row, search)) continue;
      result.all++;
      const filter = filterOf(row.state);
      if (filter) result[filter]++;
    }
  }
  return result;
}

/** Rows that changed, each in place of the one with its id; the groups that had none stay the same objects. */
export function withRows(groups: readonly AgentGroup[], changed: readonly AgentRow[]): AgentGroup[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  return groups.map((group) =>
    group.rows.some((row) => byId.has(row.id))
      ? { ...group, rows: group.rows.map((row) => byId.get(row.id) ?? row) }
      : group,
  );
}
