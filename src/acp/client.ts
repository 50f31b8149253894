import type { Readable, Writable } from 'node:stream';
import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import { Emitter, type Event } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { Patience } from '../base/patience';
import { cap, visible } from '../base/text';
import { isObject, readAskParams, readInitialize, readNewSession, readPermissionRequest, unknownPart } from './check';
import { EarlyItems } from './early';
import { type AgentMeta, type ClientMeta, mmMeta, mmMethods, type SessionMeta } from './meta';
import { type Noise, Peer, type PeerOptions, type RequestContext, RpcError } from './peer';
import { afterContinuations, ClientSession, type SessionHandlers } from './session';
import {
  type AnyUpdate,
  ErrorCode,
  type Implementation,
  type InitializeResponse,
  protocolVersion,
  type UnknownUpdate,
} from './types';

export { ClientSession, type SessionHandlers } from './session';

export interface AgentConnectionOptions {
  /** The child's stdout. */
  input: Readable;
  /** The child's stdin. */
  output: Writable;
  log: Log;
  /** Why the child ended, in words; asked when its output ends. */
  endReason(): Promise<Error>;
  /** Secrets that were handed over in `initialize` are masked in it. */
  journal?: PeerOptions['journal'];
  /** Cap of one line in bytes. */
  maxLine?: number;
}

export interface InitializeOptions {
  clientInfo: Implementation;
  /** We carry asks for the agent: it is told so, and `_mm/ask` is answered for sessions that have `ask`. */
  hub: boolean;
  secrets?: Record<string, string>;
  /** Milliseconds. */
  deadline: number;
  /** May lengthen it. */
  patience?: Patience;
  signal?: AbortSignal;
}

export interface NewSessionOptions {
  /** Absolute. */
  cwd: string;
  meta?: SessionMeta;
  handlers: SessionHandlers;
  /** Milliseconds. */
  deadline: number;
  /** May lengthen it. */
  patience?: Patience;
  signal?: AbortSignal;
}

/** Ids of closed sessions that are remembered, so that what still comes for them is not kept as if it came early. */
const rememberedClosed = 200;
/** Update kind under which an update over the line cap is delivered: shown as unsupported, like any kind that nobody knows (faults F020). */
export const truncatedUpdate = '_mm/truncated';

/** Our side as ACP client of one child: its sessions share the connection and its ordered queue. */
export class AgentConnection implements Disposable {
  readonly #peer: Peer;
  readonly #log: Log;
  readonly #sessions = new Map<string, ClientSession>();
  readonly #closedSessions = new Set<string>();
  readonly #early: EarlyItems;
  readonly #noise = new Emitter<Noise>();
  readonly #noted = new Set<string>();
  #noiseCount = 0;
  #malformed = 0;
  #info: InitializeResponse | undefined;
  #hub = false;
  #echoed = false;
  #secrets: string[] = [];

