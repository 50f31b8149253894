import { type Message, TaskState } from '@a2a-js/sdk';
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from '../../ask/types';
import { l10n } from '../../base/l10n';
import { allows } from './incoming';
import type { Job } from './job';
import { questionWords, statusOf } from './words';

interface Open {
  question: PermissionQuestion;
  words: string;
  answer(answer: PermissionAnswer): void;
}

/**
 * The questions of one task, to a caller who can answer them: one at a time, the task waits in `input-required` with the whole question as
 * its status, and the next message with its id answers. An answer holds for that one call and is never remembered.
 */
export class TaskQuestions implements PermissionAsker {
  readonly canAnswer = true;
  /** Asked by the relay, whose events have not got there yet. */
  readonly #asked = new Map<string, Open>();
  /** Shown to the caller, one after the other. */
  #open: Open[] = [];

  constructor(
    private readonly job: Job,
    /** The task begins to wait, or goes on: meanwhile another one may work. */
    private readonly pause: (waits: boolean) => void,
  ) {}

  get waiting(): boolean {
    return this.#open.length > 0;
  }

  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const words = questionWords(question);
    // what nobody can read whole nobody can allow
    if (words === undefined) return Promise.resolve('reject');
    return new Promise((resolve) => {
      const moot = () => {
        const current = this.#open[0] === open;
        this.#asked.delete(question.id);
        this.#open = this.#open.filter((one) => one !== open);
        resolve('cancelled');
        if (current) this.#next();
      };
      const open: Open = {
        question,
        words,
        answer: (answer) => {
          signal.removeEventListener('abort', moot);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', moot, { once: true });
      this.#asked.set(question.id, open);
    });
  }

  /** All that came before the question has been taken: now the caller gets it. */
  show(id: string): void {
    const open = this.#asked.get(id);
    if (!open) return;
    this.#asked.delete(id);
    this.#open.push(open);
    if (this.#open.length > 1) return;
    this.pause(true);
    this.#show();
  }

  /** Answers the question that the caller has seen. @returns false when none waits. */
  answer(message: Message): boolean {
    const open = this.#open.shift();
    if (!open) return false;
    open.answer(allows(message) ? 'allow_once' : 'reject');
    this.#next();
    return true;
  }

  #next(): void {
    this.job.set(statusOf(this.job, TaskState.TASK_STATE_WORKING));
    if (this.#open.length > 0) this.#show();
    else this.pause(false);
  }

  #show(): void {
    const { question, words } = this.#open[0]!;
    const { name, path, tool, cwd, chain, keyFile, cannotAllow } = question;
    const mm = { question: { name, path, tool, cwd, chain, keyFile, cannotAllow } };
    const text = cannotAllow
      ? `${words}\n\n${l10n.t('The agent offers no way to allow a single call, so it can only be rejected.')}`
      : words;
    this.job.set(statusOf(this.job, TaskState.TASK_STATE_INPUT_REQUIRED, text, { mm }));
  }
}
