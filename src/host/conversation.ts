import { randomUUID } from 'node:crypto';
import { ConversationGrants } from '../ask/grants';
import type { Relay } from '../ask/relay';
import type { Ticker } from '../ask/watchdog';
import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import type { Event } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { firstLine } from '../base/text';
import type { AskNode, Face, Node, NodeId, NoticeAction, NoticeNode, Patch } from '../chat/nodes';
import type { AskableAgent, PageState } from '../chat/page';
import { Thread } from '../chat/patch';
import { askedElsewhere, settleOpen } from '../chat/settle';
import { parseSlash } from '../chat/slash';
import { Writer } from '../chat/writer';
import type { ChildPool } from '../children/pool';
import { Asks } from './asks';
import type { AskSource, AskTree } from './asks-tree';
import type { Core } from './core';
import { notWritten, outdatedNotice, overComposer } from './notices';
import { Pace } from './pace';
import { Pairs } from './pairs';
import type { PermissionQueue } from './permissions';
import { Reader, readOnlyNotice } from './reader';
import type { Loaded } from './records';
import { type HomeAgent, Roster } from './roster';
import type { RuleBook } from './rulebook';
import type { ConversationFile, Store } from './store';
import { transcriptOf } from './transcript';
import { Turns } from './turns';

/** What a window knows besides its conversations. */
export interface Surroundings {
  readonly pool: ChildPool;
  readonly relay: Relay;
  readonly queue: PermissionQueue;
  readonly rules: RuleBook;
  readonly store: Store;
  /** All asks of the window. */
  readonly asks: AskTree;
  readonly log: Log;
  /** Absent while there is no configuration that holds. */
  readonly roster: Roster | undefined;
  readonly folders: readonly string[];
  readonly blocker: NoticeNode | undefined;
  readonly notices: readonly NoticeNode[];
  readonly demo: boolean;
  now?(): number;
  /** Milliseconds that a stopped home agent has; for tests. */
  stopGrace?: number;
  every?: Ticker;
}

/**
 * One thread of the person with a home agent: its entries, its turns and asks, its file. The page is a picture of it: patches say what
 * changed, `nodes` and `state` are the whole.
 */
export class Conversation implements Disposable {
  readonly id: string;
  readonly grants = new ConversationGrants();
  readonly #pace = new Pace();
  /** Changes, merged, at most about 30 times a second. */
  readonly onPatches: Event<Patch[]> = this.#pace.onPatches;
  readonly onState: Event<void> = this.#pace.onState;
  /** What stands in the composer; the page reports it, so that it survives the page. */
  draft: string | undefined;

  readonly #s: Surroundings;
  readonly #thread: Thread;
  readonly #writer: Writer;
  readonly #file: ConversationFile | undefined;
  readonly #pairs: Pairs;
  readonly #turns: Turns;
  readonly #asks: Asks;
  readonly #runningAsks = new Map<NodeId, AskNode>();
  readonly #subscriptions: Disposable[] = [];
  #folder: string | undefined;
  #homeName: string | undefined;
  #agents: Awaited<ReturnType<Roster['askable']>> = [];
  #hint: NoticeNode | undefined;
  #title: string | undefined;
  #readOnly = false;
  #reader: Reader | undefined;
  #disposed = false;

