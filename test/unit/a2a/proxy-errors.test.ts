import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type About, type ProxyError, type ProxyErrorKind, proxyErrorOf } from '../../../src/a2a/proxy-errors';
import { connectionErrorOf, late } from '../../../src/a2a/proxy-offline';
import { CancelledError, UserError } from '../../../src/base/errors';
import { bodyOf, recording, recordingNames } from './recordings';

const about: About = { name: 'team', url: 'http://proxy', keySent: true };

/** Every recorded error, by what it is. */
const kinds: Partial<Record<ProxyErrorKind, string[]>> = {
  'no-database': [
    'agents-delete',
    'agents-get-byid',
    'agents-get-byname',
    'agents-get-unknown',
    'agents-make-public',
    'agents-make-public-many',
    'agents-patch',
    'agents-post',
    'agents-post-duplicate',
    'agents-put',
    'db-budget-list',
    'db-daily-activity',
    'db-global-spend',
    'db-key-delete',
    'db-key-generate',
    'db-key-info',
    'db-key-list',
    'db-key-update',
    'db-spend-keys',
    'db-spend-logs',
    'db-spend-logs-v2',
    'db-spend-tags',
    'db-team-list',
    'db-team-new',
    'db-user-info',
    'models-v2-info',
    'open.agents-get-byid',
    'open.agents-get-byname',
    'open.agents-get-unknown',
    'open.db-key-generate',
    'open.models-v2-info',
  ],
  'not-found': [
    'agents-kill-switch',
    'card-unknown',
    'chat-unknown',
    'err-unknown-agent',
    'send-path-message-stream',
    'withdb.1-delete-unknown',
    'withdb.1-get-unknown',
    'withdb.1-patch-config-agent',
    'withdb.1-patch-unknown',
    'withdb.1-put-unknown',
    'withdb.2-card',
    'withdb.2-chat',
    'withdb.2-send',
    'withdb.3-get-deleted',
  ],
  'wrong-key': [
    'agents-list-badkey',
    'agents-list-wrongkey',
    'chat-wrongkey',
    'err-wrongkey',
    'extras.agents-list-badkey',
    'extras.agents-list-wrongkey',
    'extras.err-wrongkey',
    'withdb.1-badkey',
    'withdb.1-key-deleted',
    'withdb.1-wrongkey',
  ],
  'no-key': [
    'agents-list-nokey',
    'auth-without-bearer',
    'card-nokey',
    'err-nokey',
    'extras.agents-list-nokey',
    'extras.card-nokey',
    'extras.err-nokey',
    'extras.health-nokey',
    'health-nokey',
    'withdb.1-nokey',
  ],
  refused: [
    'agents-list-query',
    'agents-post-invalid',
    'chat-tools',
    'db-global-spend-report',
    'discover',
    'discover-refused',
    'err-not-json',
    'err-not-jsonrpc',
    'err-unknown-method',
    'extras.agents-list-query',
    'extras.discover-refused',
    'extras.push-set-loopback',
    'get-instead-of-post',
    'health-services',
    'open.agents-post-invalid',
    'push-set',
    'push-set-http',
    'push-set-loopback',
    'trace-required-missing',
    'withdb.1-post-bad-version',
    'withdb.1-post-no-card',
  ],
  agent: [
    'bridged-tasks-get',
    'chat-html',
    'chat-http500',
    'chat-refused',
    'chat-refused-stream',
    'chat-rpcerror',
    'chat-timeout-param',
    'chat-v1only',
    'err-bad-params',
    'err-drop',
    'err-html',
    'err-http500',
    'err-nocard',
    'err-refused',
    'err-refused-tasks-get',
    'err-rpcerror',
    'extras.chat-rpcerror',
    'extras.long-hang-answer',
    'extras.long-hang-card',
    'long-hang-tasks-get',
    'open.chat-rpcerror',
    'open.chat-slow5-stream',
    'open.chat-timeout-param',
    'push-list',
    'send-finished-task',
    'task-get-unknown',
    'wronghost',
  ],
  server: ['nosdk.send-echo', 'nosdk.stream-echo'],
  'not-allowed': [
    'open.agents-post',
    'open.agents-post-duplicate',
    'withdb.1-agentkey-keygen',
    'withdb.1-agentkey-model-refused',
    'withdb.1-agentkey-post',
    'withdb.1-granted-chat-other',
    'withdb.1-granted-other',
    'withdb.1-granted-other-card',
  ],
  'rate-limit': ['rate-limit-3', 'rate-limit-4', 'rate-limit-stream', 'withdb.1-slow-2', 'withdb.1-slow-chat'],
  budget: ['withdb.1-budget-3', 'withdb.1-budget-4', 'withdb.1-poor-chat', 'withdb.1-poor-send'],
  conflict: ['withdb.1-key-generate-alias-taken', 'withdb.1-post-again', 'withdb.1-post-name-of-config'],
  forgotten: ['withdb.2-post'],
};

