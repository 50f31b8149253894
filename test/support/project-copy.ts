import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cache, root } from '../../scripts/lib/paths.mjs';

/**
 * A copy of the project in which its scripts can build and write without touching the one under test. Libraries and an installed editor
 * are shared by links.
 */
export async function copyProject(): Promise<{ folder: string; cache: string; remove(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'mm-copy-')));
  const parts = [
    'scripts',
    'src',
    'webview',
    'media',
    'package.json',
    'package-lock.json',
    'package.nls.json',
    'tsconfig.json',
  ];
  for (const name of [...parts, '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const own = path.join(folder, '.cache');
  await mkdir(own);
  await symlink(path.join(cache, 'vscode'), path.join(own, 'vscode'));
  return {
    folder,
    cache: own,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}
