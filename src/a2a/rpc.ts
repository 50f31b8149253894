import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { A2AVersion } from './card';
import { fieldsOf, lineOf } from './fields';
import { httpAnswer } from './http';
import type { HttpAnswer } from './proxy-answer';
import { type About, ProxyError, proxyErrorOf } from './proxy-errors';
import { connectionErrorOf } from './proxy-offline';
import { readEvent, type TaskEvent } from './task';

/** Methods by their names in 0.3 and in 1.0 (facts, 4.1). */
const methods = {
  send: { '0.3': 'message/send', '1.0': 'SendMessage' },
  stream: { '0.3': 'message/stream', '1.0': 'SendStreamingMessage' },
  get: { '0.3': 'tasks/get', '1.0': 'GetTask' },
  cancel: { '0.3': 'tasks/cancel', '1.0': 'CancelTask' },
  resubscribe: { '0.3': 'tasks/resubscribe', '1.0': 'SubscribeToTask' },
} as const;
type Method = keyof typeof methods;

/** An agent's own word that a request came to nothing. */
export class A2AError extends UserError {
  constructor(
    /** -32001 TaskNotFound, -32004 UnsupportedOperation, …; a proxy makes -32603 of most (facts, 1.5). */
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'A2AError';
  }
}

export interface RpcOptions {
  /** Where requests are posted. */
  url: string;
  version: A2AVersion;
  /** 1.0: which of several tenants of that address. */
  tenant?: string;
  /** Read anew for each request; undefined: none is sent. */
  key(): Promise<string | undefined>;
  /** Goes along with every request, for the logs of who stands between. */
  headers?: Record<string, string>;
  about: About;
  /** No proxy stands between: every error is the agent's own. */
  direct: boolean;
  fetch?: typeof fetch;
}

/** Bytes of one event or answer, and of one stream as a whole. */
const largestEvent = 8_000_000;
const largestStream = 128_000_000;

/**
 * One agent that speaks A2A over JSON-RPC, in either version. Both come out as the same events. Ids are UUIDs: a proxy keys its spend by
 * them (facts, 1.7). Redirects are not followed with the key.
 */
export class A2ARpc {
  readonly version: A2AVersion;

  constructor(private readonly o: RpcOptions) {
    this.version = o.version;
  }

  /** @param deadline milliseconds @throws A2AError, ProxyError, CancelledError */
  async request(method: Method, params: object, deadline: number, signal?: AbortSignal): Promise<TaskEvent> {
    const key = await this.o.key();
    const about = this.#about(key);
    const { body, headers } = this.#message(method, params, key);
    const answer = await httpAnswer(
      { url: this.o.url, method: 'POST', headers, body, deadline, signal, maxBytes: largestEvent, fetch: this.o.fetch },
      about,
    );
    return this.#event(answer, about);
  }

  /** Events as they come, until the stream ends. A stream that breaks throws a ProxyError `offline`. */
  async *stream(method: 'stream' | 'resubscribe', params: object, signal: AbortSignal): AsyncGenerator<TaskEvent> {
    const key = await this.o.key();
    const about = this.#about(key);
    const { body, headers } = this.#message(method, params, key);
    let response: Response;
    try {
      response = await (this.o.fetch ?? fetch)(this.o.url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw new CancelledError();
      throw connectionErrorOf(error, about);
    }
    const type = response.headers.get('content-type') ?? '';
    const lines = /x-ndjson|jsonl/i.test(type);
    if (response.status !== 200 || !(lines || /event-stream/i.test(type))) {
      const text = await bodyOf(response, signal, about);
      yield this.#event({ status: response.status, headers: response.headers, body: text }, about);
      return;
    }
    for await (const body of lines ? linesOf(response, signal, about) : eventsOf(response, signal, about)) {
      yield this.#event({ status: 200, headers: jsonHeaders, body }, about);
    }
  }

  /** One JSON-RPC answer. An agent's own error comes with 200, or as 500 from a proxy; what a proxy says of itself is no JSON-RPC. */
  #event(answer: HttpAnswer, about: About): TaskEvent {
    let value: unknown;
    try {
      value = JSON.parse(answer.body);
    } catch {
      throw proxyErrorOf(answer, about);
    }
    const { jsonrpc, result, error } = fieldsOf(value);
    const event = jsonrpc === '2.0' && answer.status === 200 ? readEvent(result) : undefined;
    if (event) return event;
    const { code, message } = fieldsOf(error);
    if (jsonrpc === '2.0' && typeof code === 'number' && (this.o.direct || isAgents(code)))
      throw new A2AError(code, lineOf(message, 2_000) ?? l10n.t('it gave no reason'));
    if (answer.status !== 200 || error !== undefined) throw proxyErrorOf(answer, about);
    throw new ProxyError('not-json', l10n.t('What answers at {0} does not speak A2A.', about.url));
  }

  #about(key: string | undefined): About {
    return { ...this.o.about, keySent: key !== undefined, secrets: key === undefined ? [] : [key] };
  }

  #message(method: Method, params: object, key: string | undefined) {
    const { version, tenant, headers } = this.o;
    return {
      body: {
        jsonrpc: '2.0',
        id: randomUUID(),
        method: methods[method][version],
        params: version === '1.0' && tenant ? { tenant, ...params } : params,
      },
      headers: {
        ...headers,
        ...(version === '1.0' ? { 'a2a-version': '1.0' } : {}),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    };
  }
}

/** Codes that only an agent gives (A2A, and JSON-RPC's own for a method and its params). */
function isAgents(code: number): boolean {
  return (code <= -32001 && code >= -32099) || code === -32601 || code === -32602;
}

const jsonHeaders = new Headers({ 'content-type': 'application/json' });

async function bodyOf(response: Response, signal: AbortSignal, about: About): Promise<string> {
  let text = '';
  for await (const piece of textOf(response, signal, about)) {
    text += piece;
    if (text.length > largestEvent) break;
  }
  return text;
}

async function* linesOf(response: Response, signal: AbortSignal, about: About): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of textOf(response, signal, about)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    if (rest.length > largestEvent) throw tooLong(about);
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

async function* eventsOf(response: Response, signal: AbortSignal, about: About): AsyncGenerator<string> {
  let ready: string[] = [];
  let waiting = 0;
  const parser = createParser({
    onEvent({ data }) {
      waiting = 0;
      if (data !== '') ready.push(data);
    },
  });
  for await (const piece of textOf(response, signal, about)) {
    waiting += piece.length;
    parser.feed(piece);
    if (waiting > largestEvent) throw tooLong(about);
    const now = ready;
    ready = [];
    yield* now;
  }
  // a last event without the blank line behind it
  parser.feed('\n\n');
  yield* ready;
}

async function* textOf(response: Response, signal: AbortSignal, about: About): AsyncGenerator<string> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > largestStream) throw tooLong(about);
      yield decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    throw connectionErrorOf(error, about);
  }
}

function tooLong(about: About): ProxyError {
  return new ProxyError('not-json', l10n.t('What comes from {0} is too long.', about.url));
}
