import type { Readable, Writable } from 'node:stream';
import type { Disposable } from '../base/disposable';
import { CancelledError, describe } from '../base/errors';
import { l10n } from '../base/l10n';
import { Patience } from '../base/patience';
import { cap } from '../base/text';
import { LineSplitter, type Oversize } from './framing';
import { Inbox } from './inbox';
import { Outbox } from './outbox';
import {
  DeadlineError,
  glimpse,
  isRpc,
  isRpcId,
  type RpcError,
  type RpcId,
  type RpcMessage,
  readRpcError,
  withoutTerminalCodes,
  writeRpcError,
} from './rpc';
import { ErrorCode } from './types';

export { DeadlineError, RpcError } from './rpc';

/**
 * Takes the answer to a request, synchronously, in the order of the queue: what was written after the answer is delivered after it. A returned
 * promise holds back what is behind, as with a notification.
 */
export type Settle = (error: RpcError | Error | undefined, result?: unknown) => void | Promise<void>;

export type NoiseKind = 'not-json' | 'not-rpc' | 'oversize' | 'unknown-response' | 'malformed';

export interface Noise {
  kind: NoiseKind;
  /** The beginning of the line. */
  text: string;
  /** How many of this kind there were, this one included. */
  count: number;
}

export interface RequestContext {
  id: RpcId;
  /** Aborts when the other side takes its request back, and at the end of the connection. */
  signal: AbortSignal;
  /** Writes the answer at once, before anything that is written later; what the handler returns after that is ignored. */
  answer(result: unknown): void;
}

export interface PeerHandlers {
  /** In order. A returned promise holds back everything behind it (backpressure: reading pauses). It must not wait for an answer of this connection. */
  notification(method: string, params: unknown): void | Promise<void>;
  /** Called in order; not awaited before the next message. A thrown RpcError goes back as it is. */
  request(method: string, params: unknown, ctx: RequestContext): unknown | Promise<unknown>;
  /** In order: a notification over the cap, of which only this much is known. */
  truncated?(method: string, sessionId: string | undefined, info: Oversize): void | Promise<void>;
}

export interface PeerOptions {
  input: Readable;
  output: Writable;
  handlers: PeerHandlers;
  /** Cap of one incoming line in bytes, 32 MiB when not given. */
  maxLine?: number;
  /** Lines that are no message. They are never answered; the caller logs the first of each kind. */
  onNoise?(noise: Noise): void;
  /** A handler or a settle that failed by itself: a bug of ours, which must not end the connection. */
  onFault?(error: unknown): void;
  /** Every line as it was read and written. */
  journal?(direction: 'in' | 'out', line: string): void;
  /** Asked when the input ends, for the error that pending requests get (exit code, tail of stderr). */
  endReason?(): Error | Promise<Error>;
}

export interface CallOptions {
  /** Ends the wait at once with CancelledError and tells the other side by `$/cancel_request`. */
  signal?: AbortSignal;
  /** Milliseconds. None by default: then a signal should be given. */
  deadline?: number;
  /** May lengthen the deadline. */
  patience?: Patience;
  /** Gets a result that came after the wait had ended, to undo what it stands for. */
  late?(result: unknown): void;
}

interface PendingCall {
  method: string;
  /** Absent once the wait has ended and only the answer is still to come. */
  settle: Settle | undefined;
  late: CallOptions['late'];
  stop: (() => void) | undefined;
}

/** What stands in the queue: a line, what is left of one over the cap, or something that waits for its place. */
type Inbound = string | Oversize | (() => void);

/** How long the end of the input waits for the reason of the end, in milliseconds. */
const reasonGrace = 1000;
const maxAbandoned = 1000;
const done = Promise.resolve();

/**
 * One side of a JSON-RPC connection over newline-delimited JSON, the same for client and agent (design, section 5). It owns one ordered inbound
 * queue: requests, notifications and answers reach their handlers in the order in which they were written, and nothing that comes in can make it throw.
 */
