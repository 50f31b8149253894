import nodePath from 'node:path';

/** The part of `node:path` that is used, so that tests can ask for Windows' rules anywhere. */
export type PathRules = Pick<typeof nodePath, 'resolve' | 'dirname' | 'isAbsolute' | 'sep' | 'join'>;

/** `~/x` in full; anything else as it stands. */
export function expandHome(path: string, home: string, rules: PathRules = nodePath): string {
  if (path === '~') return home;
  if (path.startsWith('~/') || (rules.sep === '\\' && path.startsWith('~\\'))) return rules.join(home, path.slice(2));
  return path;
}

/** A path as a file names it: relative to that file's folder, with `~/` for the home folder (design, section 6). */
export function resolveFrom(file: string, path: string, home: string, rules: PathRules = nodePath): string {
  return rules.resolve(rules.dirname(file), expandHome(path, home, rules));
}

/** A command as a file names it: a bare name is looked for on the PATH, one with a separator is a path relative to the file. */
export function resolveCommand(file: string, command: string, home: string, rules: PathRules = nodePath): string {
  const isPath = command.startsWith('~/') || command.includes('/') || (rules.sep === '\\' && command.includes('\\'));
  return isPath ? resolveFrom(file, command, home, rules) : command;
}

/**
 * The files that a command line of a `mm.yaml` may name: the program, where it is a path, and every argument (of `--option=FILE` the part
 * behind `=`), as a path from the file's folder. Most are no files; those that are one decide what runs (`node ./redact.mjs`).
 */
export function hookFiles(
  file: string,
  { command, args }: { command: string; args: readonly string[] },
  home: string,
  rules: PathRules = nodePath,
): string[] {
  const named = args
    .map((arg) => (arg.startsWith('-') ? arg.slice(arg.indexOf('=') + 1 || arg.length) : arg))
    .filter((arg) => arg !== '' && arg.length <= 1_000 && !/[\0\n]/.test(arg));
  const program = rules.isAbsolute(command) ? [command] : [];
  return [...new Set([...program, ...named.map((arg) => resolveFrom(file, arg, home, rules))])];
}

/** The person's home folder, from the environment that is at hand. */
export function homeOf(env: NodeJS.ProcessEnv, fallback: () => string, platform: string = process.platform): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || fallback();
}
