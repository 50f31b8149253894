#!/usr/bin/env node
/** Packs the extension: `npm run package` makes mm.vsix, and fails when it is 2 MB or more (design, section 11). */
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib/paths.mjs';
import { mustRun, StepError } from './lib/processes.mjs';
import { main } from './lib/steps.mjs';

const limit = 2 * 1024 * 1024;

/** What the packer may look at; .vscodeignore decides inside it. */
const candidates =
  /^(package\.json|package\.nls(\..+)?\.json|README\.md|CHANGELOG\.md|LICENSE|\.vscodeignore|l10n|dist|media|docs)$/;

/** @returns {Promise<{file: string, bytes: number}>} */
export async function packExtension() {
  const file = path.join(root, 'mm.vsix');
  await rm(file, { force: true });
  await mustRun(process.execPath, ['scripts/build.mjs', '--minify'], { cwd: root });
  // vsce walks everything below its folder before it asks what to ignore: a minute, with an editor in the cache. So it gets a small folder.
  const stage = await mkdtemp(path.join(os.tmpdir(), 'mm-package-'));
  try {
    for (const name of await readdir(root)) {
      if (candidates.test(name)) await cp(path.join(root, name), path.join(stage, name), { recursive: true });
    }
    await packFolder(stage, file);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  const { size } = await stat(file);
  if (size >= limit) {
    const how = 'node scripts/build.mjs --minify --sizes shows what is in it';
    throw new StepError(`mm.vsix has ${size} bytes; it must stay under ${limit}: ${how}.`);
  }
  return { file, bytes: size };
}

/** Packs the extension in a folder as it stands. */
export async function packFolder(folder, file, options = []) {
  const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
  const usual = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  await mustRun(process.execPath, [vsce, 'package', ...usual, ...options, '-o', file], { cwd: folder });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const { file, bytes } = await packExtension();
    console.log(`${path.relative(process.cwd(), file)}: ${(bytes / 1024).toFixed(0)} kB`);
    return 0;
  });
}
