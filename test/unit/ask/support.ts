import type { AskResult } from '../../../src/acp/meta';
import type { AnyUpdate, PermissionOption, ToolCallUpdate } from '../../../src/acp/types';
import type { AskError } from '../../../src/ask/errors';
import { ConversationGrants } from '../../../src/ask/grants';
import { Relay, type RelayOptions } from '../../../src/ask/relay';
import type {
  AskEvent,
  AskRequest,
  AskTarget,
  PermissionAnswer,
  PermissionAsker,
  PermissionQuestion,
  TargetRequest,
  TargetSession,
} from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';
import type { AgentEntry, MmConfig } from '../../../src/config/types';

export const usualOptions: PermissionOption[] = [
  { optionId: 'always', kind: 'allow_always', name: 'Always' },
  { optionId: 'once', kind: 'allow_once', name: 'Once' },
  { optionId: 'never', kind: 'reject_always', name: 'Never' },
  { optionId: 'no', kind: 'reject_once', name: 'No' },
];

export const bashCall: ToolCallUpdate = {
  toolCallId: 'c1',
  name: 'bash',
  kind: 'execute',
  title: 'npm test',
  rawInput: { command: 'npm test' },
};

export function text(words: string, messageId?: string): AnyUpdate {
  const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text: words } };
  return messageId === undefined ? update : { ...update, messageId };
}

/** What a scripted agent can do in its one turn. */
export interface Turn {
  request: TargetRequest;
  prompt: string;
  say(words: string): Promise<void>;
  update(update: AnyUpdate): Promise<void>;
  permission(o?: {
    toolCall?: ToolCallUpdate;
    options?: PermissionOption[];
    meta?: unknown;
  }): Promise<string | undefined>;
  ask(agent: string, prompt: string, context?: string): Promise<AskResult>;
  /** Resolves when the ask was cancelled. */
  stopped: Promise<void>;
}

export type Play = (
  turn: Turn,
) => Promise<string | undefined | { stopReason: string; usage?: { totalTokens: number } }>;

/** Agents by name, each a function of its turn. Counts what was opened and closed. */
export class FakeTarget implements AskTarget {
  opened: TargetRequest[] = [];
  prompts: string[] = [];
  closed = 0;
  failOpen: Error | undefined;

  constructor(private readonly agents: Record<string, Play>) {}

  serves(): boolean {
    return true;
  }

  async open(request: TargetRequest): Promise<TargetSession> {
    if (this.failOpen) throw this.failOpen;
    this.opened.push(request);
    const play = this.agents[request.name]!;
    return {
      sessionId: `s${this.opened.length}`,
      face: { name: request.name, title: `${request.name} title`, provider: 'openai', model: 'qwen3:8b' },
      prompt: async (prompt) => {
        this.prompts.push(prompt);
        const stopped = new Promise<void>((resolve) => {
          if (request.signal.aborted) resolve();
          request.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        const ended = await play({
          request,
          prompt,
          say: async (words) => await request.onUpdate(text(words)),
          update: async (update) => await request.onUpdate(update),
          permission: ({ toolCall = bashCall, options = usualOptions, meta } = {}) =>
            request.onPermission({ toolCall, options, meta }, new AbortController().signal),
          ask: (agent, question, context) =>
            request.onAsk!({ toolCallId: 't1', agent, prompt: question, context }, new AbortController().signal),
          stopped,
        });
        return typeof ended === 'object' ? ended : { stopReason: ended ?? 'end_turn' };
      },
      close: () => {
        this.closed++;
      },
    };
  }
}

/** Answers what it is told, and remembers what it was asked. */
export class FakeAsker implements PermissionAsker {
  asked: PermissionQuestion[] = [];
  signals: AbortSignal[] = [];
  canAnswer = true;

  constructor(
    private readonly answers:
      | PermissionAnswer[]
      | ((q: PermissionQuestion) => PermissionAnswer | Promise<PermissionAnswer>) = [],
  ) {}

  async ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    this.asked.push(question);
    this.signals.push(signal);
    if (typeof this.answers === 'function') return this.answers(question);
    const answer = this.answers.shift();
    return answer ?? new Promise(() => undefined);
  }
}

export function entry(name: string, o: Partial<AgentEntry> = {}): AgentEntry {
  return { kind: 'path', path: `/agents/${name}.yaml`, env: {}, ...o } as AgentEntry;
}

export function config(entries: Record<string, AgentEntry>, o: Partial<MmConfig> = {}): MmConfig {
  return {
    file: '/agents/home.yaml',
    hash: 'h',
    acp: {},
    provider: 'demo',
    model: 'demo',
    yolo: false,
    maxOutput: 20_000,
    bashTimeout: 120,
    watchdogTimeout: 300,
    mmConfigs: new Map(Object.entries(entries)),
    ...o,
  };
}

export function request(o: Partial<AskRequest> = {}): AskRequest {
  return {
    id: 'ask-1',
    agent: 'bob',
    prompt: 'is this safe?',
    caller: { kind: 'person', name: 'You' },
    config: config({ bob: entry('bob'), riker: entry('riker') }),
    chain: [{ name: 'Ada', id: 'home' }],
    depth: 0,
    path: [],
    cwd: '/work',
    permissions: new FakeAsker(),
    grants: new ConversationGrants(),
    liveYolo: () => false,
    signal: new AbortController().signal,
    ...o,
  };
}

export function relayOf(target: AskTarget, o: Partial<RelayOptions> = {}): Relay {
  return new Relay({ targets: [target], log: silentLog, hub: false, cancelGrace: 200, ...o });
}

export async function collect(events: AsyncIterable<AskEvent>): Promise<{ events: AskEvent[]; error?: AskError }> {
  const all: AskEvent[] = [];
  try {
    for await (const event of events) all.push(event);
  } catch (error) {
    return { events: all, error: error as AskError };
  }
  return { events: all };
}

export function answerOf(events: AskEvent[]) {
  const end = events.at(-1);
  if (end?.type !== 'end') throw new Error(`no answer: ${JSON.stringify(end)}`);
  return end.answer;
}
