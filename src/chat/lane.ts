import { l10n } from '../base/l10n';
import { cap, firstLine } from '../base/text';
import { endOf } from './end';
import type {
  AskNode,
  End,
  Face,
  Node,
  NodeId,
  PermissionNode,
  PlanNode,
  RunState,
  TurnNode,
  UnsupportedNode,
} from './nodes';
import { planOf } from './plan';
import { type ChatQuestion, questionView } from './question';
import { obj, type Raw, sizeOf, str } from './raw';
import { type ChatDecision, settledNode, settledState } from './settled';
import { labelOf, type NameOf, ToolCallView } from './tool';

/** One `session/update` as it came. `sessionUpdate` is a string; every other field is as hostile as the agent. */
export interface ChatUpdate {
  sessionUpdate: string;
}

/** What a hook did; `ask/types.ts`' `HookEvent` fits. */
export interface ChatHook {
  hook?: string;
  prompt?: string;
  context?: true;
  text?: string;
  withheld?: true;
}

/** Where the lanes of one conversation put their nodes. */
export interface Sink {
  get(id: NodeId): Node | undefined;
  put(node: Node): void;
  append(id: NodeId, text: string): void;
  remove(id: NodeId): void;
  newId(): NodeId;
  now(): number;
  /** Title and model of an agent that a question names. */
  face(name: string): Face;
  /** How the conversation shows a question at this moment. */
  questionPlace(id: string): { card: boolean; more: number };
}

/** Words of one turn or ask beyond this are not kept: an agent that never stops must not fill the memory. */
const maxWords = 8_000_000;
/** Entries of one turn or ask. */
const maxEntries = 20_000;
/** Characters of all its calls together, their outputs and changes; what comes above that is left out. */
export const maxCalls = 20_000_000;

/** Kinds of updates that change no entry. Their news stand elsewhere or nowhere. */
const silent = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);

/**
 * The entries of one turn of the home agent or of one ask: turns what the agent sends into nodes. An ask of a third agent is a lane
 * within a lane. Whatever an agent sends, in whatever order, nothing here throws (faults F020–F036, F056, F066).
 */
export class Lane {
  readonly #sink: Sink;
  readonly #nameOf: NameOf;
  #node: TurnNode | AskNode;
  #text: { id: NodeId; messageId: string | undefined; thought: boolean } | undefined;
  /** Everything that was said, not thought. */
  readonly #said: NodeId[] = [];
  readonly #tools = new Map<string, ToolCallView>();
  /** Calls whose work is shown as an ask of its own. */
  readonly #shownAsAsk = new Set<string>();
  readonly #questions = new Map<string, { node: PermissionNode; tool: ToolCallView | undefined; gone: boolean }>();
  readonly #children = new Map<string, { lane: Lane; toolCallId: string | undefined }>();
  #plan: PlanNode | undefined;
  #unsupported: UnsupportedNode | undefined;
  #words = 0;
  #callsSize = 0;
  #entries = 0;
  #overflow = false;
  #came = false;
  /** Who was stopped. */
  #stopping: string | undefined;
  #ended = false;

  constructor(sink: Sink, node: TurnNode | AskNode, nameOf: NameOf) {
    this.#sink = sink;
    this.#nameOf = nameOf;
    this.#node = node;
    sink.put(node);
  }

  get id(): NodeId {
    return this.#node.id;
  }

