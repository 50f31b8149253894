import { ExitCode, UserError, type UserErrorOptions } from '../base/errors';
import { l10n } from '../base/l10n';
import { masker } from '../base/secrets';
import { cap, visible } from '../base/text';
import { type HttpAnswer, type Said, saidOf } from './proxy-answer';

/** What went wrong, for code; the sentence for people is in the message, what to do next in `hint`. */
export type ProxyErrorKind =
  /** Nothing answers at the address. */
  | 'offline'
  /** Something took longer than its deadline. */
  | 'timeout'
  | 'no-key'
  | 'wrong-key'
  /** The key is good, and may not do this. */
  | 'not-allowed'
  | 'not-found'
  /** The proxy has no database: nothing can be created, changed or counted. */
  | 'no-database'
  /** See `retryAfter`. */
  | 'rate-limit'
  | 'budget'
  /** HTML, a redirect or garbage: something else answers, such as a login page or a captive portal. */
  | 'not-json'
  /** The proxy itself failed. */
  | 'server'
  /** The name or alias is taken. */
  | 'conflict'
  /** The proxy's database knows the agent, its list does not (facts, 1.10). */
  | 'forgotten'
  /** The proxy is well, the agent behind it failed or does not answer. */
  | 'agent'
  /** The proxy did not take the request: a wrong value, an unknown method. */
  | 'refused';

/** Of which proxy an error speaks, and what is known of the request. */
export interface About {
  /** The proxy's name in `mm.yaml`, for hints. */
  name?: string;
  /** Its base address. */
  url: string;
  /** Whether a key went along. */
  keySent?: boolean;
  /** What must not stand in any text, whoever says it. */
  secrets?: readonly string[];
}

export interface ProxyErrorOptions extends UserErrorOptions {
  /** The HTTP status; absent when there was no answer. */
  status?: number;
  /** Seconds after which it may be tried again. */
  retryAfter?: number;
  /** The code of a JSON-RPC error. */
  rpcCode?: number;
}

/** An answer of a proxy, or none, in words. Never holds a key. */
export class ProxyError extends UserError {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly rpcCode?: number;

  constructor(
    readonly kind: ProxyErrorKind,
    message: string,
    options: ProxyErrorOptions = {},
  ) {
    super(message, { exitCode: exitCodes[kind], ...options });
    this.name = 'ProxyError';
    this.status = options.status;
    this.retryAfter = options.retryAfter;
    this.rpcCode = options.rpcCode;
  }
}

const exitCodes: Partial<Record<ProxyErrorKind, ExitCode>> = {
  'no-key': ExitCode.usage,
  'wrong-key': ExitCode.usage,
  'not-allowed': ExitCode.refused,
  budget: ExitCode.refused,
};

/**
 * The error that an answer is. For an HTTP status of 400 and more, for a redirect that was not followed, and for a JSON-RPC error under
 * 200. The order decides: a wrong key and a missing database share their status and half of their words (facts, 1.1 and 1.8).
 */
export function proxyErrorOf(answer: HttpAnswer, about: About): ProxyError {
  const { status } = answer;
  const read = saidOf(answer);
  const said: Said = { ...read, text: masker(about.secrets ?? [])(read.text) };
  const found = notJson(answer, said, about) ?? database(said, about) ?? byStatus(answer, said, about);
  const options = { status, rpcCode: said.rpcCode, retryAfter: found.retryAfter };
  const detail = found.message.includes(said.text) ? undefined : said.text;
  return new ProxyError(found.kind, found.message, { ...options, hint: found.hint, detail });
}

interface Found {
  kind: ProxyErrorKind;
  message: string;
  hint: string;
  retryAfter?: number;
}

/** An answer that is JSON, and yet nothing that a proxy would say; or no JSON under 200. */
export function garbage(about: About, what: string): ProxyError {
  return new ProxyError('not-json', l10n.t('What answers at {0} is no LLM proxy: {1}', about.url, what), {
    hint: l10n.t('Check the address of the proxy “{0}” in mm.yaml.', nameOf(about)),
  });
}

function notJson(answer: HttpAnswer, { html, text }: Said, about: About): Found | undefined {
  const { status, headers } = answer;
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = originOf(headers.get('location'), about.url);
    return {
      kind: 'not-json',
      message: to
        ? l10n.t('The proxy at {0} sends its callers on to {1}; the key was not sent there.', about.url, to)
        : l10n.t('The proxy at {0} sends its callers on to another address; the key was not sent there.', about.url),
      hint: l10n.t(
        'If this network wants a login, open any page in a browser first. If the proxy has moved, correct its address in mm.yaml.',
      ),
    };
  }
  if (!html || status >= 500) return undefined;
  return {
    kind: 'not-json',
    message: text
      ? l10n.t('A web page answers at {0} instead of the proxy: “{1}”', about.url, text)
      : l10n.t('A web page answers at {0} instead of the proxy.', about.url),
    hint: l10n.t(
      'If this network wants a login, open any page in a browser first; else check the address of the proxy “{0}” in mm.yaml.',
      nameOf(about),
    ),
  };
}

