import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, ExitCode, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import type { Log } from '../../base/log';
import { BodyError, readBody, throwAway } from './body';
import { type CardFacts, cardBody, cardOf } from './card';
import { isLoopback } from './hosts';
import type { BearerCheck } from './key';
import { Rate, type RateLimit } from './rate';
import { headerOf, json, notACall, type RpcEndpoint } from './rpc';

/** An agent as the server offers it. */
export interface Offered {
  facts: CardFacts;
  rpc: RpcEndpoint;
}

export interface ServerOptions {
  /** By the name in their path. */
  agents: ReadonlyMap<string, Offered>;
  /** The address that cards announce; without it the one by which the caller came. */
  url?: string;
  /** Without it everybody who reaches the address may call. */
  key?: BearerCheck;
  /** Bytes of one request. */
  mostBytes: number;
  rate: RateLimit;
  /** No further message can be taken now. */
  busy(): boolean;
  log: Log;
}

type Route = { kind: 'health' } | { kind: 'card' | 'rpc'; name: string; agent: Offered };

/** Seconds after which it may be tried again when too much is going on. */
const busyRetry = 5;

/** The bridge's HTTP: what may come in, and where it goes. Everything else is refused here, before anything of it is used. */
export class BridgeServer {
  readonly #server: Server;
  readonly #rate: Rate;
  #address = '';
  #closing = false;

  constructor(private readonly o: ServerOptions) {
    this.#rate = new Rate(o.rate);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#failed(response, error));
    });
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 120_000;
    this.#server.maxConnections = 2_000;
  }

  /** `http://host:port`, once it listens. */
  get address(): string {
    return this.#address;
  }

  /** @throws UserError when the address cannot be had. */
  async listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const inUse = error.code === 'EADDRINUSE';
        const words = inUse
          ? l10n.t('Port {0} of {1} is in use.', port, host)
          : l10n.t('{0}, port {1} cannot be served: {2}', host, port, describe(error));
        reject(
          new UserError(words, {
            hint: l10n.t('Name another with --port; 0 takes a free one.'),
            exitCode: ExitCode.usage,
          }),
        );
      });
      this.#server.listen(port, host, resolve);
    });
    const { address, port: bound, family } = this.#server.address() as AddressInfo;
    const anywhere = address === '0.0.0.0' || address === '::';
    const name = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
    this.#address = `http://${name}:${bound}`;
  }

  /** Refuses new calls; what is being answered goes on. */
  refuse(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), 500);
    await closed;
    clearTimeout(timer);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // a page that a browser shows may reach this machine under a name of its own (DNS rebinding)
    if (!this.o.key && !isLoopback(hostName(request))) {
      refuse(request, response, 403, 'Without a key only this machine may call, by localhost or 127.0.0.1.');
      return;
    }
    const route = this.#route(request);
    if (!route) {
      refuse(request, response, 404, 'There is nothing at this address.');
      return;
    }
    if (route.kind === 'health')
      json(response, this.#closing ? 503 : 200, { status: this.#closing ? 'stopping' : 'ok' });
    else if (route.kind === 'card') this.#card(route, request, response);
    else await this.#call(route.agent, request, response);
  }

  /** The path as it was sent, and nothing that would have to be made plain first. */
  #route({ method, url = '' }: IncomingMessage): Route | undefined {
    const reads = method === 'GET' || method === 'HEAD';
    const path = url.split('?', 1)[0]!;
    if (reads && path === '/health') return { kind: 'health' };
    const match = /^\/([A-Za-z0-9][\w.-]*)(\/.*)?$/.exec(path);
    const name = match?.[1] ?? '';
    const agent = this.o.agents.get(name);
    if (!match || !agent) return undefined;
    const rest = match[2] ?? '/';
    if (reads && (rest === '/.well-known/agent-card.json' || rest === '/.well-known/agent.json'))
      return { kind: 'card', name, agent };
    if (method === 'POST' && (rest === '/' || rest === '/message/send')) return { kind: 'rpc', name, agent };
    return undefined;
  }

  /** Fetched by the proxy before every message; open to everybody, as cards are. */
  #card({ name, agent }: { name: string; agent: Offered }, request: IncomingMessage, response: ServerResponse): void {
    const base = this.o.url ?? `http://${hostHeader(request) ?? new URL(this.#address).host}`;
    const body = cardBody(cardOf(agent.facts, `${base}/${name}`), headerOf(request, 'a2a-version'));
    const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`;
    const headers = { ETag: etag, Vary: 'A2A-Version, Host', 'Cache-Control': 'no-cache' };
    if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
    else json(response, 200, body, headers);
  }

  async #call(agent: Offered, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { key, mostBytes, busy } = this.o;
    const from = request.socket.remoteAddress ?? '';
    // who guesses keys is slowed down as well, and not at the cost of who has one
    const allowed = key === undefined || key.allows(headerOf(request, 'authorization'));
    const wait = this.#rate.take(allowed && key ? 'key' : `from ${from}`);
    if (wait > 0) {
      refuse(request, response, 429, 'Too many calls. Try again later.', { 'Retry-After': String(wait) });
      return;
    }
    if (!allowed) {
      refuse(request, response, 401, 'A bearer key is needed.', { 'WWW-Authenticate': 'Bearer realm="mm"' });
      return;
    }
    // a form of a web page cannot send this type, so that no page in a browser calls an agent of this machine
    const type = /^[^;]*/
      .exec(headerOf(request, 'content-type') ?? '')?.[0]
      .trim()
      .toLowerCase();
    if (type !== 'application/json' && type !== 'application/a2a+json') {
      refuse(request, response, 415, 'The body has to be application/json.');
      return;
    }
    let body: Buffer;
    try {
      body = await readBody(request, mostBytes);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      refuse(request, response, error.status, error.message);
      return;
    }
    const call = agent.rpc.read(body);
    if (!call) json(response, 200, notACall());
    else if (call.begins && this.#closing) refuse(request, response, 503, 'The bridge is being stopped.');
    else if (call.begins && busy()) {
      const headers = { 'Retry-After': String(busyRetry) };
      refuse(request, response, 429, 'Too many tasks are waiting. Try again later.', headers);
    } else await agent.rpc.answer(call, request, response);
  }

  #failed(response: ServerResponse, error: unknown): void {
    this.o.log.error(l10n.t('A call could not be answered: {0}', describe(error)));
    if (response.headersSent) response.destroy();
    else json(response, 500, { error: { message: 'The bridge failed.' } });
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  if (request.complete) json(response, status, { error: { message } }, headers);
  else {
    json(response, status, { error: { message } }, { ...headers, Connection: 'close' });
    throwAway(request);
  }
}

/** The header `Host`, where it is one. */
function hostHeader(request: IncomingMessage): string | undefined {
  const host = request.headers.host ?? '';
  return /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(host) ? host : undefined;
}

function hostName(request: IncomingMessage): string {
  return (hostHeader(request) ?? '').replace(/:\d+$/, '');
}
