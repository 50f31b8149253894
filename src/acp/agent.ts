import { posix, win32 } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Disposable } from '../base/disposable';
import { describe, isCancelled } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { cap, visible } from '../base/text';
import { invalidParams, isObject, paramsOf, readAskResult, readExchange, stringOf } from './check';
import { type AskParams, type AskResult, type ClientMeta, type ExchangeParams, mmMeta, mmMethods } from './meta';
import { Peer, type PeerOptions, type RequestContext, RpcError } from './peer';
import {
  ErrorCode,
  type InitializeRequest,
  type InitializeResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  protocolVersion,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from './types';

/** What an agent does. Params are checked as far as their required fields; a thrown RpcError goes back as it is, any other error with its words. */
export interface AgentHandlers {
  /** The version in the answer is ours, whatever stands there. */
  initialize(p: InitializeRequest, ctx: RequestContext): InitializeResponse | Promise<InitializeResponse>;
  newSession(p: NewSessionRequest, ctx: RequestContext): NewSessionResponse | Promise<NewSessionResponse>;
  /** Right after the answer to `session/new` was written: the place for the session's first updates. */
  opened?(sessionId: string): void;
  /** One at a time in a session. `signal` fires on `session/cancel`, `session/close` and at the end of the connection; then the answer is `cancelled`. */
  prompt(p: PromptRequest, signal: AbortSignal): Promise<PromptResponse>;
  /** `session/cancel` came; the signal of a running prompt has fired already. */
  cancel?(sessionId: string): void;
  setMode?(p: { sessionId: string; modeId: string }): void | Promise<void>;
  closeSession?(sessionId: string): void | Promise<void>;
  exchange?(p: ExchangeParams): void | Promise<void>;
}

export interface ClientConnectionOptions {
  input: Readable;
  output: Writable;
  handlers: AgentHandlers;
  log: Log;
  journal?: PeerOptions['journal'];
}

const cancelled: RequestPermissionOutcome = { outcome: 'cancelled' };

/** Our side as ACP agent: the handle to the client that started us. */
export class ClientConnection implements Disposable {
  readonly #peer: Peer;
  readonly #handlers: AgentHandlers;
  readonly #log: Log;
  /** Open sessions; a running prompt's controller where there is one. */
  readonly #sessions = new Map<string, AbortController | undefined>();
  #initialized = false;
  /** The first `initialize` while it is being answered. */
  #initializing: Promise<unknown> | undefined;
  /** Requests that will be answered shortly: the end of the input waits for them. */
  readonly #soon = new Set<Promise<unknown>>();
  #clientMeta: Partial<ClientMeta> = {};

  constructor(o: ClientConnectionOptions) {
    this.#handlers = o.handlers;
    this.#log = o.log;
    this.#peer = new Peer({
      input: o.input,
      output: o.output,
      journal: o.journal,
      onNoise: ({ kind, text, count }) => {
        if (count === 1)
          o.log.warn(`the client writes lines that are no messages (${kind}): ${visible(cap(text, 300).text)}`);
      },
      onFault: (error) => o.log.error(`a handler failed: ${describe(error)}`),
      // What a script pipes in ends right behind its last line.
      endReason: async () => {
        await Promise.allSettled(this.#soon);
        return new Error(l10n.t('The connection ended.'));
      },
      handlers: {
        notification: (method, params) => this.#notification(method, params),
        request: (method, params, ctx) => this.#request(method, params, ctx),
      },
    });
    this.#peer.closed.then(() => {
      for (const controller of this.#sessions.values()) controller?.abort();
      this.#sessions.clear();
    });
  }

  /** What the client says of itself in `clientCapabilities._meta.mm`. Untrusted. */
  get clientMeta(): Partial<ClientMeta> {
    return this.#clientMeta;
  }

  /** Settles when the client has gone; never rejects. */
  get closed(): Promise<Error> {
    return this.#peer.closed;
  }

  /** Resolves when the pipe has taken it: awaiting it keeps an agent from running ahead of a slow client. */
  update(sessionId: string, update: SessionUpdate): Promise<void> {
    return this.#peer.notify('session/update', { sessionId, update });
  }

  /**
   * Asks the client's person. `cancelled` when `signal` fires, when the client says so, when it answers with an option that was not offered, and
   * at the end of the connection. An error that the client answers with is thrown.
   */
  async requestPermission(p: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    let result: unknown;
    try {
      result = await this.#peer.request('session/request_permission', p, { signal });
    } catch (error) {
      if (isCancelled(error) || signal.aborted || this.#peer.ended) return cancelled;
      throw error;
    }
    const outcome = isObject(result) && isObject(result.outcome) ? result.outcome : {};
    if (outcome.outcome === 'selected' && p.options.some((option) => option.optionId === outcome.optionId))
      return { outcome: 'selected', optionId: outcome.optionId as string };
    if (outcome.outcome !== 'cancelled')
      this.#log.warn(
        'the client answered a permission question with something that was not offered; it counts as cancelled',
      );
    return cancelled;
  }

  /** `_mm/ask` to a hub. No deadline; when `signal` fires it rejects with CancelledError and the hub is told. */
  async ask(p: AskParams, signal: AbortSignal): Promise<AskResult> {
    return readAskResult(await this.#peer.request(mmMethods.ask, p, { signal }));
  }

  dispose(): void {
    this.#peer.close();
  }

  #notification(method: string, params: unknown): void {
    if (method !== 'session/cancel') return;
    const id = isObject(params) ? params.sessionId : undefined;
    if (typeof id !== 'string' || !this.#sessions.has(id)) return;
    this.#sessions.get(id)?.abort();
    this.#handlers.cancel?.(id);
  }

  #request(method: string, params: unknown, ctx: RequestContext): unknown {
    if (method === 'initialize') {
      const answer = this.#initialize(params, ctx);
      this.#initializing = answer;
      return this.#answersSoon(answer);
    }
    if (this.#initialized) return this.#dispatch(method, params, ctx);
    // A client that does not wait for the answer is told the same as one that does.
    if (this.#initializing) return this.#answersSoon(this.#afterInitialize(method, params, ctx));
    throw tooEarly(method);
  }

  async #afterInitialize(method: string, params: unknown, ctx: RequestContext): Promise<unknown> {
    await this.#initializing?.catch(() => {});
    if (!this.#initialized) throw tooEarly(method);
    return this.#dispatch(method, params, ctx);
  }

  #answersSoon<T>(answer: Promise<T>): Promise<T> {
    this.#soon.add(answer);
    const gone = () => this.#soon.delete(answer);
    answer.then(gone, gone);
    return answer;
  }

  #dispatch(method: string, params: unknown, ctx: RequestContext): unknown {
    const { setMode, closeSession, exchange } = this.#handlers;
    if (method === 'session/new') return this.#answersSoon(this.#newSession(params, ctx));
    if (method === 'session/prompt') return this.#prompt(params, ctx);
    if (method === 'session/set_mode' && setMode) {
      const p = paramsOf(method, params);
      const mode = { sessionId: this.#known(method, p), modeId: stringOf(method, p, 'modeId') };
      return empty(() => setMode.call(this.#handlers, mode));
    }
    if (method === 'session/close' && closeSession) {
      const id = this.#known(method, paramsOf(method, params));
      this.#sessions.get(id)?.abort();
      this.#sessions.delete(id);
      return empty(() => closeSession.call(this.#handlers, id));
    }
    if (method === mmMethods.exchange && exchange) {
      const p = readExchange(method, params);
      this.#known(method, paramsOf(method, params));
      return empty(() => exchange.call(this.#handlers, p));
    }
    throw new RpcError(ErrorCode.methodNotFound, `"Method not found": ${cap(method, 200).text}`, {
      method: cap(method, 200).text,
    });
  }

  async #initialize(params: unknown, ctx: RequestContext): Promise<unknown> {
    const p = paramsOf('initialize', params);
    if (!Number.isInteger(p.protocolVersion)) throw invalidParams('initialize', '"protocolVersion" must be an integer');
    const request = { ...p, clientCapabilities: isObject(p.clientCapabilities) ? p.clientCapabilities : {} };
    // Before the handler, which may want to know what kind of client this is.
    this.#clientMeta = mmMeta<ClientMeta>(request.clientCapabilities);
    const response = await this.#handlers.initialize(request as unknown as InitializeRequest, ctx);
    this.#initialized = true;
    return { ...response, protocolVersion };
  }

  async #newSession(params: unknown, ctx: RequestContext): Promise<unknown> {
    const method = 'session/new';
    const p = paramsOf(method, params);
    const cwd = stringOf(method, p, 'cwd');
    if (!posix.isAbsolute(cwd) && !win32.isAbsolute(cwd)) throw invalidParams(method, '"cwd" must be an absolute path');
    if (!Array.isArray(p.mcpServers)) throw invalidParams(method, '"mcpServers" must be a list');
    const response = await this.#handlers.newSession(p as unknown as NewSessionRequest, ctx);
    this.#sessions.set(response.sessionId, undefined);
    ctx.answer(response);
    this.#handlers.opened?.(response.sessionId);
    return response;
  }

  async #prompt(params: unknown, ctx: RequestContext): Promise<PromptResponse> {
    const method = 'session/prompt';
    const p = paramsOf(method, params);
    const id = this.#known(method, p);
    if (!Array.isArray(p.prompt) || !p.prompt.every((block) => isObject(block) && typeof block.type === 'string'))
      throw invalidParams(method, '"prompt" must be a list of content blocks');
    if (this.#sessions.get(id))
      throw new RpcError(
        ErrorCode.invalidRequest,
        'The session is busy with a prompt. Wait for its end or cancel it.',
        { sessionId: id },
      );
    const controller = new AbortController();
    const { signal } = controller;
    this.#sessions.set(id, controller);
    const stop = () => controller.abort();
    ctx.signal.addEventListener('abort', stop, { once: true });
    try {
      const response = await this.#handlers.prompt(p as unknown as PromptRequest, signal);
      return signal.aborted ? { ...response, stopReason: 'cancelled' } : response;
    } catch (error) {
      // A cancelled turn is answered `cancelled`, never with an error.
      if (!signal.aborted && !isCancelled(error)) throw error;
      if (!isCancelled(error)) this.#log.debug(`after a cancel: ${describe(error)}`);
      return { stopReason: 'cancelled' };
    } finally {
      ctx.signal.removeEventListener('abort', stop);
      if (this.#sessions.get(id) === controller) this.#sessions.set(id, undefined);
    }
  }

  #known(method: string, params: Record<string, unknown>): string {
    const id = stringOf(method, params, 'sessionId');
    if (!this.#sessions.has(id))
      throw new RpcError(ErrorCode.notFound, 'Session not found', { sessionId: cap(id, 200).text });
    return id;
  }
}

function tooEarly(method: string): RpcError {
  return new RpcError(ErrorCode.invalidRequest, `"initialize" must come before "${cap(method, 200).text}"`);
}

async function empty(run: () => void | Promise<void>): Promise<object> {
  await run();
  return {};
}
