import { AskError } from '../../../src/ask/errors';
import type { Answer, AskEvent } from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';
import type { AskableAgent } from '../../../src/chat/page';
import type { OutsideAsk, OutsideRun } from '../../../src/host/outside';
import type { EditorChatDeps, OutsideHost } from '../../../src/vscode/participant';
import { CancellationTokenSource } from '../../support/vscode';

export function agent(name: string, description = '', model?: string): AskableAgent {
  return { name, description, state: 'asleep', ...(model === undefined ? {} : { model }) };
}

export function text(words: string, messageId?: string): AskEvent {
  const content = { type: 'text', text: words };
  return { type: 'update', update: { sessionUpdate: 'agent_message_chunk', content, messageId } as never };
}

export function call(id: string, title: string, more: object = {}): AskEvent {
  return {
    type: 'update',
    update: { sessionUpdate: 'tool_call', toolCallId: id, kind: 'execute', title, ...more } as never,
  };
}

export const thought: AskEvent = {
  type: 'update',
  update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } } as never,
};

export function end(words: string, o: Partial<Answer> = {}): AskEvent {
  const agentFace = { name: 'bob' };
  const base = { kept: words, truncated: 0, agent: 'bob', stopReason: 'end_turn', refused: [], prompt: '', agentFace };
  return { type: 'end', answer: { ...base, text: words, ...o } };
}

/** A window in which every ask does the same. */
export class FakeHost implements OutsideHost {
  asked: OutsideAsk[] = [];
  blocked: Error | undefined;
  held = false;
  list = [agent('bob', 'SQL', 'qwen3:8b'), agent('riker')];

  constructor(public play: (ask: OutsideAsk) => AsyncIterable<AskEvent>) {}

  get agents() {
    return this.list.map(({ name }) => name);
  }
  async askable() {
    return this.list;
  }
  ready() {
    if (this.blocked) throw this.blocked;
  }
  askOutside(ask: OutsideAsk): OutsideRun {
    this.ready();
    this.asked.push(ask);
    return { events: this.play(ask), held: this.held };
  }
}

/** Says its events one after the other. */
export function says(...events: AskEvent[]): () => AsyncIterable<AskEvent> {
  return async function* () {
    yield* events;
  };
}

/** Says something and then works until it is cancelled. */
export async function* untilCancelled(ask: OutsideAsk): AsyncIterable<AskEvent> {
  yield text('so far');
  if (!ask.signal.aborted)
    await new Promise<void>((resolve) => ask.signal.addEventListener('abort', () => resolve(), { once: true }));
  throw new AskError('cancelled', 'cancelled');
}

export function depsOf(host: FakeHost, o: Partial<EditorChatDeps> = {}): EditorChatDeps {
  return {
    host: async () => host,
    folders: () => ['/shop'],
    pickFolder: async () => undefined,
    log: silentLog,
    ...o,
  };
}

/** What the chat shows, in the order in which it came. */
export class FakeStream {
  parts: {
    kind: 'markdown' | 'progress' | 'button';
    text: string;
    trusted?: unknown;
    html?: unknown;
    args?: unknown;
  }[] = [];
  markdown(value: string | { value: string; isTrusted?: unknown; supportHtml?: unknown }) {
    if (typeof value === 'string') this.parts.push({ kind: 'markdown', text: value });
    else this.parts.push({ kind: 'markdown', text: value.value, trusted: value.isTrusted, html: value.supportHtml });
  }
  progress(text: string) {
    this.parts.push({ kind: 'progress', text });
  }
  button(command: { command: string; title: string; arguments?: unknown[] }) {
    this.parts.push({ kind: 'button', text: `${command.title}: ${command.command}`, args: command.arguments });
  }
  get words() {
    return this.of('markdown').join('');
  }
  of(kind: 'markdown' | 'progress' | 'button') {
    return this.parts.filter((part) => part.kind === kind).map((part) => part.text);
  }
}

export const token = () => new CancellationTokenSource();
