import { isObject } from '../acp/check';
import { l10n } from '../base/l10n';
import { ProxyError } from './proxy-errors';

/** What is to be different about an agent; what is left out stays. `null` empties. */
export interface AgentChange {
  name?: string;
  /** A2A card. The proxy merges it anew: unknown keys are lost there (facts, 1.4). */
  card?: Record<string, unknown>;
  /** Keys of `litellm_params`; `null` drops one. */
  params?: Record<string, unknown>;
  limits?: { tpm?: number | null; rpm?: number | null; sessionTpm?: number | null; sessionRpm?: number | null };
  /** `object_permission`, as the proxy writes it. */
  permissions?: Record<string, unknown>;
  /** Headers that the proxy adds to each call, such as the bearer of a bridge. All of them: the proxy replaces them as a whole. */
  staticHeaders?: Record<string, string>;
  /** Names of headers that it passes on. */
  extraHeaders?: string[];
}

/** An agent that is not there yet. */
export interface NewAgent extends AgentChange {
  name: string;
  card: Record<string, unknown>;
}

/**
 * The body of a PATCH or POST.
 * @param present `litellm_params` as the proxy has them: a PATCH replaces them as a whole, secrets and prices too (facts, 1.2)
 * @throws ProxyError `refused` when it would write a secret's mask in the place of the secret
 */
export function changeBody(change: AgentChange, present?: Record<string, unknown>): Record<string, unknown> {
  const { name, card, limits, permissions, staticHeaders, extraHeaders } = change;
  const params = change.params && merged(present ?? {}, change.params);
  const hidden =
    hiddenIn({ litellm_params: params, static_headers: staticHeaders }, isMarker) ?? hiddenIn({ card }, isRedacted);
  if (hidden)
    throw new ProxyError(
      'refused',
      l10n.t('The proxy shows only a mask of {0}; sent back, the mask would take the place of the secret.', hidden),
      { hint: l10n.t('Give the secret anew together with the change, or use the admin key, which sees it.') },
    );
  const body: Record<string, unknown> = {
    agent_name: name,
    agent_card_params: card,
    litellm_params: params,
    object_permission: permissions,
    static_headers: staticHeaders,
    extra_headers: extraHeaders,
    tpm_limit: limits?.tpm,
    rpm_limit: limits?.rpm,
    session_tpm_limit: limits?.sessionTpm,
    session_rpm_limit: limits?.sessionRpm,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function merged(present: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  // `is_public` is the proxy's own word about its list of public agents, no setting
  const { is_public: _, ...kept } = present;
  return Object.fromEntries(Object.entries({ ...kept, ...change }).filter(([, value]) => value !== null));
}

/** What a proxy writes in the place of a secret: `se****am`, `*****`, `REDACTED_BY_LITELM` (their spelling). */
export function isMarker(text: string): boolean {
  return isRedacted(text) || /^.{0,8}\*{3,}.{0,8}$/s.test(text);
}

function isRedacted(text: string): boolean {
  return text.startsWith('REDACTED');
}

/** Where a marker stands, as a path such as `litellm_params.api_key`; undefined when there is none. */
function hiddenIn(value: unknown, marks: (text: string) => boolean, path = ''): string | undefined {
  if (typeof value === 'string') return marks(value) ? path : undefined;
  if (Array.isArray(value)) return value.map((item, at) => hiddenIn(item, marks, `${path}[${at}]`)).find(Boolean);
  if (!isObject(value)) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const found = hiddenIn(item, marks, path ? `${path}.${name}` : name);
    if (found) return found;
  }
  return undefined;
}
