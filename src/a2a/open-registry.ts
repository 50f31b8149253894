import type { Log } from '../base/log';
import type { ProxyEntry } from '../config/types';
import type { KeyReader } from './keys';
import { cardOf } from './place';
import { ProxyClient } from './proxy';
import { Registry, type RegistrySource } from './registry';
import { failureOf } from './remote-errors';

export interface OpenRegistryOptions {
  source(): RegistrySource | undefined;
  key: KeyReader;
  log: Log;
  fetch?: typeof fetch;
}

/** A registry over the network, with the keys that the file names. */
export function openRegistry({ source, key, log, fetch }: OpenRegistryOptions): Registry {
  return new Registry({
    source,
    log,
    client: (proxy) => clientFor(proxy, key, log, fetch),
    async cardAt(entry, signal) {
      try {
        return await cardOf(entry, { key, log, fetch }, signal);
      } catch (error) {
        const host = entry.at.kind === 'card' ? new URL(entry.at.url).host : '';
        throw failureOf(error, 'start', host, entry, signal);
      }
    },
  });
}

export function clientFor(proxy: ProxyEntry, key: KeyReader, log: Log, fetch?: typeof globalThis.fetch): ProxyClient {
  const { key: own, adminKey } = proxy;
  return new ProxyClient({
    entry: proxy,
    // who has only the admin's reads with it
    key: async () => {
      const ref = own ?? adminKey;
      return ref && key(ref, proxy.url);
    },
    ...(adminKey ? { adminKey: () => key(adminKey, proxy.url) } : {}),
    log,
    fetch,
  });
}
