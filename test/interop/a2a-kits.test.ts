import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureA2AKits, whyNoA2AKits } from '../../scripts/a2a-kits.mjs';
import { ensureNode24 } from '../../scripts/lib/node24.mjs';

/** `mm --serve` under other people's checks of A2A servers. */

const why = await whyNoA2AKits();
if (why) console.error(`\n!!! a2a-lint and a2a-proof are NOT RUN. ${why}\n`);

let programs: Awaited<ReturnType<typeof ensureA2AKits>>;
let bridge: ChildProcess | undefined;
let url: string;
let folder: string;

beforeAll(async () => {
  if (why) return;
  programs = await ensureA2AKits();
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mm-kits-')));
  writeFileSync(
    path.join(folder, 'mm.yaml'),
    'provider: demo\nmmConfigs: {bob: {path: bob.yaml, description: Data}}\n',
  );
  writeFileSync(path.join(folder, 'bob.yaml'), 'acp: {title: Bob}\nprovider: demo\n');
  const args = [path.resolve('dist/mm.mjs'), '--serve', '--port', '0', '-config', 'mm.yaml'];
  const env = { ...process.env, XDG_STATE_HOME: folder, HOME: folder };
  bridge = spawn(await ensureNode24(), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((resolve, reject) => {
    createInterface({ input: bridge!.stdout! }).once('line', (line) => resolve(line.split(' ')[1]!));
    bridge!.once('exit', (code) => reject(new Error(`mm --serve ended with exit code ${code}`)));
  });
}, 600_000);

afterAll(() => {
  bridge?.kill('SIGTERM');
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** What a program printed, when its exit code is 0. */
function run(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, NO_PROXY: '*' };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, env, timeout: 120_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

describe.skipIf(why !== undefined)('the bridge', () => {
  test('a2a-lint finds nothing, on the card and on live calls', async () => {
    const report = await run(programs.lint, url, '--live', '--strict');
    expect(report).toContain('GRADE A — 0 error(s), 0 warning(s)');
    expect(report).toContain('live message/send round trip');
  });

  test('a2a-proof: a scenario for each skill passes', async () => {
    await run(programs.proof, 'init', '-o', 'proof.yaml', url);
    const report = await run(programs.proof, 'run', 'proof.yaml');
    expect(report).toMatch(/pass/i);
  });
});
