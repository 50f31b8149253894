/**
 * What the view "Agents" shows, as data, and the messages between the extension and its two pages: the tree (`webview/agents`) and the
 * page of one agent (`webview/details`). Types only: the pages import them and no code.
 *
 * Three rules for whoever fills this:
 * - What no source says is left out. Nothing here is drawn that is absent: no meter, no state, no section.
 * - Texts are plain texts, already clean (`base/text`) and capped; the pages show them as text and never as HTML. Sentences (`why`,
 *   `sentence`, `error`) are in the person's language. Words for states, actions and units are the pages' own.
 * - A key never stands here, not even masked by us; what a person may see of one is a `label` that the proxy itself gives.
 */

/**
 * Where an agent stands.
 * - `ready`: its child runs and is idle, or its announced address answered; `running`: it works for somebody now;
 * - `starting`: its child starts; `asleep`: it is started or woken by the next ask;
 * - `failing`: its child ended with an error, or its address does not answer any more;
 * - `defined`: it is written down, but nothing has ever answered for it;
 * - `forgotten`: the proxy knew it and does not any more; `not-allowed`: the key may not use it (a 403);
 * - `unknown`: nobody has looked yet. It has no sign and no word.
 */
export type AgentState =
  | 'ready'
  | 'running'
  | 'starting'
  | 'asleep'
  | 'failing'
  | 'defined'
  | 'forgotten'
  | 'not-allowed'
  | 'unknown';

/** What can be done with an agent. A row names those that are open to this person, with this key, now; the pages draw no others. */
export type AgentAction =
  /** Puts `/ask-NAME ` into the composer of the conversation. */
  | 'ask'
  /** The same with `/ask-with-context-NAME `. */
  | 'ask-with-context'
  /** Opens the page of the agent (the tree only). */
  | 'details'
  | 'probe'
  | 'copy-model'
  | 'copy-curl'
  /** The card, raw, in an editor. */
  | 'open-card'
  /** Opens the page of the agent at "Compare". */
  | 'compare'
  | 'add-to-file'
  /** The agent's own `mm.yaml`. */
  | 'open-file'
  /** Offers a local agent to the team through the bridge, and takes it back. */
  | 'offer'
  | 'withdraw'
  /** Writes the definition to the proxy; for one that was forgotten: again. */
  | 'register'
  // for who has the admin key
  | 'edit-limits'
  | 'make-public'
  | 'create-key'
  | 'delete';

/** What can be done with a whole group, or where there is no group at all. */
export type GroupAction =
  /** Asks the proxy again. */
  | 'refresh'
  /** Asks the person for the key, and stores it. */
  | 'enter-key'
  /** The file in which the proxy's address stands. */
  | 'open-file'
  /** The proxy's address in the browser: where a captive portal is signed in to, and where an HTML page says what it is. */
  | 'open-address'
  | 'add-registry'
  /** Creates an agent at the proxy (admin key). */
  | 'create'
  /** What this state means, in the documentation. */
  | 'learn-more';

/**
 * Why a group is not, or not wholly, what it should be. The page has a sentence and a button for each.
 * - `loading`: the first answer is not there yet;
 * - `offline`: nothing answers at the address; `wrong-key`: it answers, and the key is not accepted; `no-key`: none is configured;
 * - `no-database`: the proxy serves its list, but knows no keys, no budgets and no spend;
 * - `html`: an HTML page came instead of JSON (another program on this port, a path too much or too little);
 * - `captive-portal`: the network wants a sign-in first;
 * - `garbage`: neither; `failed`: a status of its own (429, 500…), said in `sentence`;
 * - `empty`: the list is empty, and rightly so; `lost`: it is empty and was not before (the keeper's alarm).
 */
export type GroupProblem =
  | 'loading'
  | 'offline'
  | 'wrong-key'
  | 'no-key'
  | 'no-database'
  | 'html'
  | 'captive-portal'
  | 'garbage'
  | 'failed'
  | 'empty'
  | 'lost';

export interface GroupNotice {
  kind: GroupProblem;
  /** What happened and what to do next; without it the page says its own sentence for `kind`. */
  sentence?: string;
  /** In place of the button that the page has for `kind`. */
  action?: GroupAction;
}

