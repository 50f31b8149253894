import { isObject } from '../acp/check';
import { isShallow } from '../base/json';
import { addressOf, fieldsOf, lineOf, listOf } from './fields';

/** States of a task, in the words of A2A 0.3; `unknown` is also what is none of the others. */
export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'
  | 'unknown';

/** A piece of a message or an artifact. Texts are as they came. */
export type Part =
  | { kind: 'text'; text: string }
  /** `size` in bytes, of a file that came along. Its address is http or https. */
  | { kind: 'file'; name?: string; mediaType?: string; url?: string; size?: number }
  | { kind: 'data'; data: unknown };

export interface Artifact {
  id: string;
  name?: string;
  parts: Part[];
}

/** Where a task stands, and what the agent says to that. */
export interface Status {
  state: TaskState;
  message: Part[];
  /** The message asks for leave, and takes `allow` or `reject`: it comes from a bridge of ours (design, section 9). */
  asksLeave?: boolean;
}

/** What a server says of a task, in either version. */
export type TaskEvent =
  /** All of it, as it stands. */
  | ({ type: 'task'; id: string; contextId?: string; artifacts: Artifact[] } & Status)
  | ({ type: 'status'; id: string; contextId?: string } & Status)
  /** `append`: its parts belong behind those of the artifact with the same id. */
  | { type: 'artifact'; id: string; contextId?: string; artifact: Artifact; append: boolean }
  /** An answer without a task. */
  | { type: 'message'; contextId?: string; parts: Part[] };

const states: ReadonlySet<string> = new Set<TaskState>([
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
]);

/** The task is over: nothing of it comes any more. */
export function isOver(state: TaskState): boolean {
  return state === 'completed' || state === 'canceled' || state === 'failed' || state === 'rejected';
}

/** It waits for whoever asked. */
export function isAsking(state: TaskState): boolean {
  return state === 'input-required' || state === 'auth-required';
}

/** Parts and artifacts that are read of one event. */
const most = 1_000;
const longestId = 500;

/**
 * Reads the result of a request, or one event of a stream: 0.3 says by `kind` what it is, 1.0 by the one key that it has (facts, 4.1).
 * Undefined for what is neither.
 */
export function readEvent(result: unknown): TaskEvent | undefined {
  if (!isObject(result) || !isShallow(result)) return undefined;
  if (isObject(result.task)) return readTask(result.task);
  if (isObject(result.statusUpdate)) return readStatus(result.statusUpdate);
  if (isObject(result.artifactUpdate)) return readArtifact(result.artifactUpdate);
  if (isObject(result.message) && result.kind === undefined) return readMessage(result.message);
  switch (result.kind) {
    case 'status-update':
      return readStatus(result);
    case 'artifact-update':
      return readArtifact(result);
    case 'message':
      return readMessage(result);
    default:
      // `GetTask` answers with the bare task
      return isObject(result.status) ? readTask(result) : undefined;
  }
}

function readTask(task: Record<string, unknown>): TaskEvent | undefined {
  const id = idOf(task.id);
  if (id === undefined) return undefined;
  const artifacts = listOf(task.artifacts, most).flatMap((item, i) => artifactOf(item, i) ?? []);
  return { type: 'task', id, contextId: idOf(task.contextId), ...statusOf(task.status), artifacts };
}

function readStatus(update: Record<string, unknown>): TaskEvent | undefined {
  const id = idOf(update.taskId);
  return id === undefined
    ? undefined
    : { type: 'status', id, contextId: idOf(update.contextId), ...statusOf(update.status) };
}

function readArtifact(update: Record<string, unknown>): TaskEvent | undefined {
  const id = idOf(update.taskId);
  const artifact = artifactOf(update.artifact, 0);
  if (id === undefined || !artifact) return undefined;
  return { type: 'artifact', id, contextId: idOf(update.contextId), artifact, append: update.append === true };
}

function readMessage(message: Record<string, unknown>): TaskEvent | undefined {
  return { type: 'message', contextId: idOf(message.contextId), parts: partsOf(message.parts) };
}

function statusOf(value: unknown): Status {
  const { state, message } = fieldsOf(value);
  const { parts, metadata } = fieldsOf(message);
  const status: Status = { state: stateOf(state), message: partsOf(parts) };
  if (isObject(fieldsOf(fieldsOf(metadata).mm).question)) status.asksLeave = true;
  return status;
}

/** `working`, or `TASK_STATE_WORKING`. */
function stateOf(value: unknown): TaskState {
  if (typeof value !== 'string') return 'unknown';
  const word = value
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return states.has(word) ? (word as TaskState) : 'unknown';
}

function artifactOf(value: unknown, index: number): Artifact | undefined {
  if (!isObject(value)) return undefined;
  const parts = partsOf(value.parts);
  // by its place, where it has no id of its own
  return { id: idOf(value.artifactId) ?? `#${index}`, name: lineOf(value.name, 200), parts };
}

function partsOf(value: unknown): Part[] {
  return listOf(value, most).flatMap((item) => partOf(item) ?? []);
}

/** 0.3 names the kind of a part, 1.0 has one of `text`, `raw`, `url`, `data` (facts, 4.1). */
function partOf(value: unknown): Part | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.text === 'string') return { kind: 'text', text: value.text };
  if (isObject(value.file)) {
    const { name, mimeType, uri, bytes } = value.file;
    return fileOf(name, mimeType, uri, bytes);
  }
  if (value.raw !== undefined || value.url !== undefined)
    return fileOf(value.filename, value.mediaType, value.url, value.raw);
  return value.data === undefined ? undefined : { kind: 'data', data: value.data };
}

function fileOf(name: unknown, mediaType: unknown, url: unknown, bytes: unknown): Part {
  return {
    kind: 'file',
    name: lineOf(name, 200),
    mediaType: lineOf(mediaType, 100),
    url: addressOf(url),
    size: typeof bytes === 'string' ? Math.floor((bytes.replace(/=+$/, '').length * 3) / 4) : undefined,
  };
}

/** An id goes back as it came, so it is not cleaned. */
function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longestId ? value : undefined;
}
