import { CancelledError } from '../base/errors';
import { l10n } from '../base/l10n';
import { cap, visible } from '../base/text';
import type { HttpAnswer } from './proxy-answer';
import { type About, garbage } from './proxy-errors';
import { connectionErrorOf, late } from './proxy-offline';

/** One request to a server that is not trusted. */
export interface HttpRequest {
  /** Absolute. */
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Milliseconds for the whole of it, the body too. */
  deadline: number;
  signal?: AbortSignal;
  /** Bytes of a body; a longer one is an error. */
  maxBytes: number;
  fetch?: typeof fetch;
}

/** Redirects that a request without a body follows, each within the same origin. */
const mostRedirects = 3;

/**
 * Sends a request and reads its answer whole, within its deadline and its size. Never leaves the origin that it was sent to: a key that
 * goes along goes nowhere else; such a redirect comes back as the answer that it is.
 * @throws ProxyError `offline`, `timeout` or `not-json` (too long); CancelledError when `signal` says so
 */
export async function httpAnswer(request: HttpRequest, about: About): Promise<HttpAnswer> {
  const { signal, deadline, method = 'GET' } = request;
  if (signal?.aborted) throw new CancelledError();
  const stop = new AbortController();
  const cancel = () => stop.abort(new CancelledError());
  signal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(() => stop.abort(late(about, Math.ceil(deadline / 1000))), deadline);
  try {
    let url = request.url;
    for (let redirects = 0; ; redirects++) {
      const response = await (request.fetch ?? fetch)(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        redirect: 'manual',
        signal: stop.signal,
      });
      const next = method === 'GET' && redirects < mostRedirects ? within(response, url) : undefined;
      if (!next)
        return { status: response.status, headers: response.headers, body: await textOf(response, request, about) };
      await response.body?.cancel();
      url = next;
    }
  } catch (error) {
    // an aborted `fetch` may say so in words of its own
    if (stop.signal.aborted) throw stop.signal.reason;
    throw connectionErrorOf(error, about);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    // what is left of a body that was too long
    stop.abort(new CancelledError());
  }
}

/** Where a redirect leads, if it stays with the same server. */
function within({ status, headers }: Response, from: string): string | undefined {
  const to = headers.get('location');
  if (status < 301 || status > 308 || !to || !URL.canParse(to, from)) return undefined;
  const url = new URL(to, from);
  return url.origin === new URL(from).origin ? url.href : undefined;
}

async function textOf(response: Response, { maxBytes }: HttpRequest, about: About): Promise<string> {
  const tooLong = () => garbage(about, l10n.t('it answers with more than {0} kB.', Math.round(maxBytes / 1_000)));
  if (Number(response.headers.get('content-length')) > maxBytes) throw tooLong();
  if (!response.body) return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value.byteLength;
    if (bytes > maxBytes) throw tooLong();
    pieces.push(piece.value);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** The JSON of a successful answer. @throws ProxyError `not-json` */
export function jsonOf({ body, headers }: HttpAnswer, about: About): unknown {
  try {
    return JSON.parse(body);
  } catch {
    const type = visible(cap(headers.get('content-type') ?? '', 100).text) || l10n.t('no content type');
    throw garbage(about, l10n.t('it answers with {0} characters that are no JSON ({1}).', body.length, type));
  }
}
