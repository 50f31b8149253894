import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SelfLaunch } from '../ask/launch';
import { cacheFolder } from './cache-folder';

/** The text of a launcher: one file that runs this very `mm`, also where its Node is Electron (rule 13). */
export function launcherText(self: SelfLaunch, platform: NodeJS.Platform): string {
  if (platform === 'win32') {
    const quoted = [self.command, ...self.args].map((part) => `"${part.replaceAll('%', '%%')}"`).join(' ');
    return `@echo off\r\nsetlocal\r\n${self.electron ? 'set ELECTRON_RUN_AS_NODE=1\r\n' : ''}${quoted} %*\r\n`;
  }
  const quoted = [self.command, ...self.args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ');
  return `#!/bin/sh\n${self.electron ? 'ELECTRON_RUN_AS_NODE=1 ' : ''}exec ${quoted} "$@"\n`;
}

/**
 * Writes the launcher where it is not there yet and gives its path. Its name has the hash of its content, so that two programs that are
 * not the same do not meet, and an end by `kill -9` leaves nothing that a next start would not use.
 */
export async function writeLauncher(
  self: SelfLaunch,
  env: NodeJS.ProcessEnv,
  platform = process.platform,
): Promise<string> {
  const text = launcherText(self, platform);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(env, platform), 'bin');
  const file = join(folder, platform === 'win32' ? `mm-${hash}.cmd` : `mm-${hash}`);
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return file;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.tmp`;
  await writeFile(beside, text, { mode: 0o700 });
  await chmod(beside, 0o700);
  await rename(beside, file);
  return file;
}
