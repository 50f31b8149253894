import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/**
 * Where a card may send us. A card is written by whoever runs the agent, so an address in it could lead our requests, made from this
 * machine, to what only this machine reaches: services on its loopback, a router, a cloud's metadata (design, section 10).
 */

const closed = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  closed.addSubnet(net, bits, 'ipv6');

/** An address of a network that is not the open one; also one of IPv4 that is written as IPv6. */
export function isClosedAddress(address: string): boolean {
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (mapped) {
    const [, dotted, high = '0', low = '0'] = mapped;
    const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return isClosedAddress(dotted ?? bits.flatMap((word) => [word >> 8, word & 255]).join('.'));
  }
  const family = isIP(address);
  return family === 0 || closed.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** A host's name, or its address, that cannot be meant for the open network. */
function isClosedHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare)) return isClosedAddress(bare);
  return !bare.includes('.') || /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private)$/i.test(bare);
}

export type Announced =
  /** `sameOrigin`: a key that is meant for the configured address may go there. */
  { ok: true; url: string; sameOrigin: boolean } | { ok: false };

/**
 * Whether an address that a card announces may be used: one of the configured origin may, and one of the open network.
 * @param resolve addresses of a name; the system's own when nothing is said
 */
export async function announcedUrl(
  configured: string,
  announced: string,
  resolve: (host: string) => Promise<string[]> = addressesOf,
): Promise<Announced> {
  if (!URL.canParse(announced)) return { ok: false };
  const to = new URL(announced);
  const from = new URL(configured);
  if (!/^https?:$/.test(to.protocol) || to.username || to.password) return { ok: false };
  if (to.origin === from.origin) return { ok: true, url: to.href, sameOrigin: true };
  if (isClosedHost(to.hostname)) return { ok: false };
  const host = to.hostname.replace(/^\[|\]$/g, '');
  if (!isIP(host)) {
    const addresses = await resolve(host).catch(() => []);
    if (addresses.some(isClosedAddress)) return { ok: false };
  }
  // the same host under https is the same server, better protected
  const upgraded = to.hostname === from.hostname && to.protocol === 'https:' && from.protocol === 'http:';
  return { ok: true, url: to.href, sameOrigin: upgraded && to.port === '' };
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
