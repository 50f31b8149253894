import type { IncomingMessage, ServerResponse } from 'node:http';
import { Extensions } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isShallow } from '../../base/json';
import { type BridgeHandler, callState } from './handler';
import { isFacade, recordOf } from './incoming';
import { writeEvents } from './sse';

/** Methods that begin work. */
const sending = new Set(['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage']);

/** A call as it came, before its version's handler reads it. */
export interface Call {
  body: Record<string, unknown>;
  /** It brings a message that is no answer to a task's question: new work. */
  begins: boolean;
}

/** JSON-RPC of both versions on one address, by the SDK's own transport handlers. */
export class RpcEndpoint {
  readonly #current: JsonRpcTransportHandler;
  readonly #legacy: LegacyJsonRpcTransportHandler;

  constructor(
    handler: BridgeHandler,
    private readonly keepAlive: number,
  ) {
    this.#current = new JsonRpcTransportHandler(handler);
    this.#legacy = new LegacyJsonRpcTransportHandler(handler);
  }

  /** @returns undefined for what is no JSON object, or a deeper one than any call is. */
  read(body: Buffer): Call | undefined {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return undefined;
    }
    const record = recordOf(value);
    if (!record || !isShallow(record)) return undefined;
    const sends = typeof record.method === 'string' && sending.has(record.method);
    return { body: record, begins: sends && !recordOf(recordOf(record.params)?.message)?.taskId };
  }

  /** Answers a call, also one that fails. */
  async answer({ body }: Call, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const version = headerOf(request, 'a2a-version')?.trim() || '0.3';
    const legacy = version === '0.3' || version.startsWith('0.3.');
    const id = idOf(body.id);
    const fail = (error: unknown) => ({
      jsonrpc: '2.0',
      id,
      error: legacy
        ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : JsonRpcTransportHandler.mapToJSONRPCError(error),
    });
    if (!legacy && version !== '1.0' && !version.startsWith('1.0.')) {
      const words = 'This version of A2A is not supported. Supported versions: 1.0, 0.3.';
      json(response, 200, fail(new VersionNotSupportedError(words)));
      return;
    }
    const context = new ServerCallContext({
      requestedVersion: legacy ? '0.3' : '1.0',
      requestedExtensions: Extensions.parseServiceParameter(headerOf(request, 'a2a-extensions')),
      state: new Map<string, unknown>([
        [callState.gone, gone.signal],
        [callState.facade, isFacade(body, request.headers)],
      ]),
    });
    const transport = legacy ? this.#legacy : this.#current;
    const result = await transport.handle(legacy ? blocking(body) : body, context);
    if (!(Symbol.asyncIterator in result)) {
      json(response, 200, result);
      return;
    }
    // a call that cannot be taken is answered as one, and not as a stream
    let first: IteratorResult<unknown, void>;
    try {
      first = await result.next();
    } catch (error) {
      json(response, 200, fail(error));
      return;
    }
    await writeEvents(response, after(first, result), { keepAlive: this.keepAlive, errorEvent: fail });
  }
}

/** What is no call, in the words of JSON-RPC. */
export function notACall(): unknown {
  return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The body is no JSON object.' } };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(text);
}

async function* after(
  first: IteratorResult<unknown, void>,
  rest: AsyncGenerator<unknown, void, undefined>,
): AsyncGenerator<unknown, void, undefined> {
  if (first.done) return;
  try {
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** 0.3 leaves open what a configuration without a word on blocking means; only `blocking: false` says that the caller does not wait. */
function blocking(body: Record<string, unknown>): Record<string, unknown> {
  const params = recordOf(body.params);
  const configuration = recordOf(params?.configuration);
  if (!configuration || typeof configuration.blocking === 'boolean') return body;
  return { ...body, params: { ...params, configuration: { ...configuration, blocking: true } } };
}

function idOf(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
