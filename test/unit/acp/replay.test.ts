import { describe, expect, test } from 'vitest';
import { AnswerText } from '../../../src/ask/answer';
import type { Lane } from '../../../src/chat/lane';
import { bytewise, type Line, readRecording, recordings, replay, type Seen, whole } from '../../support/replay';
import { conversation, question } from '../chat/helper';

/** Recordings of real agents through our client, its reducer and the relay's answer: at full speed and one byte at a time. */

// biome-ignore lint/suspicious/noExplicitAny: recorded frames
type Anything = any;

/** What the window makes of a recording: one turn for each prompt, and the answer that an ask would have. */
function transcriptOf(seen: Seen[]) {
  const c = conversation({ keep: false });
  const answers: string[] = [];
  let lane: Lane | undefined;
  let answer = new AnswerText();
  let asked = 0;
  for (const event of seen) {
    switch (event.kind) {
      case 'asked':
        if (event.method !== 'session/prompt') break;
        lane = c.turn();
        answer = new AnswerText();
        break;
      case 'update':
        if (!event.prompting) break;
        answer.feed(event.update);
        lane!.update(event.update);
        break;
      case 'permission': {
        const allowed =
          (event.outcome as Anything).optionId !== undefined && !/reject|deny|no|abort/i.test(idOf(event));
        const q = question({ id: `q${++asked}`, name: 'bash', toolCall: event.request.toolCall as Anything });
        lane!.question(q);
        lane!.settled(q, { outcome: allowed ? 'allowed' : 'rejected', by: 'person' });
        break;
      }
      case 'cancel':
        lane!.stopping();
        break;
      case 'answer':
      case 'error':
        if (event.method !== 'session/prompt') break;
        lane!.answered(event.kind === 'answer' ? event.result.stopReason : 'end_turn');
        answers.push(answer.text());
    }
  }
  return { c, answers };
}

/** The kind of option that the recorded person chose. */
function idOf({ request, outcome }: Extract<Seen, { kind: 'permission' }>): string {
  const { optionId } = outcome as { optionId?: string };
  return request.options.find((o) => o.optionId === optionId)?.kind ?? 'reject';
}

/** Words of the agent in each turn, taken from the recording itself. */
function wordsOf(lines: Line[], kind: string): string[] {
  const turns: string[] = [];
  let prompt: unknown;
  for (const { dir, msg } of lines) {
    if (dir === 'c->a' && msg.method === 'session/prompt') {
      prompt = msg.id;
      turns.push('');
    } else if (dir === 'a->c' && msg.method === undefined && msg.id === prompt) prompt = undefined;
    const update = dir === 'a->c' && prompt !== undefined ? msg.params?.update : undefined;
    if (update?.sessionUpdate === kind && update.content.type === 'text')
      turns[turns.length - 1] += update.content.text;
  }
  return turns;
}

const squeezed = (texts: string[]) => texts.map((text) => text.replace(/\s+/g, ''));

test('there are recordings of six agents, with allowing, rejecting, stopping and foreign requests', () => {
  const agents = new Set(recordings.map((name) => name.split('.')[0]));
  expect(agents.size).toBe(6);
  for (const agent of agents)
    for (const variant of ['', '.reject', '.cancel', '.caps']) expect(recordings).toContain(`${agent}${variant}.jsonl`);
});

describe.each(recordings)('%s', (name) => {
  const lines = readRecording(name);
  const updates = lines
    .filter((l) => l.dir === 'a->c' && l.msg.method === 'session/update')
    .map((l) => l.msg.params.update);
  const fast = replay(lines, whole);

  test('our client hears everything, once, in the recorded order, and takes nothing for noise', async () => {
    const { seen, noise } = await fast;
    expect(noise).toBe(0);
    expect(seen.flatMap((e) => (e.kind === 'update' ? [e.update] : []))).toEqual(updates);
    const kinds = lines
      .filter((l) => l.dir === 'a->c')
      .map((l) => l.msg.method ?? (l.msg.result?.stopReason === undefined ? undefined : 'end of turn'))
      .filter((kind) => ['session/update', 'session/request_permission', 'end of turn'].includes(kind));
    const ours: Record<string, string> = { update: 'session/update', permission: 'session/request_permission' };
    expect(
      seen.flatMap((e) =>
        e.kind === 'answer' && e.method === 'session/prompt' ? ['end of turn'] : (ours[e.kind] ?? []),
      ),
    ).toEqual(kinds);
  });

  test('byte by byte the same events, the same transcript and the same answers', async () => {
    const [a, b] = [await fast, await replay(lines, bytewise)];
    expect(b).toEqual(a);
    const [one, two] = [transcriptOf(a.seen), transcriptOf(b.seen)];
    expect(two.c.thread.nodes()).toEqual(one.c.thread.nodes());
    expect(two.answers).toEqual(one.answers);
  });

  test('no word is lost or doubled, in the view and in an answer', async () => {
    const { c, answers } = transcriptOf((await fast).seen);
    const turns = c.of('turn');
    const shown = (kind: 'text' | 'thought') =>
      turns.map((turn) =>
        c
          .of(kind)
          .filter((n) => n.parent === turn.id)
          .map((n) => n.text)
          .join(''),
      );
    expect(shown('text')).toEqual(wordsOf(lines, 'agent_message_chunk'));
    expect(shown('thought')).toEqual(wordsOf(lines, 'agent_thought_chunk'));
    expect(squeezed(answers)).toEqual(squeezed(wordsOf(lines, 'agent_message_chunk')));
    expect(c.of('unsupported')).toEqual([]);
  });

  test('F035 F036 every call has one card, a command that can be read, and an end', async () => {
    const { c } = transcriptOf((await fast).seen);
    const tools = c.of('tool');
    const named = lines.flatMap(({ msg }) => msg.params?.update?.toolCallId ?? msg.params?.toolCall?.toolCallId ?? []);
    expect(tools.map((t) => t.toolCallId)).toEqual([...new Set(named)]);
    const last = new Map(updates.filter((u) => u.toolCallId && u.status).map((u) => [u.toolCallId, u.status]));
    for (const tool of tools) {
      const status = last.get(tool.toolCallId);
      const right = { completed: /^done$/, failed: /^(failed|rejected|cancelled)$/ }[status as string];
      expect(tool.state).toMatch(right ?? /^(rejected|cancelled|no-result)$/);
      expect(tool.endedAt !== undefined || tool.state === 'rejected').toBe(true);
      if (tool.toolKind === 'execute') expect(tool.what).toMatch(/touch|echo|ls|cat/);
    }
    for (const n of [...c.of('text'), ...c.of('thought')]) expect(n.done).toBe(true);
    for (const n of c.of('permission')) expect(n.state).not.toBe('waiting');
  });
});
