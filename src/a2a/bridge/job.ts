import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { answerArtifact, isEnd, isRest, statusOf } from './words';

/** One status of a task, and how much of the answer had come before it. */
interface Step {
  status: TaskStatus;
  text: number;
}

/** How far a reader is. */
interface Place {
  steps: number;
  text: number;
  edition: number;
}

/**
 * One task while it lives here: its statuses, its answer as far as it has come, and whoever reads along. Readers hold a place, not a queue:
 * one that is slow gets what came meanwhile in one piece, one that left costs nothing, and the work knows of neither.
 */
export class Job {
  readonly id: string;
  readonly contextId: string;
  readonly #history: Message[];
  readonly #metadata: Task['metadata'];
  readonly #steps: Step[] = [];
  #text = '';
  /** Counts how often the answer was replaced and not added to. */
  #edition = 0;
  #whole = false;
  #readers = new Set<() => void>();

  constructor(
    task: Pick<Task, 'id' | 'contextId' | 'history' | 'metadata'>,
    /** Hears every new status, in order, with the task as it is then. */
    private readonly onStatus: (task: Task) => void,
  ) {
    this.id = task.id;
    this.contextId = task.contextId;
    this.#history = [...task.history];
    this.#metadata = task.metadata;
    this.set(statusOf(this, TaskState.TASK_STATE_SUBMITTED));
  }

  get status(): TaskStatus {
    return this.#steps.at(-1)!.status;
  }

  get ended(): boolean {
    return isEnd(this.status);
  }

  /** A new status; after the end nothing changes any more. */
  set(status: TaskStatus): void {
    if (this.#steps.length > 0 && this.ended) return;
    this.#steps.push({ status, text: this.#text.length });
    if (status.message) this.#history.push(status.message);
    this.onStatus(this.snapshot());
    this.#wake();
  }

  /** A message of the caller's that goes with the task. */
  hear(message: Message): void {
    this.#history.push(message);
  }

  /** The answer as far as it has come. */
  say(text: string): void {
    if (this.ended || text === this.#text) return;
    if (!text.startsWith(this.#text)) this.#edition++;
    this.#text = text;
    this.#wake();
  }

  /** The whole answer, and the end. */
  complete(text: string): void {
    this.say(text);
    this.#whole = true;
    this.set(statusOf(this, TaskState.TASK_STATE_COMPLETED));
  }

  snapshot(): Task {
    return {
      id: this.id,
      contextId: this.contextId,
      status: this.status,
      artifacts: this.#artifacts(),
      history: [...this.#history],
      metadata: this.#metadata,
    };
  }

  #artifacts(): Artifact[] {
    return this.#text === '' ? [] : [answerArtifact(this.#text)];
  }

  /** The task when nothing more comes of it by itself. */
  async rest(signal: AbortSignal | undefined): Promise<Task> {
    while (!isRest(this.status)) if (!(await this.#changed(signal))) break;
    return this.snapshot();
  }

  /** The task, and what happens to it from now on, until it rests or the reader leaves. */
  async *follow(signal: AbortSignal | undefined): AsyncGenerator<StreamResponse, void, undefined> {
    const place: Place = { steps: this.#steps.length, text: this.#text.length, edition: this.#edition };
    yield { payload: { $case: 'task', value: this.snapshot() } };
    if (isRest(this.status) && place.steps === this.#steps.length) return;
    for (;;) {
      const step = this.#steps[place.steps];
      const chunk = this.#chunk(place, step?.text ?? this.#text.length);
      if (chunk) {
        yield chunk;
        continue;
      }
      if (step) {
        place.steps++;
        const { id: taskId, contextId } = this;
        yield {
          payload: { $case: 'statusUpdate', value: { taskId, contextId, status: step.status, metadata: undefined } },
        };
        // a question that has been answered meanwhile ends no stream
        if (isRest(step.status) && place.steps === this.#steps.length) return;
        continue;
      }
      if (!(await this.#changed(signal))) return;
    }
  }

  /** What of the answer the reader has not had, up to the status that comes next. */
  #chunk(place: Place, until: number): StreamResponse | undefined {
    if (place.edition !== this.#edition) Object.assign(place, { edition: this.#edition, text: 0 });
    const to = Math.min(until, this.#text.length);
    if (to <= place.text) return undefined;
    const artifact = answerArtifact(this.#text.slice(place.text, to));
    const append = place.text > 0;
    place.text = to;
    const lastChunk = this.#whole && to === this.#text.length;
    const { id: taskId, contextId } = this;
    return {
      payload: {
        $case: 'artifactUpdate',
        value: { taskId, contextId, artifact, append, lastChunk, metadata: undefined },
      },
    };
  }

  /** @returns false when the reader left. */
  #changed(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (on: boolean) => {
        this.#readers.delete(wake);
        signal?.removeEventListener('abort', left);
        resolve(on);
      };
      const wake = () => done(true);
      const left = () => done(false);
      this.#readers.add(wake);
      signal?.addEventListener('abort', left, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#readers]) wake();
  }
}
