import type { AskResult, ChainLink, Usage } from '../acp/meta';
import type { AnyUpdate, PermissionOption, ToolCallUpdate } from '../acp/types';
import type { Patience } from '../base/patience';
import type { AgentEntry, HookPoint, MmConfig } from '../config/types';
import type { ShellCommand } from './command';

/** Who asks. Decides what the header says and what stands in the transcript; not what is allowed. */
export interface Caller {
  kind: 'person' | 'model' | 'script';
  /** "You" for a person, the agent's name for a model, "mm" for a script. */
  name: string;
}

/** Grants of one conversation: "allow for this conversation", by `[path…, tool]` (rule 4). */
export interface Grants {
  has(path: readonly string[], tool: string): boolean;
  add(path: readonly string[], tool: string): void;
}

/** "Commands like this one": the rules that a person has made in a folder (`ask/rules.ts`), as one conversation sees them. */
export interface Rules {
  /** Each of its simple commands is covered by a rule for exactly this agent, tool and folder. */
  cover(path: readonly string[], tool: string, command: ShellCommand): boolean;
}

/** A call that an asked agent wants to make, as a question to whoever answers for the caller. */
export interface PermissionQuestion {
  /** Unique within this process. */
  id: string;
  /** Whose call it is, the nearest to the home agent first: `['bob']`, `['bob', 'riker']`; `[]` for the home agent's own. */
  path: string[];
  /** `bash`, `write`, …; undefined is "unnamed tool", which cannot be remembered. */
  tool?: string;
  /** `bob/bash`, or what stands for an unnamed tool: the dialog's title. */
  name: string;
  /** The agent's own data, untrusted. */
  toolCall: ToolCallUpdate;
  options: PermissionOption[];
  /** Folder in which the call would run. */
  cwd: string;
  /** Names from "You" to the agent that wants to call. */
  chain: string[];
  /** The call touches a key file: never remembered, never answered by a grant. */
  keyFile: boolean;
  /** The agent offers no `allow_once`: it can only be refused, and the dialog says so. */
  cannotAllow: boolean;
  /** All that the call does, where that is to run plain commands: what a rule can be about. */
  command?: ShellCommand;
  /** An entry on the way says `yolo: false`: a `mm` that relays by itself passes this up in `_meta.mm` (rule 4, "Deeper"). */
  mustAsk?: boolean;
}

/** What a person (or nobody) said. `cancelled` is not a refusal: the turn was stopped, or the question became moot. */
export type PermissionAnswer = 'allow_once' | 'allow_conversation' | 'reject' | 'cancelled';

/** Answers questions for a caller: dialogs and cards in the editor, the client of `mm -acp`, or nobody. */
export interface PermissionAsker {
  /** False where nobody can answer (`mm --ask`): the call is refused at once. */
  readonly canAnswer: boolean;
  /** `signal` fires when the question became moot; the promise then resolves to `cancelled`. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Hears how every question of this caller was settled, also those that nobody had to be asked. */
  settled?(question: PermissionQuestion, decision: PermissionDecision): void;
}