  get node(): Readonly<TurnNode | AskNode> {
    return this.#node;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Something that a person can see has come. */
  get somethingCame(): boolean {
    return this.#came;
  }

  /** The agent's title and model became known, or the child is up. */
  face(agent: Face): void {
    const a = this.#node.agent;
    const same =
      a.name === agent.name && a.title === agent.title && a.provider === agent.provider && a.model === agent.model;
    if (!same) this.#set({ agent });
  }

  state(state: RunState): void {
    if (this.#ended || this.#node.state === state) return;
    this.#set({ state });
  }

  /** The child is being started; `until` when that is given up. */
  starting(until: number | undefined): void {
    if (this.#ended || this.#came) return;
    if (this.#node.state !== 'starting' || this.#node.until !== until) this.#set({ state: 'starting', until });
  }

  /** Stop was said, to this agent or to one above it: words that still come are marked (faults F026). */
  stopping(who = this.#node.agent.name): void {
    if (this.#stopping !== undefined || this.#ended) return;
    this.#stopping = who;
    this.#closeText();
    this.#set({ stoppedAt: this.#sink.now() });
    for (const tool of this.#tools.values()) tool.stopping();
    for (const { lane } of this.#children.values()) lane.stopping(who);
  }

  /** One update of the agent. After the end nothing is taken: late words never reach the next turn. */
  update(update: ChatUpdate): void {
    if (this.#ended) return;
    const u = update as ChatUpdate & Raw;
    switch (u.sessionUpdate) {
      case 'agent_message_chunk':
        this.#block(u, false);
        return;
      case 'agent_thought_chunk':
        this.#block(u, true);
        return;
      case 'tool_call':
      case 'tool_call_update':
        this.#toolCall(u);
        return;
      case 'plan':
        this.#showPlan(u);
        return;
      default:
        if (!silent.has(u.sessionUpdate)) this.#unknown(cap(u.sessionUpdate, 200).text, sizeOf(u), true);
    }
  }

  /** The agent or a question has named this call here. */
  hasCall(toolCallId: string): boolean {
    return this.#tools.has(toolCallId);
  }

  /**
   * An update of a call of this turn that comes after its end: the call is brought to its end after all, and nothing else is changed.
   * `next` is the turn that runs now; a call that it knows by the same id is meant. False when the update is about no call of this one.
   */
  late(update: ChatUpdate, next: Lane | undefined): boolean {
    if (!this.#ended || update.sessionUpdate !== 'tool_call_update') return false;
    const u = update as ChatUpdate & Raw;
    const tool = this.#tools.get(str(u.toolCallId) ?? '');
    if (!tool || next?.hasCall(tool.node.toolCallId)) return false;
    const { state } = tool.node;
    if (state !== 'no-result' && state !== 'cancelled') return true;
    this.#updateTool(tool, u);
    tool.end(state, this.#sink.now());
    if (tool.node.state !== state) tool.node.endedAt = this.#sink.now();
    if (!this.#shownAsAsk.has(tool.node.toolCallId)) this.#sink.put(tool.node);
    return true;
  }

  /** A question about a call waits for a person. */
  question(q: ChatQuestion): void {
    if (this.#ended || this.#questions.has(q.id)) return;
    const call = obj(q.toolCall) ?? {};
    const tool = this.#toolFor(call);
    if (tool) {
      this.#updateTool(tool, call, true);
      tool.wait(q.name);
      this.#sink.put(tool.node);
    }
    const node: PermissionNode = {
      kind: 'permission',
      id: this.#sink.newId(),
      parent: this.id,
      at: this.#sink.now(),
      questionId: q.id,
      ...questionView(q, (name) => this.#sink.face(name)),
      ...this.#sink.questionPlace(q.id),
      state: 'waiting',
    };
    this.#questions.set(q.id, { node, tool, gone: false });
    this.#entry(node);
    this.state('waiting');
  }

  /** A question was settled, with or without having waited. A call that yolo or a grant let through leaves no line. */
  settled(q: ChatQuestion, decision: ChatDecision): void {
    if (this.#ended) return;
    const known = this.#questions.get(q.id);
    if (!known && (decision.outcome === 'allowed' || decision.outcome === 'cancelled')) return;
    if (!known) this.question(q);
    const entry = this.#questions.get(q.id);
    if (!entry || entry.gone) return;
    entry.gone = true;
    const { state, refused } = settledState(decision);
    const why = decision.why ?? (state === 'withdrawn' ? this.#whyWithdrawn(entry.node.name) : undefined);
    entry.node = settledNode(entry.node, state, why);
    this.#sink.put(entry.node);
    if (entry.tool) {
      entry.tool.settle(refused);
      this.#sink.put(entry.tool.node);
    }
    if (![...this.#questions.values()].some((e) => !e.gone) && this.#node.state === 'waiting') this.state('running');
  }

  /** A hook of the asker's file changed what goes out or what came back, or what came has not passed one (rule 10). */
  hook(e: ChatHook): void {
    if (this.#ended) return;
    const hook = e.hook ?? '';
    if (e.prompt !== undefined) {
      if (this.#node.kind === 'ask') this.#set({ prompt: e.prompt, rewritten: true });
      this.#line(l10n.t('The hook {0} rewrote the question', hook));
    }
    if (e.context) this.#line(l10n.t('The hook {0} changed the conversation that goes along', hook));
    if (e.withheld || e.text !== undefined) this.#withhold();
    if (e.text === undefined) return;
    this.#line(l10n.t('The hook {0} replaced this answer', hook));
    this.#append(cap(e.text, maxWords).text, undefined, false);
    this.#closeText();
  }

  /** What was said so far is seen, and kept nowhere. */
  #withhold(): void {
    this.#closeText();
    for (const id of this.#said) {
      const node = this.#sink.get(id);
      if (node?.kind === 'text') this.#sink.put({ ...node, withheld: true });
    }
  }

  /** It asks the person something that is no permission. */
  asksBack(question: string): void {
    if (this.#ended) return;
    this.#line(l10n.t('{0} asks you: {1}', this.#node.agent.name, firstLine(question, 500)));
    this.state('waiting');
  }

  answeredBack(answered: boolean): void {
    if (this.#ended) return;
    this.#line(answered ? l10n.t('You answered') : l10n.t('You did not answer'));
    if (this.#node.state === 'waiting') this.state('running');
  }

  #line(title: string): void {
    const base = { id: this.#sink.newId(), parent: this.id, at: this.#sink.now() };
    this.#entry({ kind: 'notice', ...base, shape: 'line', level: 'info', title, actions: [] });
  }

  /** The queue moved: how many wait behind a question, and whether it is a card now. */
  refreshQuestions(): void {
    for (const entry of this.#questions.values()) {
      if (entry.gone) continue;
      const place = this.#sink.questionPlace(entry.node.questionId);
      if (place.card === entry.node.card && place.more === entry.node.more) continue;
      entry.node = { ...entry.node, ...place };
      this.#sink.put(entry.node);
    }
    for (const { lane } of this.#children.values()) lane.refreshQuestions();
  }

  /**
   * An ask that this lane's agent makes. Its entries stand inside this lane, in the place of the `ask_agent` call, whose card goes.
   * `id` is the ask's own; a second call with it gives the same lane.
   */
  child(
    id: string,
    o: { agent: Face; askedBy: string; prompt: string; toolCallId?: string; nameOf: NameOf; withContext?: boolean },
  ): Lane {
    const known = this.#children.get(id);
    if (known) return known.lane;
    this.#closeText();
    this.#came = true;
    if (o.toolCallId !== undefined && !this.#shownAsAsk.has(o.toolCallId)) {
      this.#shownAsAsk.add(o.toolCallId);
      const tool = this.#tools.get(o.toolCallId);
      if (tool) this.#sink.remove(tool.node.id);
    }
    const lane = new Lane(
      this.#sink,
      {
        kind: 'ask',
        id: this.#sink.newId(),
        parent: this.id,
        at: this.#sink.now(),
        agent: o.agent,
        askedBy: o.askedBy,
        depth: this.#node.kind === 'ask' ? this.#node.depth + 1 : 1,
        prompt: o.prompt,
        withContext: o.withContext ?? false,
        state: 'starting',
        kept: false,
        cut: 0,
      },
      o.nameOf,
    );
    this.#children.set(id, { lane, toolCallId: o.toolCallId });
    return lane;
  }

  /** The lane of an ask that this lane's agent made. */
  childOf(id: string): Lane | undefined {
    return this.#children.get(id)?.lane;
  }

  /** The agent answered the prompt. `kept`, `cut`: of an ask, what of it stays in the conversation. */
  answered(stopReason: string, o: { tokens?: number; kept?: boolean; cut?: number } = {}): void {
    this.end(
      this.#stopping !== undefined && stopReason !== 'refusal' ? { how: 'stopped' } : endOf(stopReason, this.#came),
      o,
    );
  }

  /** The end, however it came: nothing stays open below (faults F036, F044). Only the first end counts. */
  end(end: End, o: { tokens?: number; kept?: boolean; cut?: number } = {}): void {
    if (this.#ended) return;
    this.#closeText();
    const at = this.#sink.now();
    for (const { lane } of this.#children.values()) lane.end(end.how === 'stopped' ? end : { how: 'stopped' });
    for (const entry of this.#questions.values()) {
      if (entry.gone) continue;
      entry.gone = true;
      const why = this.#whyWithdrawn(entry.node.name);
      this.#sink.put(settledNode(entry.node, 'withdrawn', why));
    }
    for (const tool of this.#tools.values()) {
      const before = tool.node.state;
      tool.end(end.how === 'stopped' ? 'cancelled' : 'no-result', at);
      if (tool.node.state !== before && !this.#shownAsAsk.has(tool.node.toolCallId)) this.#sink.put(tool.node);
    }
    this.#ended = true;
    const patch: Partial<AskNode> = { state: 'done', until: undefined, stoppedAt: undefined, endedAt: at, end };
    if (o.tokens !== undefined) patch.tokens = o.tokens;
    if (this.#node.kind === 'ask') {
      if (o.kept !== undefined) patch.kept = o.kept;
      if (o.cut !== undefined) patch.cut = o.cut;
    }
    this.#set(patch);
  }

  /** The pair was kept after all ("Keep What Came"). */
  keep(cut: number): void {
    if (this.#node.kind === 'ask') this.#set({ kept: true, cut });
  }

  #whyWithdrawn(name: string): string | undefined {
    if (this.#stopping === undefined) return undefined;
    return l10n.t('{0} was stopped before you answered {1}', this.#stopping, name);
  }

  #set(patch: Partial<TurnNode> | Partial<AskNode>): void {
    this.#node = { ...this.#node, ...patch } as TurnNode | AskNode;
    this.#sink.put(this.#node);
  }

  /** Puts an entry of this lane; whatever words stand open before it are finished. False when the lane is full. */
  #entry(node: Node): boolean {
    this.#closeText();
    if (this.#full()) return false;
    this.#entries++;
    this.#came = true;
    this.#unsupported = undefined;
    this.#sink.put(node);
    return true;
  }

  #full(): boolean {
    if (this.#entries < maxEntries && this.#words < maxWords) return false;
    if (!this.#overflow) {
      this.#overflow = true;
      this.#closeText();
      this.#sink.put({
        kind: 'notice',
        id: this.#sink.newId(),
        parent: this.id,
        at: this.#sink.now(),
        shape: 'line',
        level: 'warning',
        title: l10n.t('More came than is kept in one turn. The rest is not shown.'),
        actions: [],
      });
    }
    return true;
  }

  /** No more words come for the text or thought that stands open. */
  #closeText(): void {
    const open = this.#text;
    if (!open) return;
    this.#text = undefined;
    const node = this.#sink.get(open.id);
    if (node?.kind === 'text') this.#sink.put({ ...node, done: true });
    else if (node?.kind === 'thought') this.#sink.put({ ...node, done: true, endedAt: this.#sink.now() });
  }

  /** One chunk of words or another content block, in the order in which they come (faults F033, F034). */
  #block(u: Raw, thought: boolean): void {
    const block = obj(u.content);
    if (block?.type === 'text') {
      if (typeof block.text === 'string' && block.text !== '') this.#append(block.text, messageIdOf(u), thought);
      return;
    }
    if (!block) return;
    this.#unknown(labelOf(block), sizeOf(block), false);
  }

  #append(words: string, messageId: string | undefined, thought: boolean): void {
    if (this.#full()) return;
    this.#words += words.length;
    const open = this.#text;
    if (open && open.thought === thought && open.messageId === messageId) {
      this.#sink.append(open.id, words);
      return;
    }
    const id = this.#sink.newId();
    const base = { id, parent: this.id, at: this.#sink.now(), text: words, done: false };
    const message = messageId === undefined ? {} : { messageId };
    const node: Node = thought
      ? { kind: 'thought', ...base, ...message }
      : { kind: 'text', ...base, ...message, ...(this.#stopping === undefined ? {} : { afterStop: true }) };
    if (this.#entry(node)) {
      this.#text = { id, messageId, thought };
      if (!thought) this.#said.push(id);
    }
    if (this.#node.state === 'starting') this.state('running');
  }

  /** The card of a call, made when its id is new, whoever names it first (faults F035). */
  #toolFor(call: Raw): ToolCallView | undefined {
    const id = str(call.toolCallId);
    if (id === undefined || id.length > 512) return undefined;
    const known = this.#tools.get(id);
    if (known) return known;
    if (this.#full()) return undefined;
    const tool = new ToolCallView(
      { id: this.#sink.newId(), parent: this.id, at: this.#sink.now(), toolCallId: id },
      this.#nameOf,
    );
    if (this.#stopping !== undefined) tool.stopping();
    this.#tools.set(id, tool);
    this.#entry(tool.node);
    return tool;
  }

  #updateTool(tool: ToolCallView, call: Raw, fill = false): boolean {
    const others = this.#callsSize - tool.size;
    const changed = tool.update(call, this.#sink.now(), fill, maxCalls - others);
    this.#callsSize = others + tool.size;
    return changed;
  }

  #toolCall(u: Raw): void {
    const tool = this.#toolFor(u);
    if (!tool) return;
    const changed = this.#updateTool(tool, u);
    const { toolCallId, state } = tool.node;
    if (!this.#shownAsAsk.has(toolCallId)) {
      if (changed) this.#sink.put(tool.node);
      return;
    }
    if (state !== 'done' && state !== 'failed') return;
    // The ask's own end should have come before; where it has not, the end of the call that made it is its end.
    for (const child of this.#children.values()) {
      if (child.toolCallId !== toolCallId || child.lane.ended) continue;
      if (child.lane.#stopping !== undefined) child.lane.end({ how: 'stopped' });
      else if (state === 'done') child.lane.answered('end_turn');
      else child.lane.end({ how: 'failed', title: firstLine(tool.node.output, 300) || l10n.t('The ask failed.') });
    }
  }

  /** The agent's plan is one entry that changes in place. */
  #showPlan(u: Raw): void {
    const entries = planOf(u);
    if (this.#plan) {
      this.#plan = { ...this.#plan, entries };
      this.#sink.put(this.#plan);
      return;
    }
    if (entries.length === 0) return;
    const plan: PlanNode = { kind: 'plan', id: this.#sink.newId(), parent: this.id, at: this.#sink.now(), entries };
    if (this.#entry(plan)) this.#plan = plan;
  }

  /** A kind of update or block that this build does not know: one collapsed row, and the turn goes on (faults F020). */
  #unknown(label: string, size: number, merge: boolean): void {
    const last = this.#unsupported;
    if (merge && last && last.label === label) {
      this.#unsupported = { ...last, size: last.size + size };
      this.#sink.put(this.#unsupported);
      return;
    }
    const node: UnsupportedNode = {
      kind: 'unsupported',
      id: this.#sink.newId(),
      parent: this.id,
      at: this.#sink.now(),
      label,
      size,
    };
    if (this.#entry(node)) this.#unsupported = merge ? node : undefined;
  }
}

function messageIdOf(u: Raw): string | undefined {
  const id = str(u.messageId);
  return id === undefined ? undefined : cap(id, 200).text;
}
