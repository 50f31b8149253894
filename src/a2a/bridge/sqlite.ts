import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Task, TaskState } from '@a2a-js/sdk';
import { describe, ExitCode, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { readToken, type TaskFilter, type TaskPage, type TaskStore, timeOf, tokenOf } from './store';
import { isEnd } from './words';

/** The part of `node:sqlite` that is used; the types of Node 20 do not know it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: (string | number)[]): unknown;
    get(...values: (string | number)[]): Record<string, unknown> | undefined;
    all(...values: (string | number)[]): Record<string, unknown>[];
  };
  close(): void;
}
interface Sqlite {
  DatabaseSync: new (file: string) => Database;
}

/** `node:sqlite` where this Node has it (from 22.13 on); its note that it is new is no news to who offers an agent. */
export function sqliteOfNode(): Sqlite | undefined {
  const { getBuiltinModule, emitWarning } = process as typeof process & { getBuiltinModule?(name: string): unknown };
  if (!getBuiltinModule) return undefined;
  process.emitWarning = () => undefined;
  try {
    return getBuiltinModule('node:sqlite') as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

const schema = `
CREATE TABLE IF NOT EXISTS tasks (
  agent TEXT NOT NULL, id TEXT NOT NULL, context TEXT NOT NULL, state INTEGER NOT NULL, at INTEGER NOT NULL,
  ended INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (agent, id));
CREATE INDEX IF NOT EXISTS tasks_at ON tasks (agent, at DESC, id DESC);
CREATE INDEX IF NOT EXISTS tasks_open ON tasks (ended, at);
CREATE TABLE IF NOT EXISTS messages (
  agent TEXT NOT NULL, id TEXT NOT NULL, task TEXT NOT NULL, PRIMARY KEY (agent, id));
CREATE INDEX IF NOT EXISTS messages_task ON messages (agent, task);
PRAGMA user_version = 1;
`;

/**
 * Tasks in a file of SQLite, for one process at a time: the file stays locked, so that no second bridge takes the tasks of a running one for
 * those of one that died. The system takes the lock back however the process ends.
 */
export class SqliteTaskStore implements TaskStore {
  readonly durable = true;

  private constructor(private readonly db: Database) {}

  /** @throws UserError when the file cannot be used, or another process has it. */
  static open(file: string, { DatabaseSync }: Sqlite): SqliteTaskStore {
    let db: Database | undefined;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // questions and answers of people stand in it, and in what SQLite puts beside it
      if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
      db = new DatabaseSync(file);
      db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      db.exec(`BEGIN EXCLUSIVE; ${schema} COMMIT;`);
      return new SqliteTaskStore(db);
    } catch (error) {
      db?.close();
      const busy = /locked|busy/i.test(describe(error));
      throw new UserError(
        busy
          ? l10n.t('Another “mm --serve” keeps its tasks in {0}.', file)
          : l10n.t('The file of tasks {0} cannot be used: {1}', file, describe(error)),
        { hint: l10n.t('Name another file with --tasks FILE.'), exitCode: ExitCode.usage, cause: error },
      );
    }
  }

  async save(agent: string, task: Task): Promise<void> {
    this.db
      .prepare(
        'INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent, id) DO UPDATE SET ' +
          'state = excluded.state, at = excluded.at, ended = excluded.ended, json = excluded.json',
      )
      .run(
        agent,
        task.id,
        task.contextId,
        task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED,
        timeOf(task),
        isEnd(task.status) ? 1 : 0,
        JSON.stringify(Task.toJSON(task)),
      );
  }

  async load(agent: string, id: string): Promise<Task | undefined> {
    const row = this.db.prepare('SELECT json FROM tasks WHERE agent = ? AND id = ?').get(agent, id);
    return row && taskIn(row);
  }

  async remember(agent: string, messageId: string, taskId: string): Promise<void> {
    this.db.prepare('INSERT OR REPLACE INTO messages VALUES (?, ?, ?)').run(agent, messageId, taskId);
  }

  async taskOf(agent: string, messageId: string): Promise<string | undefined> {
    const row = this.db.prepare('SELECT task FROM messages WHERE agent = ? AND id = ?').get(agent, messageId);
    return row && String(row.task);
  }

  async list(agent: string, filter: TaskFilter): Promise<TaskPage> {
    const { contextId, status, statusTimestampAfter, pageToken, pageSize } = filter;
    const where = ['agent = ?'];
    const values: (string | number)[] = [agent];
    const also = (sql: string, ...more: (string | number)[]) => {
      where.push(sql);
      values.push(...more);
    };
    if (contextId) also('context = ?', contextId);
    if (status) also('state = ?', status);
    if (statusTimestampAfter) also('at > ?', Date.parse(statusTimestampAfter));
    const total = this.db.prepare(`SELECT count(*) AS n FROM tasks WHERE ${where.join(' AND ')}`).get(...values);
    const cursor = pageToken ? readToken(pageToken) : undefined;
    if (cursor) also('(at < ? OR (at = ? AND id < ?))', cursor.at, cursor.at, cursor.id);
    const rows = this.db
      .prepare(`SELECT json FROM tasks WHERE ${where.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`)
      .all(...values, pageSize + 1);
    const tasks = rows.slice(0, pageSize).map(taskIn);
    const more = rows.length > tasks.length;
    return { tasks, totalSize: Number(total?.n ?? 0), nextPageToken: more ? tokenOf(tasks.at(-1)!) : '' };
  }

  async open(): Promise<{ agent: string; task: Task }[]> {
    const rows = this.db.prepare('SELECT agent, json FROM tasks WHERE ended = 0').all();
    return rows.map((row) => ({ agent: String(row.agent), task: taskIn(row) }));
  }

  async prune(before: number): Promise<void> {
    this.db.prepare('DELETE FROM tasks WHERE ended = 1 AND at < ?').run(before);
    this.db.exec(
      'DELETE FROM messages WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.agent = messages.agent AND tasks.id = messages.task)',
    );
  }

  close(): void {
    this.db.close();
  }
}

function taskIn(row: Record<string, unknown>): Task {
  return Task.fromJSON(JSON.parse(String(row.json)));
}
