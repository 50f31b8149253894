import { describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { masker } from '../base/secrets';
import { cap, visible } from '../base/text';
import { type About, nameOf, ProxyError } from './proxy-errors';

/** The error of a request that got no answer. A cancellation passes through as it is. */
export function connectionErrorOf(error: unknown, about: About): Error {
  if (isCancelled(error) || error instanceof UserError) return error as Error;
  const code = codeOf(error);
  const hint = l10n.t('Check the network, and the address of the proxy “{0}” in mm.yaml.', nameOf(about));
  if (code === 'ECONNREFUSED')
    return new ProxyError('offline', l10n.t('No proxy answers at {0}.', about.url), {
      hint: l10n.t('Start the proxy, or correct the address of “{0}” in mm.yaml.', nameOf(about)),
    });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ProxyError('offline', l10n.t('The address {0} cannot be found.', about.url), { hint });
  if (code === 'ETIMEDOUT' || code.startsWith('UND_ERR_HEADERS') || /_TIMEOUT$/.test(code)) return late(about);
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code))
    return new ProxyError('offline', l10n.t('The certificate of {0} is not trusted ({1}).', about.url, code), {
      hint: l10n.t('Make its authority known to this machine (NODE_EXTRA_CA_CERTS), or correct the address.'),
    });
  const why = visible(cap(masker(about.secrets ?? [])(describe(error)), 300).text);
  return new ProxyError('offline', l10n.t('The connection to the proxy at {0} broke: {1}', about.url, why), { hint });
}

/** Nothing came within the deadline. `seconds` is how long it was. */
export function late(about: About, seconds?: number): ProxyError {
  return new ProxyError(
    'timeout',
    seconds === undefined
      ? l10n.t('The proxy at {0} did not answer in time.', about.url)
      : l10n.t('The proxy at {0} did not answer within {1} s.', about.url, seconds),
    { hint: l10n.t('It may be busy or starting. Try again, or look at its log.') },
  );
}

/** The code of the system or of TLS, wherever `fetch` has put it. */
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
