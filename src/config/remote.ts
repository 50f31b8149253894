import { l10n } from '../base/l10n';
import { addressProblem } from './address';
import { nearest } from './keys';
import type { RawEntry, RawProxy } from './schema';
import type { KeyRef, ProxyEntry, RemoteEntry } from './types';
import { hasReference } from './variables';

/** What this part of the check needs of the rest. */
export interface RemoteTools {
  say(severity: 'error' | 'warning', path: readonly string[], message: string): void;
  /** Fills in `${env:NAME}`; undefined after an error. */
  expand(path: string[], text: string | undefined): string | undefined;
  /** The key stands in the file with some value, right or wrong. */
  named(path: string[]): boolean;
}

const secretReference = /^\$\{secret:([A-Za-z_][A-Za-z0-9_.-]{0,63})\}$/;

/** The proxies of a file; one with an error is left out. */
export function proxiesOf(raw: Record<string, RawProxy>, tools: RemoteTools): Map<string, ProxyEntry> {
  const proxies = new Map<string, ProxyEntry>();
  for (const [name, { url, key, adminKey }] of Object.entries(raw)) {
    const at = ['proxies', name];
    const address = addressOf([...at, 'url'], url, tools);
    if (url === undefined && !tools.named([...at, 'url'])) {
      const message = l10n.t('`{0}` needs `url: ADDRESS`, such as http://localhost:4000', at.join('.'));
      tools.say('error', at, message);
    }
    const keys = {
      key: keyOf([...at, 'key'], key, tools),
      adminKey: keyOf([...at, 'adminKey'], adminKey, tools),
    };
    if (address !== undefined) proxies.set(name, { name, url: address, ...keys });
  }
  return proxies;
}

/** Where an entry with `a2a` is: `NAME@PROXY`, or the address of its card. Undefined after an error. */
export function remoteAt(
  at: string[],
  raw: RawEntry,
  proxies: ReadonlyMap<string, ProxyEntry>,
  tools: RemoteTools,
): RemoteEntry['at'] | undefined {
  for (const key of ['args', 'env'] as const) {
    if (raw[key]) {
      const message = l10n.t('`{0}` belongs to `command` and has no effect beside `a2a`', [...at, key].join('.'));
      tools.say('warning', [...at, key], message);
    }
  }
  const place = [...at, 'a2a'];
  const value = tools.expand(place, raw.a2a);
  if (value === undefined) return undefined;
  if (/^[a-z][a-z0-9+.-]*:/i.test(value)) {
    const url = addressOf(place, value, tools);
    return url === undefined ? undefined : { kind: 'card', url, key: keyOf([...at, 'key'], raw.key, tools) };
  }
  const split = value.lastIndexOf('@');
  const [agent, name] = [value.slice(0, Math.max(split, 0)), value.slice(split + 1)];
  if (split < 1 || name === '' || /[\s/?#\\]/.test(agent)) {
    const message = l10n.t(
      '`{0}`: expected NAME@PROXY with a name under `proxies`, or the address of a card that starts with http:// or https://',
      place.join('.'),
    );
    tools.say('error', place, message);
    return undefined;
  }
  if (raw.key !== undefined) {
    const message = l10n.t(
      '`{0}` belongs to an address; the key of a proxy stands in `{1}`',
      [...at, 'key'].join('.'),
      `proxies.${name}.key`,
    );
    tools.say('warning', [...at, 'key'], message);
  }
  const proxy = proxies.get(name);
  if (proxy) return { kind: 'proxy', proxy, agent };
  tools.say('error', place, unknownProxy(place.join('.'), name, [...proxies.keys()]));
  return undefined;
}

function unknownProxy(label: string, name: string, known: string[]): string {
  const near = nearest(name, known);
  if (near) return l10n.t('`{0}`: there is no proxy {1} under `proxies`; did you mean {2}?', label, name, near);
  return known.length > 0
    ? l10n.t('`{0}`: there is no proxy {1} under `proxies`; known are {2}', label, name, known.join(', '))
    : l10n.t('`{0}`: there is no proxy {1}; add it: `proxies: {{1}: {url: ADDRESS}}`', label, name);
}

function addressOf(path: string[], text: string | undefined, tools: RemoteTools): string | undefined {
  const value = tools.expand(path, text);
  if (value === undefined) return undefined;
  const problem = addressProblem(`\`${path.join('.')}\``, value);
  if (!problem) return value.replace(/\/+$/, '');
  tools.say('error', path, problem);
  return undefined;
}

/** A key by reference: `${secret:NAME}` alone, or a text in which `${env:NAME}` is filled in. */
function keyOf(path: string[], text: string | undefined, tools: RemoteTools): KeyRef | undefined {
  if (text === undefined) return undefined;
  const label = path.join('.');
  const secret = secretReference.exec(text)?.[1];
  if (secret !== undefined) return { kind: 'secret', name: secret };
  if (text.includes('${secret:')) {
    const message = l10n.t(
      '`{0}`: `${secret:NAME}` stands alone, with a name of letters, digits, `_`, `-` and `.`',
      label,
    );
    tools.say('error', path, message);
    return undefined;
  }
  if (!hasReference(text)) {
    const message = l10n.t(
      'the key itself stands in this file. Write `{0}: "{1}"` and give mm the key by “mm: Set a Secret…”, or in a shell by the environment',
      path.at(-1)!,
      '${secret:proxy}',
    );
    tools.say('warning', path, message);
  }
  const value = tools.expand(path, text);
  return value === undefined ? undefined : { kind: 'value', value };
}