/** The ten ways in which LiteLLM says that it has no database (facts, 1.8). */
const noDatabase =
  /prisma client (is )?not initialized|(db|database)( is)? not connected|no (connected db|db connected)|not connected to db/i;

function database({ type, text, rpcCode }: Said, about: About): Found | undefined {
  // a key that is not the master key can only be looked up in a database: without one it is wrong
  if (type === 'no_db_connection') return wrongKey(about);
  // an agent may have a database of its own
  if (rpcCode !== undefined || !noDatabase.test(text)) return undefined;
  return {
    kind: 'no-database',
    message: l10n.t('The proxy at {0} has no database, so this does not exist there.', about.url),
    hint: l10n.t(
      'Agents, keys, limits and spend need a database behind the proxy (DATABASE_URL). Without one, agents stand in its config.yaml.',
    ),
  };
}

function byStatus(answer: HttpAnswer, said: Said, about: About): Found {
  const { status } = answer;
  const { text, type } = said;
  if (status === 401) {
    if (/only proxy admin/i.test(text)) return notAllowed(text, about);
    if (/no api key passed/i.test(text) || !about.keySent) return noKey(about);
    return wrongKey(about);
  }
  // without the Python package `prisma` the proxy falls over a missing key (facts, 1.1)
  if (status === 500 && type === 'internal_server_error' && text === 'Internal server error' && !about.keySent)
    return noKey(about);
  if (status === 403) return notAllowed(text, about);
  if (status === 429) return tooMuch(answer, said, about);
  if (status === 409 || ((status === 400 || status === 422) && /already exists/i.test(text)))
    return {
      kind: 'conflict',
      message: l10n.t('The proxy at {0} has something of that name already: {1}', about.url, reason(text)),
      hint: l10n.t('Choose another name, or change the one that is there.'),
    };
  if (/unique constraint failed/i.test(text))
    return {
      kind: 'forgotten',
      message: l10n.t('The proxy at {0} has an agent of that name in its database and has forgotten it.', about.url),
      hint: l10n.t(
        'Repair it instead of creating it again. `store_model_in_db: true` in the proxy’s general_settings is the cure.',
      ),
    };
  if (status === 404 || /invalid model name passed/i.test(text)) return notFound(said, about);
  return behind(said, about) ?? rest(status, said, about);
}

function noKey(about: About): Found {
  return {
    kind: 'no-key',
    message: l10n.t('The proxy at {0} wants a key.', about.url),
    hint: l10n.t('Give the proxy “{0}” a `key` in mm.yaml, such as ${secret:proxy}.', nameOf(about)),
  };
}

function wrongKey(about: About): Found {
  return {
    kind: 'wrong-key',
    message: l10n.t('The proxy at {0} does not accept the key.', about.url),
    hint: l10n.t('Enter the key of the proxy “{0}” anew, or ask who runs it for one.', nameOf(about)),
  };
}

function notAllowed(text: string, about: About): Found {
  const admin = /only proxy admin/i.test(text);
  const agent = /^Agent '(.{1,200})' is not allowed/.exec(text)?.[1];
  return {
    kind: 'not-allowed',
    message: admin
      ? l10n.t('Only an admin of the proxy at {0} may do this.', about.url)
      : agent
        ? l10n.t('The agent “{0}” is not allowed for your key at the proxy {1}.', agent, about.url)
        : l10n.t('Your key may not do this at the proxy {0}: {1}', about.url, reason(text)),
    hint: admin
      ? l10n.t('Give the proxy “{0}” an `adminKey` in mm.yaml, or ask who runs it.', nameOf(about))
      : l10n.t('Ask who runs the proxy to allow it for your key.'),
  };
}

function tooMuch({ headers }: HttpAnswer, { type, text }: Said, about: About): Found {
  if (type === 'budget_exceeded' || /budget.{0,40}exceeded/i.test(text))
    return {
      kind: 'budget',
      message: /session budget/i.test(text)
        ? l10n.t('The budget of this session at the proxy {0} is spent: {1}', about.url, reason(text))
        : l10n.t('The budget of the key at the proxy {0} is spent: {1}', about.url, reason(text)),
      hint: l10n.t('Ask who runs the proxy for a larger budget, or wait until it begins anew.'),
    };
  const retryAfter = secondsOf(headers.get('retry-after'));
  const whose = /for (agent|api_key)/i.exec(text)?.[1]?.toLowerCase();
  return {
    kind: 'rate-limit',
    retryAfter,
    message:
      whose === 'agent'
        ? l10n.t('The agent has had as many requests as the proxy at {0} allows it.', about.url)
        : l10n.t('Your key has had as many requests as the proxy at {0} allows it.', about.url),
    hint: retryAfter === undefined ? l10n.t('Try again in a minute.') : l10n.t('Try again in {0} s.', retryAfter),
  };
}