/** Everything that an ask needs and that its caller knows. */
export interface AskRequest {
  /** Unique; the id of the exchange that it may leave. */
  id: string;
  agent: string;
  prompt: string;
  /** A transcript, or what a model wrote as context (rule 7). Stands before the prompt. */
  context?: string;
  caller: Caller;
  /** The caller's file: its `mmConfigs`, `yolo` and `maxOutput` hold. */
  config: MmConfig;
  /** The chain so far, the home agent first, the caller last. Its length minus one is the caller's depth unless `depth` says more. */
  chain: ChainLink[];
  /** Depth of the caller: 0 for a person, the home agent and a fresh script. The asked agent is at `depth + 1`. */
  depth: number;
  /** Names already before the asked agent in the names of permissions: `[]` for home, `['bob']` when bob asks. */
  path: string[];
  cwd: string;
  permissions: PermissionAsker;
  grants: Grants;
  /** Rules of the folder; absent where nobody has made any (scripts). */
  rules?: Rules;
  /** The caller's yolo at this moment (its session's mode, first taken from its file and `AGENT_YOLO`). */
  liveYolo(): boolean;
  /** An entry above says `yolo: false`; no yolo lifts it. */
  mustAsk?: boolean;
  /** The `yolo` of the entries between the home agent and the caller, home's first. Absent below home: they said nothing. */
  above?: readonly (boolean | undefined)[];
  /** Names from "You" to the caller, for questions. Absent: made from `caller` and `chain`. */
  askers?: readonly string[];
  /**
   * Set where a model asked through a hub (`_mm/ask`): the relay then gates the caller's `ask_agent` before anything is
   * started (rule 8). Without it the caller has gated the call itself, or a person typed it.
   */
  gate?: { toolCallId: string };
  /** Answers what an agent asks back (A2A's `input-required`); absent: whoever answers for the relay, if anybody does. */
  input?: InputAsker;
  signal: AbortSignal;
}

/** A question of an agent to the person, in its own words, that is no permission. */
export interface InputQuestion {
  /** Unique within this process. */
  id: string;
  /** Who asks, nearest to home first. */
  path: string[];
  /** Untrusted, and cleaned. */
  text: string;
  /** It asks for leave: the answer is `allow` or `reject`. */
  leave: boolean;
}

/** Puts such questions to a person. Resolves to undefined when there is no answer, also when `signal` says that it is moot. */
export interface InputAsker {
  ask(question: InputQuestion, signal: AbortSignal): Promise<string | undefined>;
}

/** How an asked agent is shown. */
export interface AgentFace {
  /** The name in `mmConfigs`. */
  name: string;
  title?: string;
  provider?: string;
  model?: string;
}

/** What the relay yields while an ask runs, in the order in which it happened. */
export type AskEvent =
  /** The child is being started, or a new session made on a running one; `until` when it is given up, milliseconds since the epoch. */
  | { type: 'starting'; agent: AgentFace; until?: number }
  /** The prompt is on its way. */
  | { type: 'started'; agent: AgentFace; sessionId: string }
  /** One `session/update` of the asked agent, as it came. */
  | { type: 'update'; update: AnyUpdate }
  /** A question waits for a person, or was settled. */
  | { type: 'permission'; question: PermissionQuestion; state: 'waiting' }
  | { type: 'permission'; question: PermissionQuestion; state: 'settled'; decision: PermissionDecision }
  /** An ask that the asked agent made of a third one (hub only): its events, nested. */
  | {
      type: 'nested';
      askId: string;
      toolCallId: string;
      agent: string;
      askedBy: string;
      prompt: string;
      event: AskEvent;
    }
  /** The agent asks the person something, or has been answered. */
  | { type: 'input'; question: InputQuestion; state: 'waiting' }
  | { type: 'input'; question: InputQuestion; state: 'settled'; answered: boolean }
  | HookEvent
  | { type: 'end'; answer: Answer };

/** A hook changed something, or keeps an answer back (rule 10). */
export interface HookEvent {
  type: 'hook';
  point: HookPoint;
  /** Its command line as the file writes it; absent with `withheld`. */
  hook?: string;
  /** preAsk: the prompt goes out so. */
  prompt?: string;
  /** preAsk: the context goes out changed. */
  context?: true;
  /** postAsk: this came back instead of what was seen. */
  text?: string;
  /** postAsk: what was seen has not passed the hooks, and is kept nowhere. */
  withheld?: true;
}

/** `rule` is one of ours (design, section 4), `command-rule` one that the person has made for a command. */
export type DecidedBy = 'yolo' | 'grant' | 'command-rule' | 'person' | 'nobody' | 'rule' | 'stop';