const errorOf = (name: string): ProxyError => {
  const { request, response } = recording(name);
  const keySent = /^Bearer /.test(request.headers.authorization ?? '');
  const answer = { status: response.status, headers: new Headers(response.headers), body: bodyOf(recording(name)) };
  return proxyErrorOf(answer, { ...about, keySent });
};

describe('what a real proxy answered', () => {
  it.each(Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind])))(
    '%s is %s',
    (name, kind) => {
      const error = errorOf(name!);
      expect(error.kind).toBe(kind);
      expect(error.status).toBe(recording(name!).response.status);
      expect(error.hint).toBeTruthy();
      for (const text of [error.message, error.hint, error.detail ?? '']) {
        expect(text).not.toMatch(/\[object Object\]|undefined|Traceback|sk-1234|sk-wrong/);
      }
    },
  );

  it('no recorded error is left out', () => {
    const told = new Set(Object.values(kinds).flat());
    const failed = recordingNames.filter((name) => recording(name).response.status >= 400);
    expect(failed.filter((name) => !told.has(name))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['agents-list-nokey', 'The proxy at http://proxy wants a key.', '${secret:proxy}'],
    [
      'agents-list-wrongkey',
      'The proxy at http://proxy does not accept the key.',
      'Enter the key of the proxy “team” anew',
    ],
    ['db-key-list', 'The proxy at http://proxy has no database, so this does not exist there.', 'DATABASE_URL'],
    [
      'withdb.1-granted-other',
      'The agent “lab” is not allowed for your key at the proxy http://proxy.',
      'Ask who runs',
    ],
    ['withdb.1-agentkey-post', 'Only an admin of the proxy at http://proxy may do this.', '`adminKey`'],
    [
      'withdb.1-budget-3',
      'is spent: Budget has been exceeded! Key=budget (sk-...rGHg) Current cost: 0.5',
      'larger budget',
    ],
    [
      'rate-limit-3',
      'The agent has had as many requests as the proxy at http://proxy allows it.',
      'Try again in 60 s.',
    ],
    ['withdb.1-slow-2', 'Your key has had as many requests', 'Try again in 60 s.'],
    ['withdb.2-post', 'in its database and has forgotten it', 'store_model_in_db: true'],
    ['withdb.2-send', 'knows no agent “added”', 'has forgotten it after a restart'],
    ['err-refused', 'does not reach the agent: nothing answers at the address that it announces', 'Start the agent'],
    ['err-nocard', 'has no card at its address', 'Start the agent'],
    ['nosdk.send-echo', 'a2a-sdk is missing', 'install a2a-sdk'],
    ['withdb.1-post-no-card', '(422): agent_card_params: Field required', 'Correct what it names'],
    ['agents-kill-switch', 'There is nothing at this address of the proxy http://proxy (404).', 'version of the proxy'],
  ])('%s says so', (name, message, hint) => {
    const error = errorOf(name);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  it('keeps how long to wait, and the code of the agent', () => {
    expect(errorOf('rate-limit-3').retryAfter).toBe(60);
    expect(errorOf('task-get-unknown').rpcCode).toBe(-32001);
    expect(errorOf('agents-list-nokey').exitCode).toBe(2);
    expect(errorOf('withdb.1-granted-other').exitCode).toBe(3);
  });
});

describe('what is no proxy', () => {
  const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
    proxyErrorOf({ status, body, headers: new Headers(headers) }, about);

  it.each<[string, ProxyError, ProxyErrorKind, string]>([
    [
      'a page',
      answer(200, '<!doctype html><html><head><title>Welcome to Hotel\u202eX</title>', { 'content-type': 'text/html' }),
      'not-json',
      'A web page answers at http://proxy instead of the proxy: “Welcome to Hotel[U+202E]X”',
    ],
    [
      'a page without a title',
      answer(403, '<html>no</html>'),
      'not-json',
      'A web page answers at http://proxy instead',
    ],
    [
      'a redirect to a login',
      answer(302, '', { location: 'https://login.example/path?token=secret' }),
      'not-json',
      'sends its callers on to https://login.example; the key was not sent there.',
    ],
    ['a redirect to nowhere', answer(301, ''), 'not-json', 'sends its callers on to another address'],
    ['a gateway', answer(502, '<html><title>502 Bad Gateway</title>'), 'server', 'the proxy does not (502)'],
    ['nothing at all', answer(500, ''), 'server', 'The proxy at http://proxy failed (500): it gave no reason'],
    ['plain text', answer(500, 'Internal Server Error'), 'server', 'failed (500): Internal Server Error'],
    ['an empty 401', answer(401, ''), 'wrong-key', 'does not accept the key'],
    [
      'an agent whose own database is away',
      answer(500, rpc(-32603, 'Database not connected')),
      'agent',
      'reported an error',
    ],
    [
      'a date to wait for',
      answer(429, '', { 'retry-after': 'Fri, 01 Jan 2999 00:00:00 GMT' }),
      'rate-limit',
      'Your key',
    ],
  ])('%s', (_, error, kind, message) => {
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
  });

  it('never waits longer than a day, and for nonsense not at all', () => {
    expect(answer(429, '', { 'retry-after': '999999999' }).retryAfter).toBe(86_400);
    expect(answer(429, '', { 'retry-after': '-1' }).retryAfter).toBe(0);
    expect(answer(429, '', { 'retry-after': 'soon' }).retryAfter).toBeUndefined();
  });

  it('a key that a server says back is hidden, also one of an unusual form', () => {
    const body = JSON.stringify({ error: { message: 'bad key sk-abcdefgh and hunter2hunter2' } });
    const error = proxyErrorOf(
      { status: 418, headers: new Headers(), body },
      { ...about, secrets: ['hunter2hunter2'] },
    );
    expect(error.message).toBe('The proxy at http://proxy did not accept the request (418): bad key *** and ***');
  });

  it('whatever comes, it is a sentence', () => {
    const said = fc.oneof(fc.jsonValue(), fc.record({ error: fc.jsonValue() }), fc.record({ detail: fc.jsonValue() }));
    const body = fc.oneof(
      fc.string(),
      said.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), body, fc.boolean(), (status, text, keySent) => {
        const error = proxyErrorOf({ status, headers: new Headers(), body: text }, { ...about, keySent });
        expect(error).toBeInstanceOf(UserError);
        expect(error.message.length).toBeGreaterThan(20);
        expect(`${error.message}${error.detail}`).not.toContain('[object Object]');
      }),
    );
  });
});

