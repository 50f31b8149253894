#!/usr/bin/env node
/**
 * acpx, somebody else's ACP client, in the cache folder: it drives `mm` in the interop tests. It needs a newer Node than the project does.
 *
 *   node scripts/acpx.mjs install      seconds, 50 MB
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lib/lock.mjs';
import { ensureNode24, node24, whyNoNode24 } from './lib/node24.mjs';
import { installed, installInto, versionOf } from './lib/npm.mjs';
import { cache } from './lib/paths.mjs';
import { StepError } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';

const acpxVersion = '0.19.1';
const home = path.join(cache, 'acpx');
const folder = path.join(home, 'node_modules/acpx');

/**
 * Installs what is missing, Node 24 too.
 * @returns {Promise<{node: string, acpx: string}>} the program and the file that it runs
 */
export async function ensureAcpx() {
  const why = whyNoNode24();
  if (why) throw new StepError(`acpx needs Node 24. ${why}`);
  await ensureNode24();
  await mkdir(home, { recursive: true });
  await withLock(path.join(home, '.lock'), async () => {
    if (installed(home) && (await versionOf(folder)) === acpxVersion) return;
    await step(`installing acpx ${acpxVersion}`, () => installInto(home, `acpx@${acpxVersion}`));
  });
  return { node: node24, acpx: path.join(folder, 'dist/cli.js') };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (process.argv[2] !== 'install') {
      console.error('usage: node scripts/acpx.mjs install');
      return 2;
    }
    await ensureAcpx();
    return 0;
  });
}