export class Peer implements Disposable {
  readonly closed: Promise<Error>;
  readonly #options: PeerOptions;
  readonly #handlers: PeerHandlers;
  readonly #splitter: LineSplitter;
  readonly #calls = new Map<RpcId, PendingCall>();
  readonly #incoming = new Map<RpcId, AbortController>();
  readonly #noise = new Map<NoiseKind, number>();
  #resolveClosed!: (reason: Error) => void;
  #nextId = 1;
  #abandoned = 0;
  readonly #inbox: Inbox<Inbound>;
  readonly #outbox: Outbox;
  #inputEnded = false;
  #endReason: Error | undefined;
  #warnedStringId = false;
  /** Characters of the line being delivered: lets a handler bound what it keeps without measuring it. */
  lineLength = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#handlers = options.handlers;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#outbox = new Outbox(options.output);
    this.#inbox = new Inbox<Inbound>({
      input: options.input,
      deliver: (item) => {
        if (typeof item === 'string') return this.#line(item);
        if (typeof item !== 'function') return this.#oversize(item);
        item();
      },
      size: (item) => (typeof item === 'string' ? item.length : typeof item === 'function' ? 0 : item.head.length),
      onFault: (error) => this.#fault(error),
      onIdle: () => {
        if (this.#inputEnded) this.#endOfInput();
      },
    });
    this.#splitter = new LineSplitter({
      onLine: (line) => this.#inbox.push(line),
      onOversize: (info) => this.#inbox.push(info),
      maxLine: options.maxLine,
    });
    options.input.on('data', this.#onData);
    options.input.once('end', this.#onInputEnd);
    options.input.once('close', this.#onInputEnd);
    options.input.on('error', this.#onInputEnd);
    if (options.input.readableEnded || options.input.destroyed) queueMicrotask(this.#onInputEnd);
  }

  get ended(): boolean {
    return this.#endReason !== undefined;
  }

  /** Sends a request. `settle` is called exactly once. */
  call(method: string, params: unknown, settle: Settle, o: CallOptions = {}): { cancel(): void } {
    const gone = this.#endReason;
    if (gone) {
      queueMicrotask(() => this.#settle(settle, gone));
      return { cancel() {} };
    }
    if (o.signal?.aborted) {
      queueMicrotask(() => this.#settle(settle, new CancelledError()));
      return { cancel() {} };
    }
    const id = this.#nextId++;
    const entry: PendingCall = { method, settle, late: o.late, stop: undefined };
    this.#calls.set(id, entry);
    const cancel = () => this.#abandon(id, entry, new CancelledError());
    const { signal, deadline } = o;
    if (signal || deadline !== undefined) {
      const since = performance.now();
      const late = () => this.#abandon(id, entry, deadlineError(method, performance.now() - since));
      const limit = deadline === undefined ? undefined : (o.patience ?? new Patience()).limit(deadline, late);
      signal?.addEventListener('abort', cancel, { once: true });
      entry.stop = () => {
        limit?.dispose();
        signal?.removeEventListener('abort', cancel);
      };
    }
    try {
      const line = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      if (this.#outbox.error) this.#unsent(id, entry);
      else
        this.#write(line, (error) => {
          if (error) this.#unsent(id, entry);
        });
    } catch (error) {
      this.#calls.delete(id);
      entry.stop?.();
      queueMicrotask(() => this.#settle(settle, error as Error));
    }
    return { cancel };
  }

  /** `call` as a promise. It resolves in the order of the queue, but code behind an `await` runs after messages that came in the same chunk. */
  request<T>(method: string, params: unknown, o?: CallOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.call(method, params, (error, result) => (error ? reject(error) : resolve(result as T)), o);
    });
  }

  /** Sends a notification. Resolves when the pipe has taken it, so that a sender who awaits is never ahead of its reader; after the end it is dropped. */
  notify(method: string, params: unknown): Promise<void> {
    if (this.#endReason || this.#outbox.error) return done;
    return this.#write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Runs `work` when everything that has come so far was handled; at once where nothing waits, and at the end of the connection. */
  afterBacklog(work: () => void): void {
    if (this.#inbox.behind && !this.#endReason) this.#inbox.push(work);
    else work();
  }

  /** Ends the connection from our side: what is pending fails with `reason`. The streams themselves belong to the caller. */
  close(reason: Error = new Error(l10n.t('The connection was closed.'))): void {
    if (this.#endReason) return;
    this.#endReason = reason;
    this.#splitter.stop();
    const dropped = this.#inbox.close();
    const { input } = this.#options;
    input.off('data', this.#onData);
    // Nobody reads any more, but a child that still writes must not block on its way out.
    if (!input.destroyed) input.resume();
    this.#outbox.release();
    for (const [id, entry] of [...this.#calls]) {
      this.#calls.delete(id);
      entry.stop?.();
      if (entry.settle) this.#settle(entry.settle, reason);
    }
    for (const controller of this.#incoming.values()) controller.abort();
    this.#incoming.clear();
    for (const item of dropped) if (typeof item === 'function') item();
    this.#resolveClosed(reason);
  }

  dispose(): void {
    this.close();
  }

  // Reading

  readonly #onData = (chunk: Buffer | string): void => {
    this.#splitter.feed(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk);
  };

  readonly #onInputEnd = (): void => {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#splitter.finish();
    if (!this.#inbox.held) this.#endOfInput();
  };

  #endOfInput(): void {
    if (this.#endReason) return;
    const fallback = () => this.close(new Error(l10n.t('The connection ended.')));
    if (!this.#options.endReason) {
      fallback();
      return;
    }
    const timer = setTimeout(fallback, reasonGrace);
    Promise.resolve()
      .then(() => this.#options.endReason!())
      .then(
        (reason) => this.close(reason),
        (error) => this.close(error instanceof Error ? error : new Error(describe(error))),
      )
      .finally(() => clearTimeout(timer));
  }

  #line(line: string): void | Promise<void> {
    this.#options.journal?.('in', line);
    this.lineLength = line.length;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#noJson(line);
    }
    if (isRpc(message)) return this.#message(message, line);
    this.#report('not-rpc', line);
  }

  /** No JSON; but a message may stand behind terminal codes, which no JSON text can contain. */
  #noJson(line: string): void | Promise<void> {
    let hold: Promise<void> | undefined;
    let seen = 0;
    const parts = line.includes('\u001b') || line.includes('\r') ? withoutTerminalCodes(line) : [];
    for (const part of parts) {
      let message: unknown;
      try {
        message = JSON.parse(part);
      } catch {
        continue;
      }
      if (!isRpc(message)) continue;
      seen++;
      const next = message;
      hold = (hold ? hold.then(() => this.#message(next, part)) : this.#message(next, part)) || undefined;
    }
    if (seen < Math.max(parts.length, 1)) this.#report('not-json', line);
    return hold;
  }

  #message(message: RpcMessage, line: string): void | Promise<void> {
    const { method, id } = message;
    if (typeof method === 'string') {
      if (id === undefined) {
        if (method === '$/cancel_request') {
          this.#cancelIncoming(message.params);
          return;
        }
        return this.#handlers.notification(method, message.params);
      }
      if (isRpcId(id)) this.#request(id, method, message.params);
      else this.#report('malformed', line);
      return;
    }
    if (method === undefined && id !== undefined) return this.#answer(message, line);
    this.#report('malformed', line);
  }

  #oversize(info: Oversize): void | Promise<void> {
    this.#report('oversize', info.head);
    const seen = glimpse(info.head, info.tail);
    if (seen.method === undefined) {
      const call = seen.id === undefined ? undefined : this.#take(seen.id);
      return call?.settle?.(new Error(l10n.t('The answer to {0} is too long: {1} bytes.', call.method, info.bytes)));
    }
    if (seen.id !== undefined) {
      this.#respond(seen.id, {
        error: { code: ErrorCode.invalidRequest, message: `Line of ${info.bytes} bytes is too long` },
      });
      return;
    }
    return this.#handlers.truncated?.(seen.method, seen.sessionId, info);
  }

  /** The call that an answer belongs to; an id that comes back as text is taken for the number it was (faults F019). */
  #take(id: unknown): PendingCall | undefined {
    let key = id as RpcId;
    let entry = this.#calls.get(key);
    if (!entry && typeof id === 'string' && /^\d{1,15}$/.test(id)) {
      key = Number(id);
      entry = this.#calls.get(key);
      if (entry && !this.#warnedStringId) {
        this.#warnedStringId = true;
        this.#report('malformed', `the id ${key} came back as the text "${key}"`);
      }
    }
    if (!entry) return undefined;
    this.#calls.delete(key);
    entry.stop?.();
    return entry;
  }

  #answer(message: RpcMessage, line: string): void | Promise<void> {
    const entry = this.#take(message.id);
    if (!entry) {
      this.#report('unknown-response', line);
      return;
    }
    const { error } = message;
    const failed = error !== undefined && error !== null;
    if (!entry.settle) {
      this.#abandoned--;
      if (!failed) entry.late?.(message.result);
      return;
    }
    // An answer that has neither: its sender's `undefined` was dropped on the way out. Waiting on would hang the caller.
    if (!failed && message.result === undefined) this.#report('malformed', line);
    return failed ? entry.settle(readRpcError(error)) : entry.settle(undefined, message.result ?? null);
  }

  #request(id: RpcId, method: string, params: unknown): void {
    const controller = new AbortController();
    this.#incoming.set(id, controller);
    let answered = false;
    const finish = (body: { result: unknown } | { error: unknown }) => {
      if (answered) return;
      answered = true;
      if (this.#incoming.get(id) === controller) this.#incoming.delete(id);
      this.#respond(id, body);
    };
    const fail = (error: unknown) => finish({ error: writeRpcError(error) });
    const ctx: RequestContext = {
      id,
      signal: controller.signal,
      answer: (result) => finish({ result: result ?? null }),
    };
    try {
      const result = this.#handlers.request(method, params, ctx);
      if (result !== null && typeof result === 'object' && typeof (result as Promise<unknown>).then === 'function')
        (result as Promise<unknown>).then(ctx.answer, fail);
      else ctx.answer(result);
    } catch (error) {
      fail(error);
    }
  }

  #cancelIncoming(params: unknown): void {
    const id = (params as { requestId?: unknown } | null | undefined)?.requestId;
    if (isRpcId(id)) this.#incoming.get(id)?.abort();
  }

  // Writing

  #respond(id: RpcId, body: { result: unknown } | { error: unknown }): void {
    if (this.#endReason || this.#outbox.error) return;
    let line: string;
    try {
      line = JSON.stringify({ jsonrpc: '2.0', id, ...body });
    } catch (error) {
      this.#fault(error);
      line = JSON.stringify({ jsonrpc: '2.0', id, error: { code: ErrorCode.internal, message: describe(error) } });
    }
    this.#write(line);
  }

  #write(line: string, taken?: (error: Error | null | undefined) => void): Promise<void> {
    this.#options.journal?.('out', line);
    return this.#outbox.write(line, taken);
  }

  /** A request that the other side cannot have read. Mostly it has just died, and then the reason of that is the better answer; so that is waited for a little. */
  #unsent(id: number, entry: PendingCall): void {
    const stop = entry.stop;
    const timer = setTimeout(() => {
      if (!entry.settle || this.#calls.get(id) !== entry) return;
      this.#calls.delete(id);
      stop?.();
      this.#settle(entry.settle, this.#outbox.error ?? new Error(l10n.t('The other side reads no more.')));
    }, reasonGrace);
    entry.stop = () => {
      clearTimeout(timer);
      stop?.();
    };
  }

  /** Ends the wait for an answer; the answer itself may still come and is then no noise. */
  #abandon(id: number, entry: PendingCall, error: Error): void {
    if (!entry.settle || this.#calls.get(id) !== entry) return;
    const settle = entry.settle;
    entry.settle = undefined;
    entry.stop?.();
    if (++this.#abandoned > maxAbandoned) {
      for (const [key, call] of this.#calls) {
        if (call.settle) continue;
        this.#calls.delete(key);
        this.#abandoned--;
        break;
      }
    }
    this.notify('$/cancel_request', { requestId: id });
    this.#settle(settle, error);
  }

  /** Outside the queue: there is nothing behind it to hold. */
  #settle(settle: Settle, error: Error): void {
    try {
      const held = settle(error);
      if (held) held.catch((fault) => this.#fault(fault));
    } catch (fault) {
      this.#fault(fault);
    }
  }

  #report(kind: NoiseKind, line: string): void {
    const count = (this.#noise.get(kind) ?? 0) + 1;
    this.#noise.set(kind, count);
    this.#options.onNoise?.({ kind, text: cap(line, 2000).text, count });
  }

  #fault(error: unknown): void {
    if (this.#options.onFault) this.#options.onFault(error);
    else process.emitWarning(error instanceof Error ? error : new Error(describe(error)));
  }
}

function deadlineError(method: string, waited: number): DeadlineError {
  const seconds = Math.max(0.1, Math.round(waited / 100) / 10);
  return new DeadlineError(l10n.t('There was no answer to {0} within {1} seconds.', method, seconds));
}
