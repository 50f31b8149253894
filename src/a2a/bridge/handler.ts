import type {
  AgentCard,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Desk } from './desk';
import type { TaskStore } from './store';

/** What the HTTP side tells us of a call, in the context's `state`. */
export const callState = {
  /** An `AbortSignal`: the caller has gone. */
  gone: 'mm.gone',
  /** true: it came through a chat façade. */
  facade: 'mm.facade',
} as const;

/** Characters of an id of somebody else's. */
const longestId = 500;

/**
 * The requests of A2A, the same for both versions, over the tasks of a desk. It stands in the place of the SDK's own handler, which keeps a
 * task by reading and writing the whole of it at every piece of the answer, and only while a caller listens (docs/decisions/0009).
 */
export class BridgeHandler implements A2ARequestHandler {
  constructor(
    private readonly card: AgentCard,
    private readonly agent: string,
    private readonly desk: Desk,
    private readonly store: TaskStore,
  ) {}

  async getAgentCard(): Promise<AgentCard> {
    return this.card;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError('This agent has no extended card.');
  }

  async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const message = messageOf(params);
    const found = await this.desk.take(message, context.state.get(callState.facade) === true);
    const { returnImmediately, historyLength } = params.configuration ?? {};
    if (!('job' in found)) return cut(found.task, historyLength);
    const task = returnImmediately === true ? found.job.snapshot() : await found.job.rest(goneOf(context));
    return cut(task, historyLength);
  }

  async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const message = messageOf(params);
    const found = await this.desk.take(message, context.state.get(callState.facade) === true);
    if ('job' in found) yield* found.job.follow(goneOf(context));
    else yield* ended(found.task);
  }

  async getTask(params: { id: string; historyLength?: number }): Promise<Task> {
    return cut(await this.#task(params.id), params.historyLength);
  }

  async cancelTask(params: { id: string }): Promise<Task> {
    return this.desk.cancel(idOf(params.id));
  }

  async *resubscribe(
    params: { id: string },
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const found = await this.desk.find(idOf(params.id));
    if (!('job' in found))
      throw new UnsupportedOperationError('The task has ended; ask for it with GetTask or tasks/get.');
    yield* found.job.follow(goneOf(context));
  }

  async listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    const pageSize = params.pageSize ?? 50;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
      throw new RequestMalformedError('pageSize must be a whole number from 1 to 100.');
    if (params.statusTimestampAfter && Number.isNaN(Date.parse(params.statusTimestampAfter)))
      throw new RequestMalformedError('statusTimestampAfter must be a time as ISO 8601 writes it.');
    const page = await this.store.list(this.agent, { ...params, pageSize });
    const tasks = page.tasks.map((task) => cut(task, params.historyLength));
    return {
      ...page,
      pageSize,
      tasks: params.includeArtifacts === true ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
    };
  }

  async createTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async getTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async listTaskPushNotificationConfigs(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async deleteTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async #task(id: string): Promise<Task> {
    const found = await this.desk.find(idOf(id));
    return 'job' in found ? found.job.snapshot() : found.task;
  }
}

/** A task that has ended, to one who would rather have read along (the same message once more). */
async function* ended(task: Task): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: 'task', value: task } };
  const { id: taskId, contextId, status } = task;
  yield { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } };
}

/** @throws RequestMalformedError */
function messageOf({ message }: SendMessageRequest): Message {
  if (!message) throw new RequestMalformedError('message is required.');
  if (typeof message.messageId !== 'string' || message.messageId.trim() === '')
    throw new RequestMalformedError('message.messageId is required.');
  for (const id of [message.messageId, message.taskId, message.contextId])
    if (typeof id !== 'string' || id.length > longestId)
      throw new RequestMalformedError('An id of the message is no id.');
  if (!Array.isArray(message.parts) || message.parts.length === 0)
    throw new RequestMalformedError('message.parts is required.');
  return message;
}

function idOf(id: unknown): string {
  if (typeof id !== 'string' || id.trim() === '' || id.length > longestId)
    throw new RequestMalformedError('The id of a task is required.');
  return id;
}

function goneOf(context: ServerCallContext): AbortSignal | undefined {
  const gone = context.state.get(callState.gone);
  return gone instanceof AbortSignal ? gone : undefined;
}

/** The last messages of a task's history only, where the caller wants no more. */
function cut(task: Task, length: number | undefined): Task {
  if (typeof length !== 'number') return task;
  return { ...task, history: length > 0 ? task.history.slice(-length) : [] };
}
