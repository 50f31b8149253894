import { randomUUID } from 'node:crypto';
import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { AskError } from '../../ask/errors';
import type { PermissionQuestion } from '../../ask/types';
import { describe } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { cap, visible } from '../../base/text';

/** A2A's own objects, every field of them, as the SDK's codecs want them. */

const ends: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** The task has ended. */
export function isEnd(status: TaskStatus | undefined): boolean {
  return status !== undefined && ends.has(status.state);
}

/** Nothing more comes by itself: the task has ended, or waits for its caller. */
export function isRest(status: TaskStatus | undefined): boolean {
  return isEnd(status) || status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
}

export function textPart(text: string): Part {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

/**
 * A status; its words only where the state is no answer and no work: a chat façade takes the text of a status for the answer
 * (facts/proxy-a2a.md, 2.1).
 */
export function statusOf(
  task: Pick<Task, 'id' | 'contextId'>,
  state: TaskState,
  words?: string,
  metadata?: Record<string, unknown>,
): TaskStatus {
  const message: Message | undefined =
    words === undefined
      ? undefined
      : {
          messageId: randomUUID(),
          contextId: task.contextId,
          taskId: task.id,
          role: Role.ROLE_AGENT,
          parts: [textPart(words)],
          metadata,
          extensions: [],
          referenceTaskIds: [],
        };
  return { state, message, timestamp: new Date().toISOString() };
}

/** The one artifact of a task: its answer, as one part of text. */
export function answerArtifact(text: string): Artifact {
  return {
    artifactId: 'answer',
    name: 'answer',
    description: '',
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
  };
}

/** How a task ends whose ask left no answer. What a stranger reads has no path of this machine in it: those are in the hints. */
export function endOf(error: unknown, task: Pick<Task, 'id' | 'contextId'>): TaskStatus {
  if (!(error instanceof AskError)) return statusOf(task, TaskState.TASK_STATE_FAILED, l10n.t('The bridge failed.'));
  const words = cap(error.forModel, 10_000).text;
  if (error.failure === 'cancelled') return statusOf(task, TaskState.TASK_STATE_CANCELED, words);
  const rejected = ['depth', 'cycle', 'refused', 'hook', 'unknown-agent'].includes(error.failure);
  return statusOf(task, rejected ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED, words);
}

/** Characters of a call that a stranger's person is shown; a longer one is refused, since nobody has seen it whole. */
const mostOfQuestion = 50_000;

/** The question in words, with all that the call would do; nothing where that is too long to be shown whole. */
export function questionWords(question: PermissionQuestion): string | undefined {
  const { toolCall, cwd, name, path } = question;
  let input: string;
  try {
    const { rawInput } = toolCall;
    const { command, cwd: folder, ...rest } = (rawInput ?? {}) as Record<string, unknown>;
    // a command alone is shown as it will run; its folder stands above it
    const bare = typeof command === 'string' && Object.keys(rest).length === 0;
    input = bare && (folder === undefined || folder === cwd) ? command : (JSON.stringify(rawInput, undefined, 2) ?? '');
  } catch (error) {
    input = describe(error);
  }
  const title = typeof toolCall.title === 'string' ? toolCall.title : '';
  const words = [
    l10n.t('{0} wants to use {1} in {2}:', path.at(-1) ?? name, name, cwd),
    ...(title && !input.includes(title) ? [title] : []),
    ...(input ? [input] : []),
    l10n.t('Answer with the one word “allow” or “reject”.'),
  ].map(visible);
  const text = words.join('\n\n');
  return text.length > mostOfQuestion ? undefined : text;
}
