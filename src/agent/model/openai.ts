import { createParser } from 'eventsource-parser';
import { UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { cap, visible } from '../../base/text';
import type { MmConfig } from '../../config/types';
import { alternate } from './alternate';
import { ChunkReader } from './chunks';
import { connectionError, errorIn, serverError, type Where } from './failure';
import { pause } from './pause';
import type { Message, ModelClient, ModelEvent, ModelRequest } from './types';

/** How often a request is sent again when the server says that it is busy, and how long we wait for it at most, in ms. */
const tries = 4;
const longestWait = 30_000;
/** Bytes of one event of a stream, and of a body that is no stream. */
const maxBody = 32_000_000;
/** Bytes of an answer that is an error, of which a few hundred characters are shown. */
const maxError = 65_536;
/** Redirects within the server's own address. */
const mostHops = 3;

/** Chat completions of any OpenAI-compatible server, streamed. There is no deadline on the first token: local models are slow. */
export class OpenAiModel implements ModelClient {
  readonly #where: Where;
  /** False after the server refused `stream_options`. */
  #streamOptions = true;

  constructor(config: Pick<MmConfig, 'baseUrl' | 'model' | 'apiKey' | 'file'>) {
    this.#where = {
      baseUrl: (config.baseUrl ?? 'http://localhost:11434/v1').replace(/\/+$/, ''),
      model: config.model,
      file: config.file,
      apiKey: config.apiKey || undefined,
    };
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request;
    const taken = new Set(
      request.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((call) => call.id) : [])),
    );
    const response = await this.#send(request);
    const reader = new ChunkReader();
    try {
      const type = response.headers.get('content-type') ?? '';
      if (type.includes('application/json')) yield* this.#body(response, reader);
      else yield* this.#events(response, reader);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw connectionError(signal.aborted ? signal.reason : error, this.#where);
    }
    if (!reader.started && !reader.finished)
      throw new UserError(l10n.t('The model server at {0} ended its answer before it began.', this.#where.baseUrl), {
        hint: l10n.t('Send the prompt again. If it happens again, look at the log of the server.'),
      });
    // a call that is not whole must not be made, and half an answer must not pass as one
    if (!reader.finished)
      throw new UserError(
        l10n.t('The model server at {0} broke off in the middle of its answer.', this.#where.baseUrl),
        { hint: l10n.t('Send the prompt again. If it happens again, look at the log of the server.') },
      );
    yield* reader.finish(taken);
  }

  async *#body(response: Response, reader: ChunkReader): AsyncGenerator<ModelEvent> {
    const text = await readCapped(response);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw serverError(200, text, this.#where);
    }
    const error = errorIn(value);
    if (error) throw serverError(200, error, this.#where);
    reader.done = true;
    yield* reader.read(value);
  }

  async *#events(response: Response, reader: ChunkReader): AsyncGenerator<ModelEvent> {
    let ready: string[] = [];
    let tooLong: Error | undefined;
    const parser = createParser({
      maxBufferSize: maxBody,
      onEvent: (event) => ready.push(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') tooLong = error;
      },
    });
    const decoder = new TextDecoder();
    // the last event may lack its blank line
    const closing = async function* () {
      for await (const bytes of bytesOf(response)) yield decoder.decode(bytes, { stream: true });
      yield `${decoder.decode()}\n\n`;
    };
    for await (const text of closing()) {
      parser.feed(text);
      if (tooLong) throw tooLong;
      if (ready.length === 0) continue;
      const events = ready;
      ready = [];
      for (const data of events) {
        if (data.trim() === '[DONE]') {
          reader.done = true;
          return;
        }
        let value: unknown;
        try {
          value = JSON.parse(data);
        } catch {
          // some servers write their error as plain text into the stream
          if (!reader.started) throw serverError(200, data, this.#where);
          continue;
        }
        const error = errorIn(value);
        if (error) throw serverError(200, error, this.#where);
        yield* reader.read(value);
      }
    }
  }

  /** One request. What it carries goes to no other host than the one that the file names. */
  async #post(address: string, init: RequestInit): Promise<Response> {
    let at = address;
    for (let hop = 0; hop <= mostHops; hop++) {
      const response = await fetch(at, { ...init, redirect: 'manual' });
      const target = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || !target) return response;
      await response.body?.cancel();
      const next = URL.canParse(target, at) ? new URL(target, at) : undefined;
      if (next?.origin !== new URL(at).origin)
        throw new UserError(
          l10n.t(
            'The model server at {0} sends requests on to {1}. Nothing was sent there.',
            this.#where.baseUrl,
            visible(cap(next?.origin ?? target, 200).text),
          ),
          { hint: l10n.t('If that is right, write the new address as baseUrl in {0}.', this.#where.file) },
        );
      at = next.href;
    }
    throw new UserError(l10n.t('The model server at {0} sends requests on in a circle.', this.#where.baseUrl), {
      hint: l10n.t('Correct baseUrl in {0}.', this.#where.file),
    });
  }

  /** Sends until the server answers with a stream, fails for good, or was busy too often. */
  async #send({ messages, tools, signal }: ModelRequest): Promise<Response> {
    const { baseUrl, model, apiKey } = this.#where;
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
    if (apiKey) headers.authorization = `Bearer ${apiKey}`;
    for (let attempt = 1; ; attempt++) {
      const body = JSON.stringify({
        model,
        messages: alternate(messages).map(wire),
        ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
        stream: true,
        ...(this.#streamOptions ? { stream_options: { include_usage: true } } : {}),
      });
      let response: Response;
      let text: string;
      try {
        response = await this.#post(`${baseUrl}/chat/completions`, { method: 'POST', headers, body, signal });
        if (response.ok) return response;
        text = await readHead(response);
      } catch (error) {
        if (error instanceof UserError) throw error;
        throw connectionError(signal.aborted ? signal.reason : error, this.#where);
      }
      if (
        this.#streamOptions &&
        (response.status === 400 || response.status === 422) &&
        text.includes('stream_options')
      ) {
        this.#streamOptions = false;
        continue;
      }
      const wait = busyFor(response, attempt);
      if (wait === undefined || attempt >= tries) throw serverError(response.status, text, this.#where);
      await pause(wait, signal);
    }
  }
}

/** Milliseconds to wait before the same request again; undefined when it would not help. */
export function busyFor(response: { status: number; headers: Headers }, attempt: number): number | undefined {
  if (![429, 502, 503, 504, 529].includes(response.status)) return undefined;
  const said = response.headers.get('retry-after');
  if (!said) return Math.min(500 * 2 ** (attempt - 1), longestWait);
  const seconds = Number(said);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(said) - Date.now();
  if (Number.isNaN(wait)) return Math.min(500 * 2 ** (attempt - 1), longestWait);
  return wait > longestWait ? undefined : Math.max(0, wait);
}

/** A message as chat completions have it. */
function wire(message: Message): Record<string, unknown> {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant':
      return {
        role: 'assistant',
        // strict servers want null, not an empty text, beside calls
        content: message.text || (message.calls.length > 0 ? null : ''),
        ...(message.calls.length > 0
          ? {
              tool_calls: message.calls.map((call) => ({
                id: call.id,
                type: 'function',
                function: { name: call.name, arguments: isJson(call.arguments) ? call.arguments : '{}' },
              })),
            }
          : {}),
      };
  }
}

/** Some servers parse the arguments of past calls and fail on malformed ones; the tool's result has told the model already. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function readCapped(response: Response): Promise<string> {
  const parts: string[] = [];
  let size = 0;
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response)) {
    size += bytes.length;
    if (size > maxBody) throw new Error('the answer is larger than 32 MB');
    parts.push(decoder.decode(bytes, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** The first part of a body; the rest is not fetched. */
async function readHead(response: Response): Promise<string> {
  const parts: string[] = [];
  let size = 0;
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response)) {
    parts.push(decoder.decode(bytes, { stream: true }));
    size += bytes.length;
    if (size > maxError) break;
  }
  return parts.join('');
}

/** The body, piece by piece. Node's streams can be iterated, which the types of browsers do not know. */
async function* bytesOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body) yield* response.body as unknown as AsyncIterable<Uint8Array>;
}
