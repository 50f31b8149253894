import { type ListTasksRequest, Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { isEnd } from './words';

/** What of a task is asked for in a list; the newest come first. */
export interface TaskFilter
  extends Partial<Pick<ListTasksRequest, 'contextId' | 'status' | 'statusTimestampAfter' | 'pageToken'>> {
  pageSize: number;
}

export interface TaskPage {
  tasks: Task[];
  nextPageToken: string;
  totalSize: number;
}

/**
 * Where tasks are kept. An agent's tasks are its own: an id alone finds nothing. What is handed in and out is nobody else's.
 */
export interface TaskStore {
  /** What is in it outlives the process. */
  readonly durable: boolean;
  save(agent: string, task: Task): Promise<void>;
  load(agent: string, id: string): Promise<Task | undefined>;
  /** The message with this id belongs to that task. */
  remember(agent: string, messageId: string, taskId: string): Promise<void>;
  taskOf(agent: string, messageId: string): Promise<string | undefined>;
  list(agent: string, filter: TaskFilter): Promise<TaskPage>;
  /** Tasks that have not ended, of all agents: after a start, those of a process that died. */
  open(): Promise<{ agent: string; task: Task }[]>;
  /** Forgets tasks that ended before that moment, milliseconds since the epoch. */
  prune(before: number): Promise<void>;
  close(): void;
}

/** Tasks that are kept in memory; the oldest that have ended go first. */
const mostInMemory = 10_000;

/** Tasks for as long as the process runs. */
export class MemoryTaskStore implements TaskStore {
  readonly durable = false;
  readonly #tasks = new Map<string, { agent: string; json: unknown; at: number; ended: boolean }>();
  readonly #messages = new Map<string, { taskId: string; agent: string }>();

  constructor(private readonly most = mostInMemory) {}

  async save(agent: string, task: Task): Promise<void> {
    const key = keyOf(agent, task.id);
    this.#tasks.set(key, { agent, json: Task.toJSON(task), at: timeOf(task), ended: isEnd(task.status) });
    if (this.#tasks.size <= this.most) return;
    for (const [old, { ended }] of this.#tasks) {
      if (!ended) continue;
      this.#forget(old);
      return;
    }
  }

  async load(agent: string, id: string): Promise<Task | undefined> {
    const found = this.#tasks.get(keyOf(agent, id));
    return found && Task.fromJSON(found.json);
  }

  async remember(agent: string, messageId: string, taskId: string): Promise<void> {
    this.#messages.set(keyOf(agent, messageId), { taskId, agent });
  }

  async taskOf(agent: string, messageId: string): Promise<string | undefined> {
    return this.#messages.get(keyOf(agent, messageId))?.taskId;
  }

  async list(agent: string, filter: TaskFilter): Promise<TaskPage> {
    const all = [...this.#tasks.values()].filter((one) => one.agent === agent).map((one) => Task.fromJSON(one.json));
    return page(all, filter);
  }

  async open(): Promise<{ agent: string; task: Task }[]> {
    return [...this.#tasks.values()]
      .filter((one) => !one.ended)
      .map(({ agent, json }) => ({ agent, task: Task.fromJSON(json) }));
  }

  async prune(before: number): Promise<void> {
    for (const [key, { ended, at }] of this.#tasks) if (ended && at < before) this.#forget(key);
  }

  close(): void {
    this.#tasks.clear();
    this.#messages.clear();
  }

  #forget(key: string): void {
    this.#tasks.delete(key);
    for (const [message, { taskId, agent }] of this.#messages)
      if (keyOf(agent, taskId) === key) this.#messages.delete(message);
  }
}

function keyOf(agent: string, id: string): string {
  return JSON.stringify([agent, id]);
}

/** When the task's status was last set, milliseconds since the epoch. */
export function timeOf(task: Task): number {
  return Date.parse(task.status?.timestamp ?? '') || 0;
}

function page(all: Task[], filter: TaskFilter): TaskPage {
  const { contextId, status, statusTimestampAfter, pageToken, pageSize } = filter;
  const after = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  const fitting = all
    .filter((task) => !contextId || task.contextId === contextId)
    .filter((task) => !status || task.status?.state === status)
    .filter((task) => after === undefined || timeOf(task) > after)
    .sort((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1));
  const cursor = pageToken ? readToken(pageToken) : undefined;
  const rest = cursor
    ? fitting.filter((task) => timeOf(task) < cursor.at || (timeOf(task) === cursor.at && task.id < cursor.id))
    : fitting;
  const tasks = rest.slice(0, pageSize);
  return {
    tasks,
    totalSize: fitting.length,
    nextPageToken: rest.length > tasks.length ? tokenOf(tasks.at(-1)!) : '',
  };
}

/** Where the next page begins. */
export function tokenOf(task: Task): string {
  return Buffer.from(JSON.stringify([timeOf(task), task.id])).toString('base64url');
}

/** @throws RequestMalformedError for a token that is not ours. */
export function readToken(token: string): { at: number; id: string } {
  try {
    const [at, id] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
    if (typeof at === 'number' && typeof id === 'string') return { at, id };
  } catch {
    // what is no token is said below
  }
  throw new RequestMalformedError('The page token is not one of this agent.');
}
