/**
 * A conversation as data: a flat list of nodes in the order in which they came; `parent` says inside which turn or ask a node stands.
 * The store on disk, the page and a second window all live from the same patches (`patch.ts`).
 */

export type NodeId = string;

/** An agent as it is shown. `name` chooses letter and accent. */
export interface Face {
  name: string;
  title?: string;
  provider?: string;
  model?: string;
}

interface NodeBase {
  id: NodeId;
  /** The turn or ask that this node belongs to; absent at the top. */
  parent?: NodeId;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What the person wrote, as typed. */
export interface UserNode extends NodeBase {
  kind: 'user';
  text: string;
}

/** How a turn or an ask ended, where that is worth a sentence. `done` needs none. */
export type End =
  | { how: 'done' }
  | { how: 'stopped' }
  | { how: 'refusal' }
  | { how: 'max_tokens' }
  | { how: 'max_turn_requests' }
  | { how: 'empty' }
  | { how: 'watchdog'; seconds: number }
  /** Not asked at all: depth, cycle, unknown agent, a person's no. `why` is a whole sentence. */
  | { how: 'not-asked'; why: string }
  /** It answered, and a hook keeps the answer back (rule 10). `why` is a whole sentence. */
  | { how: 'withheld'; why: string }
  /** The process ended. `how` words are in `title`: "bob ended with exit code 1". */
  | { how: 'died'; title: string; stderrTail: string }
  | { how: 'failed'; title: string; detail?: string };

export type RunState = 'starting' | 'running' | 'waiting' | 'done';

/** One turn of the home agent. Its texts, thoughts, tools and asks name it as parent. */
export interface TurnNode extends NodeBase {
  kind: 'turn';
  agent: Face;
  state: RunState;
  /** While it starts: when that is given up. */
  until?: number;
  /** It was stopped, and has not ended yet. */
  stoppedAt?: number;
  endedAt?: number;
  end?: End;
  /** Total tokens, where known. */
  tokens?: number;
}

/** One ask; its parent is the turn of the agent that asked, another ask, or nothing when a person asked. */
export interface AskNode extends NodeBase {
  kind: 'ask';
  agent: Face;
  /** "You", an agent's name, or "a script". */
  askedBy: string;
  depth: number;
  /** As it went out. */
  prompt: string;
  /** A hook rewrote it: it is not what the asker wrote. */
  rewritten?: true;
  withContext: boolean;
  state: RunState;
  /** While it starts: when that is given up. */
  until?: number;
  /** It was stopped, and has not ended yet. */
  stoppedAt?: number;
  endedAt?: number;
  end?: End;
  tokens?: number;
  /** The pair is (or will be) in the home agent's history. */
  kept: boolean;
  /** Characters left out of what is kept; 0 when nothing was. */
  cut: number;
}

/** Words of the agent, Markdown. Grows by `append` patches. */
export interface TextNode extends NodeBase {
  kind: 'text';
  text: string;
  messageId?: string;
  /** No more words come. */
  done: boolean;
  /** It came after Stop (faults F026): shown dimmed. */
  afterStop?: boolean;
  /** It has not passed the hooks, or one put other words in its place: shown dimmed, and kept nowhere. */
  withheld?: boolean;
}

export interface ThoughtNode extends NodeBase {
  kind: 'thought';
  text: string;
  messageId?: string;
  done: boolean;
  endedAt?: number;
}

export interface DiffView {
  path: string;
  added: number;
  removed: number;
  /** Unified rows, capped; `cut` rows were left out. */
  rows: { kind: 'same' | 'add' | 'del' | 'gap'; line?: number; text: string }[];
  cut: number;
}

export type ToolState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'rejected' | 'no-result';

export interface ToolNode extends NodeBase {
  kind: 'tool';
  toolCallId: string;
  /** `bash`, `bob/bash`: what the header and the accessible name say. */
  name: string;
  title: string;
  toolKind: string;
  state: ToolState;
  /** The command or path, whole. */
  what: string;
  /** Output, whole up to the cap; replaced, not appended, by an update (faults F037). */
  output: string;
  /** Characters left out of `output`. */
  outputCut: number;
  diffs: DiffView[];
  exitCode?: number;
  endedAt?: number;
  /** Asks that the command made by itself (`mm --ask` in a script). */
  asks?: ScriptAsk[];
}

/** An ask of a script, as the tool that ran the script saw it. */
export interface ScriptAsk {
  id: string;
  agent: string;
  /** The prompt's first line. */
  what: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  why?: string;
  at: number;
  endedAt?: number;
}

export interface PlanNode extends NodeBase {
  kind: 'plan';
  entries: { content: string; status: 'pending' | 'in_progress' | 'completed' }[];
}

/** A question to the person, and later how it was answered. */
export interface PermissionNode extends NodeBase {
  kind: 'permission';
  /** Id of the question in the queue. */
  questionId: string;
  /** `bob/bash`. */
  name: string;
  /** `run` a command, `change` files, `ask` an agent, or `use` a tool. */
  verb: 'run' | 'change' | 'ask' | 'use';
  /** The whole command, prompt or input, with hidden characters made visible. */
  command: string;
  /** How many characters were made visible; then no answer is primary. */
  hidden: number;
  cwd: string;
  chain: Face[];
  reason?: string;
  diffs: DiffView[];
  canAllow: boolean;
  canRemember: boolean;
  /** True: the question is answered here, as a card; false: in a dialog, and this node only says that it waits. */
  card: boolean;
  /** Questions that wait behind this one. */
  more: number;
  state: 'waiting' | 'allowed' | 'allowed-conversation' | 'rejected' | 'withdrawn' | 'refused';
  why?: string;
}

/** A remedy that a person can click. The page sends its `id` back with the node's id; never a command id. */
export interface NoticeAction {
  id:
    | 'ask-again'
    | 'try-again'
    | 'show-log'
    | 'stop'
    | 'force-stop'
    | 'wait'
    | 'manage-trust'
    | 'show-file'
    | 'allow-version'
    | 'not-now'
    | 'open-config'
    | 'open-folder'
    | 'give-transcript'
    | 'keep-answer'
    | 'reload-window'
    | 'take-over';
  label: string;
  primary?: boolean;
}

/** Something that the extension itself says: an honest line, or a card when it blocks or needs a choice. */
export interface NoticeNode extends NodeBase {
  kind: 'notice';
  /** `line` is one dim sentence between rules, `card` a box. */
  shape: 'line' | 'card';
  level: 'info' | 'warning' | 'error';
  title: string;
  text?: string;
  /** A few lines of a log or a file. */
  code?: string;
  actions: NoticeAction[];
}

/** An update or content block of a kind that this build does not know. */
export interface UnsupportedNode extends NodeBase {
  kind: 'unsupported';
  label: string;
  /** Size of what came, characters of JSON. */
  size: number;
}

export type Node =
  | UserNode
  | TurnNode
  | AskNode
  | TextNode
  | ThoughtNode
  | ToolNode
  | PlanNode
  | PermissionNode
  | NoticeNode
  | UnsupportedNode;

/** One change of a conversation. Applying the same patches in order gives the same conversation everywhere. */
export type Patch =
  /** Puts a node at the end, or replaces the one with its id in place. */
  | { op: 'put'; node: Node }
  /** Adds words to a text or thought. */
  | { op: 'append'; id: NodeId; text: string }
  | { op: 'remove'; id: NodeId };
