import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Implementation } from '../acp/types';
import type { SelfLaunch } from '../ask/launch';
import { LocalTarget } from '../ask/local';
import { Relay } from '../ask/relay';
import type { AskTarget, InputAsker, PermissionDecision, PermissionQuestion } from '../ask/types';
import type { Ticker } from '../ask/watchdog';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import { cap, visible } from '../base/text';
import type { NoticeNode } from '../chat/nodes';
import type { AskableAgent } from '../chat/page';
import { commandOf } from '../chat/tool';
import { ChildPool } from '../children/pool';
import { Reaper } from '../children/reaper';
import { ConfigError, loadConfig } from '../config/load';
import { loadAgent } from '../config/pins';
import type { LoadResult, MmConfig } from '../config/types';
import { AskTree } from './asks-tree';
import { Conversation, type Surroundings } from './conversation';
import { DecisionLog, longestShown } from './decisions';
import { Offers } from './offers';
import { askOutside, type OutsideAsk, type OutsideRun, windowAgent } from './outside';
import { type AskingConversation, PermissionQueue } from './permissions';
import { Roster } from './roster';
import { RuleBook } from './rulebook';
import { Store, type Summary } from './store';

export interface HostOptions {
  log: Log;
  /** Folder of the conversations' files. */
  storageDir: string;
  /** File of the rules that the person makes (`RuleBook`). */
  rulesFile: string;
  /** Where the next question is asked. */
  prompt?(): 'dialog' | 'inline';
  self: SelfLaunch;
  /** Who carries asks to agents that do not run here. */
  elsewhere?: readonly AskTarget[];
  /** Answers what such an agent asks back. */
  input?: InputAsker;
  /** The host's environment; it is read and never written (rule 3). */
  parentEnv: NodeJS.ProcessEnv;
  clientInfo: Implementation;
  now?(): number;
  /** For tests: milliseconds that a stopped home agent has. */
  stopGrace?: number;
  /** For tests: the watchdogs' clock. */
  every?: Ticker;
  /** For tests; the config room's own by default. */
  loadConfig?(file: string): Promise<LoadResult>;
}

/** What holds in this window now. */
export interface HostConfig {
  /** The workspace's folders. With several, each conversation says in which one it works (`Conversation.setFolder`). */
  folders: readonly string[];
  /** Absent while none holds: not trusted, not approved, wrong. */
  config: MmConfig | undefined;
  /** Why nothing works, with the remedy. */
  blocker?: NoticeNode;
  /** Lines over the composer, such as warnings of `mm.yaml`. */
  notices?: readonly NoticeNode[];
  /** The file in use is the one that comes with the extension. */
  demo?: boolean;
}

/** How long a conversation's file is waited for whose last window is just closing (a reload). Milliseconds. */
const lockPatience = 3_000;

/**
 * What an editor's window runs, without the editor: one pool of children, one relay, one queue of questions, one store, and the
 * conversations. Nothing is started and nothing is read before it is needed.
 */
export class Host {
  readonly pool: ChildPool;
  readonly relay: Relay;
  readonly #reaper: Reaper;
  readonly queue: PermissionQueue;
  /** Local agents that others can ask. */
  readonly offers: Offers;
  readonly decisions = new DecisionLog();
  readonly rules: RuleBook;
  readonly store: Store;
  /** The asks of all conversations. */
  readonly asks = new AskTree();
  readonly #o: HostOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #opening = new Map<string, Promise<Conversation | undefined>>();
  readonly #configChanged = new Emitter<void>();
  /** The configuration holds, and who can be asked is known. */
  readonly onDidChangeConfig = this.#configChanged.event;
  #config: HostConfig = { folders: [], config: undefined };
  #roster: Roster | undefined;
  #version = 0;
  #ended = false;

