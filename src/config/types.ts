/**
 * What a person allowed of a folder that brought its own `mm.yaml` (design, section 10). It travels with what is made from that
 * file; what the person named, and the demo, have none.
 */
export interface Pins {
  /** Whether this content (SHA-256, hex; undefined for a file that is not there) of this file (absolute, as it is named) is what was allowed. */
  allows(file: string, hash: string | undefined): boolean;
}

/** Who can be asked, as `mmConfigs` names it (design, section 6). */
interface EntryBase {
  /** When to ask this agent, in the words of who wrote the file; shown to people and to the model. */
  description?: string;
  /** true: its calls run without a question; false: they ask, also under a caller's yolo; absent: the caller's own yolo. */
  yolo?: boolean;
  /** Variables for the child, on top of the shielded environment; `${env:NAME}` is already filled in. */
  env: Record<string, string>;
}

/** Another `mm`, described by its own file. */
export interface PathEntry extends EntryBase {
  kind: 'path';
  /** Absolute path of the agent's `mm.yaml`, not yet resolved for links. */
  path: string;
  /** The file that names it came with a folder: what was allowed of it. */
  pins?: Pins;
}

/** Any ACP agent that is started by a command line. */
export interface CommandEntry extends EntryBase {
  kind: 'command';
  command: string;
  args: string[];
}

/** A key by what stands for it: read late, kept nowhere, never logged. A `secret` is looked up by its name when it is needed. */
export type KeyRef = { kind: 'value'; value: string } | { kind: 'secret'; name: string };

/** A team's LLM proxy, as `proxies` names it (design, section 9). */
export interface ProxyEntry {
  name: string;
  /** Its base address, without a trailing slash. */
  url: string;
  key?: KeyRef;
  /** Only for who creates agents and keys. */
  adminKey?: KeyRef;
}

/** An agent that lives elsewhere and speaks A2A: behind a proxy, or at the address of its card. `env` is empty. */
export interface RemoteEntry extends EntryBase {
  kind: 'a2a';
  at: { kind: 'proxy'; proxy: ProxyEntry; agent: string } | { kind: 'card'; url: string; key?: KeyRef };
}

/** What runs here, as a child. */
export type LocalEntry = PathEntry | CommandEntry;

export type AgentEntry = LocalEntry | RemoteEntry;

/** A program that runs around every ask of the file that names it (rule 10). */
export interface Hook {
  /** Its command line as the file writes it, for people. */
  label: string;
  /** A name for the PATH, or an absolute path. */
  command: string;
  args: string[];
  /** On top of the environment that the agent's own commands get. */
  env: Record<string, string>;
  /** Seconds. */
  timeout: number;
  /** Files that its command line may name, absolute: what an approval covers, and what is held against it before each run. */
  files: string[];
}

/** When a hook runs: before a question goes out, after an answer has come. */
export type HookPoint = 'preAsk' | 'postAsk';

/** In the order in which they run. */
export type Hooks = Record<HookPoint, Hook[]>;

/** A loaded and checked `mm.yaml`. All paths are absolute. */
export interface MmConfig {
  /** The file that it came from, absolute. */
  file: string;
  /** SHA-256 of the file's content, hex. */
  hash: string;
  acp: { title?: string; description?: string };
  /** A preset's name, `openai`, or `demo`. */
  provider: string;
  model: string;
  /** Address of an OpenAI-compatible server, without a trailing slash; absent for `demo`. */
  baseUrl?: string;
  /** Resolved from `${env:NAME}` or literal (with a warning). Never log it. */
  apiKey?: string;
  systemPrompt?: string;
  yolo: boolean;
  /** Characters of one tool output or one answer. */
  maxOutput: number;
  /** Seconds. */
  bashTimeout: number;
  /** Seconds of silence. */
  watchdogTimeout: number;
  /** The file came with a folder: what was allowed of it. */
  pins?: Pins;
  /** Absent: none. */
  hooks?: Hooks;
  /** By their names, in the order of the file. Absent: none. */
  proxies?: Map<string, ProxyEntry>;
  /** What callers from outside may do through the bridge; absent: nothing that would ask. */
  serve?: { yolo: boolean };
  /** In the order of the file. */
  mmConfigs: Map<string, AgentEntry>;
}

/** One remark on a file, with its place. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  file: string;
  /** 1-based. */
  line: number;
  /** 1-based. */
  column: number;
  /** In words, with what was expected, what was found and the nearest known key where that helps. */
  message: string;
}

export type LoadResult =
  | { ok: true; config: MmConfig; warnings: Diagnostic[] }
  /** `errors` has at least one error. */
  | { ok: false; file: string; errors: Diagnostic[]; warnings: Diagnostic[] };