  constructor(o: AgentConnectionOptions) {
    const { log, journal } = o;
    this.#log = log;
    this.#early = new EarlyItems((id) =>
      this.#note('early', `more came for the unknown session ${id} than is kept; the oldest was dropped`),
    );
    this.#peer = new Peer({
      input: o.input,
      output: o.output,
      maxLine: o.maxLine,
      endReason: () => o.endReason(),
      journal: journal && ((direction, line) => journal(direction, this.#mask(line))),
      onNoise: (noise) => this.#onNoise(noise),
      onFault: (error) => log.error(`a handler failed: ${describe(error)}`),
      handlers: {
        notification: (method, params) => this.#notification(method, params),
        request: (method, params, ctx) => this.#request(method, params, ctx),
        truncated: (method, sessionId, info) => {
          const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
          if (method === 'session/update' && session)
            return session.deliver({ sessionUpdate: truncatedUpdate, bytes: info.bytes, head: info.head });
        },
      },
    });
    this.#peer.closed.then(() => {
      this.#early.clear();
      if (this.#noiseCount > 0) log.info(`${this.#noiseCount} lines in all were no messages`);
    });
  }

  /** The answer to `initialize`, once it has come. */
  get info(): InitializeResponse | undefined {
    return this.#info;
  }

  get agentMeta(): Partial<AgentMeta> {
    return mmMeta<AgentMeta>(this.#info?.agentCapabilities);
  }

  /** Settles with the reason when the connection has ended; never rejects. */
  get closed(): Promise<Error> {
    return this.#peer.closed;
  }

  /** Lines and updates that were no messages. */
  get noiseCount(): number {
    return this.#noiseCount;
  }

  /** The other side has sent our `initialize` back: it is no agent. */
  get echoed(): boolean {
    return this.#echoed;
  }

  get onNoise(): Event<Noise> {
    return this.#noise.event;
  }

  /** Rejects with a UserError when the agent cannot be talked to, with a DeadlineError when it does not answer. */
  async initialize(o: InitializeOptions): Promise<InitializeResponse> {
    this.#hub = o.hub;
    const meta: ClientMeta = { ask: true };
    const params: Record<string, unknown> = {
      protocolVersion,
      clientCapabilities: o.hub ? { _meta: { mm: meta } } : {},
      clientInfo: o.clientInfo,
    };
    if (o.secrets && Object.keys(o.secrets).length > 0) {
      params._meta = { mm: { secrets: o.secrets } };
      this.#secrets = Object.values(o.secrets)
        .filter((value) => value.length > 0)
        .map((value) => JSON.stringify(value).slice(1, -1))
        .sort((a, b) => b.length - a.length);
    }
    const { deadline, patience, signal } = o;
    const result = await this.#peer.request('initialize', params, { deadline, patience, signal });
    this.#info = readInitialize(result);
    return this.#info;
  }

  /**
   * Opens a session. What came for it before its answer is delivered in order right after this promise has resolved, and before what is behind the
   * answer (faults F024). A session whose wait was given up is closed when its answer still comes.
   */
  newSession(o: NewSessionOptions): Promise<ClientSession> {
    const params: Record<string, unknown> = { cwd: o.cwd, mcpServers: [] };
    if (o.meta) params._meta = { mm: o.meta };
    const { deadline, patience, signal } = o;
    return new Promise((resolve, reject) => {
      this.#peer.call(
        'session/new',
        params,
        (error, result) => {
          if (error) {
            reject(error);
            return;
          }
          try {
            const session = this.#open(result, o.handlers);
            resolve(session);
            return this.#replay(session);
          } catch (unreadable) {
            reject(unreadable);
          }
        },
        { deadline, patience, signal, late: (result) => this.#closeLate(result) },
      );
    });
  }

  /** Ends the connection: what is pending fails with `reason`. The process is not ended by this. */
  close(reason?: Error): void {
    this.#peer.close(reason);
  }

  dispose(): void {
    this.#peer.close();
    this.#noise.dispose();
  }

  // Sessions

  #open(result: unknown, handlers: SessionHandlers): ClientSession {
    const response = readNewSession(result);
    if (this.#sessions.has(response.sessionId))
      throw new RpcError(ErrorCode.internal, l10n.t('The agent gave the id of an open session to a new one.'));
    const link = {
      peer: this.#peer,
      log: this.#log,
      canClose: isObject(
        (this.#info?.agentCapabilities?.sessionCapabilities as { close?: unknown } | undefined)?.close,
      ),
      forget: (closed: ClientSession) => this.#forget(closed.id),
    };
    const session = new ClientSession(link, response, handlers);
    this.#closedSessions.delete(session.id);
    this.#sessions.set(session.id, session);
    return session;
  }

  async #replay(session: ClientSession): Promise<void> {
    await afterContinuations();
    for (const item of this.#early.take(session.id)) {
      if ('open' in item) item.open();
      else
        try {
          await session.deliver(item.update);
        } catch (error) {
          this.#log.error(`a handler failed: ${describe(error)}`);
        }
    }
  }

  #forget(id: string): void {
    this.#sessions.delete(id);
    this.#closedSessions.add(id);
    if (this.#closedSessions.size > rememberedClosed) {
      const [oldest] = this.#closedSessions;
      this.#closedSessions.delete(oldest!);
    }
  }

  /** A session that nobody waits for any more. */
  #closeLate(result: unknown): void {
    try {
      const session = this.#open(result, { update() {}, permission: async () => ({ outcome: 'cancelled' }) });
      for (const item of this.#early.take(session.id)) if ('drop' in item) item.drop();
      session.close();
    } catch (error) {
      this.#log.debug(`a late answer to session/new: ${describe(error)}`);
    }
  }

  // Inbound, in order

  #notification(method: string, params: unknown): void | Promise<void> {
    if (method !== 'session/update') {
      this.#note(method, `the notification ${method} is not known and is ignored`);
      return;
    }
    const p = params as { sessionId?: unknown; update?: { sessionUpdate?: unknown } | null } | null | undefined;
    const id = p?.sessionId;
    const update = p?.update;
    if (typeof id !== 'string' || typeof update?.sessionUpdate !== 'string') {
      this.#onNoise({
        kind: 'malformed',
        text: 'session/update without a session or a kind',
        count: ++this.#malformed,
      });
      return;
    }
    const unknown = unknownPart(update as UnknownUpdate);
    if (unknown !== undefined) this.#noteUnknown(unknown, update);
    const session = this.#sessions.get(id);
    if (session) return session.deliver(update as AnyUpdate);
    if (!this.#closedSessions.has(id))
      this.#early.add(id, { update: update as AnyUpdate, size: this.#peer.lineLength });
  }

  #request(method: string, params: unknown, ctx: RequestContext): unknown {
    if (method === 'session/request_permission') return this.#permission(params, ctx);
    if (method === mmMethods.ask && this.#hub) {
      const ask = readAskParams(method, params);
      const session = this.#sessions.get(ask.sessionId);
      if (!session) throw new RpcError(ErrorCode.notFound, 'Session not found', { sessionId: ask.sessionId });
      if (session.isHub) return session.ask(ask, ctx);
    }
    if (method === 'initialize') this.#echoed = true;
    this.#note(method, `the agent asks for ${method}, which is not offered; it is told so each time`);
    throw new RpcError(ErrorCode.methodNotFound, `"Method not found": ${cap(method, 200).text}`, {
      method: cap(method, 200).text,
    });
  }

  #permission(params: unknown, ctx: RequestContext): unknown {
    const request = readPermissionRequest(params);
    const session = this.#sessions.get(request.sessionId);
    if (session) return session.permission(request, ctx);
    const drop = () => ctx.answer({ outcome: { outcome: 'cancelled' } });
    if (this.#closedSessions.has(request.sessionId)) {
      drop();
      return undefined;
    }
    return new Promise((resolve) => {
      this.#early.add(request.sessionId, {
        open: () => resolve(this.#sessions.get(request.sessionId)?.permission(request, ctx) ?? drop()),
        drop,
        size: this.#peer.lineLength,
      });
    });
  }

  // The log

  #onNoise(noise: Noise): void {
    this.#noiseCount++;
    this.#note(
      `noise ${noise.kind}`,
      `the agent writes lines that are no messages (${noise.kind}); they are ignored: ${visible(cap(noise.text, 300).text)}`,
    );
    this.#noise.fire(noise);
  }

  /** Something of a later version of the protocol: shown as such, and kept here, the first of each kind (faults F020). */
  #noteUnknown(kind: string, update: unknown): void {
    const what = `unknown ${kind.slice(0, 200)}`;
    if (this.#noted.has(what)) return;
    this.#note(what, `the agent sent something of the unknown kind ${kind}: ${cap(JSON.stringify(update), 800).text}`);
  }

  /** Says it once for each `what`. Names come from the agent, so there is an end to that too. */
  #note(what: string, message: string): void {
    if (this.#noted.has(what) || this.#noted.size >= 100) return;
    this.#noted.add(what);
    this.#log.warn(visible(cap(message, 1000).text));
  }

  #mask(line: string): string {
    let masked = line;
    for (const secret of this.#secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, '***');
    return masked;
  }
}
