import type { AskParams, AskResult, ChainLink } from '../acp/meta';
import type { AnyUpdate, PermissionOption } from '../acp/types';
import { CancelledError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { Patience } from '../base/patience';
import type { AgentEntry, MmConfig, PathEntry } from '../config/types';
import { AnswerText } from './answer';
import { OpenCalls } from './calls';
import { refuseNoAnswer } from './conclude';
import { type EntryYolos, yoloOf } from './decide';
import { depthOfCaller, guardDepth, refuseCycle } from './depth';
import { AskError, cancelledAsk, silentAsk, toAskError } from './errors';
import { keep } from './exchange';
import { type PermissionGate, questionOf } from './gate';
import { holdsBack } from './hook-answer';
import { AskHooks, type HookSurroundings, type Outgoing } from './hooks';
import { linkFor } from './identity';
import { nestedRequest, stoppedAsk } from './nested';
import { optionFor } from './options';
import { composePrompt } from './prompt';
import { type LinkedStop, linkedStop, orStopped } from './stop';
import type {
  AgentFace,
  Answer,
  AskEvent,
  AskRequest,
  AskTarget,
  InputAsker,
  InputQuestion,
  TargetPermission,
  TargetSession,
} from './types';
import { Silence, type Ticker } from './watchdog';
import { resultOf } from './wire';

/** What all asks of a relay share. */
export interface RunParts {
  targets: readonly AskTarget[];
  log: Log;
  gate: PermissionGate;
  /** This process carries the asks of the agents that it asks. */
  hub: boolean;
  /** The file of an asked agent, loaded: the caller's file of what that agent asks. */
  loadConfigOf?(entry: PathEntry): Promise<MmConfig>;
  /** How long a cancelled agent has to end its turn, milliseconds. */
  cancelGrace: number;
  hooks: HookSurroundings | undefined;
  /** Answers what agents ask back, where the request itself names nobody. */
  input: InputAsker | undefined;
  /** The watchdog's clock; the real one when nothing is said. */
  every: Ticker | undefined;
  /** The relay itself, for what the asked agent asks. */
  ask(request: AskRequest): AsyncIterable<AskEvent>;
}

type Emit = (event: AskEvent) => void | Promise<void>;

/** Names of refused calls that an ask remembers. */
const mostRefused = 100;

/** `ask_agent` as a tool's name, in questions and grants (rule 8). */
export const askAgentTool = 'ask_agent';

/** What our own question about `ask_agent` offers; the same as `mm` offers for its tools (rule 4). */
const askOptions: PermissionOption[] = [
  { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
  { optionId: 'allow_always', kind: 'allow_always', name: 'Allow for this conversation' },
  { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
];

/**
 * One ask from its request to its answer. `run` is the whole way, one named step after another; whatever has to happen
 * around an ask is a step there. All that comes from the asked agent passes `#onUpdate` and `#onPermission`: those are its
 * signs of life, and the time between a question and its settling is the person's and not the agent's.
 */
export class AskRun {
  readonly #calls = new OpenCalls();
  readonly #answer = new AnswerText();
  readonly #refused = new Set<string>();
  readonly #name: string;
  readonly #path: string[];
  readonly #chainNames: string[];
  /** The yolo of each entry from the one that home asked down to this ask's. */
  #entries: EntryYolos = [];
  /** Ends the work: with the ask, or because the agent fell silent. */
  readonly #stop: LinkedStop;
  /** With the start. */
  readonly #patience = new Patience();
  #session: TargetSession | undefined;
  #prompting = false;
  #questions = 0;
  /** Of the turn, from its prompt on. */
  #silence: Silence | undefined;

  constructor(
    private readonly parts: RunParts,
    private readonly request: AskRequest,
    /** Ends the ask: the caller's signal, and the end of the consumer. */
    private readonly signal: AbortSignal,
    private readonly emit: Emit,
  ) {
    this.#stop = linkedStop(signal);
    this.#name = request.agent;
    this.#path = [...request.path, request.agent];
    this.#chainNames = [...askersOf(request), request.agent];
  }

  /** The person would rather wait for a start that takes long. */
  wait(): void {
    this.#patience.more();
  }

  /** Ends an agent that does not react to a cancel, at once and not after the grace. */
  force(): void {
    if (this.#stop.signal.aborted) void this.#session?.force?.();
  }

  /** @throws AskError, with what had come and what was refused on the way. */
  async run(): Promise<Answer> {
    let face: AgentFace = { name: this.#name };
    try {
      const depth = this.#guardDepth();
      const entry = this.#lookUp();
      const chain = await this.#extendChain(entry);
      await this.#gateAsk();
      const hooks = this.#hooks();
      const sent = await hooks.preAsk(this.request);
      const session = await this.#open(entry, depth, chain);
      try {
        face = session.face;
        const ended = await this.#prompt(session, composePrompt(sent.prompt, sent.context));
        const came = this.#came(ended.stopReason);
        const text = await hooks.postAsk(sent, { text: came, stopReason: ended.stopReason, face });
        return this.#answered(face, sent, text, ended);
      } finally {
        session.close();
      }
    } catch (error) {
      throw await this.#failed(error, face);
    } finally {
      this.#stop.dispose();
    }
  }

  #hooks(): AskHooks {
    const { hooks, log } = this.parts;
    return new AskHooks(hooks, this.request, log, this.#stop.signal, (event) => this.#tell(event));
  }

  /** The agent, in the caller's file. */
  #lookUp(): AgentEntry {
    const { mmConfigs, file } = this.request.config;
    const entry = mmConfigs.get(this.#name);
    const known = [...mmConfigs.keys()];
    if (!entry) {
      throw new AskError('unknown-agent', l10n.t('There is no agent “{0}” in {1}.', this.#name, file), {
        hint: known.length
          ? l10n.t('Known agents: {0}', known.join(', '))
          : l10n.t('The file names no agents (mmConfigs).'),
        forModel: `There is no agent "${this.#name}". ${known.length ? `Known agents: ${known.join(', ')}.` : 'There are none.'}`,
      });
    }
    const first = this.request.depth === 0 && this.request.path.length === 0;
    // Below home and without a word about what stands above, nothing is given away: `undefined` stands for the home's entry.
    const above = this.request.above ?? (first ? [] : [undefined]);
    this.#entries = [...above, entry.yolo];
    return entry;
  }

  /** Rule 9. @returns the depth of the asked agent. */
  #guardDepth(): number {
    if (this.signal.aborted) throw cancelledAsk(this.#name);
    const depth = depthOfCaller(this.request.depth, this.request.chain);
    guardDepth(depth, this.#name);
    return depth + 1;
  }

  /** Rule 9: a cycle is refused before anything is started. @returns the chain with the asked agent as last link. */
  async #extendChain(entry: AgentEntry): Promise<ChainLink[]> {
    const link = await linkFor(this.#name, entry);
    refuseCycle(this.request.chain, link);
    return [...this.request.chain, link];
  }

  /** Rule 8: whoever runs the relay gates the caller's `ask_agent`, once, and shows the prompt before it goes. */
  async #gateAsk(): Promise<void> {
    const { gate, path, prompt, context, cwd, permissions, grants, rules } = this.request;
    if (!gate) return;
    const question = questionOf({
      id: `${this.request.id}:ask`,
      path,
      toolCall: {
        toolCallId: gate.toolCallId,
        name: askAgentTool,
        title: `${this.#name}: ${prompt}`,
        kind: 'other',
        rawInput: { agent: this.#name, prompt, ...(context === undefined ? {} : { context }) },
      },
      options: askOptions,
      cwd,
      chain: this.#chainNames.slice(0, -1),
      mustAsk: this.#mustAskAbove(),
    });
    // A prompt may speak of `.env`; asking is not a call on it.
    question.keyFile = false;
    const decision = await this.parts.gate.settle({
      question,
      entries: this.#entries.slice(0, -1),
      liveYolo: this.request.liveYolo(),
      grants,
      rules,
      permissions,
      signal: this.signal,
      emit: (event) => void this.#tell(event),
    });
    if (decision.outcome === 'allowed') return;
    if (decision.outcome === 'cancelled') throw cancelledAsk(this.#name);
    throw new AskError('refused', l10n.t('{0} was not asked: the question was rejected.', this.#name), {
      hint: decision.why,
      forModel: `${this.#name} was not asked: ${decision.by === 'person' ? 'the person rejected the question' : 'it was not allowed'}.`,
    });
  }

  /** A child, and on it a new conversation (rules 1 and 2). */
  async #open(entry: AgentEntry, depth: number, chain: ChainLink[]): Promise<TargetSession> {
    const target = this.parts.targets.find((t) => t.serves(entry));
    if (!target) {
      throw new AskError('start', l10n.t('Nothing here can start {0}.', this.#name));
    }
    const agent = { name: this.#name };
    await this.#tell({ type: 'starting', agent });
    const limits = this.#patience.onDidChange(() => {
      const { until } = this.#patience;
      if (until !== undefined) void this.#tell({ type: 'starting', agent, until });
    });
    try {
      const opening = target.open({
        name: this.#name,
        entry,
        cwd: this.request.cwd,
        depth,
        chain,
        yolo: this.#yolo(),
        byPerson: this.request.caller.kind === 'person',
        signal: this.#stop.signal,
        patience: this.#patience,
        onUpdate: (update) => this.#onUpdate(update),
        onPermission: (permission, signal) => this.#onPermission(permission, signal),
        onAlive: () => this.#silence?.alive(),
        onInput: this.#input && ((about, signal) => this.#onInput(about, signal)),
        onAsk: this.parts.hub ? (params, signal) => this.#onAsk(entry, chain, params, signal) : undefined,
      });
      return await orStopped(opening, this.signal, this.parts.cancelGrace, (late) => late.close());
    } catch (error) {
      throw toAskError(error, 'start', this.#name, this.signal);
    } finally {
      limits.dispose();
    }
  }

  /** The one prompt of an ask. A cancelled agent gets time to end its turn; then the ask ends without it. */
  async #prompt(session: TargetSession, text: string) {
    await this.#tell({ type: 'started', agent: session.face, sessionId: session.sessionId });
    if (this.signal.aborted) throw cancelledAsk(this.#name);
    this.#session = session;
    this.#prompting = true;
    try {
      this.#silence = this.#watch();
      return await orStopped(session.prompt(text), this.#stop.signal, this.parts.cancelGrace);
    } catch (error) {
      if (error instanceof CancelledError) session.abandon?.();
      throw error;
    } finally {
      this.#prompting = false;
      this.#silence?.dispose();
    }
  }

  /** Rule 11: real silence ends the turn as a cancel does. */
  #watch(): Silence {
    return new Silence({
      seconds: this.request.config.watchdogTimeout,
      commandRuns: () => this.#calls.commandRuns,
      onSilence: () => this.#stop.controller.abort(),
      every: this.parts.every,
    });
  }

  /** @returns the answer's text, where the end of the turn leaves one (rule 6). */
  #came(stopReason: string): string {
    if (this.#stop.signal.aborted) throw cancelledAsk(this.#name);
    const text = this.#answer.whole();
    refuseNoAnswer(this.#name, stopReason, text, [...this.#refused]);
    return text;
  }

  /** The answer, and what of it is kept. */
  #answered(
    face: AgentFace,
    sent: Outgoing,
    text: string,
    { stopReason, usage }: { stopReason: string; usage?: Answer['usage'] },
  ): Answer {
    if (this.signal.aborted) throw cancelledAsk(this.#name);
    const { kept, truncated } = keep(text, this.request.config.maxOutput, stopReason);
    return {
      text,
      prompt: sent.prompt,
      kept,
      truncated,
      agent: this.#name,
      title: face.title,
      provider: face.provider,
      model: face.model,
      stopReason,
      usage,
      refused: [...this.#refused],
      agentFace: face,
    };
  }

  async #failed(error: unknown, face: AgentFace): Promise<AskError> {
    const { config } = this.request;
    const ask =
      this.#silence?.fell && !this.signal.aborted
        ? silentAsk(this.#name, config.watchdogTimeout, config.file)
        : toAskError(error, 'agent-error', this.#name, this.signal);
    const text = this.#answer.whole();
    // Words that have not passed the hooks are seen and kept nowhere.
    if (text.trim() !== '' && holdsBack(config)) await this.emit({ type: 'hook', point: 'postAsk', withheld: true });
    else if (text.trim() !== '' && !ask.came) ask.came = { text, face };
    ask.refused = [...this.#refused];
    return ask;
  }

  /** Updates before the prompt are the session's own (its commands, a banner) and no part of an answer. */
  #onUpdate(update: AnyUpdate): void | Promise<void> {
    if (!this.#prompting) return;
    this.#calls.note(update);
    this.#silence?.alive();
    const taken = this.#tell({ type: 'update', update });
    return taken && this.#othersTime(taken);
  }

  /** Waits for what is not the agent's time, and hence not its silence (rule 11). */
  #othersTime<T>(work: Promise<T>): Promise<T> {
    return this.#silence?.others(work) ?? work;
  }

  /** Rule 4. @returns one of the agent's own option ids, or undefined for `cancelled`. */
  async #onPermission(permission: TargetPermission, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#prompting || this.#stop.signal.aborted) return undefined;
    const meta = readPermissionMeta(permission.meta);
    const { permissions, grants, rules, cwd, id } = this.request;
    const question = questionOf({
      id: `${id}:${++this.#questions}`,
      path: [...this.#path, ...meta.path],
      toolCall: this.#calls.complete(permission.toolCall),
      options: permission.options,
      program: permission.program,
      cwd,
      chain: [...this.#chainNames, ...meta.path],
      mustAsk: meta.mustAsk || this.#mustAskAbove() || this.#entries.at(-1) === false,
    });
    const moot = linkedStop(this.#stop.signal, signal);
    try {
      const decision = await this.#othersTime(
        this.parts.gate.settle({
          question,
          entries: this.#entries,
          liveYolo: this.request.liveYolo(),
          grants,
          rules,
          permissions,
          signal: moot.signal,
          emit: (event) => void this.#tell(event),
        }),
      );
      this.#calls.settled(question.toolCall, decision.outcome === 'allowed');
      if (decision.outcome === 'rejected') this.#refuse(question.name);
      return optionFor(decision.outcome, question.options);
    } finally {
      moot.dispose();
    }
  }

  get #input(): InputAsker | undefined {
    return this.request.input ?? this.parts.input;
  }

  /** What the agent wants to know of the person; the time until the answer is the person's (rule 11). */
  async #onInput(about: Pick<InputQuestion, 'text' | 'leave'>, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#prompting || this.#stop.signal.aborted) return undefined;
    const question = { id: `${this.request.id}:${++this.#questions}`, path: [...this.#path], ...about };
    const moot = linkedStop(this.#stop.signal, signal);
    let answer: string | undefined;
    try {
      await this.#tell({ type: 'input', question, state: 'waiting' });
      answer = await this.#othersTime(this.#input!.ask(question, moot.signal));
      return answer;
    } finally {
      moot.dispose();
      await this.#tell({ type: 'input', question, state: 'settled', answered: answer !== undefined });
    }
  }

  /** The asked agent asks a third one, through this hub. Its events are nested in this ask's. */
  #onAsk(
    entry: AgentEntry,
    chain: ChainLink[],
    params: Omit<AskParams, 'sessionId'>,
    signal: AbortSignal,
  ): Promise<AskResult> {
    return this.#othersTime(this.#carry(entry, chain, params, signal));
  }

  async #carry(
    entry: AgentEntry,
    chain: ChainLink[],
    params: Omit<AskParams, 'sessionId'>,
    signal: AbortSignal,
  ): Promise<AskResult> {
    const stop = linkedStop(this.#stop.signal, signal);
    try {
      const request = await nestedRequest({
        outer: this.request,
        id: `${this.request.id}/${++this.#questions}`,
        entry,
        chain,
        askers: this.#chainNames,
        entries: this.#entries,
        params,
        signal: stop.signal,
        loadConfigOf: this.parts.loadConfigOf,
      });
      const about = {
        type: 'nested' as const,
        askId: request.id,
        toolCallId: params.toolCallId,
        agent: params.agent,
        askedBy: this.#name,
        prompt: params.prompt,
      };
      for await (const event of this.parts.ask(request)) {
        await this.#tell({ ...about, event });
        if (event.type !== 'end') continue;
        this.#refuse(...event.answer.refused);
        return resultOf(event.answer);
      }
      throw new AskError('agent-error', l10n.t('{0} gave no answer.', params.agent));
    } catch (error) {
      const ask = toAskError(error, 'agent-error', params.agent, stop.signal);
      this.#refuse(...ask.refused);
      throw ask.failure === 'cancelled' && !stop.signal.aborted ? stoppedAsk(params.agent, ask) : ask;
    } finally {
      stop.dispose();
    }
  }

  /** To the caller, and into the answer; what comes after Stop is shown and not kept (F026). */
  #tell(event: AskEvent): void | Promise<void> {
    if (!this.#stop.signal.aborted) this.#answer.event(event);
    return this.emit(event);
  }

  /** Each name once: an agent may try the same a thousand times. */
  #refuse(...names: string[]): void {
    for (const name of names) if (this.#refused.size < mostRefused) this.#refused.add(name);
  }

  #yolo(): boolean {
    return !this.#mustAskAbove() && yoloOf(this.#entries, this.request.liveYolo());
  }

  #mustAskAbove(): boolean {
    return this.request.mustAsk === true || this.#entries.slice(0, -1).includes(false);
  }
}

/** "You", then who was asked on the way. */
function askersOf(request: AskRequest): string[] {
  if (request.askers) return [...request.askers];
  if (request.caller.kind !== 'model') return [request.caller.name];
  return [l10n.t('You'), ...request.chain.map((link) => link.name)];
}

/** `_meta.mm` of a request for permission, as far as it is what it should be: a few short names, and a flag. */
function readPermissionMeta(meta: unknown): { path: string[]; mustAsk: boolean } {
  const { path, mustAsk } = (meta ?? {}) as { path?: unknown; mustAsk?: unknown };
  const names = Array.isArray(path) ? path.filter((n): n is string => typeof n === 'string' && n !== '') : [];
  return { path: names.slice(0, 4).map((n) => n.slice(0, 100)), mustAsk: mustAsk === true };
}
