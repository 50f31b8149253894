import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { factsOf } from './approval-facts';
import { check } from './check';
import { mostBytes, YamlFile } from './document';
import { homeOf, hookFiles, resolveCommand, resolveFrom } from './paths';
import { pinsOf } from './pins';
import type { HookPoint, Pins } from './types';
import { expand } from './variables';

/** What a person approves when a workspace brings a `.mm/mm.yaml` (design, section 10). */
export interface Approval {
  /** SHA-256, hex, over the file, every file that it names by `path`, theirs, and the files of all their hooks. Any change of any of them changes it. */
  hash: string;
  /** The files, absolute, the first one first, in the order in which they are named. */
  files: string[];
  /**
   * What these files can start, for the card; each once: command lines, and for each entry with `env` the names of its variables, since
   * one such as `NODE_OPTIONS` runs code as well (`bob: env NODE_OPTIONS`).
   */
  programs: string[];
  /** What else a person has to know before allowing it, in words, each once; see `factsOf`. */
  facts: string[];
  /** The files with their content of now, for what is done with them later. */
  pins: Pins;
}

/** More agents than any team has, and than any person reads; beyond it nothing is approved rather than part of it. */
const mostFiles = 100;
/** A hook may be a compiled program, or name the interpreter of one. */
const mostHookBytes = 1_073_741_824;

/**
 * Follows `path` from file to file; cycles are walked once, a file with two names under both, since the paths in it are relative to
 * the name. A file that is missing or unreadable counts as such, so that one that
 * appears later asks again. A file that is no valid `mm.yaml` still counts with its content.
 */
export async function approvalOf(file: string, env: NodeJS.ProcessEnv = process.env): Promise<Approval> {
  const home = homeOf(env, homedir);
  const hash = createHash('sha256');
  const contents = new Map<string, string | undefined>();
  const programs = new Set<string>();
  const ofHooks = new Set<string>();
  const refuseTooMany = () => {
    if (contents.size >= mostFiles)
      throw new UserError(l10n.t('{0} leads to more than {1} files and cannot be approved.', file, mostFiles));
  };
  const facts = new Set<string>();
  const queue = [resolve(file)];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (contents.has(next)) continue;
    refuseTooMany();
    const content = await contentOf(next);
    const own = content && hashOf(content);
    contents.set(next, own);
    hash.update(`${JSON.stringify(next)} ${own ?? 'missing'}\n`);
    if (content === undefined) continue;
    const yaml = new YamlFile(next, content.toString());
    for (const fact of factsOf(yaml)) facts.add(fact);
    for (const entry of [...loaded(yaml, env, home), ...named(yaml, env, home)]) {
      if (entry.path !== undefined) queue.push(entry.path);
      if (entry.command !== undefined) programs.add([entry.command, ...entry.args].map(quoted).join(' '));
      for (const hookFile of entry.hookFiles ?? []) ofHooks.add(hookFile);
      if (entry.variables.length > 0) programs.add(`${entry.name}: env ${entry.variables.join(', ')}`);
    }
  }
  const files = [...contents.keys()];
  for (const next of ofHooks) {
    if (contents.has(next)) continue;
    refuseTooMany();
    const own = await hashOfFile(next);
    hash.update(`${JSON.stringify(next)} ${own ?? 'missing'}\n`);
    // What a command line seems to name and is no file takes no place; its absence is what was allowed all the same.
    if (own === undefined) continue;
    contents.set(next, own);
    files.push(next);
  }
  return { hash: hash.digest('hex'), files, programs: [...programs], facts: [...facts], pins: pinsOf(contents) };
}

/**
 * SHA-256, hex, of a hook's file as an approval has it; undefined where there is none that can be read.
 * @throws UserError for one of a size that no program has.
 */
