import { randomUUID } from 'node:crypto';
import { type Message, type Task, TaskState } from '@a2a-js/sdk';
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { AnswerText } from '../../ask/answer';
import { noGrants } from '../../ask/grants';
import { holdsBack } from '../../ask/hook-answer';
import type { AskEvent, AskRequest, PermissionAsker } from '../../ask/types';
import { describe } from '../../base/errors';
import { l10n } from '../../base/l10n';
import type { Log } from '../../base/log';
import type { MmConfig } from '../../config/types';
import { askMetadata, kept, promptOf } from './incoming';
import { Job } from './job';
import { TaskQuestions } from './questions';
import type { Slots } from './slots';
import type { TaskStore } from './store';
import { endOf, isEnd, statusOf } from './words';

export interface DeskOptions {
  agent: string;
  /** The file whose `mmConfigs` has the agent, and whose `serve.yolo` decides what callers from outside may do. */
  config: MmConfig;
  relay: { ask(request: AskRequest): AsyncIterable<AskEvent> };
  store: TaskStore;
  /** Shared by all agents of the bridge. */
  slots: Slots;
  log: Log;
  cwd: string;
  /** Milliseconds after which a task is ended. */
  maxAge: number;
}

/** Where a task has got to when it is not here any more. */
type Found = { job: Job } | { task: Task };

interface Working {
  job: Job;
  stop: AbortController;
  questions: TaskQuestions;
  /** It has one of the slots: while it works, and not while it waits for its caller. */
  slot: boolean;
  /** Why we stopped it, if we did: how the task then ends. */
  end?: { state: TaskState; words: string };
  done: Promise<void>;
}

const nobody: PermissionAsker = { canAnswer: false, ask: async () => 'reject' };

/**
 * The tasks of one agent: each is one ask of the relay, and lives as long as that, whoever listens. A message is taken once: the same id
 * again, over either version of the protocol and while the task runs or later, is the same task (the proxy repeats messages).
 */
export class Desk {
  readonly #working = new Map<string, Working>();
  readonly #traces = new Set<string>();
  /** Messages that are being taken at this moment. */
  readonly #taking = new Map<string, Promise<Found>>();
  #saving: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(private readonly o: DeskOptions) {}

  get working(): number {
    return this.#working.size;
  }

  /** Takes a message: a new task, an answer to a question of one, or one that has come before. */
  take(message: Message, facade: boolean): Promise<Found> {
    const { messageId } = message;
    const taking = this.#taking.get(messageId);
    if (taking) return taking;
    const taken = this.#take(message, facade).finally(() => this.#taking.delete(messageId));
    this.#taking.set(messageId, taken);
    return taken;
  }

  async #take(message: Message, facade: boolean): Promise<Found> {
    const { agent, store } = this.o;
    const before = await store.taskOf(agent, message.messageId);
    if (before !== undefined) return this.find(before);
    if (message.taskId) return this.#answer(message);
    if (this.#closed) throw new UnsupportedOperationError('The bridge is being stopped and takes no new tasks.');
    const prompt = promptOf(message);
    if (prompt.trim() === '') throw new RequestMalformedError('The message has no text, data or file.');
    const id = randomUUID();
    const contextId = message.contextId || randomUUID();
    const history = [kept({ ...message, taskId: id, contextId })];
    const job = new Job({ id, contextId, history, metadata: undefined }, (task) => this.#save(task));
    await this.#saved();
    await store.remember(agent, message.messageId, id);
    this.#start(job, prompt, askMetadata(message.metadata, facade));
    return { job };
  }

  async #answer(message: Message): Promise<Found> {
    const found = await this.find(message.taskId);
    const working = this.#working.get(message.taskId);
    if (!('job' in found) || !working)
      throw new UnsupportedOperationError('The task has ended; send a message without its id for a new one.');
    if (message.contextId && message.contextId !== found.job.contextId)
      throw new RequestMalformedError('The message belongs to another context than its task.');
    if (!working.questions.waiting) throw new UnsupportedOperationError('The task is working and has asked nothing.');
    await this.o.store.remember(this.o.agent, message.messageId, message.taskId);
    working.job.hear(kept({ ...message, contextId: found.job.contextId }));
    working.questions.answer(message);
    return found;
  }

  /** @throws TaskNotFoundError */
  async find(id: string): Promise<Found> {
    const working = this.#working.get(id);
    if (working) return { job: working.job };
    const task = await this.o.store.load(this.o.agent, id);
    if (!task) throw new TaskNotFoundError('There is no such task.');
    return { task };
  }

  /** Ends a task through to the agent's turn. @throws when it has ended in another way. */
  async cancel(id: string): Promise<Task> {
    const working = this.#working.get(id);
    if (working) {
      this.#stop(working, TaskState.TASK_STATE_CANCELED, l10n.t('The task was cancelled.'));
      await working.done;
    }
    const found = await this.find(id);
    const task = 'job' in found ? found.job.snapshot() : found.task;
    if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
    throw new TaskNotCancelableError('The task has ended.');
  }

