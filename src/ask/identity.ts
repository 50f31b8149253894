import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ChainLink } from '../acp/meta';
import type { AgentEntry, Pins, RemoteEntry } from '../config/types';

/** The agent that a `mm` process or a window itself is: its own file, with nothing that an entry could add. */
export interface HomeEntry {
  kind: 'home';
  /** Path of its `mm.yaml`. */
  file: string;
  /** It came with a folder: what was allowed of it. */
  pins?: Pins;
}

/** What makes two agents the same one in a chain (rule 9): the file itself, the command line, or the address. Env and role do not count. */
export async function identityOf(entry: AgentEntry | HomeEntry): Promise<string> {
  if (entry.kind === 'command') return JSON.stringify(['command', entry.command, ...entry.args]);
  if (entry.kind === 'a2a') return JSON.stringify(['a2a', ...addressOf(entry)]);
  return JSON.stringify(['file', await realPath(entry.kind === 'home' ? entry.file : entry.path)]);
}

function addressOf({ at }: RemoteEntry): string[] {
  return at.kind === 'proxy' ? [at.proxy.url, at.agent] : [at.url];
}

/** One step of a chain. Its id is a hash, so that no path travels. */
export async function linkFor(name: string, entry: AgentEntry | HomeEntry): Promise<ChainLink> {
  return { name, id: sha256(await identityOf(entry)) };
}

/** The file behind links, in the file system's own spelling. One that is not there keeps its absolute path: the ask says so later. */
export async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return resolve(file);
  }
}

export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}