export async function hashOfFile(file: string): Promise<string | undefined> {
  try {
    const info = await stat(file);
    if (!info.isFile()) return undefined;
    if (info.size > mostHookBytes) throw new UserError(l10n.t('{0} is too large to be approved.', file));
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof UserError) throw error;
    // What cannot be read cannot be run as a script; a program that may only be run is the system's own.
    return undefined;
  }
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
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
  name: string;
  /** Absolute. */
  path?: string;
  command?: string;
  args: string[];
  /** Names of the entry's `env`. */
  variables: string[];
  /** Of a hook: the files that its command line may name. */
  hookFiles?: string[];
}

/** The entries and hooks as `loadConfig` makes them, by the very same code: what can be used is never more than what was approved. */
function loaded(yaml: YamlFile, env: NodeJS.ProcessEnv, home: string): Named[] {
  if (yaml.unreadable) return [];
  const { config } = check(yaml, { env, home, exists: () => true });
  const entries = [...config.mmConfigs].map(([name, entry]) => ({
    name,
    path: entry.kind === 'path' ? entry.path : undefined,
    command: entry.kind === 'command' ? entry.command : undefined,
    args: entry.kind === 'command' ? entry.args : [],
    variables: Object.keys(entry.env),
  }));
  const hooks = hookPoints.flatMap((point) =>
    (config.hooks?.[point] ?? []).map(({ command, args, env: own, files }) => ({
      name: point,
      command,
      args,
      variables: Object.keys(own),
      hookFiles: files,
    })),
  );
  return [...entries, ...hooks];
}

const hookPoints = ['preAsk', 'postAsk'] as const satisfies HookPoint[];

/**
 * The entries read as leniently as can be, key by key. A file that is refused today, because a variable of the environment is missing say,
 * may be accepted tomorrow with the same content; the person has seen all of it then.
 */
function named(yaml: YamlFile, env: NodeJS.ProcessEnv, home: string): Named[] {
  const under = (key: string) =>
    yaml
      .fields(yaml.root)
      .filter((field) => field.key === key)
      .flatMap((field) => yaml.fields(field.valueNode));
  const hooks = under('hooks').flatMap((field) =>
    yaml.items(field.valueNode).map((valueNode) => ({ key: field.key, valueNode, hook: true })),
  );
  const entries = [...under('mmConfigs').map((field) => ({ ...field, hook: false })), ...hooks];
  const filled = (value: unknown) => {
    if (typeof value !== 'string' || value === '') return undefined;
    const result = expand(value, env, true);
    return result.ok ? { text: result.value, whole: true } : { text: value, whole: false };
  };
  return entries.flatMap((entry) => {
    const values = (key: string) =>
      yaml
        .fields(entry.valueNode)
        .filter((field) => field.key === key)
        .map((field) => yaml.plain(field.valueNode))
        .flatMap((plain) => (plain.ok ? [plain.value] : []));
    const args = values('args').flatMap((value) => (Array.isArray(value) ? value.map(word) : []));
    const variables = values('env').flatMap((value) => (value && typeof value === 'object' ? Object.keys(value) : []));
    const base = { name: entry.key, args, variables };
    const paths = (entry.hook ? [] : values('path')).flatMap((value) => {
      const path = filled(value);
      return path?.whole ? [{ ...base, path: resolveFrom(yaml.file, path.text, home) }] : [];
    });
    const commands = values('command').flatMap((value) => {
      const command = filled(value);
      if (!command) return [];
      const program = command.whole ? resolveCommand(yaml.file, command.text, home) : command.text;
      const files = entry.hook ? { hookFiles: hookFiles(yaml.file, { command: program, args }, home) } : {};
      return [{ ...base, command: program, ...files }];
    });
    return [...paths, ...commands];
  });
}

/** An argument that is no text is refused by the loader; here it only has to be seen. */
function word(value: unknown): string {
  return value !== null && typeof value === 'object' ? '…' : String(value);
}

/** One word of a command line as a shell would need it: only to be read, never to be run. */
function quoted(text: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
