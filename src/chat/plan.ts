import { cap } from '../base/text';
import type { PlanNode } from './nodes';
import { arr, obj, type Raw, str } from './raw';

const mostEntries = 200;
const longestEntry = 1_000;

/** The entries of an agent's `plan` update; what is no entry is left out. */
export function planOf(u: Raw): PlanNode['entries'] {
  const entries: PlanNode['entries'] = [];
  for (const item of arr(u.entries).slice(0, mostEntries)) {
    const entry = obj(item);
    const content = entry && str(entry.content);
    if (!content) continue;
    const status = entry.status === 'completed' || entry.status === 'in_progress' ? entry.status : 'pending';
    entries.push({ content: cap(content, longestEntry).text, status });
  }
  return entries;
}
