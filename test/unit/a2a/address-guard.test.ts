import { describe, expect, it } from 'vitest';
import { announcedUrl, isClosedAddress } from '../../../src/a2a/address-guard';

const open = async () => ['93.184.216.34'];
const at = (configured: string, announced: string, resolve = open) => announcedUrl(configured, announced, resolve);

describe('an address that a card announces', () => {
  it.each([
    ['http://127.0.0.1:41251/lab', 'http://127.0.0.1:41251/other'],
    ['https://agents.example.com', 'https://agents.example.com/a2a'],
  ])('of the configured origin may be used, with the key: %s', async (configured, announced) => {
    expect(await at(configured, announced)).toEqual({ ok: true, url: announced, sameOrigin: true });
  });

  it('of another host of the open network may be used, without the key', async () => {
    expect(await at('https://cards.example.com', 'https://agents.example.org/a2a')).toMatchObject({
      ok: true,
      sameOrigin: false,
    });
    expect(await at('http://a.example.com:8080', 'http://a.example.com:9090/')).toMatchObject({ sameOrigin: false });
  });

  it('the same host under https is the same server', async () => {
    expect(await at('http://a.example.com', 'https://a.example.com/a2a')).toMatchObject({ ok: true, sameOrigin: true });
    expect(await at('https://a.example.com', 'http://a.example.com/a2a')).toMatchObject({ sameOrigin: false });
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://127.0.0.1:4000/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://localhost:8080/',
    'http://LOCALHOST./',
    'http://sub.localhost/',
    'http://router/',
    'http://printer.local/',
    'http://db.internal/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'http://user:secret@example.com/',
    'no address',
  ])('%s is refused', async (announced) => {
    expect(await at('https://agents.example.com', announced)).toEqual({ ok: false });
  });

  it('on another port of the loopback is refused: other programs of this machine listen there', async () => {
    expect(await at('http://127.0.0.1:41251', 'http://127.0.0.1:22/')).toEqual({ ok: false });
  });

  it('a name of the open network that leads into a closed one is refused', async () => {
    expect(
      await at('https://a.example.com', 'https://b.example.com', async () => ['93.184.216.34', '10.1.2.3']),
    ).toEqual({
      ok: false,
    });
  });

  it('closed addresses, in every spelling', () => {
    expect(['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1', 'garbage'].map(isClosedAddress)).toEqual(
      Array(5).fill(true),
    );
    expect(['1.1.1.1', '2606:4700::1111', '::ffff:1.1.1.1'].map(isClosedAddress)).toEqual(Array(3).fill(false));
  });
});
