import type { Lane } from '../../../src/chat/lane';
import type { Node, Patch } from '../../../src/chat/nodes';
import { Thread } from '../../../src/chat/patch';
import type { ChatQuestion } from '../../../src/chat/question';
import type { NameOf } from '../../../src/chat/tool';
import { Writer } from '../../../src/chat/writer';

/** A conversation in memory, with every patch that it made, and a clock that counts. */
export function conversation(o: { keep?: boolean } = {}) {
  const thread = new Thread();
  const patches: Patch[] = [];
  let clock = 1_000;
  const places = new Map<string, { card: boolean; more: number }>();
  const writer = new Writer({
    thread,
    // what a consumer keeps must not change behind its back
    emit: (patch) => {
      if (o.keep !== false) patches.push(structuredClone(patch));
    },
    now: () => clock++,
    face: (name) => ({ name }),
    questionPlace: (id) => places.get(id) ?? { card: false, more: 0 },
  });
  const nameOf: NameOf = (call) => (call.kind === 'execute' ? 'bash' : (call.name ?? call.kind ?? 'tool'));
  const turn = (): Lane => writer.turn({ name: 'Ada' }, nameOf);
  const ask = (): Lane =>
    writer.ask(
      { agent: { name: 'bob' }, askedBy: 'You', prompt: 'safe?', withContext: false },
      (c) => `bob/${nameOf(c)}`,
    );
  const of = <K extends Node['kind']>(kind: K): Extract<Node, { kind: K }>[] =>
    thread.nodes().filter((n): n is Extract<Node, { kind: K }> => n.kind === kind);
  return { thread, patches, writer, turn, ask, of, nameOf, places };
}

export const text = (words: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: words },
  ...(messageId === undefined ? {} : { messageId }),
});

export const thought = (words: string) => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text: words },
});

export const call = (id: string, more: object = {}) => ({ sessionUpdate: 'tool_call', toolCallId: id, ...more });
export const update = (id: string, more: object = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: id,
  ...more,
});

export const question = (over: Partial<ChatQuestion> = {}): ChatQuestion => ({
  id: 'q1',
  path: ['bob'],
  tool: 'bash',
  name: 'bob/bash',
  toolCall: { toolCallId: 't1', title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } },
  cwd: '/work',
  chain: ['You', 'bob'],
  keyFile: false,
  cannotAllow: false,
  ...over,
});

/** Kinds and words of the entries below the first turn or ask, in order. */
export function rows(thread: Thread): string[] {
  return thread.nodes().flatMap((n) => {
    if (n.kind === 'text' || n.kind === 'thought') return [`${n.kind}: ${n.text}`];
    if (n.kind === 'tool') return [`tool: ${n.name} ${n.what} ${n.state}`];
    if (n.kind === 'unsupported') return [`unsupported: ${n.label}`];
    return [];
  });
}
