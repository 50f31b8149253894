import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { Job } from '../../../../src/a2a/bridge/job';
import { statusOf } from '../../../../src/a2a/bridge/words';

const never = new AbortController().signal;
const idle = () => new Promise((resolve) => setImmediate(resolve));
function setUp() {
  const saved: (TaskState | undefined)[] = [];
  const job = new Job({ id: 't', contextId: 'c', history: [], metadata: undefined }, (task) =>
    saved.push(task.status?.state),
  );
  return { job, saved, to: (state: TaskState, words?: string) => job.set(statusOf(job, state, words)) };
}
const short = ({ payload }: StreamResponse): string => {
  if (payload?.$case === 'statusUpdate') return TaskState[payload.value.status!.state]!.slice(11);
  if (payload?.$case === 'task') return `task ${payload.value.artifacts.flatMap((a) => a.parts).length}`;
  if (payload?.$case !== 'artifactUpdate') return '?';
  const { append, lastChunk, artifact } = payload.value;
  return `${append ? '+' : '='}${artifact!.parts[0]!.content!.value}${lastChunk ? '.' : ''}`;
};
async function read(job: Job, signal = never): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of job.follow(signal)) seen.push(short(event));
  return seen;
}

describe('a task and its readers', () => {
  it('streams pieces of one artifact, and keeps them as one part', async () => {
    const { job, saved, to } = setUp();
    const reading = read(job);
    await idle();
    to(TaskState.TASK_STATE_WORKING);
    await idle();
    job.say('Hello');
    await idle();
    job.say('Hello big');
    await idle();
    job.complete('Hello big world.');
    expect(await reading).toEqual(['task 0', 'WORKING', '=Hello', '+ big', '+ world..', 'COMPLETED']);
    expect(saved).toEqual([
      TaskState.TASK_STATE_SUBMITTED,
      TaskState.TASK_STATE_WORKING,
      TaskState.TASK_STATE_COMPLETED,
    ]);
    expect(job.snapshot()).toMatchObject({
      status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined },
      artifacts: [{ parts: [{ content: { value: 'Hello big world.' } }] }],
    });
  });

  it('gives one who comes late what there is, and then the rest; nothing to one who comes after the end', async () => {
    const { job } = setUp();
    job.say('a');
    const late = read(job);
    await idle();
    job.say('ab');
    job.complete('abc');
    expect(await late).toEqual(['task 1', '+bc.', 'COMPLETED']);
    expect(await read(job)).toEqual(['task 1']);
  });

  it('sends an answer that became another one whole', async () => {
    const { job } = setUp();
    const reading = read(job);
    await idle();
    job.say('secret');
    await idle();
    job.complete('[removed]');
    expect(await reading).toEqual(['task 0', '=secret', '=[removed].', 'COMPLETED']);
  });

  it('ends a stream at a question, with the words before it, and goes on for the next', async () => {
    const { job, to } = setUp();
    const first = read(job);
    await idle();
    job.say('I will');
    to(TaskState.TASK_STATE_INPUT_REQUIRED, 'May I?');
    expect(await first).toEqual(['task 0', '=I will', 'INPUT_REQUIRED']);
    expect(await job.rest(never)).toMatchObject({ status: { message: { parts: [{ content: { value: 'May I?' } }] } } });
    to(TaskState.TASK_STATE_WORKING);
    const second = read(job);
    await idle();
    job.complete('I will. Done.');
    expect(await second).toEqual(['task 1', '+. Done..', 'COMPLETED']);
  });

  it('changes nothing after the end', () => {
    const { job, saved, to } = setUp();
    to(TaskState.TASK_STATE_CANCELED);
    job.say('late');
    job.complete('late');
    to(TaskState.TASK_STATE_FAILED);
    expect(saved).toHaveLength(2);
    expect(job.snapshot()).toMatchObject({ status: { state: TaskState.TASK_STATE_CANCELED }, artifacts: [] });
  });

  it('lets go of a reader who leaves', async () => {
    const { job } = setUp();
    const leave = new AbortController();
    const reading = read(job, leave.signal);
    const resting = job.rest(leave.signal);
    await idle();
    leave.abort();
    expect(await reading).toEqual(['task 0']);
    expect((await resting).status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  });
});
