/** Known names of the design that later versions bring. They are warned about, so that nobody believes that they work. */
export const laterKeys = {
  file: ['sessions', 'skills', 'mcpServers'],
  entry: ['mode', 'registry'],
  acp: [],
  hooks: [],
  hook: [],
  proxy: [],
  serve: [],
} as const satisfies Record<string, readonly string[]>;

/** Edit distance in which a swap of neighbours counts once (optimal string alignment). Inputs are cut to 64 characters. */
export function editDistance(left: string, right: string): number {
  const a = left.slice(0, 64);
  const b = right.slice(0, 64);
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** The known name that was probably meant, or undefined when none is near: `base_url` → `baseUrl`. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const flat = (text: string) => text.toLowerCase().replace(/[-_. ]/g, '');
  const wanted = flat(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(wanted, flat(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, best?.length ?? 0) / 3));
  return bestDistance <= allowed ? best : undefined;
}
