import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { KeyRef, RemoteEntry } from '../config/types';
import { announcedUrl } from './address-guard';
import { type Card, type CardInterface, readCard } from './card';
import { httpAnswer, jsonOf } from './http';
import type { KeyReader } from './keys';
import { ProxyClient } from './proxy';
import { type About, garbage, proxyErrorOf } from './proxy-errors';
import { A2ARpc } from './rpc';

/** Where a remote agent is asked, and how. */
export interface Place {
  card: Card;
  rpc: A2ARpc;
  /** Behind which proxy, or at which host: for the header of an ask. */
  where: string;
}

export interface PlaceOptions {
  key: KeyReader;
  log: Log;
  fetch?: typeof fetch;
  /** Addresses of a host's name, for tests. */
  resolve?: (host: string) => Promise<string[]>;
}

/** Milliseconds for a card. */
const cardDeadline = 20_000;
const largestCard = 2_000_000;

/** Fetches the card of an entry's agent and finds out how it is asked. @throws UserError in words for a person */
export async function placeOf(
  entry: RemoteEntry,
  o: PlaceOptions,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Place> {
  const { at } = entry;
  return at.kind === 'proxy' ? behindProxy(at, o, headers, signal) : atCard(at, o, headers, signal);
}

async function behindProxy(
  { proxy, agent }: Extract<RemoteEntry['at'], { kind: 'proxy' }>,
  o: PlaceOptions,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Place> {
  const key = keyOf(proxy.key, proxy.url, o);
  const client = new ProxyClient({ entry: proxy, key, log: o.log, fetch: o.fetch });
  const card = await client.card(agent, { signal });
  const rpc = new A2ARpc({
    url: `${proxy.url}/a2a/${encodeURIComponent(agent)}`,
    // the proxy speaks what its card says, to any caller (facts, 1.5)
    version: card.pinned ?? '0.3',
    key,
    headers,
    about: { name: proxy.name, url: proxy.url },
    direct: false,
    fetch: o.fetch,
  });
  return { card, rpc, where: proxy.name };
}

async function atCard(
  { url, key: ref }: Extract<RemoteEntry['at'], { kind: 'card' }>,
  o: PlaceOptions,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Place> {
  const { host } = new URL(url);
  const about: About = { name: host, url };
  const key = keyOf(ref, url, o);
  const card = await cardAt(url, key, about, o, signal);
  const face = await interfaceOf(card, url, o);
  const rpc = new A2ARpc({
    ...face.one,
    // a key is for the address beside which it stands
    key: face.sameOrigin ? key : async () => undefined,
    headers,
    about,
    direct: true,
    fetch: o.fetch,
  });
  return { card, rpc, where: host };
}

function keyOf(ref: KeyRef | undefined, url: string, o: PlaceOptions): () => Promise<string | undefined> {
  return async () => (ref === undefined ? undefined : o.key(ref, url));
}

/** The card of an agent at an address of its own. */
export async function cardOf({ at }: RemoteEntry, o: PlaceOptions, signal: AbortSignal): Promise<Card> {
  if (at.kind !== 'card') throw new TypeError('an agent behind a proxy');
  return cardAt(at.url, keyOf(at.key, at.url, o), { name: new URL(at.url).host, url: at.url }, o, signal);
}

/** The card itself, or what stands where an agent's card stands. */
async function cardAt(
  url: string,
  key: () => Promise<string | undefined>,
  about: About,
  o: PlaceOptions,
  signal: AbortSignal,
): Promise<Card> {
  const places = /\.json$/i.test(new URL(url).pathname)
    ? [url]
    : [`${url}/.well-known/agent-card.json`, `${url}/.well-known/agent.json`];
  const bearer = await key();
  const spoken: About = { ...about, keySent: bearer !== undefined, secrets: bearer === undefined ? [] : [bearer] };
  for (const [i, place] of places.entries()) {
    const answer = await httpAnswer(
      {
        url: place,
        headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
        deadline: cardDeadline,
        signal,
        maxBytes: largestCard,
        fetch: o.fetch,
      },
      spoken,
    );
    if (answer.status === 404 && i + 1 < places.length) continue;
    if (answer.status === 404)
      throw new UserError(l10n.t('There is no agent card at {0}.', url), {
        hint: l10n.t('Check the address in mm.yaml: expected that of an A2A agent or of its card.'),
      });
    if (answer.status !== 200) throw proxyErrorOf(answer, spoken);
    const read = readCard(jsonOf(answer, spoken), new URL(url).host);
    if (!read.ok) throw garbage(spoken, read.words);
    return read.card;
  }
  throw new Error('unreachable');
}

/** The newest version over JSON-RPC, at an address that may be used. */
async function interfaceOf(
  card: Card,
  configured: string,
  o: PlaceOptions,
): Promise<{ one: CardInterface; sameOrigin: boolean }> {
  const spoken = card.versions
    .filter(({ binding }) => binding.toUpperCase() === 'JSONRPC')
    .sort((a, b) => b.version.localeCompare(a.version));
  let refused: string | undefined;
  for (const one of spoken) {
    const announced = await announcedUrl(configured, one.url, o.resolve);
    if (announced.ok) return { one: { ...one, url: announced.url }, sameOrigin: announced.sameOrigin };
    refused ??= one.url;
  }
  if (refused !== undefined) {
    throw new UserError(
      l10n.t('The card of {0} announces the address {1}, which nobody has configured.', card.name, refused),
      { hint: l10n.t('If you trust it, write that address under `a2a` in mm.yaml.') },
    );
  }
  throw new UserError(l10n.t('{0} cannot be asked over JSON-RPC.', card.name), {
    hint: card.remarks[0] ?? l10n.t('Its card names only: {0}.', card.versions.map((v) => v.binding).join(', ')),
  });
}
