import { randomUUID } from 'node:crypto';
import type { AskParams, AskResult } from '../acp/meta';
import { AskError } from '../ask/errors';
import { exchangeOf, exchangeOfPart } from '../ask/exchange';
import { linkFor } from '../ask/identity';
import { stoppedAsk } from '../ask/nested';
import { linkedStop } from '../ask/stop';
import type { Answer, AskRequest } from '../ask/types';
import { resultOf, rpcErrorOf } from '../ask/wire';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import { AskView } from '../chat/ask-view';
import type { Lane } from '../chat/lane';
import type { AskNode, NodeId } from '../chat/nodes';
import { type Core, namesFor } from './core';
import { endOfAsk } from './ends';
import type { Pairs } from './pairs';
import type { HomeAgent } from './roster';

/** What a person asks. */
export interface PersonsAsk {
  agent: string;
  prompt: string;
  withContext: boolean;
  /** The transcript that goes along, where it does. */
  context?: string;
}

interface Running {
  /** By which the relay knows it. */
  id: string;
  view: AskView;
  stop: AbortController;
  byPerson: boolean;
  done: Promise<void>;
}

/** The asks of one conversation: those that the person types and those that the home agent's model makes. Any number may run at once. */
export class Asks {
  readonly #core: Core;
  readonly #pairs: Pairs;
  readonly #running = new Set<Running>();
  /** The home agent's yolo at this moment. */
  readonly #liveYolo: () => boolean;

  constructor(core: Core, pairs: Pairs, liveYolo: () => boolean) {
    this.#core = core;
    this.#pairs = pairs;
    this.#liveYolo = liveYolo;
  }

  get any(): boolean {
    return this.#running.size > 0;
  }