  constructor(surroundings: Surroundings, o: { loaded?: Loaded; home?: string } = {}) {
    this.#s = surroundings;
    const { loaded } = o;
    this.id = loaded?.header.id ?? randomUUID();
    this.#homeName = loaded?.home ?? o.home;
    this.#folder = loaded?.header.cwd || undefined;
    this.#thread = loaded?.thread ?? new Thread();
    const { queue } = surroundings;
    this.#writer = new Writer({
      thread: this.#thread,
      emit: (patch) => this.#emit(patch),
      now: () => this.#now(),
      face: (name) => this.#face(name),
      questionPlace: (id) => queue.place(id),
    });
    this.#file = this.#openFile(loaded);
    const core: Core = {
      id: this.id,
      thread: this.#thread,
      writer: this.#writer,
      log: surroundings.log,
      relay: surroundings.relay,
      every: surroundings.every,
      pool: surroundings.pool,
      permissions: queue.asker({
        id: this.id,
        home: () => this.home ?? '',
        face: (name) => this.#face(name),
      }),
      grants: this.grants,
      rules: surroundings.rules,
      file: this.#file,
      roster: () => this.#s.roster,
      changed: () => this.#changed(),
    };
    this.#pairs = new Pairs(core, loaded);
    this.#turns = new Turns(core, this.#pairs, surroundings.stopGrace);
    this.#asks = new Asks(core, this.#pairs, () => this.#turns.liveYolo(this.#home()));
    this.#turns.connect(this.#asks);
    if (loaded) this.#resume(loaded);
    this.#subscriptions.push(
      queue.onDidChange(() => {
        this.#turns.refreshQuestions();
        this.#asks.refreshQuestions();
        this.#changed();
      }),
      surroundings.pool.onDidChange(() => this.#changed()),
    );
    void this.configChanged();
  }

  /** All entries, as they are now; a copy that later changes leave alone. */
  snapshot(): Node[] {
    return this.#thread.snapshot();
  }

  /** Nobody has said anything yet. */
  get empty(): boolean {
    return this.#thread.size === 0;
  }

  /** Something runs for this conversation. */
  get working(): boolean {
    return this.#turns.active !== undefined || this.#asks.any;
  }

  /** Another window writes this conversation; here it can only be read. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** Folder in which this conversation's agents work; undefined while there is none, or the person has to choose one. */
  get folder(): string | undefined {
    const { folders } = this.#s;
    return this.#folder ?? (folders.length === 1 ? folders[0] : undefined);
  }

  /** The person has chosen one of several folders. It stays: what agents remember speaks of it. */
  setFolder(folder: string): void {
    if (this.empty) this.#folder = folder;
  }

  get home(): string | undefined {
    return this.#home()?.name ?? this.#homeName;
  }

  state(): PageState {
    const s = this.#s;
    const home = this.#home();
    const active = this.#turns.active;
    const face = this.#turns.face ?? home?.face ?? { name: this.#homeName ?? 'mm' };
    return {
      conversationId: this.id,
      home: face,
      homes: this.empty && s.roster ? s.roster.homes.map((h) => h.face) : [],
      agents: Roster.withStates(this.#agents, s.pool.statuses()),
      busy: active !== undefined,
      running: [...this.#runningAsks.values()].map(({ id, agent, askedBy, state, at }) => ({
        id,
        agent,
        askedBy,
        state: state === 'done' ? 'running' : state,
        since: at,
      })),
      ...(active ? { busySince: active.since } : {}),
      starting: active?.starting ?? false,
      ...(s.blocker ? { blocker: s.blocker } : {}),
      notices: [...s.notices, ...this.#ownNotices()],
      waiting: s.queue.size,
      demo: s.demo,
    };
  }

  /**
   * What the person sent. An `/ask-…` line goes out at once, plain words when the home agent is free (design, section 8).
   * @returns false when the text was not taken and belongs back into the composer; a line over the composer says why.
   */
  send(text: string): boolean {
    this.#hint = undefined;
    const { roster, blocker } = this.#s;
    const home = this.#home();
    const cwd = this.folder;
    if (text.trim() === '' || blocker || this.#readOnly) return this.#refuse(undefined);
    if (!roster || !home)
      return this.#refuse(l10n.t('The configuration is still being read. Send it again in a moment.'));
    if (cwd === undefined) return this.#refuse(undefined);
    const agents = roster.agentsOf(home);
    const line = parseSlash(text, agents);
    switch (line.kind) {
      case 'unknown-agent':
        return this.#refuse(
          agents.length > 0
            ? l10n.t('There is no agent “{0}”. You can ask: {1}.', line.agent, agents.join(', '))
            : l10n.t('There is no agent “{0}”: mm.yaml names none that can be asked.', line.agent),
        );
      case 'no-prompt':
        return this.#refuse(l10n.t('Write behind the command what {0} is to be asked.', line.agent));
      case 'ask': {
        const context = line.withContext ? transcriptOf(this.#thread.values()) : undefined;
        this.#said(text);
        this.#asks.start({ ...line, context }, home, cwd);
        return true;
      }
      default:
        if (this.#turns.active) return this.#refuse(undefined);
        this.#said(text);
        this.#turns.start(text, home, cwd);
        return true;
    }
  }

  /** Asks an agent as `/ask-…` does; for the palette. */
  ask(agent: string, prompt: string, withContext = false): boolean {
    return this.send(`/ask-${withContext ? 'with-context-' : ''}${agent} ${prompt}`);
  }

  /** Stop: the home agent's turn with its asks, else the running ask of the person. */
  stop(): void {
    if (!this.#turns.stop()) this.#asks.stopNewest();
  }

  stopAsk(node: NodeId): void {
    this.#asks.stop(node);
  }

  /**
   * A remedy that the person clicked. False when it is not the conversation's own: then it is the window's (trust, files, log).
   */
  act(id: NodeId, action: NoticeAction['id']): boolean {
    const node = this.#thread.get(id);
    switch (action) {
      case 'ask-again':
      case 'try-again':
        if (node) this.#again(node);
        return node !== undefined;
      case 'stop':
        if (node?.kind === 'ask') this.stopAsk(id);
        else this.stop();
        return true;
      case 'wait':
        if (node?.kind === 'ask') this.#asks.wait(id);
        else this.#turns.wait();
        return true;
      case 'force-stop':
        if (node?.kind === 'ask') this.#asks.force(id);
        else this.#turns.force();
        return true;
      case 'give-transcript':
        if (this.#readOnly) return true;
        return this.#pairs.giveTranscript(id, this.home ?? '');
      case 'keep-answer': {
        const home = this.#home();
        if (node?.kind === 'ask' && home && !this.#readOnly) this.#asks.keep(node, home);
        return true;
      }
      default:
        return false;
    }
  }

  /** Another home agent, while the conversation is empty. */
  setHome(name: string): boolean {
    if (!this.empty || this.working || !this.#s.roster?.home(name)) return false;
    this.#homeName = name;
    this.#turns.leave();
    void this.configChanged();
    return true;
  }

  /** Who can be asked from this conversation: by its home agent's file, which need not be the window's. */
  async askable(): Promise<AskableAgent[]> {
    const { roster, pool } = this.#s;
    return roster ? Roster.withStates(await roster.askable(this.#home()), pool.statuses()) : [];
  }

  /** The window has another configuration, folder or blocker. */
  async configChanged(): Promise<void> {
    const { roster } = this.#s;
    this.#changed();
    try {
      const agents = roster ? await roster.askable(this.#home()) : [];
      // A newer version may have come while the files of this one were read.
      if (roster !== this.#s.roster || this.#disposed) return;
      this.#agents = agents;
      if (roster) this.#hint = undefined; // it spoke of what held before
      this.#changed();
    } catch (error) {
      this.#s.log.warn(`The agents could not be listed: ${describe(error)}`);
    }
  }

  /** Everything so far is on disk. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Stops what runs and lets go of the file. */
  async close(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await Promise.all([this.#turns.dispose(), this.#asks.stopAll()]);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#pace.flush();
    this.#pace.dispose();
    await this.#file?.close();
  }

  dispose(): void {
    this.close().catch((error) => this.#s.log.error(`The conversation could not be closed: ${describe(error)}`));
  }

  // Changes

  #now(): number {
    return this.#s.now?.() ?? Date.now();
  }

  /** A change that stands in the thread goes to the file and the page. */
  #pass(patch: Patch): void {
    this.#file?.patch(patch);
    this.#pace.add(patch);
  }

  #emit(patch: Patch): void {
    this.#pass(patch);
    if (patch.op !== 'put') return;
    const { node } = patch;
    this.#s.asks.note(() => this.#source(), this.id, node);
    if (node.kind !== 'ask') return;
    if (node.state === 'done') this.#runningAsks.delete(node.id);
    else this.#runningAsks.set(node.id, node);
    this.#changed();
  }

  #changed(): void {
    this.#pace.state();
  }

  #source(): AskSource {
    const home = this.#turns.face ?? this.#home()?.face ?? { name: this.#homeName ?? 'mm' };
    return { id: this.id, home, title: this.#title ?? '', stop: (node) => this.stopAsk(node) };
  }

  /** Takes up what a file tells: what its window left open ends, and what the home agent no longer knows is said. */
  #resume(loaded: Loaded): void {
    this.#title = loaded.title;
    if (this.#readOnly) {
      for (const patch of askedElsewhere(this.#thread)) this.#thread.apply(patch);
      this.#reader = new Reader(loaded, {
        store: this.#s.store,
        onPatch: (patch) => {
          this.#thread.apply(patch);
          this.#pace.add(patch);
        },
        onHead: (head) => {
          this.#title = head.title ?? this.#title;
          this.#homeName = head.home ?? this.#homeName;
        },
        changed: () => this.#changed(),
      });
      this.#subscriptions.push(this.#reader);
      return;
    }
    const left = (agent: string) => l10n.t('The window was closed before {0} had finished', agent);
    for (const patch of settleOpen(this.#thread, left, this.#now())) {
      this.#thread.apply(patch);
      this.#pass(patch);
    }
    this.#pairs.notRemembered(this.home ?? 'mm');
  }

  // The person's words

  #said(text: string): void {
    if (this.empty) this.#file?.begin({ home: this.home ?? '', cwd: this.folder ?? '' });
    if (this.#title === undefined) {
      this.#title = firstLine(text, 80);
      this.#file?.record({ title: this.#title });
    }
    this.#writer.user(text);
  }

  #refuse(why: string | undefined): false {
    if (why !== undefined) this.#hint = overComposer('hint', why);
    this.#changed();
    return false;
  }

  #again(node: Node): void {
    const home = this.#home();
    const cwd = this.folder;
    if (!home || cwd === undefined || this.#s.blocker || this.#readOnly) return;
    if (node.kind === 'ask' && node.state === 'done') {
      const context = node.withContext ? transcriptOf(this.#thread.values(), { until: node.id }) : undefined;
      const { agent, prompt, withContext } = node;
      this.#asks.start({ agent: agent.name, prompt, withContext, context }, home, cwd);
    } else if (node.kind === 'turn' && node.state === 'done' && !this.#turns.active) {
      const text = this.#wordsBefore(node.id);
      if (text !== undefined) this.#turns.start(text, home, cwd);
    }
  }

  /** What the person had said to the home agent before this turn. */
  #wordsBefore(turn: NodeId): string | undefined {
    const agents = this.#s.roster?.agentsOf(this.#home()) ?? [];
    let words: string | undefined;
    for (const node of this.#thread.values()) {
      if (node.id === turn) break;
      if (node.kind === 'user' && parseSlash(node.text, agents).kind === 'text') words = node.text;
    }
    return words;
  }

  // The home agent

  #home(): HomeAgent | undefined {
    const { roster } = this.#s;
    if (!roster) return undefined;
    // A conversation whose home agent is no longer named goes on with the file's own.
    return (this.#homeName === undefined ? undefined : roster.home(this.#homeName)) ?? roster.homes[0];
  }

  #face(name: string): Face {
    const home = this.#home();
    if (home?.name === name) return this.#turns?.face ?? home.face;
    return this.#s.roster?.home(name)?.face ?? { name };
  }

  /** Lines over the composer that belong to this conversation. */
  #ownNotices(): NoticeNode[] {
    const { roster } = this.#s;
    return [
      ...(this.#readOnly ? [readOnlyNotice(this.#reader)] : []),
      ...(roster && this.#outdated(roster) ? [outdatedNotice(this.home ?? '')] : []),
      ...(this.#hint ? [this.#hint] : []),
    ];
  }

  /** The session is held by a child that the present configuration would not start. */
  #outdated(roster: Roster): boolean {
    const spec = this.#turns.spec;
    return spec !== undefined && !roster.isCurrent(spec);
  }

  // The file

  #openFile(loaded: Loaded | undefined): ConversationFile | undefined {
    const { store, log } = this.#s;
    const header = loaded?.header ?? { v: 1 as const, id: this.id, created: this.#now(), cwd: '', home: '' };
    try {
      const file = store.writer(header, loaded);
      if (!file) {
        this.#readOnly = true;
        return undefined;
      }
      file.onFailure = (error) => this.#notWritten(error);
      file.onLost = () => {
        this.#readOnly = true;
        this.#changed();
      };
      return file;
    } catch (error) {
      log.error(`The conversation has no file: ${describe(error)}`);
      queueMicrotask(() => this.#notWritten(error));
      return undefined;
    }
  }

  #notWritten(error: unknown): void {
    this.#writer.notice(notWritten(error));
  }
}
