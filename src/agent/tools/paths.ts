import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The path that a model means, absolute: relative to the session's folder, `~` is the person's home. */
export function resolveIn(cwd: string, path: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return resolve(cwd, path);
}

/** Where a path really is, links followed as far as it exists: a file to be written may not be there yet. */
export async function realPath(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; ) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      const parent = dirname(at);
      if (parent === at) return path;
      missing.unshift(basename(at));
      at = parent;
    }
  }
}

/** Whether `path` lies in `folder` or is it; both real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** How a path is shown: relative to the session's folder where it lies in it. */
export function shownPath(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) || '.' : path;
}
