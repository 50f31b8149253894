#!/usr/bin/env node
/**
 * a2a-lint and a2a-proof, other people's checks of an A2A server, for the interop tests: pinned and hashed Python packages, 130 MB, into
 * <cache>/a2a-kits.
 *
 *   node scripts/a2a-kits.mjs install      a minute
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache, root } from './lib/paths.mjs';
import { pythonKit } from './lib/python.mjs';
import { main } from './lib/steps.mjs';

const kit = pythonKit({
  home: path.join(cache, 'a2a-kits'),
  requirements: path.join(root, 'test/interop/a2a-kits/requirements.txt'),
  what: 'a2a-lint and a2a-proof',
  size: '130 MB',
});

/** Why they cannot be installed here, in words; nothing where they can. */
export const whyNoA2AKits = kit.whyNot;

/**
 * Installs what is missing.
 * @returns {Promise<{lint: string, proof: string}>} the programs
 */
export async function ensureA2AKits() {
  await kit.ensure();
  return { lint: path.join(kit.bin, 'a2a-lint'), proof: path.join(kit.bin, 'a2a-proof') };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (process.argv[2] !== 'install') {
      console.error('usage: node scripts/a2a-kits.mjs install');
      return 2;
    }
    await ensureA2AKits();
    return 0;
  });
}
