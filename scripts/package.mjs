#!/usr/bin/env node
/** Packs the extension: `npm run package` makes mm.vsix, and fails when it is 2 MB or more (design, section 11). */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib/paths.mjs';
import { mustRun, StepError } from './lib/processes.mjs';
import { main } from './lib/steps.mjs';

const limit = 2 * 1024 * 1024;

/** @returns {Promise<{file: string, bytes: number}>} */
export async function packExtension() {
  const file = path.join(root, 'mm.vsix');
  await rm(file, { force: true });
  await mustRun(process.execPath, ['scripts/build.mjs', '--minify'], { cwd: root });
  const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
  await mustRun(process.execPath, [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', file], {
    cwd: root,
  });
  const { size } = await stat(file);
  if (size >= limit)
    throw new StepError(
      `mm.vsix has ${size} bytes; it must stay under ${limit}. See node scripts/build.mjs --minify --sizes.`,
    );
  return { file, bytes: size };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const { file, bytes } = await packExtension();
    console.log(`${path.relative(process.cwd(), file)}: ${(bytes / 1024).toFixed(0)} kB`);
    return 0;
  });
}