  constructor(options: HostOptions) {
    this.#o = options;
    const { log, clientInfo, self, parentEnv } = options;
    this.#reaper = Reaper.start(log, join(options.storageDir, '..', 'launches'));
    this.pool = new ChildPool({ log, hub: true, clientInfo, reaper: this.#reaper });
    this.offers = new Offers({ self, parentEnv, reaper: this.#reaper, log });
    this.queue = new PermissionQueue({
      prompt: options.prompt,
      settled: (conversation, question, decision) => this.#settled(conversation, question, decision),
    });
    this.rules = new RuleBook(options.rulesFile, log, () => this.#roster !== undefined);
    this.store = new Store(options.storageDir, log);
    this.relay = new Relay({
      targets: [new LocalTarget({ pool: this.pool, self, parentEnv, log }), ...(options.elsewhere ?? [])],
      log,
      hub: true,
      every: options.every,
      input: options.input,
      hooks: { parentEnv, reaper: () => this.#reaper },
      loadConfigOf: async (entry) => {
        const result = await loadAgent(entry, (file) => this.#load(file));
        if (result.ok) return result.config;
        throw new ConfigError(result.errors);
      },
    });
    this.rules.onDidChange(() => this.relay.gate.reconsider());
  }

  /** What the person has decided, beside the grants of each conversation. */
  get permissions(): { rules: RuleBook; decisions: DecisionLog } {
    return { rules: this.rules, decisions: this.decisions };
  }

  /** Names that can be asked, for the palette; those of the window's own file. */
  get agents(): string[] {
    return [...(this.#config.config?.mmConfigs.keys() ?? [])];
  }

  /**
   * Another configuration, folder or obstacle. Conversations go on; children that the new one does not know end with their last session.
   * The last call wins, also while the files of an earlier one are read.
   */
  async setConfig(next: HostConfig): Promise<void> {
    const version = ++this.#version;
    const { config, folders, blocker } = next;
    const roster =
      config && folders.length > 0 && !blocker
        ? await Roster.of(config, folders, {
            log: this.#o.log,
            self: this.#o.self,
            parentEnv: this.#o.parentEnv,
            loadConfig: (file) => this.#load(file),
          })
        : undefined;
    if (version !== this.#version || this.#ended) return;
    this.#config = next;
    this.#roster = roster;
    // Without a configuration (a typing error in the file, say) nothing is ended: it comes back in a moment.
    if (roster) this.pool.retain((spec) => roster.isCurrent(spec));
    await Promise.all([...this.#conversations.values()].map((c) => c.configChanged()));
    this.#configChanged.fire();
  }

  /** A conversation that is open in this window. */
  get(id: string): Conversation | undefined {
    return this.#conversations.get(id);
  }

  /** The conversations on disk, of this window's folders, the one that changed last first. */
  list(): Promise<Summary[]> {
    return this.store.list(this.#config.folders);
  }

  /** The latest conversation of this window's folders, or a new one. */
  async latest(): Promise<Conversation> {
    const [last] = await this.list();
    return (last && (await this.open(last.id))) ?? this.create();
  }

  /** A conversation by its id, from the disk when it is not open; undefined when there is none. */
  open(id: string): Promise<Conversation | undefined> {
    const known = this.#conversations.get(id);
    if (known) return Promise.resolve(known);
    let opening = this.#opening.get(id);
    if (!opening) {
      opening = this.#open(id).finally(() => this.#opening.delete(id));
      this.#opening.set(id, opening);
    }
    return opening;
  }

  /** A conversation that was only read, opened anew: this window becomes its writer, unless another one was faster. */
  async reopen(id: string): Promise<Conversation | undefined> {
    await this.close(id);
    return this.open(id);
  }

  /** A new conversation; `home` names its home agent, else it is the file's own. */
  create(home?: string): Conversation {
    return this.#add(new Conversation(this.#surroundings(), { home }));
  }

  /** Who can be asked by the window's own file, whatever conversation is shown. */
  async askable(): Promise<AskableAgent[]> {
    const roster = this.#roster;
    return roster ? Roster.withStates(await roster.askable(undefined), this.pool.statuses()) : [];
  }

  /** @throws BlockedError or UserError, which say why no agent can be asked in this window now. */
  ready(): void {
    windowAgent({ roster: this.#roster, blocker: this.#config.blocker });
  }

  /**
   * An ask of the editor's own chat, which belongs to no conversation and leaves nothing in one.
   * @throws BlockedError where the window has no configuration that holds.
   */
  askOutside(ask: OutsideAsk): OutsideRun {
    const { relay, queue, rules, asks } = this;
    return askOutside(ask, { relay, queue, rules, asks, roster: this.#roster, blocker: this.#config.blocker });
  }

  /** Lets go of a conversation: what it runs is stopped, its file stays. */
  async close(id: string): Promise<void> {
    const conversation = this.#conversations.get(id);
    this.#conversations.delete(id);
    await conversation?.close();
  }

  /** Ends and thereby renews the children of the agent of this name, in all their roles. */
  async restartAgent(name: string): Promise<void> {
    const keys = this.pool.statuses().flatMap((s) => (s.name === name ? [s.key] : []));
    await Promise.all(keys.map((key) => this.pool.restart(key)));
  }

  /** The window ends: conversations are stopped and written, then all children end at the same time (design, section 11). */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.queue.dispose();
    const conversations = [...this.#conversations.values()];
    this.#conversations.clear();
    // Both at once: an agent that does not end its turn must not cost the children their graces.
    await Promise.all([this.pool.end(), this.offers.end(), ...conversations.map((c) => c.close())]);
    this.#reaper.dispose();
    this.rules.dispose();
    this.asks.dispose();
    this.#configChanged.dispose();
  }

  async #open(id: string): Promise<Conversation | undefined> {
    const until = Date.now() + lockPatience;
    for (;;) {
      const loaded = await this.store.load(id);
      if (!loaded || this.#ended) return undefined;
      const conversation = new Conversation(this.#surroundings(), { loaded });
      if (!conversation.readOnly || Date.now() > until) return this.#add(conversation);
      // The window before a reload may still be closing; then its last words are read too.
      await conversation.close();
      await delay(100);
    }
  }

  /** Every decision stands in the log and in the list; the log has no content of calls. */
  #settled(conversation: AskingConversation, question: PermissionQuestion, decision: PermissionDecision): void {
    this.#o.log.info(`${question.name}: ${decision.outcome} (${decision.by})`);
    const { rawInput, title } = question.toolCall;
    const input = typeof rawInput === 'object' && rawInput !== null ? (rawInput as Record<string, unknown>) : {};
    const shown = visible(cap(commandOf(input) ?? (typeof title === 'string' ? title : ''), longestShown).text);
    const at = this.#o.now?.() ?? Date.now();
    this.decisions.add({ conversation: conversation.id, home: conversation.home(), at, shown }, question, decision);
  }

  #add(conversation: Conversation): Conversation {
    this.#conversations.set(conversation.id, conversation);
    return conversation;
  }

  #load(file: string): Promise<LoadResult> {
    return this.#o.loadConfig?.(file) ?? loadConfig(file, this.#o.parentEnv);
  }

  /** Live: a conversation always sees what holds now. */
  #surroundings(): Surroundings {
    const host = this;
    return {
      pool: this.pool,
      relay: this.relay,
      queue: this.queue,
      rules: this.rules,
      store: this.store,
      asks: this.asks,
      log: this.#o.log,
      now: this.#o.now,
      stopGrace: this.#o.stopGrace,
      every: this.#o.every,
      get roster() {
        return host.#roster;
      },
      get folders() {
        return host.#config.folders;
      },
      get blocker() {
        return host.#config.blocker;
      },
      get notices() {
        return host.#config.notices ?? [];
      },
      get demo() {
        return host.#config.demo ?? false;
      },
    };
  }
}
