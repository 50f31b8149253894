import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { YamlFile } from './document';
import { homeOf, resolveCommand, resolveFrom } from './paths';
import { expand } from './variables';

/** What a person approves when a workspace brings a `.mm/mm.yaml` (design, section 10). */
export interface Approval {
  /** SHA-256, hex, over the file, every file that it names by `path`, and theirs. Any change of any of them changes it. */
  hash: string;
  /** The files, absolute, the first one first, in the order in which they are named. */
  files: string[];
  /** Command lines that these files can start, for the card; each once. */
  programs: string[];
}

/** More agents than any team has; beyond it nothing is approved rather than part of it. */
const mostFiles = 1000;
const mostBytes = 1_048_576;

/**
 * Follows `path` from file to file; cycles are walked once. A file that is missing or unreadable counts as such, so that one that
 * appears later asks again. A file that is no valid `mm.yaml` still counts with its content.
 */
export async function approvalOf(file: string, env: NodeJS.ProcessEnv = process.env): Promise<Approval> {
  const home = homeOf(env, homedir);
  const hash = createHash('sha256');
  const files: string[] = [];
  const programs = new Set<string>();
  const seen = new Set<string>();
  const queue = [resolve(file)];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const identity = await realpath(next).catch(() => next!);
    if (seen.has(identity)) continue;
    seen.add(identity);
    files.push(next);
    if (seen.size > mostFiles)
      throw new UserError(l10n.t('{0} leads to more than {1} files and cannot be approved.', file, mostFiles));
    const content = await contentOf(next);
    const own = content === undefined ? 'missing' : createHash('sha256').update(content).digest('hex');
    hash.update(`${JSON.stringify(next)} ${own}\n`);
    if (content === undefined) continue;
    for (const entry of named(new YamlFile(next, content.toString('utf8')))) {
      if (entry.path !== undefined) {
        const path = expand(entry.path, env, true);
        if (path.ok) queue.push(resolveFrom(next, path.value, home));
      }
      if (entry.command !== undefined) {
        const line = [resolveCommand(next, entry.command, home), ...entry.args];
        programs.add(line.map(quoted).join(' '));
      }
    }
  }
  return { hash: hash.digest('hex'), files, programs: [...programs] };
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    const info = await stat(file);
    return info.isFile() && info.size <= mostBytes ? await readFile(file) : undefined;
  } catch {
    // Missing and unreadable are the same to whoever approves: nothing of it can be loaded.
    return undefined;
  }
}

interface Named {
  path?: string;
  command?: string;
  args: string[];
}

/** The entries' paths and commands, read as leniently as can be: what a stricter reader refuses must not slip past the hash. */
function named(yaml: YamlFile): Named[] {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return yaml
    .fields(yaml.root)
    .filter((field) => field.key === 'mmConfigs')
    .flatMap((field) => yaml.fields(field.valueNode))
    .map((entry) => {
      const plain = yaml.plain(entry.valueNode);
      const value = (plain.ok && plain.value && typeof plain.value === 'object' ? plain.value : {}) as Record<
        string,
        unknown
      >;
      const args = Array.isArray(value.args) ? value.args.map(String) : [];
      return { path: text(value.path), command: text(value.command), args };
    });
}

/** One word of a command line as a shell would need it: only to be read, never to be run. */
function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