/** Money in US dollars, which is what the proxy counts in. */
export interface Spend {
  used: number;
  budget?: number;
  /** The time that `used` and `budget` are about, in days; absent: since the agent was made. */
  days?: number;
}

/** One look at whether an agent answers. Either `ms` or `error`. */
export interface Probe {
  /** Milliseconds since the epoch. */
  at: number;
  /** How long the answer took, in milliseconds. */
  ms?: number;
  /** Why there was none, in a few words: "connection refused". */
  error?: string;
  /** What answered, in a few words: "card and answer". */
  what?: string;
}

/** What the proxy lets an agent use. */
export interface AgentLimits {
  asksPerMinute?: number;
  tokensPerMinute?: number;
  asksPerSession?: number;
  tokensPerSession?: number;
}

/** One agent in the tree. */
export interface AgentRow {
  /** Unique in the window and the same for the same agent as long as the window lives. */
  id: string;
  /** Id of the group in which it stands. */
  group: string;
  name: string;
  /** "qwen3:8b", or the program of an agent that is not `mm`. */
  model?: string;
  description?: string;
  state: AgentState;
  /** How many asks it works on, where that is known. */
  running?: number;
  /** Why it is in this state, or what to know about it, in a short sentence: "Ended with exit code 1, 2 min ago", "wakes in about 20 s". */
  why?: string;
  /** Names of its skills. */
  skills?: string[];
  limits?: AgentLimits;
  spend?: Spend;
  /** As which A2A server it can be asked; absent where it is none. */
  a2a?: { versions: string[]; streaming?: boolean };
  /** The proxy only wraps a model with limits: there are no tasks, and it is shown as that. */
  taskless?: true;
  /** The last one. */
  probe?: Probe;
  /** A local agent that the bridge offers to the team now. */
  offered?: true;
  /** `registry: NAME@PROXY` of a local agent, and whether the proxy's definition or the file's serves now. */
  registry?: { ref: string; serves?: 'proxy' | 'file' };
  /** What can be done with it, in the order in which menus show it. */
  actions: AgentAction[];
}

/**
 * Id of a group: the agents of this window, those of a proxy by its name in `proxies:`, those of a list of card addresses, those of a
 * public registry of ACP agents, those that are only written down.
 */
export type AgentGroupId = 'window' | `proxy:${string}` | `cards:${string}` | `acp:${string}` | 'defined';

export interface AgentGroup {
  id: AgentGroupId;
  /** "This window", "Behind the proxy": in the person's language. */
  title: string;
  /** The proxy's host, or the file. */
  aside?: string;
  notice?: GroupNotice;
  /** In the order in which they are to be read. They may be there with a notice too: what was known before. */
  rows: AgentRow[];
}

/** Extension → page of the tree. */
export type ToAgentsPage =
  | { type: 'init'; strings: Record<string, string>; locale: string }
  /** All that there is. At most a few times a second; single changes come as `rows`. */
  | { type: 'agents'; groups: AgentGroup[] }
  /** Rows that changed, each in place of the one with its id; one that is not known is left out. */
  | { type: 'rows'; rows: AgentRow[] }
  /** Selects a row, opens it and brings it into view. */
  | { type: 'reveal'; id: string }
  /** The focus goes to the search box. */
  | { type: 'search' };

/** Page of the tree → extension; checked before use. */
export type FromAgentsPage =
  | { type: 'ready' }
  /** The person opened a row: what is costly to know (card, spend, a probe) may be asked for now, and comes as `rows`. */
  | { type: 'opened'; id: string }
  | { type: 'do'; action: AgentAction; id: string }
  /** `group` is absent for a button that belongs to no group. */
  | { type: 'group'; action: GroupAction; group?: string };

// The page of one agent

export interface SkillView {
  id: string;
  name: string;
  description?: string;
  tags?: string[];
  /** Questions that can be asked as they stand. */
  examples?: string[];
}