  /** Takes nothing new, waits for what works, and cancels what is left after `grace` milliseconds or when the signal fires. */
  async close(grace: number, hurry?: AbortSignal): Promise<void> {
    this.#closed = true;
    const all = () => Promise.all([...this.#working.values()].map(({ done }) => done));
    const timer = new AbortController();
    await Promise.race([all(), delay(grace, timer.signal, hurry)]);
    timer.abort();
    for (const working of this.#working.values())
      this.#stop(working, TaskState.TASK_STATE_CANCELED, l10n.t('The bridge was stopped before the task was done.'));
    await all();
    await this.#saved();
  }

  #start(job: Job, prompt: string, metadata: ReturnType<typeof askMetadata>): void {
    const stop = new AbortController();
    const { slots } = this.o;
    const questions = new TaskQuestions(job, (waits) => {
      if (working.slot !== waits || job.ended) return;
      working.slot = !waits;
      if (waits) slots.release();
      else slots.retake();
    });
    const working: Working = { job, stop, questions, slot: false, done: Promise.resolve() };
    this.#working.set(job.id, working);
    const timer = setTimeout(() => {
      this.#stop(working, TaskState.TASK_STATE_FAILED, l10n.t('The task took longer than the bridge allows.'));
    }, this.o.maxAge);
    timer.unref();
    working.done = this.#run(working, prompt, metadata).finally(async () => {
      clearTimeout(timer);
      await this.#saved();
      this.#working.delete(job.id);
    });
  }

  async #run(working: Working, prompt: string, metadata: ReturnType<typeof askMetadata>): Promise<void> {
    const { job, stop } = working;
    const { slots, agent } = this.o;
    const { trace } = metadata;
    if (trace !== undefined && this.#traces.has(trace)) {
      const words = l10n.t(
        '{0} was not asked: it already works on this very question. Answer with what you know.',
        agent,
      );
      job.set(statusOf(job, TaskState.TASK_STATE_REJECTED, words));
      return;
    }
    if (trace !== undefined) this.#traces.add(trace);
    try {
      await slots.acquire(stop.signal);
      working.slot = true;
      await this.#ask(working, prompt, metadata);
    } catch (error) {
      this.o.log.info(`${agent}, task ${job.id}: ${describe(error)}`);
      job.set(working.end ? statusOf(job, working.end.state, working.end.words) : endOf(error, job));
    } finally {
      if (working.slot) slots.release();
      if (trace !== undefined) this.#traces.delete(trace);
    }
  }

  async #ask(
    { job, stop, questions }: Working,
    prompt: string,
    metadata: ReturnType<typeof askMetadata>,
  ): Promise<void> {
    const { agent, config, relay, cwd } = this.o;
    const yolo = config.serve?.yolo === true;
    const text = new AnswerText();
    const streams = !holdsBack(config);
    let shownAt = 0;
    const show = () => {
      shownAt = performance.now();
      // a break at the end may yet become another one
      job.say(text.text().trimEnd());
    };
    const events = relay.ask({
      id: job.id,
      agent,
      prompt,
      caller: { kind: 'script', name: l10n.t('a caller from outside') },
      config: yolo ? config : withoutYolo(config, agent),
      chain: metadata.chain,
      depth: metadata.depth - 1,
      path: [],
      cwd,
      permissions: metadata.canAnswer ? questions : nobody,
      grants: noGrants,
      liveYolo: () => yolo,
      signal: stop.signal,
    });
    for await (const event of events) {
      if (event.type === 'end') {
        job.complete(event.answer.text.trimEnd());
        continue;
      }
      if (event.type === 'starting' && job.status.state === TaskState.TASK_STATE_SUBMITTED)
        job.set(statusOf(job, TaskState.TASK_STATE_WORKING));
      text.event(event);
      const asks = event.type === 'permission' && event.state === 'waiting';
      if (streams && (asks || (event.type === 'update' && performance.now() - shownAt >= text.pace))) show();
      if (asks) questions.show(event.question.id);
    }
    if (!job.ended) throw new Error(`${agent} gave no answer`);
  }

  #stop(working: Working, state: TaskState, words: string): void {
    working.end ??= { state, words };
    working.stop.abort();
  }

  /** One after the other, so that an older status never overwrites a newer one. */
  #save(task: Task): void {
    this.#saving = this.#saving
      .then(() => this.o.store.save(this.o.agent, task))
      .catch((error: unknown) => this.o.log.error(l10n.t('A task could not be kept: {0}', describe(error))));
  }

  #saved(): Promise<void> {
    return this.#saving;
  }
}

/** What a stranger sets off runs without a question only by `serve: {yolo: true}`, whatever the owner gave themselves. */
function withoutYolo(config: MmConfig, agent: string): MmConfig {
  const entry = config.mmConfigs.get(agent);
  if (!entry) return config;
  return { ...config, yolo: false, mmConfigs: new Map([...config.mmConfigs, [agent, { ...entry, yolo: false }]]) };
}

/** Marks what a process that died has left behind. @returns how many tasks. */
export async function markLost(store: TaskStore): Promise<number> {
  const lost = await store.open();
  for (const { agent, task } of lost) {
    if (isEnd(task.status)) continue;
    const words = l10n.t('The bridge ended while it worked on this task. Send the question again as a new message.');
    task.status = statusOf(task, TaskState.TASK_STATE_FAILED, words);
    await store.save(agent, task);
  }
  return lost.length;
}

function delay(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    for (const signal of signals) {
      const now = () => {
        clearTimeout(timer);
        resolve();
      };
      if (signal?.aborted) now();
      signal?.addEventListener('abort', now, { once: true });
    }
  });
}
