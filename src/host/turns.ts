import { randomUUID } from 'node:crypto';
import type {
  AnyUpdate,
  ContentBlock,
  PromptResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from '../acp/types';
import { OpenCalls } from '../ask/calls';
import { questionOf } from '../ask/gate';
import { linkFor } from '../ask/identity';
import { optionFor } from '../ask/options';
import { orStopped } from '../ask/stop';
import { Silence } from '../ask/watchdog';
import { rpcErrorOf } from '../ask/wire';
import { CancelledError, describe, isCancelled } from '../base/errors';
import { l10n } from '../base/l10n';
import { Patience } from '../base/patience';
import type { Lane } from '../chat/lane';
import type { End, Face } from '../chat/nodes';
import { ChildEndedError } from '../children/pool';
import type { ChildSpec } from '../children/types';
import type { Asks } from './asks';
import { type Core, namesFor } from './core';
import { failed } from './ends';
import { HomeSession, modeOf, type OpenHome, tokensOf } from './home';
import type { Pairs } from './pairs';
import type { HomeAgent } from './roster';

/** Milliseconds that a stopped home agent has to end its turn; after that the turn ends without it and its child is ended. */
const stopGrace = 5_000;

interface Active {
  lane: Lane;
  home: HomeAgent;
  stop: AbortController;
  since: number;
  /** The child is being started. */
  starting: boolean;
  /** With the start. */
  patience: Patience;
  /** It did not end its turn after Stop. */
  unresponsive: boolean;
  /** From its prompt on (rule 11). */
  silence: Silence | undefined;
  done: Promise<void>;
}

/** The turns of the home agent in one conversation, one at a time, on one session. */
export class Turns {
  readonly #core: Core;
  readonly #pairs: Pairs;
  readonly #grace: number;
  readonly #session: HomeSession;
  readonly #calls = new OpenCalls();
  #asks: Asks | undefined;
  #active: Active | undefined;
  /** The last turn on the session that is open: a call of it may end late. */
  #last: Lane | undefined;
  #mode: string | undefined;
  /** A session was lost, and the conversation has not been told yet. */
  #forgotten = false;
  /** Name of the agent whose session is open. */
  #name = '';

  constructor(core: Core, pairs: Pairs, grace = stopGrace) {
    this.#core = core;
    this.#pairs = pairs;
    this.#grace = grace;
    this.#session = new HomeSession(core.pool, core.log, () => this.#lost());
  }

  /** Who carries what the home agent's model asks. */
  connect(asks: Asks): void {
    this.#asks = asks;
  }

  get active(): Readonly<Pick<Active, 'since' | 'starting'>> | undefined {
    return this.#active;
  }

  /** How the running child shows itself; known once it has answered. */
  get face(): Face | undefined {
    return this.#session.current?.face;
  }

  /** What the child that holds this conversation's session was started from. */
  get spec(): ChildSpec | undefined {
    return this.#session.current?.child.spec;
  }

  /** The queue of questions has moved. */
  refreshQuestions(): void {
    this.#active?.lane.refreshQuestions();
  }

  /** The home agent's yolo at this moment: its session's mode, first taken from its file and `AGENT_YOLO` (rule 4). */
  liveYolo(home: HomeAgent | undefined): boolean {
    if (!home) return false;
    if (home.own && this.#mode !== undefined && this.#session.current) return this.#mode === 'yolo';
    return home.config.yolo;
  }

  /** Begins a turn with what the person wrote. The caller has checked that none runs. */
  start(text: string, home: HomeAgent, cwd: string): void {
    const { writer } = this.#core;
    const face = this.#session.current?.face ?? home.face;
    const lane = writer.turn(face, namesFor([]));
    const active: Active = {
      lane,
      home,
      stop: new AbortController(),
      since: writer.now(),
      starting: false,
      patience: new Patience(),
      unresponsive: false,
      silence: undefined,
      done: Promise.resolve(),
    };
    this.#active = active;
    this.#core.changed();
    active.done = this.#run(active, text, cwd).finally(() => {
      if (this.#active === active) this.#active = undefined;
      this.#last = this.#session.current && lane;
      this.#sayForgotten();
      this.#core.changed();
    });
  }

  /** Ends the running turn with its asks and questions; false when none runs. */
  stop(): boolean {
    const active = this.#active;
    if (!active) return false;
    active.lane.stopping();
    active.stop.abort();
    return true;
  }

  /** The person would rather wait for a start that takes long (faults F006). */
  wait(): void {
    this.#active?.patience.more();
  }

  /** Ends an agent that was stopped and goes on all the same, without its grace (faults F051). */
  force(): void {
    if (this.#active?.stop.signal.aborted) void this.#session.force();
  }

  /** The conversation gets another home agent: the session of the last one is left. */
  leave(): void {
    this.#session.drop();
    this.#last = undefined;
    this.#mode = undefined;
  }

  async dispose(): Promise<void> {
    const active = this.#active;
    if (active) {
      this.stop();
      // Whoever closes does not wait for an agent that does not react: its child is ended anyway.
      active.lane.end({ how: 'stopped' });
    }
    this.#session.dispose();
    await active?.done;
  }

  async #run(active: Active, text: string, cwd: string): Promise<void> {
    const { lane, home, stop } = active;
    try {
      const open = await this.#open(active, cwd);
      lane.face(open.face);
      const front = await this.#pairs.before(open.session, open.takesExchanges, home.name, stop.signal);
      if (stop.signal.aborted) throw new CancelledError();
      const blocks: ContentBlock[] = [...front.blocks, { type: 'text', text }];
      const response = await this.#prompt(open, blocks, active);
      front.arrived();
      if (active.silence?.fell) throw new CancelledError();
      lane.answered(response.stopReason, { tokens: tokensOf(response) });
    } catch (error) {
      lane.end(this.#endOf(error, active));
      if (active.unresponsive) await this.#unresponsive(home);
    }
  }

  /** The prompt. A stopped agent gets time to end its turn; then the turn ends without it. */
  async #prompt(open: OpenHome, blocks: ContentBlock[], active: Active): Promise<PromptResponse> {
    const { signal } = active.stop;
    active.silence = this.#watch(active);
    try {
      return await orStopped(open.session.prompt(blocks, { signal }), signal, this.#grace);
    } catch (error) {
      active.unresponsive = error instanceof CancelledError && signal.aborted;
      throw error;
    } finally {
      active.silence.dispose();
    }
  }

  /** Rule 11: real silence ends the turn as Stop does, with a sentence of its own. */
  #watch(active: Active): Silence {
    this.#calls.begin();
    return new Silence({
      seconds: active.home.config.watchdogTimeout,
      commandRuns: () => this.#calls.commandRuns,
      onSilence: () => {
        active.lane.stopping();
        active.stop.abort();
      },
      every: this.#core.every,
    });
  }

  /** Waits for a person, or for another agent that the home agent asked: their time. */
  #othersTime<T>(work: Promise<T>): Promise<T> {
    return this.#active?.silence?.others(work) ?? work;
  }

  async #open(active: Active, cwd: string): Promise<OpenHome> {
    const { home, stop } = active;
    const roster = this.#core.roster();
    if (!roster) throw new Error('there is no configuration'); // `send` does not start a turn then
    if (this.#session.current) return this.#session.current;
    const { lane, patience } = active;
    active.starting = true;
    lane.starting(patience.until);
    const limits = patience.onDidChange(() => {
      if (patience.until !== undefined) lane.starting(patience.until);
    });
    this.#core.changed();
    try {
      const open = await this.#session.open(
        {
          spec: await roster.spec(home, cwd),
          link: await linkFor(home.name, home.entry),
          cwd,
          face: home.face,
          patience,
          handlers: {
            update: (update) => this.#update(update),
            permission: (request, signal) => this.#permission(request, signal, home, cwd),
            ask: async (params, signal) => {
              const turn = this.#prompted;
              if (!turn || !this.#asks) throw rpcErrorOf(new CancelledError(), params.agent);
              return this.#othersTime(this.#asks.answerModel(params, { home, cwd, turn, signal }));
            },
          },
        },
        stop.signal,
      );
      this.#mode = modeOf(open.session.response);
      this.#name = home.name;
      return open;
    } finally {
      limits.dispose();
      lane.state('running');
      active.starting = false;
      this.#core.changed();
    }
  }

  /** The turn whose prompt is out. */
  get #prompted(): Lane | undefined {
    const lane = this.#active?.lane;
    return this.#session.current?.session.prompting && !lane?.ended ? lane : undefined;
  }

  /**
   * What comes while no prompt is out is shown in no turn: banners, and words that are too late for the turn that was stopped (faults F024,
   * F026). Only a call of the last turn may still come to its end.
   */
  #update(update: AnyUpdate): void {
    if (update.sessionUpdate === 'current_mode_update') {
      this.#mode = modeOf(update) ?? this.#mode;
      this.#core.changed();
    }
    this.#calls.note(update);
    this.#active?.silence?.alive();
    const lane = this.#prompted;
    if (this.#last?.late(update, lane)) return;
    lane?.update(update);
  }

  /** The home agent's own call: a grant or the person; no yolo of ours answers what it asks nevertheless (rule 4). */
  async #permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    home: HomeAgent,
    cwd: string,
  ): Promise<RequestPermissionOutcome> {
    const { relay, grants, permissions, rules } = this.#core;
    const lane = this.#prompted;
    if (!lane) return { outcome: 'cancelled' };
    const question = questionOf({
      id: randomUUID(),
      path: [],
      toolCall: this.#calls.complete(request.toolCall),
      options: request.options,
      program: this.#session.current?.child.info.agentInfo?.name,
      cwd,
      chain: [l10n.t('You'), home.name],
    });
    const settling = relay.gate.settle({
      question,
      entries: [],
      liveYolo: false,
      foreignHome: true,
      grants,
      rules: rules.of(home.name),
      permissions,
      signal,
      emit: (event) => {
        if (event.type !== 'permission') return;
        if (event.state === 'waiting') lane.question(event.question);
        else lane.settled(event.question, event.decision);
      },
    });
    const decision = await this.#othersTime(settling);
    this.#calls.settled(question.toolCall, decision.outcome === 'allowed');
    const optionId = optionFor(decision.outcome, question.options);
    return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  }

  #endOf(error: unknown, active: Active): End {
    if (active.silence?.fell) return { how: 'watchdog', seconds: active.home.config.watchdogTimeout };
    if (active.stop.signal.aborted || isCancelled(error)) return { how: 'stopped' };
    if (error instanceof ChildEndedError) {
      return { how: 'died', title: error.message, stderrTail: error.detail ?? '' };
    }
    this.#core.log.warn(`The turn of ${active.home.name} failed: ${describe(error)}`);
    return failed(error);
  }

  /** The agent did not end its turn after Stop: its child is ended, so that the next prompt finds one that answers (faults F051, F067). */
  async #unresponsive(home: HomeAgent): Promise<void> {
    if (!this.#session.current) return;
    this.#core.log.warn(`${home.name} did not end its turn after Stop; its process is ended.`);
    await this.#session.force();
  }

  /** The child ended. In the middle of a turn the turn says so first. */
  #lost(): void {
    this.#last = undefined;
    this.#mode = undefined;
    this.#forgotten = true;
    if (!this.#active) this.#sayForgotten();
    this.#core.changed();
  }

  #sayForgotten(): void {
    if (!this.#forgotten) return;
    this.#forgotten = false;
    this.#pairs.notRemembered(this.#name);
  }
}
