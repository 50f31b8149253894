import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { shieldedEnv } from '../children/shield';
import type { ChildSpec } from '../children/types';
import { refuseChanged } from '../config/pins';
import type { LocalEntry, PathEntry } from '../config/types';
import { type HomeEntry, realPath, sha256 } from './identity';

/** How `mm` starts `mm`: the program that it is itself, or the one of the setting `mm.path`. */
export interface SelfLaunch {
  command: string;
  args: string[];
  /** The program is Electron and runs as Node only when told to. */
  electron: boolean;
}

export interface LaunchRequest {
  name: string;
  entry: LocalEntry | HomeEntry;
  role: 'home' | 'asked';
  /** Folder of the first session. */
  cwd: string;
  /** For `MM_ASK_DEPTH`; each session has its own in `_meta.mm`. 0 for home. */
  depth: number;
  self: SelfLaunch;
  parentEnv: NodeJS.ProcessEnv;
}

/**
 * What to start for an entry, and the pool's key for it (rule 1): the file's real path with its content's hash, or the
 * command line with its folder; the entry's env; the role. Never the name. The key is a hash, because env may hold secrets.
 * @throws UserError where the agent's file cannot be read, or is not what was allowed.
 */
export async function specFor(o: LaunchRequest): Promise<ChildSpec> {
  const entryEnv = o.entry.kind === 'home' ? {} : o.entry.env;
  const program = o.entry.kind === 'command' ? commandLine(o.entry, o.cwd) : await ownProgram(o, o.entry);
  const key = sha256(JSON.stringify([program.identity, sorted(entryEnv), o.role]));
  const env = shieldedEnv({
    parent: o.parentEnv,
    role: o.role,
    entryEnv,
    depth: o.depth,
    electronMm: o.entry.kind !== 'command' && o.self.electron,
  });
  const { command, args } = program;
  return { key, name: o.name, role: o.role, command, args, cwd: o.cwd, env, hub: o.entry.kind !== 'command' };
}

interface Program {
  identity: unknown;
  command: string;
  args: string[];
}

function commandLine(entry: { command: string; args: string[] }, cwd: string): Program {
  return {
    identity: ['command', entry.command, entry.args, resolve(cwd)],
    command: entry.command,
    args: [...entry.args],
  };
}

async function ownProgram(o: LaunchRequest, entry: PathEntry | HomeEntry): Promise<Program> {
  const named = resolve(entry.kind === 'home' ? entry.file : entry.path);
  // Side by side: this stands in the way of every ask.
  const [file, content] = await Promise.all([
    realPath(named),
    readFile(named).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      const words =
        code === 'ENOENT' || code === 'ENOTDIR'
          ? l10n.t('The file of {0} is not there: {1}', o.name, named)
          : l10n.t('The file of {0} cannot be read: {1}', o.name, describe(error));
      throw new UserError(words, {
        hint: l10n.t('Check the path of {0} in mm.yaml.', o.name),
        exitCode: ExitCode.usage,
      });
    }),
  ]);
  const hash = sha256(content);
  refuseChanged(entry.pins, named, hash);
  return {
    identity: ['file', file, hash, o.self.command, o.self.args],
    command: o.self.command,
    // By its name, not by what a link leads to: what stands in it is relative to the name here and there.
    args: [...o.self.args, '-acp', '-config', named],
  };
}

/** The order in which a file names its variables makes no other child. */
function sorted(env: Record<string, string>): [string, string][] {
  return Object.entries(env).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
