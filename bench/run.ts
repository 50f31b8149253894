import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from './types';

/**
 * Prints the figures of design section 11, each beside its floor.
 *
 *   npm run bench [-- NAME…]        wire, relay, start, render; all without a name
 *
 * A figure that misses its goal is marked and does not fail the run: a shared machine is no judge. `--json FILE` also writes the rows.
 */
const benches: Record<string, () => Promise<BenchRow[]>> = {
  wire: async () => (await import('./wire')).wire(),
  relay: async () => (await import('./relay')).relay(),
  start: async () => (await import('./start')).start(),
  render: async () => (await import('./render')).render(),
};

function number(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit ? ` ${unit}` : ''}`;
}

function cells(row: BenchRow): string[] {
  const ratio = row.floor && row.floor.value > 0 ? `${(row.value / row.floor.value).toFixed(2)}×` : '';
  return [
    row.name,
    number(row.value, row.unit),
    row.floor ? `${number(row.floor.value, row.unit)} ${row.floor.name}` : '',
    ratio,
    row.goal,
    row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
  ];
}

function table(rows: BenchRow[]): string {
  const lines = [['what', 'ours', 'floor', 'ratio', 'goal', ''], ...rows.map(cells)];
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Measures in a process of its own: what one bench leaves in memory is no figure of the next. */
function alone(name: string): BenchRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'mm-bench-'));
  try {
    const file = join(folder, 'rows.json');
    const args = [...process.execArgv, process.argv[1]!, name, '--json', file];
    const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`its process ended with exit code ${status}`);
    return JSON.parse(readFileSync(file, 'utf8')) as BenchRow[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(argv: string[]): Promise<number> {
  const at = argv.indexOf('--json');
  const jsonFile = at >= 0 ? argv[at + 1] : undefined;
  const names = argv.filter((a, i) => !a.startsWith('--') && (at < 0 || i !== at + 1));
  const unknown = names.find((name) => !(name in benches));
  if (unknown !== undefined) {
    console.error(`bench: no "${unknown}"; there are ${Object.keys(benches).join(', ')}`);
    return 2;
  }
  const all: BenchRow[] = [];
  let failed = 0;
  const wanted = names.length > 0 ? names : Object.keys(benches);
  for (const name of wanted) {
    if (wanted.length === 1) console.error(`measuring ${name} …`);
    try {
      const rows = wanted.length === 1 ? await benches[name]!() : alone(name);
      all.push(...rows);
      console.log(`\n${name}\n${table(rows)}`);
    } catch (error) {
      failed++;
      console.error(`bench ${name} failed:`, error);
    }
  }
  if (jsonFile) {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(jsonFile, `${JSON.stringify(all, null, 2)}\n`);
  }
  const missed = all.filter((row) => row.met === false);
  console.log(`\n${all.length} figures, ${missed.length} away from their goal`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
