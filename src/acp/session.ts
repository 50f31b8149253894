import { CancelledError, describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { readPrompt } from './check';
import { type AskParams, type AskResult, type ExchangeParams, mmMethods } from './meta';
import { type Peer, type RequestContext, RpcError } from './peer';
import type {
  AnyUpdate,
  ContentBlock,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from './types';

/** Who takes what the agent sends for one session. */
export interface SessionHandlers {
  /** In order, also outside a turn. A returned promise holds back everything behind it; it must not wait for an answer of the same agent. */
  update(update: AnyUpdate): void | Promise<void>;
  /** `signal` fires when the question became moot: the turn was stopped or ended, the agent took it back, the child is gone. */
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome>;
  /** Present only where we are a hub. */
  ask?(params: AskParams, signal: AbortSignal): Promise<AskResult>;
}

/** What a session needs of its connection. */
export interface SessionLink {
  readonly peer: Peer;
  readonly log: Log;
  /** The agent takes `session/close`. */
  readonly canClose: boolean;
  /** Nothing is delivered to this session any more. */
  forget(session: ClientSession): void;
}

/** Milliseconds for requests that an agent answers at once. */
const shortDeadline = 30_000;
const cancelled: { outcome: RequestPermissionOutcome } = { outcome: { outcome: 'cancelled' } };

/** Lets every continuation of what was just settled run before the queue goes on. */
export function afterContinuations(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One conversation with an agent, seen from the client's side. */
export class ClientSession {
  readonly id: string;
  /** The answer to `session/new`: modes, config options. Hostile but for `sessionId`. */
  readonly response: NewSessionResponse;
  readonly #link: SessionLink;
  readonly #handlers: SessionHandlers;
  /** Questions and asks of the agent that are not answered yet. */
  readonly #open = new Set<() => void>();
  #busy = false;
  #prompting = false;
  #cancelling = false;
  #closed = false;

  constructor(link: SessionLink, response: NewSessionResponse, handlers: SessionHandlers) {
    this.id = response.sessionId;
    this.response = response;
    this.#link = link;
    this.#handlers = handlers;
  }

  /** A prompt is out and its answer has not been reached: what is delivered meanwhile belongs to its turn. */
  get prompting(): boolean {
    return this.#prompting;
  }

  get isHub(): boolean {
    return this.#handlers.ask !== undefined;
  }

  /**
   * One turn; a second one at the same time is refused. Resolves when the queue has reached the answer: every update written before it has been
   * handled, one written after it comes after the resolution (faults F025, F026). When `signal` fires, open permission questions are answered
   * `cancelled`, then `session/cancel` is written, once; the promise still waits for the agent's answer, or for the end of the child.
   */
  prompt(blocks: ContentBlock[], o: { signal: AbortSignal }): Promise<PromptResponse> {
    const { signal } = o;
    if (this.#closed) return Promise.reject(new UserError(l10n.t('This session is closed.')));
    if (this.#busy) return Promise.reject(new UserError(l10n.t('The agent is still busy with the last prompt.')));
    if (signal.aborted) return Promise.resolve({ stopReason: 'cancelled' });
    this.#busy = true;
    return new Promise((resolve, reject) => {
      // What has come already is in no turn: a banner, words that were too late for the last turn.
      this.#link.peer.afterBacklog(() => this.#prompt(blocks, signal).then(resolve, reject));
    });
  }

  #prompt(blocks: ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (signal.aborted || this.#closed) {
      this.#busy = false;
      return Promise.resolve({ stopReason: 'cancelled' });
    }
    this.#prompting = true;
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#cancel();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#link.peer.call('session/prompt', { sessionId: this.id, prompt: blocks }, (error, result) => {
        signal.removeEventListener('abort', onAbort);
        const wasCancelled = this.#cancelling;
        this.#busy = false;
        this.#prompting = false;
        this.#cancelling = this.#closed;
        this.#withdraw();
        if (error === undefined) {
          try {
            resolve(readPrompt(result));
          } catch (unreadable) {
            reject(unreadable);
          }
        } else if (wasCancelled && error instanceof RpcError) {
          // The protocol wants `cancelled` here and no error; agents whose model call was aborted answer with that error.
          this.#link.log.debug(`a cancelled turn was answered with an error: ${describe(error)}`);
          resolve({ stopReason: 'cancelled' });
        } else reject(error);
        return afterContinuations();
      });
    });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#link.peer.request('session/set_mode', { sessionId: this.id, modeId }, { deadline: shortDeadline });
  }

  /** Puts a pair into the history of an agent that says `_meta.mm.exchange`. */
  async exchange(p: Omit<ExchangeParams, 'sessionId'>): Promise<void> {
    const params: ExchangeParams = { sessionId: this.id, id: p.id, user: p.user, assistant: p.assistant };
    await this.#link.peer.request(mmMethods.exchange, params, { deadline: shortDeadline });
  }

  /** Stops a running turn, answers what is open `cancelled`, tells the agent where it wants to know, and forgets the handlers. */
  close(): void {
    if (this.#closed) return;
    this.#cancel();
    this.#closed = true;
    this.#cancelling = true;
    this.#withdraw();
    this.#link.forget(this);
    if (!this.#link.canClose || this.#link.peer.ended) return;
    this.#link.peer.call(
      'session/close',
      { sessionId: this.id },
      (error) => {
        if (error) this.#link.log.debug(`session/close: ${describe(error)}`);
      },
      { deadline: shortDeadline },
    );
  }

  // What the connection delivers, in the order of the queue

  /** For the connection. */
  deliver(update: AnyUpdate): void | Promise<void> {
    return this.#handlers.update(update);
  }

  /** For the connection. While the turn is being cancelled the answer is `cancelled` at once. */
  permission(request: RequestPermissionRequest, ctx: RequestContext): Promise<unknown> {
    return this.#answerable(ctx, cancelled, async (signal) => {
      try {
        return { outcome: await this.#handlers.permission(request, signal) };
      } catch (error) {
        if (isCancelled(error)) return cancelled;
        throw error;
      }
    });
  }

  /** For the connection. */
  ask(params: AskParams, ctx: RequestContext): Promise<unknown> {
    return this.#answerable(ctx, undefined, (signal) => this.#handlers.ask!(params, signal));
  }

  /** Runs a handler that is stopped with the turn; where `moot` is given it is then the answer, at once. */
  async #answerable(
    ctx: RequestContext,
    moot: unknown,
    run: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.#cancelling || ctx.signal.aborted) {
      if (moot === undefined) throw new CancelledError();
      ctx.answer(moot);
      return moot;
    }
    const controller = new AbortController();
    const stop = () => {
      if (moot !== undefined) ctx.answer(moot);
      controller.abort();
    };
    this.#open.add(stop);
    ctx.signal.addEventListener('abort', stop, { once: true });
    try {
      return await run(controller.signal);
    } finally {
      this.#open.delete(stop);
      ctx.signal.removeEventListener('abort', stop);
    }
  }

  #withdraw(): void {
    for (const stop of [...this.#open]) {
      this.#open.delete(stop);
      stop();
    }
  }

  #cancel(): void {
    if (!this.#prompting || this.#cancelling) return;
    this.#cancelling = true;
    // First the questions: an agent may look at them before it looks at the cancel (faults F043).
    this.#withdraw();
    this.#link.peer.notify('session/cancel', { sessionId: this.id });
  }
}
