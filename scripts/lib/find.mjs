import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

/** A file that may be run. */
export function runnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program of the PATH. */
export function onPath(name) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (folder && existsSync(file) && runnable(file)) return file;
    }
  }
  return undefined;
}
