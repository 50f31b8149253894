import { l10n } from '../base/l10n';
import { fieldsOf, lineOf, listOf } from './fields';

/** Schemes and requirements that are looked at, each; a card of ours has one. */
const most = 20;

/**
 * What an agent's card wants of a caller, in words, one line per way in: `HTTP bearer token (LiteLLMKey)`. Both shapes of A2A: 0.3
 * writes `{type: 'http', scheme}` and `security: [{name: []}]`, 1.0 wraps them (`httpAuthSecurityScheme`, `schemes: {name: {list}}`).
 */
export function securityWords(card: Record<string, unknown>): string[] {
  const schemes = new Map(Object.entries(fieldsOf(card.securitySchemes)).slice(0, most));
  const named = (name: string) => {
    const said = lineOf(name, 100);
    return said && words(fieldsOf(schemes.get(name)), said);
  };
  const required = [...listOf(card.security, most), ...listOf(card.securityRequirements, most)].flatMap((item) => {
    const one = fieldsOf(item);
    const names = Object.keys('schemes' in one ? fieldsOf(one.schemes) : one).slice(0, most);
    // what stands in one requirement is wanted together
    return names.flatMap((name) => named(name) ?? []).join(' + ') || [];
  });
  const all = required.length > 0 ? required : [...schemes.keys()].flatMap((name) => named(name) ?? []);
  return [...new Set(all)];
}

function words(scheme: Record<string, unknown>, name: string): string {
  const said = kind(scheme);
  return said ? `${said} (${name})` : name;
}

/** One scheme without its name; undefined for a kind that neither version of A2A has. */
function kind(scheme: Record<string, unknown>): string | undefined {
  const wrapped = (key: string, type: string) =>
    key in scheme ? fieldsOf(scheme[key]) : scheme.type === type && scheme;
  const http = wrapped('httpAuthSecurityScheme', 'http');
  if (http) {
    const way = lineOf(http.scheme, 50) ?? '';
    return /^bearer$/i.test(way) ? l10n.t('HTTP bearer token') : l10n.t('HTTP authentication {0}', way).trim();
  }
  const apiKey = wrapped('apiKeySecurityScheme', 'apiKey');
  if (apiKey) {
    const header = lineOf(apiKey.name, 100) ?? '';
    return l10n.t('API key in the {0} {1}', lineOf(apiKey.in ?? apiKey.location, 20) ?? 'header', header).trim();
  }
  if (wrapped('oauth2SecurityScheme', 'oauth2')) return 'OAuth 2.0';
  if (wrapped('openIdConnectSecurityScheme', 'openIdConnect')) return 'OpenID Connect';
  if (wrapped('mtlsSecurityScheme', 'mutualTLS')) return l10n.t('a client certificate');
  return undefined;
}