describe('no answer', () => {
  const failure = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

  it.each<[string, ProxyErrorKind, string]>([
    ['ECONNREFUSED', 'offline', 'No proxy answers at http://proxy.'],
    ['ENOTFOUND', 'offline', 'The address http://proxy cannot be found.'],
    ['EAI_AGAIN', 'offline', 'The address http://proxy cannot be found.'],
    ['ECONNRESET', 'offline', 'The connection to the proxy at http://proxy broke: fetch failed (ECONNRESET)'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'offline', 'The certificate of http://proxy is not trusted'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', 'did not answer in time'],
  ])('%s', (code, kind, message) => {
    const error = connectionErrorOf(failure(code), about) as ProxyError;
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
    expect(error.hint).toBeTruthy();
  });

  it('several addresses that all refuse are one sentence', () => {
    const refused = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    const all = new TypeError('fetch failed', { cause: new AggregateError([refused, refused]) });
    expect(connectionErrorOf(all, about).message).toBe('No proxy answers at http://proxy.');
  });

  it('a cancellation stays one, and an error in words stays as it is', () => {
    const cancelled = new CancelledError();
    expect(connectionErrorOf(cancelled, about)).toBe(cancelled);
    const told = late(about, 5);
    expect(connectionErrorOf(told, about)).toBe(told);
    expect(told.message).toBe('The proxy at http://proxy did not answer within 5 s.');
  });

  it('hides a key that stands in the error of a connection', () => {
    const error = connectionErrorOf(new Error('invalid header "Bearer hunter2hunter2"'), {
      ...about,
      secrets: ['hunter2hunter2'],
    });
    expect(error.message).not.toContain('hunter2');
  });
});

function rpc(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });
}
