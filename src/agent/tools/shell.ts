import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program and arguments that run a command line: bash where there is one, else the system's shell. */
export function shellFor(
  command: string,
  platform: NodeJS.Platform = process.platform,
  path = process.env.PATH ?? '',
): { file: string; args: string[]; verbatim: boolean } {
  const bash = find(platform === 'win32' ? 'bash.exe' : 'bash', path);
  // the bash of Windows' own folder is WSL's: another file system, without our environment
  if (bash && !(platform === 'win32' && /\\system32\\|\\windowsapps\\/i.test(bash)))
    return { file: bash, args: ['-c', command], verbatim: false };
  if (platform === 'win32')
    return { file: process.env.ComSpec ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${command}"`], verbatim: true };
  return { file: '/bin/sh', args: ['-c', command], verbatim: false };
}

function find(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    if (!folder) continue;
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}
