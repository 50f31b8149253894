#!/usr/bin/env node
/** Bundles bench/run.ts into the cache folder and runs it: `npm run bench [-- NAME…] [--json FILE]`. Needs a build of dist/. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import { ensureChromium } from './chromium.mjs';
import { root } from './lib/paths.mjs';

// inside the project also when the cache is elsewhere: the bundle finds the libraries it leaves out by the usual rules
const outdir = path.join(root, '.cache/bench');
await build({
  absWorkingDir: root,
  entryPoints: ['bench/run.ts'],
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  // used from node_modules as they are: they carry files of their own, or are the peer that we are measured against
  packages: 'bundle',
  external: ['playwright-core', '@playwright/test', 'happy-dom', 'esbuild'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
const wantsPage =
  !process.argv.slice(2).some((a) => ['wire', 'relay', 'start'].includes(a)) || process.argv.includes('render');
if (wantsPage) process.env.MM_CHROMIUM ??= await ensureChromium();
const run = spawnSync(process.execPath, ['--expose-gc', path.join(outdir, 'run.mjs'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