function notFound({ text, rpcCode }: Said, about: About): Found {
  const name = /Agent (?:with ID )?'?([^']{1,200}?)'? not found|model=(?:a2a\/)?(\S{1,200}?)\.? Call/.exec(text);
  if (name || rpcCode === -32000)
    return {
      kind: 'not-found',
      message: l10n.t('The proxy at {0} knows no agent “{1}”.', about.url, name?.[1] ?? name?.[2] ?? reason(text)),
      hint: l10n.t('It was deleted, has another name, or the proxy has forgotten it after a restart.'),
    };
  if (/^key not found/i.test(text))
    return {
      kind: 'not-found',
      message: l10n.t('The proxy at {0} knows no such key.', about.url),
      hint: l10n.t('It was deleted, or it is the master key, which has no budget and no spend of its own.'),
    };
  return {
    kind: 'not-found',
    message: l10n.t('There is nothing at this address of the proxy {0} (404).', about.url),
    hint: l10n.t('Check the address of the proxy “{0}” in mm.yaml, and the version of the proxy.', nameOf(about)),
  };
}

/** What LiteLLM says when it is well and the agent behind it is not; the agent's own code is lost there (facts, 1.5). */
function behind({ text, rpcCode }: Said, about: About): Found | undefined {
  const failed = (message: string, hint: string): Found => ({ kind: 'agent', message, hint });
  if (rpcCode === undefined && !/A2aException|Cannot connect to host/i.test(text)) return undefined;
  if (/NoneType takes no arguments/.test(text))
    return {
      kind: 'server',
      message: l10n.t('The proxy at {0} cannot speak A2A: its Python package a2a-sdk is missing.', about.url),
      hint: l10n.t('Who runs the proxy has to install a2a-sdk beside it.'),
    };
  if (rpcCode === -32600 || rpcCode === -32601 || rpcCode === -32602)
    return {
      kind: 'refused',
      message: l10n.t('The agent or its proxy at {0} did not take the request: {1}', about.url, reason(text)),
      hint: l10n.t('It may speak another version of A2A.'),
    };
  if (/failed to fetch agent card/i.test(text))
    return failed(
      l10n.t('The agent behind the proxy {0} has no card at its address, so the proxy cannot ask it.', about.url),
      l10n.t('Start the agent, or correct its address at the proxy.'),
    );
  if (/time(d )?out|Timeout on reading/i.test(text))
    return failed(
      l10n.t('The agent behind the proxy {0} did not answer the proxy in time.', about.url),
      l10n.t('Ask it again without waiting on one connection, or look at the agent.'),
    );
  if (/cannot connect to host|network communication error|no response received/i.test(text))
    return failed(
      l10n.t('The proxy at {0} does not reach the agent: nothing answers at the address that it announces.', about.url),
      l10n.t('Start the agent, or correct its address at the proxy.'),
    );
  const own = text
    .replace(/^Internal error: /, '')
    .replace(/^litellm\.\w+: /, '')
    .replace(/^A2aException - /, '');
  return failed(
    l10n.t('The agent behind the proxy {0} reported an error: {1}', about.url, reason(own)),
    l10n.t('Ask again. If it happens again, look at the log of the agent.'),
  );
}

function rest(status: number, { text }: Said, about: About): Found {
  if (status === 502 || status === 503 || status === 504)
    return {
      kind: 'server',
      message: l10n.t('Something in front of the proxy at {0} answers, the proxy does not ({1}).', about.url, status),
      hint: l10n.t('The proxy may be starting. Try again in a minute.'),
    };
  if (status >= 500 || status < 400)
    return {
      kind: 'server',
      message: l10n.t('The proxy at {0} failed ({1}): {2}', about.url, status, reason(text)),
      hint: l10n.t('Try again. If it happens again, look at the log of the proxy.'),
    };
  return {
    kind: 'refused',
    message: l10n.t('The proxy at {0} did not accept the request ({1}): {2}', about.url, status, reason(text)),
    hint: l10n.t('Correct what it names, and try again.'),
  };
}

/** How `mm.yaml` calls it. */
export function nameOf({ name, url }: About): string {
  return name ?? url;
}

function reason(text: string): string {
  return text || l10n.t('it gave no reason');
}

/** Seconds of a `Retry-After`, which may be a date; at most a day, so that nothing waits for a year. */
function secondsOf(value: string | null): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d{1,9}$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), 86_400) : undefined;
}

function originOf(location: string | null, base: string): string | undefined {
  if (!location || location.length > 2_048 || !URL.canParse(location, base)) return undefined;
  return visible(cap(new URL(location, base).origin, 200).text);
}
