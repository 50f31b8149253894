import type { AgentAction, AgentGroup, AgentRow } from './view';

/** The name and the proxy of `registry: NAME@PROXY`; undefined where it is not of that form. */
export function registryName(ref: string): { name: string; proxy: string } | undefined {
  const at = ref.lastIndexOf('@');
  return at > 0 && at < ref.length - 1 ? { name: ref.slice(0, at), proxy: ref.slice(at + 1) } : undefined;
}

/**
 * One row where `registry:` says that a local agent and one of the proxy are the same (design, section 9): it stands in this window, with
 * the state of its child and what the proxy knows of it, and is left out of the proxy's group.
 *
 * @param groups those of the window and of the registries; an agent of the window may stand for one of each registry only.
 */
export function joined(groups: readonly AgentGroup[]): AgentGroup[] {
  const remote = new Map<string, AgentRow>();
  for (const group of groups) {
    if (!group.id.startsWith('proxy:')) continue;
    for (const row of group.rows) remote.set(`${group.id}\n${row.name}`, row);
  }
  const taken = new Set<string>();
  const together = groups.map((group) => {
    if (group.id !== 'window') return group;
    const rows = group.rows.map((row) => {
      const ref = row.registry ? registryName(row.registry.ref) : undefined;
      const other = ref ? remote.get(`proxy:${ref.proxy}\n${ref.name}`) : undefined;
      if (!other) return row;
      taken.add(other.id);
      return asOne(row, other);
    });
    return { ...group, rows };
  });
  return together.map((group) =>
    group.id !== 'window' && group.rows.some((row) => taken.has(row.id))
      ? { ...group, rows: group.rows.filter((row) => !taken.has(row.id)) }
      : group,
  );
}

/** The proxy's definition is the reference, unless its file serves now; the state is that of the child. */
function asOne(local: AgentRow, other: AgentRow): AgentRow {
  const reference = local.registry?.serves !== 'file';
  const result: AgentRow = { ...other, ...local };
  if (reference) {
    if (other.model !== undefined) result.model = other.model;
    if (other.description !== undefined) result.description = other.description;
  }
  // a proxy that does not let this key use it, or has forgotten it, is worth a word where its child has none
  if (local.why === undefined && (other.state === 'ready' || other.state === 'running' || other.state === 'asleep'))
    delete result.why;
  result.actions = union(local.actions, other.actions);
  return result;
}

/** Each once, those of the first in their order. */
function union(first: readonly AgentAction[], second: readonly AgentAction[]): AgentAction[] {
  return [...new Set([...first, ...second])];
}
