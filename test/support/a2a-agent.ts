import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: frames of the other side, broken ones too
type Frame = any;

export type Method = 'send' | 'stream' | 'get' | 'cancel' | 'resubscribe';
const names: Record<string, Method> = {
  'message/send': 'send',
  SendMessage: 'send',
  'message/stream': 'stream',
  SendStreamingMessage: 'stream',
  'tasks/get': 'get',
  GetTask: 'get',
  'tasks/cancel': 'cancel',
  CancelTask: 'cancel',
  'tasks/resubscribe': 'resubscribe',
  SubscribeToTask: 'resubscribe',
};

export interface Call {
  method: Method;
  params: Frame;
  headers: IncomingMessage['headers'];
  body: Frame;
}

/** How a scripted agent answers one request. */
export class Reply {
  constructor(
    private readonly response: ServerResponse,
    private readonly id: unknown,
  ) {}

  result(result: Frame): void {
    this.raw(200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: this.id, result }));
  }
  error(code: number, message: string, status = 200): void {
    this.raw(status, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: this.id, error: { code, message } }));
  }
  raw(status: number, type: string, body: string, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  }
  /** Events of a stream; a function in between is waited for. `cut` breaks the connection at the end. */
  async events(events: (Frame | (() => unknown))[], o: { cut?: boolean; lines?: boolean } = {}): Promise<void> {
    this.response.writeHead(200, { 'content-type': o.lines ? 'application/x-ndjson' : 'text/event-stream' });
    this.response.flushHeaders();
    for (const event of events) {
      if (typeof event === 'function') await event();
      else {
        const data = JSON.stringify({ jsonrpc: '2.0', id: this.id, ...(event.error ? event : { result: event }) });
        this.response.write(o.lines ? `${data}\n` : `data: ${data}\n\n`);
      }
    }
    if (o.cut) setImmediate(() => this.response.destroy());
    else this.response.end();
  }
  /** No answer, ever. */
  hang(): void {}
}

type Handler = (call: Call, reply: Reply, time: number) => unknown;

/** A stand-in for an A2A agent: answers as a test tells it to, in either version, and remembers what it was asked. */
export class ScriptedA2A {
  readonly calls: Call[] = [];
  /** Requests for its card. */
  cards = 0;
  url = '';
  #server: Server;
  #handlers = new Map<Method, Handler>();

  private constructor(public card: (url: string) => Frame) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(o: { version?: '0.3' | '1.0'; streaming?: boolean; card?: (url: string) => Frame } = {}) {
    const { version = '0.3', streaming = true } = o;
    const agent = new ScriptedA2A(
      o.card ??
        ((url) => ({
          name: 'Scene Checker',
          description: 'Checks',
          capabilities: { streaming },
          ...(version === '0.3'
            ? { protocolVersion: '0.3.0', url }
            : { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] }),
        })),
    );
    await new Promise<void>((resolve) => agent.#server.listen(0, '127.0.0.1', resolve));
    agent.url = `http://127.0.0.1:${(agent.#server.address() as AddressInfo).port}`;
    return agent;
  }

  /** `time` counts the calls of that method from 0. */
  on(method: Method, handler: Handler): this {
    this.#handlers.set(method, handler);
    return this;
  }

  of(method: Method): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      this.cards++;
      const card = this.card(this.url);
      if (typeof card === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(card);
      else if (typeof card === 'number') response.writeHead(card).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return;
    }
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const body = JSON.parse(text);
    const method = names[body.method];
    const reply = new Reply(response, body.id);
    if (!method) return reply.error(-32601, `Method '${body.method}' not found`, 400);
    const time = this.of(method).length;
    this.calls.push({ method, params: body.params, headers: request.headers, body });
    const handler = this.#handlers.get(method);
    if (!handler) return reply.error(-32004, 'This operation is not supported');
    await handler(this.calls.at(-1)!, reply, time);
  }
}

// Events of 0.3

export const taskOf = (state: string, o: { artifacts?: Frame[]; message?: string; id?: string } = {}) => ({
  kind: 'task',
  id: o.id ?? 'task-1',
  contextId: 'context-1',
  status: statusOf(state, o.message),
  artifacts: o.artifacts,
});
export const statusUpdate = (state: string, message?: string, id = 'task-1') => ({
  kind: 'status-update',
  taskId: id,
  contextId: 'context-1',
  status: statusOf(state, message),
  final: false,
});
export const artifactUpdate = (text: string, o: { id?: string; append?: boolean } = {}) => ({
  kind: 'artifact-update',
  taskId: 'task-1',
  contextId: 'context-1',
  append: o.append ?? false,
  artifact: artifactOf(text, o.id),
});
export const artifactOf = (text: string, id = 'a') => ({ artifactId: id, parts: [{ kind: 'text', text }] });

function statusOf(state: string, message?: string) {
  return {
    state,
    ...(message
      ? { message: { kind: 'message', role: 'agent', messageId: 'm1', parts: [{ kind: 'text', text: message }] } }
      : {}),
  };
}

/** The same event as 1.0 writes it. */
export function asV1(event: Frame): Frame {
  const state = (status: Frame) => ({
    ...status,
    state: `TASK_STATE_${status.state.toUpperCase().replaceAll('-', '_')}`,
    ...(status.message ? { message: { role: 'ROLE_AGENT', parts: status.message.parts.map(part) } } : {}),
  });
  const part = ({ kind: _, ...rest }: Frame) => rest;
  const artifact = (one: Frame) => ({ ...one, parts: one.parts.map(part) });
  const { kind, final: __, ...rest } = event;
  if (kind === 'task')
    return { task: { ...rest, status: state(rest.status), artifacts: rest.artifacts?.map(artifact) } };
  if (kind === 'status-update') return { statusUpdate: { ...rest, status: state(rest.status) } };
  return { artifactUpdate: { ...rest, artifact: artifact(rest.artifact) } };
}