  /** The queue of questions has moved. Asks of a model stand in its turn, which hears of it too. */
  refreshQuestions(): void {
    for (const running of this.#running) if (running.byPerson) running.view.lane?.refreshQuestions();
  }

  /** Starts an ask of the person; its end is in the conversation. */
  start(ask: PersonsAsk, home: HomeAgent, cwd: string): void {
    const you = l10n.t('You');
    const id = randomUUID();
    const stop = new AbortController();
    const view = new AskView({
      path: [ask.agent],
      open: () =>
        this.#core.writer.ask(
          { agent: this.#core.writer.face(ask.agent), askedBy: you, prompt: ask.prompt, withContext: ask.withContext },
          namesFor([ask.agent]),
        ),
      namesFor,
      kept: true,
    });
    const lane = view.open();
    const request: AskRequest = {
      ...this.#request(home, cwd, stop.signal),
      id,
      agent: ask.agent,
      prompt: ask.prompt,
      context: ask.context,
      caller: { kind: 'person', name: you },
      chain: [],
      askers: [you],
    };
    const run = async () => {
      try {
        // The conversation is the home agent's, so its own file is a cycle, also when the person asks (rule 9).
        request.chain = [await linkFor(home.name, home.entry)];
        const answer = await this.#carry(request, view, home);
        this.#pairs.add(id, lane.id, exchangeOf(answer));
      } catch (error) {
        this.#core.log.info(`${ask.agent} gave no answer: ${describe(error)}`);
      }
    };
    this.#track({ id, view, stop, byPerson: true }, run);
  }

  /**
   * Carries an ask of the home agent's model (`_mm/ask`): gated like its `bash`, shown inside its turn, answered to it (rule 8).
   * @throws RpcError with the words for the model.
   */
  async answerModel(
    params: AskParams,
    o: { home: HomeAgent; cwd: string; turn: Lane; signal: AbortSignal },
  ): Promise<AskResult> {
    const { home, turn } = o;
    const link = linkedStop(o.signal);
    const id = randomUUID();
    const view = new AskView({
      path: [params.agent],
      caller: turn,
      open: () =>
        turn.child(id, {
          agent: this.#core.writer.face(params.agent),
          askedBy: home.name,
          prompt: params.prompt,
          toolCallId: params.toolCallId,
          nameOf: namesFor([params.agent]),
        }),
      namesFor,
      kept: true,
    });
    let result: AskResult | undefined;
    let failure: unknown;
    const run = async () => {
      try {
        const request: AskRequest = {
          ...this.#request(home, o.cwd, link.signal),
          id,
          agent: params.agent,
          prompt: params.prompt,
          context: params.context,
          caller: { kind: 'model', name: home.name },
          chain: [await linkFor(home.name, home.entry)],
          askers: [l10n.t('You'), home.name],
          gate: { toolCallId: params.toolCallId },
        };
        result = resultOf(await this.#carry(request, view, home));
      } catch (error) {
        failure = error;
      }
    };
    await this.#track({ id, view, stop: link.controller, byPerson: false }, run);
    link.dispose();
    if (result) return result;
    const alone = link.signal.aborted && !o.signal.aborted;
    throw rpcErrorOf(alone ? stoppedAsk(params.agent, failure) : failure, params.agent);
  }

  /** Stops one ask and what it asked. Whoever made it goes on without an answer. */
  stop(node: NodeId): void {
    for (const running of this.#running) {
      if (running.view.lane?.id === node) {
        this.#stop(running);
        return;
      }
      const nested = running.view.nested(node);
      if (!nested) continue;
      nested.lane.stopping();
      this.#core.relay.stop(nested.askId);
      return;
    }
  }

  /** The person would rather wait for a start that takes long. */
  wait(node: NodeId): void {
    const id = this.#idOf(node);
    if (id !== undefined) this.#core.relay.wait(id);
  }

  /** Ends the process of an agent that was stopped and goes on all the same. */
  force(node: NodeId): void {
    const id = this.#idOf(node);
    if (id !== undefined) this.#core.relay.force(id);
  }

  #idOf(node: NodeId): string | undefined {
    for (const { id, view } of this.#running) {
      const askId = view.lane?.id === node ? id : view.nested(node)?.askId;
      if (askId !== undefined) return askId;
    }
    return undefined;
  }

  /** Stops the person's newest ask; false when none runs. */
  stopNewest(): boolean {
    const newest = [...this.#running].findLast((r) => r.byPerson && !r.stop.signal.aborted);
    if (!newest) return false;
    this.#stop(newest);
    return true;
  }

  async stopAll(): Promise<void> {
    for (const running of this.#running) this.#stop(running);
    await Promise.all([...this.#running].map((r) => r.done));
  }

  /** "Keep What Came": an ask that ended early leaves a pair after all. */
  keep(node: AskNode, home: HomeAgent): boolean {
    if (node.state !== 'done' || node.kept || this.#pairs.has(node.id)) return false;
    const words: string[] = [];
    for (const n of this.#core.thread.values()) {
      if (n.kind === 'text' && n.parent === node.id && !n.afterStop && !n.withheld) words.push(n.text);
    }
    const pair = exchangeOfPart(node.agent, node.prompt, words.join('\n\n'), home.config.maxOutput);
    if (!pair) return false;
    this.#pairs.add(randomUUID(), node.id, pair);
    this.#core.writer.put({ ...node, kept: true });
    return true;
  }

  #request(
    home: HomeAgent,
    cwd: string,
    signal: AbortSignal,
  ): Pick<
    AskRequest,
    'config' | 'depth' | 'path' | 'cwd' | 'permissions' | 'grants' | 'rules' | 'liveYolo' | 'signal'
  > {
    const { permissions, grants } = this.#core;
    const rules = this.#core.rules.of(home.name);
    const liveYolo = this.#liveYolo;
    return { config: home.config, depth: 0, path: [], cwd, permissions, grants, rules, liveYolo, signal };
  }

  /** Shows an ask to its end. */
  async #carry(request: AskRequest, view: AskView, home: HomeAgent): Promise<Answer> {
    try {
      for await (const event of this.#core.relay.ask(request)) {
        if (request.signal.aborted) view.lane?.stopping();
        view.event(event);
        if (event.type === 'end') return event.answer;
      }
      throw new AskError('agent-error', l10n.t('{0} gave no answer.', request.agent));
    } catch (error) {
      view.fail(endOfAsk(error, home.config.watchdogTimeout));
      throw error;
    }
  }

  #track(o: Omit<Running, 'done'>, run: () => Promise<void>): Promise<void> {
    const running: Running = { ...o, done: Promise.resolve() };
    this.#running.add(running);
    running.done = run().finally(() => {
      this.#running.delete(running);
      this.#core.changed();
    });
    this.#core.changed();
    return running.done;
  }

  #stop(running: Running): void {
    running.view.lane?.stopping();
    running.stop.abort();
  }
}