/** How a question was settled, and by whom. */
export interface PermissionDecision {
  outcome: 'allowed' | 'rejected' | 'cancelled';
  by: DecidedBy;
  /** True when "for this conversation" was said now. */
  remembered?: boolean;
  /** Why, in words, where it is not plain. */
  why?: string;
}

/** The end of an ask that ran. `text` is whole; what is kept is capped by `exchange.ts`. */
export interface Answer extends Omit<AskResult, 'text' | 'truncated'> {
  /** All that came, or what a hook made of it. */
  text: string;
  /** The prompt as it went out, which a hook may have rewritten. */
  prompt: string;
  /** The first `maxOutput` characters with the line that says how much was cut; this is what callers keep. */
  kept: string;
  truncated: number;
  usage?: Usage;
  /** Calls that were refused on the way, by name: `bob/bash`. */
  refused: string[];
  agentFace: AgentFace;
}

/** Why an ask did not end in an answer. Each is an `AskError` with words for a person and, in `message`, for a model. */
export type AskFailure =
  | 'unknown-agent'
  | 'depth'
  | 'cycle'
  | 'refused'
  /** A hook that had to run is broken. */
  | 'hook'
  /** A hook keeps the answer back. */
  | 'withheld'
  | 'cancelled'
  | 'start'
  | 'died'
  | 'agent-error'
  | 'refusal'
  | 'empty'
  | 'watchdog';

/** Carries one ask to one kind of agent. `ask/local.ts` over the pool; later `a2a/remote.ts` over the proxy. */
export interface AskTarget {
  /** Whether this target serves the entry. */
  serves(entry: AgentEntry): boolean;
  /** Opens a conversation with the agent. */
  open(request: TargetRequest): Promise<TargetSession>;
}

export interface TargetRequest {
  name: string;
  entry: AgentEntry;
  cwd: string;
  /** Depth of the asked agent, 1 or 2. */
  depth: number;
  /** The chain with the asked agent as last link. */
  chain: ChainLink[];
  /** The yolo of this ask at this moment: an agent that never asks is refused without it (rule 4). */
  yolo: boolean;
  /** A person asks, and waits for no back-off. */
  byPerson: boolean;
  signal: AbortSignal;
  /** May lengthen what the start may take. */
  patience: Patience;
  onUpdate(update: AnyUpdate): void | Promise<void>;
  /** The agent asks for a permission; the answer is the `optionId`, or undefined for outcome `cancelled`. */
  onPermission(request: TargetPermission, signal: AbortSignal): Promise<string | undefined>;
  /** The agent works and has nothing to say: that is no silence (rule 11). */
  onAlive?(): void;
  /** The agent asks the person something that is no permission; undefined when there is no answer. Absent where nobody can be asked. */
  onInput?(question: Pick<InputQuestion, 'text' | 'leave'>, signal: AbortSignal): Promise<string | undefined>;
  /** The agent sent `_mm/ask` (only offered when this is set, so only by a hub). Rejects with an `AskError`. */
  onAsk?(
    request: { toolCallId: string; agent: string; prompt: string; context?: string },
    signal: AbortSignal,
  ): Promise<AskResult>;
}

/** A permission request as a target passes it on. Everything in it is the agent's own, and untrusted. */
export interface TargetPermission {
  toolCall: ToolCallUpdate;
  options: PermissionOption[];
  /** The `mm` object of the request's `_meta`. */
  meta: unknown;
  /** `agentInfo.name` of the program that asks, for its quirks. */
  program?: string;
}

export interface TargetSession {
  readonly sessionId: string;
  readonly face: AgentFace;
  /** Runs the one prompt of an ask. Rejects with an `AskError` when the agent died or answered with an error. `cancel` by the request's signal. */
  prompt(text: string): Promise<{ stopReason: string; usage?: Usage }>;
  /** Frees the session; the child lives on. */
  close(): void;
  /** The agent did not end its turn after a cancel: what else is asked of it goes to another process. */
  abandon?(): void;
  /** Ends the agent's process now, and with it whatever else it does. */
  force?(): Promise<void>;
}
