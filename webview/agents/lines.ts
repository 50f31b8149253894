import type { AgentGroup, AgentRow } from '../../src/a2a/view';
import type { ShownGroup } from './list';

/** What one line below an open agent says. */
export type Detail = 'skills' | 'spend' | 'facts' | 'buttons';

/** A line of the tree, flat, with what a screen reader is told of its place. */
export interface Line {
  id: string;
  level: 1 | 2 | 3;
  parent?: string;
  /** Place among its siblings, from 1, and how many there are. */
  position: number;
  size: number;
  /** Undefined where nothing is below. */
  open?: boolean;
  group?: AgentGroup;
  /** How many agents of the group are shown. */
  count?: number;
  row?: AgentRow;
  detail?: Detail;
  /** The notice of a group, in place of an agent. */
  notice?: true;
  /** The last line of an open agent, which has more room below. */
  last?: true;
}

/** Which details an open agent has: those for which there is data. */
export function detailsOf(row: AgentRow): Detail[] {
  const result: Detail[] = [];
  if (row.skills && row.skills.length > 0) result.push('skills');
  if (row.spend) result.push('spend');
  if (hasFacts(row)) result.push('facts');
  if (row.actions.length > 0) result.push('buttons');
  return result;
}

function hasFacts(row: AgentRow): boolean {
  const { limits } = row;
  return Boolean(
    row.a2a ||
      row.taskless ||
      row.probe ||
      row.registry ||
      (limits && Object.values(limits).some((v) => v !== undefined)),
  );
}

/** The lines that are to be seen: nothing below a closed group, and the details of open agents alone. */
export function lines(shown: readonly ShownGroup[], closed: ReadonlySet<string>, open: ReadonlySet<string>): Line[] {
  const result: Line[] = [];
  for (const [at, { group, rows }] of shown.entries()) {
    const isOpen = !closed.has(group.id);
    result.push({
      id: group.id,
      level: 1,
      position: at + 1,
      size: shown.length,
      open: isOpen,
      group,
      count: rows.length,
    });
    if (!isOpen) continue;
    const notice = group.notice ? 1 : 0;
    const size = rows.length + notice;
    // what is so for good and keeps nobody from asking stands below the agents, everything else above them
    const below = group.notice?.kind === 'no-database';
    const before = below ? 0 : notice;
    const told = (position: number) => {
      if (notice)
        result.push({ id: `${group.id}#notice`, level: 2, parent: group.id, position, size, group, notice: true });
    };
    if (!below) told(1);
    for (const [i, row] of rows.entries()) {
      const details = detailsOf(row);
      const rowOpen = details.length > 0 ? open.has(row.id) : undefined;
      result.push({
        id: row.id,
        level: 2,
        parent: group.id,
        position: i + 1 + before,
        size,
        row,
        ...(rowOpen === undefined ? {} : { open: rowOpen }),
      });
      if (!rowOpen) continue;
      for (const [k, detail] of details.entries())
        result.push({
          id: `${row.id}#${detail}`,
          level: 3,
          parent: row.id,
          position: k + 1,
          size: details.length,
          row,
          detail,
          ...(k === details.length - 1 ? { last: true } : {}),
        });
    }
    if (below) told(size);
  }
  return result;
}

/** Pixels that a line takes before anybody has measured it. */
export function guess(line: Line): number {
  if (line.level === 1) return 32;
  if (line.notice) return 92;
  switch (line.detail) {
    case undefined:
      return line.row?.description || line.row?.why ? 44 : 28;
    case 'spend':
      return 32;
    case 'buttons':
      return 46;
    default:
      return 28;
  }
}
