import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { SqliteTaskStore, sqliteOfNode } from '../a2a/bridge/sqlite';
import { MemoryTaskStore, type TaskStore } from '../a2a/bridge/store';
import { l10n } from '../base/l10n';
import { stateFolder } from './state-folder';

/** Where the tasks of the agents of a file are kept when nothing is said. */
export function tasksFile(config: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const id = createHash('sha256').update(config).digest('hex').slice(0, 16);
  return join(stateFolder(env, platform), 'serve', `${id}.sqlite`);
}

/** The tasks of an earlier run, or where this Node has no SQLite, none, and a sentence that says so. */
export function openTasks(o: {
  /** The value of `--tasks`. */
  named: string | undefined;
  /** The file in use, its real path. */
  config: string;
  env: NodeJS.ProcessEnv;
  note(text: string): void;
}): TaskStore {
  const sqlite = sqliteOfNode();
  if (sqlite)
    return SqliteTaskStore.open(o.named ? resolve(o.named) : tasksFile(o.config, o.env, process.platform), sqlite);
  o.note(
    l10n.t(
      'This Node ({0}) has no SQLite, so tasks are kept in memory and end with this process; Node 22.13 and later keep them.',
      process.version,
    ),
  );
  return new MemoryTaskStore();
}
