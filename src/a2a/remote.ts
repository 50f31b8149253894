import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AskError } from '../ask/errors';
import type { AgentFace, AskTarget, TargetRequest, TargetSession } from '../ask/types';
import type { Disposable } from '../base/disposable';
import { CancelledError, describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { cap, firstLine, visible } from '../base/text';
import type { AgentEntry, RemoteEntry } from '../config/types';
import { type Place, type PlaceOptions, placeOf } from './place';
import { ProxyError } from './proxy-errors';
import { failureOf } from './remote-errors';
import { A2AError } from './rpc';
import { isAsking, isOver, type Part, type TaskEvent, type TaskState } from './task';
import { TaskUpdates, wordsOf } from './task-updates';

export interface RemoteTargetOptions extends PlaceOptions {
  log: Log;
  timings?: Partial<Timings>;
}

/** Milliseconds. */
export interface Timings {
  /** Between two looks at a task: at first, and at most. */
  firstPoll: number;
  longestPoll: number;
  /** For the answer to a message that asks for no waiting; some agents wait all the same. */
  send: number;
  /** For a look at a task: a proxy itself gives up after 60 s (facts, 1.5). */
  get: number;
  /** For telling the agent to stop. */
  cancel: number;
}

const usual: Timings = { firstPoll: 500, longestPoll: 5_000, send: 600_000, get: 65_000, cancel: 4_000 };

/** Looks in a row that may fail before the ask does: with the usual pauses that is half a minute. */
const mostFailures = 8;

/** Carries an ask to an agent that lives elsewhere and speaks A2A, by the life of its task (design, section 9). */
export class RemoteTarget implements AskTarget {
  constructor(private readonly o: RemoteTargetOptions) {}

  serves(entry: AgentEntry): boolean {
    return entry.kind === 'a2a';
  }

  async open(request: TargetRequest): Promise<TargetSession> {
    const { name, entry, signal } = request;
    if (entry.kind !== 'a2a') throw new TypeError(`${name} runs here`);
    const trace = randomUUID();
    try {
      // for the logs of a proxy, which joins what belongs together by it (facts, 1.5)
      const place = await placeOf(entry, this.o, { 'x-litellm-trace-id': trace }, signal);
      return new RemoteSession(request, entry, place, trace, { ...usual, ...this.o.timings }, this.o.log);
    } catch (error) {
      throw failureOf(error, 'start', name, entry, signal);
    }
  }
}

/** How a stream ended: by itself, cut off, or because the agent does not do it. */
type StreamEnd = 'ended' | 'broke' | 'refused';

interface Outgoing {
  messageId: string;
  text: string;
  /** The task that it answers. */
  taskId?: string;
}

class RemoteSession implements TargetSession {
  readonly sessionId = randomUUID();
  readonly face: AgentFace;
  readonly #updates = new TaskUpdates();
  /** Ends what is still open when the ask is over. */
  readonly #closed = new AbortController();
  #task: string | undefined;
  #context: string | undefined;
  #state: TaskState = 'unknown';
  #message: Part[] = [];
  #asksLeave = false;
  #taskKnown: (() => void) | undefined;

  constructor(
    private readonly request: TargetRequest,
    private readonly entry: RemoteEntry,
    private readonly place: Place,
    private readonly trace: string,
    private readonly timings: Timings,
    private readonly log: Log,
  ) {
    const { card, where } = place;
    this.face = { name: request.name, title: firstLine(visible(cap(card.name, 1_000).text), 100), provider: where };
  }

  async prompt(text: string): Promise<{ stopReason: string }> {
    const { name, signal } = this.request;
    const stop = AbortSignal.any([signal, this.#closed.signal]);
    try {
      for (let next: Outgoing = { messageId: randomUUID(), text }; ; ) {
        await this.#turn(next, stop);
        if (!isAsking(this.#state)) break;
        next = { messageId: randomUUID(), text: await this.#answer(stop), taskId: this.#task };
      }
      return await this.#ended();
    } catch (error) {
      if (!isOver(this.#state)) await this.#cancel();
      throw failureOf(error, 'agent-error', name, this.entry, signal);
    }
  }

  close(): void {
    this.#closed.abort();
  }

  /** A message, and all that comes of it until the task is over or asks back. */
  async #turn(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
    const { rpc, card } = this.place;
    this.#state = 'unknown';
    let end: StreamEnd = 'refused';
    const first = this.#untilTaskIsKnown(signal);
    try {
      const params = this.#params(outgoing);
      if (card.streaming) end = await this.#stream(rpc.stream('stream', params, first.signal));
      else await this.#take(await rpc.request('send', params, this.timings.send, first.signal));
    } finally {
      first.dispose();
    }
    if (signal.aborted && !this.#settled) throw new CancelledError();
    // a stream that broke goes on where it was, else the task is looked at
    for (let tries = 0; end !== 'refused' && !this.#settled && tries < 3; tries++) {
      end = await this.#stream(rpc.stream('resubscribe', { id: this.#task }, signal));
      // one that ends without the end of the task would do so again
      if (end === 'ended') break;
    }
    if (!this.#settled) await this.#poll(signal);
  }

  /**
   * Follows `signal`, but not before the task's id is there, or a moment has passed: an agent that has the question, and whose task nobody
   * knows, could not be told to stop.
   */
  #untilTaskIsKnown(signal: AbortSignal): Disposable & { signal: AbortSignal } {
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const aborted = () => {
      if (this.#task !== undefined) stop.abort();
      else {
        timer = setTimeout(() => stop.abort(), this.timings.cancel / 2);
        this.#taskKnown = () => stop.abort();
      }
    };
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    const dispose = () => {
      signal.removeEventListener('abort', aborted);
      clearTimeout(timer);
      this.#taskKnown = undefined;
    };
    return { signal: stop.signal, dispose };
  }

  get #settled(): boolean {
    return isOver(this.#state) || isAsking(this.#state);
  }

  /** Takes a stream to its end. */
  async #stream(events: AsyncIterable<TaskEvent>): Promise<StreamEnd> {
    try {
      for await (const event of events) {
        await this.#take(event);
        if (this.#settled) return 'ended';
      }
      if (this.#task === undefined) throw new UserError(l10n.t('its answer ended before it began'));
      return 'ended';
    } catch (error) {
      if (isCancelled(error) || this.#task === undefined || this.#settled) throw error;
      const broke = error instanceof ProxyError && isPassing(error);
      // the agent does not do it; its task goes on all the same
      const refused = error instanceof A2AError || (error instanceof ProxyError && error.status !== undefined);
      if (!broke && !refused) throw error;
      this.log.info(`${this.request.name}: its stream ended (${describe(error)}); its task is followed by its id`);
      return refused ? 'refused' : 'broke';
    }
  }

  /** Looks at the task, less and less often, until it is over or asks back. */
  async #poll(signal: AbortSignal): Promise<void> {
    const { firstPoll, longestPoll, get } = this.timings;
    if (this.#task === undefined) throw new UserError(l10n.t('it says neither an answer nor a task'));
    let failures = 0;
    for (let wait = firstPoll; !this.#settled; wait = Math.min(wait * 1.5, longestPoll)) {
      await delay(wait, undefined, { signal });
      try {
        await this.#take(await this.place.rpc.request('get', { id: this.#task }, get, signal));
        // it says that it works: that is no silence (rule 11)
        this.request.onAlive?.();
        failures = 0;
      } catch (error) {
        if (!(error instanceof ProxyError && isPassing(error)) || ++failures >= mostFailures) throw error;
        this.log.debug(`${this.request.name}: ${describe(error)}`);
        if (error.retryAfter !== undefined) await delay(Math.min(error.retryAfter, 60) * 1_000, undefined, { signal });
      }
    }
  }

  async #take(event: TaskEvent): Promise<void> {
    if (event.type !== 'message') {
      // a server that mixes up its tasks: what belongs to another is not ours to show
      if (this.#task !== undefined && event.id !== this.#task) return;
      this.#task = event.id;
      this.#taskKnown?.();
    }
    this.#context = event.contextId ?? this.#context;
    for (const update of this.#updates.of(event)) await this.request.onUpdate(update);
    if (event.type === 'message') this.#state = 'completed';
    if (event.type === 'task' || event.type === 'status') {
      this.#state = event.state;
      this.#message = event.message;
      this.#asksLeave = event.asksLeave === true;
    }
  }

  #params({ messageId, text, taskId }: Outgoing): object {
    const { depth, chain, onInput } = this.request;
    const metadata = { mm: { depth, chain, trace: this.trace, canAnswer: onInput !== undefined } };
    const about = { messageId, metadata, taskId, contextId: this.#context };
    return this.place.rpc.version === '1.0'
      ? { message: { role: 'ROLE_USER', parts: [{ text }], ...about }, configuration: { returnImmediately: true } }
      : {
          message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text }], ...about },
          configuration: { blocking: false },
        };
  }

  /** The agent asks back. @throws AskError where nobody answers; the task is cancelled then. */
  async #answer(signal: AbortSignal): Promise<string> {
    const { name, onInput } = this.request;
    const question = visible(cap(wordsOf(this.#message), 10_000).text);
    const text = question || l10n.t('It needs something more, and does not say what.');
    const answer = await onInput?.({ text, leave: this.#asksLeave }, signal);
    if (answer !== undefined) return answer;
    const asks = firstLine(question, 300);
    const sign = this.#state === 'auth-required';
    throw new AskError(
      'agent-error',
      sign
        ? l10n.t('{0} wants a sign-in first: {1}', name, asks)
        : l10n.t('{0} asks back, and was not answered: {1}', name, asks),
      {
        hint: sign ? l10n.t('Sign in where it says, and ask again.') : l10n.t('Ask again, with the answer in it.'),
        forModel: `${name} asks back: ${asks}. Ask again with all that it needs in the question, or go on without it.`,
      },
    );
  }

  async #ended(): Promise<{ stopReason: string }> {
    const { name } = this.request;
    const said = firstLine(visible(cap(wordsOf(this.#message), 2_000).text), 1_000);
    const why = said || l10n.t('it gave no reason');
    switch (this.#state) {
      case 'completed':
        if (this.#updates.empty)
          for (const update of this.#updates.message(this.#message)) await this.request.onUpdate(update);
        return { stopReason: 'end_turn' };
      case 'rejected':
        throw new AskError('agent-error', l10n.t('{0} did not take the question: {1}', name, why), {
          forModel: `${name} did not take the question: ${why}`,
        });
      case 'canceled':
        throw new AskError('agent-error', l10n.t('{0} stopped, and not because of you: {1}', name, why), {
          hint: l10n.t('Ask again.'),
          forModel: `${name} was stopped before it had an answer.`,
        });
      default:
        throw new AskError('agent-error', l10n.t('{0} failed: {1}', name, why), {
          hint: l10n.t('Ask again. If it happens again, look at the log of the agent.'),
          forModel: `${name} failed: ${why}`,
        });
    }
  }

  /** Tells the agent to stop; whether it hears that or not, the ask is over. */
  async #cancel(): Promise<void> {
    if (this.#task === undefined) return;
    try {
      await this.place.rpc.request('cancel', { id: this.#task }, this.timings.cancel);
    } catch (error) {
      this.log.info(`${this.request.name}: it could not be told to stop: ${describe(error)}`);
    }
  }
}

/** It may be better in a moment. */
function isPassing({ kind }: ProxyError): boolean {
  return kind === 'offline' || kind === 'timeout' || kind === 'server' || kind === 'rate-limit' || kind === 'agent';
}
