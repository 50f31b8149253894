import { describe, isCancelled, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { cap } from '../../base/text';

/** What the words about a failed model call need to know. */
export interface Where {
  /** Address of the server, without a key. */
  baseUrl: string;
  model: string;
  /** The file to correct. */
  file: string;
  /** Removed from whatever a server says back. */
  apiKey?: string;
}

/** A failed connection, in words that name the address. Cancellation passes through. */
export function connectionError(error: unknown, where: Where): Error {
  if (isCancelled(error)) return error as Error;
  const code = codeOf(error);
  const { baseUrl, file } = where;
  if (code === 'ECONNREFUSED')
    return new UserError(l10n.t('No model server answers at {0}.', baseUrl), {
      hint: l10n.t('Start the server (for Ollama: “ollama serve”), or correct baseUrl in {0}.', file),
      cause: error,
    });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UserError(l10n.t('The address {0} cannot be found.', baseUrl), {
      hint: l10n.t('Check the network and baseUrl in {0}.', file),
      cause: error,
    });
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new UserError(l10n.t('The model server at {0} said nothing for five minutes.', baseUrl), {
      hint: l10n.t('Look at the server, or use a smaller model or a shorter prompt.'),
      cause: error,
    });
  if (
    code.startsWith('ERR_INVALID_URL') ||
    (error instanceof TypeError && /parse url|invalid url/i.test(describe(error)))
  )
    return new UserError(l10n.t('“{0}” is no address of a model server.', baseUrl), {
      hint: l10n.t('Correct baseUrl in {0}, such as http://localhost:11434/v1.', file),
      cause: error,
    });
  return new UserError(
    l10n.t('The connection to the model server at {0} broke: {1}', baseUrl, clean(describe(error), where)),
    { hint: l10n.t('Send the prompt again. If it happens again, look at the log of the server.'), cause: error },
  );
}

/** An answer that is no answer: an HTTP status, or an error object inside a stream (`status` 200). */
export function serverError(status: number, body: string, where: Where): UserError {
  const said = clean(messageOf(body), where);
  const { baseUrl, model, file } = where;
  const detail = said || undefined;
  if (status === 401 || status === 403)
    return new UserError(l10n.t('The model server at {0} refused the key ({1}).', baseUrl, status), {
      hint: where.apiKey
        ? l10n.t('Correct apiKey in {0}.', file)
        : l10n.t('Set apiKey in {0}, such as ${env:OPENAI_API_KEY}, or AGENT_API_KEY.', file),
      detail,
    });
  if (isOverflow(body))
    return new UserError(l10n.t('The conversation is longer than {0} can take: {1}', model, said), {
      hint: l10n.t('Start a new conversation, or use a model with a larger context.'),
    });
  if (status === 404)
    return new UserError(
      /model/i.test(said)
        ? l10n.t('The model server at {0} does not know the model “{1}”.', baseUrl, model)
        : l10n.t('There is no chat completions API at {0} (404).', baseUrl),
      {
        hint: l10n.t('Correct model or baseUrl in {0}. For Ollama, “ollama pull {1}” fetches a model.', file, model),
        detail,
      },
    );
  if (status === 429)
    return new UserError(l10n.t('The model server at {0} has had too many requests (429).', baseUrl), {
      hint: l10n.t('Wait a little and send the prompt again.'),
      detail,
    });
  if (status >= 500)
    return new UserError(
      l10n.t('The model server at {0} failed ({1}): {2}', baseUrl, status, said || l10n.t('it gave no reason')),
      {
        hint: l10n.t('Send the prompt again. If it happens again, look at the log of the server.'),
      },
    );
  if (status === 200)
    return new UserError(
      l10n.t('The model server at {0} reported an error: {1}', baseUrl, said || l10n.t('it gave no reason')),
      {
        hint: l10n.t('Send the prompt again. If it happens again, look at the log of the server.'),
      },
    );
  return new UserError(
    l10n.t(
      'The model server at {0} did not accept the request ({1}): {2}',
      baseUrl,
      status,
      said || l10n.t('it gave no reason'),
    ),
    { hint: l10n.t('Check model and baseUrl in {0}.', file) },
  );
}

/** The error object of a chunk or a body, as text; undefined where there is none. */
export function errorIn(value: unknown): string | undefined {
  const error = (value as { error?: unknown } | null)?.error;
  if (error === undefined || error === null || error === '') return undefined;
  try {
    return JSON.stringify({ error });
  } catch {
    return describe(error); // nested deeper than can be written
  }
}

/** What is searched and shown of what a server says; the rest of a page says nothing more. */
const longestSaid = 10_000;

function messageOf(body: string): string {
  try {
    const value = JSON.parse(body) as { error?: unknown; message?: unknown; detail?: unknown };
    const error = value?.error ?? value?.message ?? value?.detail ?? value;
    return describe(error);
  } catch {
    // an HTML page of a proxy says most in its title
    const head = cap(body, longestSaid).text;
    const title = /<title>([^<]*)<\/title>/i.exec(head)?.[1];
    return (title ?? head.replace(/<[^<>]*>/g, ' ')).replace(/\s+/g, ' ').trim();
  }
}

function clean(said: string, { apiKey }: Where): string {
  const masked = apiKey && apiKey.length > 3 ? said.replaceAll(apiKey, '***') : said;
  return cap(masked.replace(/\b(sk|pk)-[A-Za-z0-9_-]{6,}/g, '***').trim(), 600).text;
}

function isOverflow(body: string): boolean {
  return /context_length_exceeded|exceed_context_size|maximum context length|context (?:size|length|window)|prompt is too long/i.test(
    cap(body, longestSaid).text,
  );
}

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at && typeof at === 'object' && depth < 5; depth++) {
    const { code, errors } = at as { code?: unknown; errors?: unknown[] };
    if (typeof code === 'string') return code;
    const inner = Array.isArray(errors) ? codeOf(errors[0]) : '';
    if (inner) return inner;
    at = (at as { cause?: unknown }).cause;
  }
  return '';
}
