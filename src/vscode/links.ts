import * as path from 'node:path';

/** Where a link of an answer may lead: a web page, or a place in a file of the workspace. Nothing else opens (design, section 8). */
export type LinkTarget = { kind: 'web'; address: string } | { kind: 'file'; file: string; line?: number };

/** Whether `file` is `folder` or lies in it, after both were normalised. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}

/**
 * What a link means, or undefined when it may not be opened. `folders` are the workspace's folders, absolute; a relative
 * path is looked for in the first of them (`exists` decides among several). Understands `a.ts#L12` and `a.ts:12:3`.
 *
 * The result is a path by its letters; whoever opens it still resolves links and checks again.
 */
export function linkTarget(
  href: string,
  folders: readonly string[],
  exists: (file: string) => boolean,
): LinkTarget | undefined {
  const trimmed = href.trim();
  if (!trimmed || /[\u0000-\u001f\u007f]/.test(trimmed)) return undefined;
  if (/^https?:\/\//i.test(trimmed)) {
    try {
      const url = new URL(trimmed);
      return url.hostname && !url.username && !url.password ? { kind: 'web', address: url.href } : undefined;
    } catch {
      return undefined;
    }
  }
  let rest = trimmed;
  if (/^file:\/\/\//i.test(rest)) rest = rest.slice(process.platform === 'win32' ? 8 : 7);
  else if (/^[a-z][a-z0-9+.-]+:/i.test(rest) && !isPlaceInFile(rest)) return undefined;
  if (rest.startsWith('//') || rest.startsWith('\\\\')) return undefined;
  const { file: encoded, line } = splitPlace(rest);
  let name: string;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    name = encoded;
  }
  if (!name || name.includes('\0')) return undefined;
  const inside = path.isAbsolute(name)
    ? folders.some((folder) => isInside(path.normalize(name), folder))
      ? [path.normalize(name)]
      : []
    : folders
        .map((folder) => ({ folder, file: path.resolve(folder, name) }))
        .filter(({ folder, file }) => isInside(file, folder))
        .map(({ file }) => file);
  const file = inside.find(exists) ?? inside[0];
  return file === undefined ? undefined : line === undefined ? { kind: 'file', file } : { kind: 'file', file, line };
}

/** `page.ts:12` has the form of a scheme; only digits after the colon make it a place. */
function isPlaceInFile(text: string): boolean {
  return /^[\w.-]+\.[\w-]+:\d+(?::\d+)?$/.test(text);
}

function splitPlace(text: string): { file: string; line?: number } {
  const m = /^(.*?)(?:#L?(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/s.exec(text);
  const line = Number(m?.[2] ?? m?.[3]);
  const file = m?.[1] ?? text;
  const hash = file.indexOf('#');
  const bare = hash >= 0 && m?.[2] === undefined ? file.slice(0, hash) : file;
  return Number.isInteger(line) && line > 0 ? { file: bare, line } : { file: bare };
}
