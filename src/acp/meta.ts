/**
 * Our extensions, all under `_meta.mm` and `_mm/…` (design, section 5), so that any other editor or agent still works.
 * What arrives is untrusted: read it through the functions below.
 */

/** `clientCapabilities._meta.mm` of `initialize`. */
export interface ClientMeta {
  /** This client is a hub: send `_mm/ask` to it instead of starting children. */
  ask?: boolean;
}

/** `agentCapabilities._meta.mm` of the answer to `initialize`. */
export interface AgentMeta {
  /** The agent takes `_mm/exchange`. */
  exchange?: boolean;
  provider?: string;
  model?: string;
}

/** One step of a chain of asks. `id` is a SHA-256 of the agent's file or command line, so that no path travels (rule 9). */
export interface ChainLink {
  name: string;
  id: string;
}

/** `_meta.mm` of `session/new`: wins over the process's environment. */
export interface SessionMeta {
  /** 0 is the home agent; at 2 an agent may ask nobody. */
  askDepth?: number;
  /** Who asked whom, the home agent first, this session's own agent last. */
  chain?: ChainLink[];
}

/** `_meta.mm` of `session/request_permission`, from a `mm` that relays by itself. */
export interface PermissionMeta {
  /** An entry below says `yolo: false`: no yolo above answers this. */
  mustAsk?: boolean;
  /** Names below the asking agent, such as `['riker']`; they go behind the caller's own prefix. */
  path?: string[];
}

/** `_meta.mm.ask` of a `tool_call`: an asked agent's work, shown by a `mm` that relays by itself. */
export interface AskMeta {
  agent: string;
  title?: string;
  provider?: string;
  model?: string;
  askedBy: string;
  depth: number;
}

/** `_meta.mm.asks` of a `tool_call_update`: what the scripts of a command have asked so far (`mm --ask`). To be shown, nothing else. */
export interface ScriptAskMeta {
  id: string;
  agent: string;
  /** The prompt's first line. */
  what: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  why?: string;
  /** Milliseconds since the epoch. */
  at: number;
  endedAt?: number;
}

/** Method names of ours. */
export const mmMethods = { ask: '_mm/ask', exchange: '_mm/exchange' } as const;

/** `_mm/ask`, agent → hub. No deadline; `session/cancel` of the asking session cancels it. */
export interface AskParams {
  sessionId: string;
  /** The `ask_agent` call that this ask is the work of. */
  toolCallId: string;
  agent: string;
  prompt: string;
  /** What the caller's model wrote as context; stands before the prompt. */
  context?: string;
}

/** Token counts of an answer, where the agent gave them. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
}

/** The answer to `_mm/ask`: what the relay's `Answer` is on the wire. */
export interface AskResult {
  text: string;
  agent: string;
  title?: string;
  provider?: string;
  model?: string;
  stopReason: string;
  usage?: Usage;
  /** Characters left out of `text`; 0 when nothing was. */
  truncated: number;
}

/** `_mm/exchange`, client → agent: put a pair into the history, each `id` once. */
export interface ExchangeParams {
  sessionId: string;
  id: string;
  user: string;
  assistant: string;
}

/** The `mm` object of a `_meta`, or an empty one: never throws, whatever an agent or client put there. */
export function mmMeta<T>(holder: unknown): Partial<T> {
  const meta = (holder as { _meta?: unknown } | null | undefined)?._meta;
  const mm = (meta as { mm?: unknown } | null | undefined)?.mm;
  return mm && typeof mm === 'object' && !Array.isArray(mm) ? (mm as Partial<T>) : {};
}