/** The card in words: each list holds what is read out, comma by comma. */
export interface CardView {
  version?: string;
  organization?: string;
  skills?: SkillView[];
  /** "text", "files up to 10 MB". */
  takes?: string[];
  gives?: string[];
  /** "stream", "cancel", "be polled by task id". */
  can?: string[];
  /** How a caller shows who it is: "bearer key". */
  security?: string[];
  interfaces?: { url: string; binding: string; version: string }[];
}

/** A part of a whole, or, without `used` or without `limit`, one number. */
export interface Gauge {
  kind: 'spend' | 'asks-per-minute' | 'tokens-per-minute' | 'asks-per-session' | 'tokens-per-session' | 'at-once';
  /** For spend: the time that it is about, in words: "Today", "November". */
  label?: string;
  /** Dollars, asks or tokens, by `kind`. */
  used?: number;
  limit?: number;
}

export interface SpendDay {
  /** YYYY-MM-DD, as the proxy counts days (UTC). */
  date: string;
  /** US dollars. */
  spend: number;
  asks?: number;
}

export interface AccessView {
  /** What the proxy says of the key in use: "team key …f2c". */
  key?: { label: string; may?: boolean; why?: string };
  teams?: string[];
  /** No grant anywhere: every key may ask it. */
  everyone?: true;
  public?: boolean;
  /** Where it is asked. */
  address?: string;
  /** Where its own server is said to be, and whether that answers; absent `answers`: nobody has looked. */
  announced?: { url: string; answers?: boolean };
}

/** What it may use itself. */
export interface UsesView {
  models?: string[];
  mcpServers?: string[];
  tools?: string[];
  agents?: string[];
}

/** A field that is not the same at the proxy and in our file. */
export interface FieldDifference {
  /** Goes back in `apply`. */
  field: string;
  /** In the person's language: "Budget a day". */
  label: string;
  /** As text; absent: there is nothing. */
  theirs?: string;
  ours?: string;
  /** Why ours cannot be applied at the proxy, or theirs not be used, in a sentence. */
  lockedOurs?: string;
  lockedTheirs?: string;
}

export interface CompareView {
  /** Name of the file: "agents.yaml". */
  file: string;
  differences: FieldDifference[];
  /** Labels of the fields that are the same. */
  same: string[];
}

/** All of one agent. */
export interface AgentDetails {
  row: AgentRow;
  /** The proxy's host, where it stands behind one. */
  host?: string;
  /** What keeps the page from being complete. */
  notice?: GroupNotice;
  card?: CardView;
  /** The protocol version to which the proxy pins the agent. */
  pin?: string;
  gauges?: Gauge[];
  /** Oldest first, one for each day, at most 31; the last is today, so far. */
  spend?: { days: SpendDay[]; budgetPerDay?: number };
  /** Newest first; those of the last 24 hours are drawn as a strip, the newest as a table. */
  probes?: Probe[];
  access?: AccessView;
  uses?: UsesView;
  compare?: CompareView;
  /** What came, unchanged. At most 200,000 characters. */
  raw?: { text: string /** Milliseconds since the epoch. */; at: number };
}

export type DetailsTab = 'overview' | 'compare' | 'json';

/** Extension → page of one agent. */
export type ToDetailsPage =
  | { type: 'init'; strings: Record<string, string>; locale: string }
  | { type: 'details'; details: AgentDetails }
  | { type: 'show'; tab: DetailsTab }
  /** The agent is no longer there; what is shown stays, without its buttons. */
  | { type: 'gone'; sentence: string };

/** Which side of a field counts. */
export type Side = 'theirs' | 'ours';

/**
 * Page of one agent → extension; checked before use. With `setState` the page keeps `{id, tab}`, so that a serializer can bring it back
 * after a restart of the window.
 */
export type FromDetailsPage =
  | { type: 'ready' }
  | { type: 'do'; action: AgentAction }
  | { type: 'group'; action: GroupAction }
  /** Puts an example of a skill into the composer, behind `/ask-NAME`. */
  | { type: 'ask'; prompt: string }
  | { type: 'copy'; what: 'address' | 'announced' | 'json' }
  /** What the person chose at "Compare" and wants written: field → side. Nothing is written before. */
  | { type: 'apply'; choices: Record<string, Side> };
