import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Task, TaskState } from '@a2a-js/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { SqliteTaskStore, sqliteOfNode } from '../../../../src/a2a/bridge/sqlite';
import { MemoryTaskStore, type TaskStore } from '../../../../src/a2a/bridge/store';
import { answerArtifact } from '../../../../src/a2a/bridge/words';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mm-tasks-'));
  folders.push(folder);
  return join(folder, 'below', 'tasks.sqlite');
}
const sqlite = sqliteOfNode();
const stores: [string, boolean, () => TaskStore][] = [
  ['in memory', true, () => new MemoryTaskStore()],
  ['in SQLite', sqlite !== undefined, () => SqliteTaskStore.open(place(), sqlite!)],
];

function task(id: string, state: TaskState, at: number, o: Partial<Task> = {}): Task {
  const status = { state, message: undefined, timestamp: new Date(at).toISOString() };
  return {
    id,
    contextId: 'c',
    status,
    artifacts: [answerArtifact(`answer of ${id}`)],
    history: [],
    metadata: undefined,
    ...o,
  };
}
const { TASK_STATE_WORKING: working, TASK_STATE_COMPLETED: completed } = TaskState;

// this Node may have no SQLite; the tests with real processes then run it on one that has
describe.each(stores.filter(([, there]) => there))('tasks %s', (_, __, open) => {
  it('come back as they were saved, to their own agent', async () => {
    const store = open();
    await store.save('bob', task('t', working, 1_000));
    const saved = task('t', completed, 2_000);
    await store.save('bob', saved);
    expect(await store.load('bob', 't')).toEqual(saved);
    expect(await store.load('riker', 't')).toBeUndefined();
    expect(await store.open()).toEqual([]);
    store.close();
  });

  it('are found by their messages, by agent', async () => {
    const store = open();
    await store.save('bob', task('t', working, 1_000));
    await store.remember('bob', "m'); DROP TABLE tasks; --", 't');
    expect(await store.taskOf('bob', "m'); DROP TABLE tasks; --")).toBe('t');
    expect(await store.taskOf('riker', "m'); DROP TABLE tasks; --")).toBeUndefined();
    expect((await store.open()).map(({ agent, task: { id } }) => [agent, id])).toEqual([['bob', 't']]);
    store.close();
  });

  it('are forgotten with their messages when they are old and have ended', async () => {
    const store = open();
    await store.save('bob', task('old', completed, 1_000));
    await store.save('bob', task('works', working, 1_000));
    await store.save('bob', task('new', completed, 9_000));
    for (const id of ['old', 'works', 'new']) await store.remember('bob', `m-${id}`, id);
    await store.prune(5_000);
    const left = await Promise.all(['old', 'works', 'new'].map((id) => store.load('bob', id)));
    expect(left.map((one) => one?.id)).toEqual([undefined, 'works', 'new']);
    expect(await store.taskOf('bob', 'm-old')).toBeUndefined();
    expect(await store.taskOf('bob', 'm-new')).toBe('new');
    store.close();
  });

  it('are listed newest first, in pages, by what is asked for', async () => {
    const store = open();
    for (let n = 0; n < 5; n++)
      await store.save(
        'bob',
        task(`t${n}`, n % 2 ? working : completed, 1_000 + Math.floor(n / 2), { contextId: `c${n % 2}` }),
      );
    await store.save('riker', task('other', completed, 5_000));
    const ids: string[] = [];
    let pageToken = '';
    do {
      const page = await store.list('bob', { pageSize: 2, pageToken });
      expect(page.totalSize).toBe(5);
      ids.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(ids).toEqual(['t4', 't3', 't2', 't1', 't0']);
    const of = async (o: object) =>
      (await store.list('bob', { pageSize: 9, pageToken: '', ...o })).tasks.map(({ id }) => id);
    expect(await of({ status: working })).toEqual(['t3', 't1']);
    expect(await of({ contextId: 'c0' })).toEqual(['t4', 't2', 't0']);
    expect(await of({ statusTimestampAfter: new Date(1_000).toISOString() })).toEqual(['t4', 't3', 't2']);
    await expect(of({ pageToken: 'nonsense' })).rejects.toThrow('page token');
    store.close();
  });
});

describe('tasks in memory', () => {
  it('are bounded: the oldest that has ended goes, with its message', async () => {
    const store = new MemoryTaskStore(2);
    await store.save('bob', task('works', working, 1));
    await store.save('bob', task('done', completed, 2));
    await store.remember('bob', 'm', 'done');
    await store.save('bob', task('new', working, 3));
    expect(await store.load('bob', 'done')).toBeUndefined();
    expect(await store.taskOf('bob', 'm')).toBeUndefined();
    expect((await store.open()).map(({ task: { id } }) => id)).toEqual(['works', 'new']);
  });
});

describe.runIf(sqlite)('a file of tasks', () => {
  it('outlives its process, is its owner’s, and one bridge’s at a time', async () => {
    const file = place();
    const first = SqliteTaskStore.open(file, sqlite!);
    await first.save('bob', task('t', working, 1_000));
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(() => SqliteTaskStore.open(file, sqlite!)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('Another') }),
    );
    first.close();
    const second = SqliteTaskStore.open(file, sqlite!);
    expect(await second.load('bob', 't')).toEqual(task('t', working, 1_000));
    second.close();
  });

  it('that is none is said to be none, and left alone', () => {
    const file = join(__dirname, 'store.test.ts');
    const before = readFileSync(file, 'utf8');
    expect(() => SqliteTaskStore.open(file, sqlite!)).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
