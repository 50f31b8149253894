import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Remembered } from '../../../src/a2a/keeper';
import { clientFor } from '../../../src/a2a/open-registry';
import { Watcher, type WatcherNews } from '../../../src/a2a/watcher';
import { silentLog } from '../../../src/base/log';
import { type ProxyStandIn, startProxyStandIn } from '../../agents/proxy-stand-in.mjs';

/** The keeper's rounds at the stand-in for the proxy. */

let proxy: ProxyStandIn;
let watcher: Watcher;
let news: WatcherNews[];
let memory: readonly Remembered[];

beforeEach(async () => {
  proxy = await startProxyStandIn({ database: true, agents: [] });
  news = [];
  memory = [];
  const entry = { name: 'team', url: proxy.url, adminKey: { kind: 'value' as const, value: 'sk-1234' } };
  watcher = new Watcher({
    proxies: () => [entry],
    client: (one) => clientFor(one, async () => 'sk-1234', silentLog),
    memory: () => ({
      load: async () => memory,
      async save(agents) {
        memory = agents;
      },
    }),
    log: silentLog,
    pause: 10,
  });
  watcher.onNews((one) => void news.push(one));
});
afterEach(async () => {
  watcher.dispose();
  await proxy.close();
});

async function add(name: string): Promise<void> {
  await fetch(`${proxy.url}/v1/agents`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-1234', 'content-type': 'application/json' },
    body: JSON.stringify({ agent_name: name, agent_card_params: { name, url: 'http://127.0.0.1:1/' } }),
  });
}

it('tells what it brought back, once', async () => {
  await add('scenes');
  await watcher.round();
  expect(news).toEqual([]);
  proxy.restart();
  await watcher.round();
  expect(news).toHaveLength(1);
  expect(news[0]!.words).toContain('The proxy team had forgotten scenes; it is back.');
  await watcher.round();
  // that all is well again is no sentence
  expect(news.slice(1)).toEqual([expect.objectContaining({ words: [] })]);
});

it('a proxy that is down is told once, and that it is back too', async () => {
  await watcher.round();
  proxy.fail('drop');
  await watcher.round();
  await watcher.round();
  expect(news).toEqual([{ proxy: 'team', words: [expect.stringContaining('broke')] }]);
  proxy.fail(undefined);
  await watcher.round();
  expect(news[1]).toMatchObject({ words: [], round: { findings: [] } });
});

it('goes on by itself until it ends', async () => {
  await add('scenes');
  watcher.start();
  await expect.poll(() => memory.length, { timeout: 8_000 }).toBe(1);
  proxy.restart();
  await expect.poll(() => news.length, { timeout: 8_000 }).toBeGreaterThan(0);
  watcher.dispose();
  const asked = proxy.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(proxy.requests.length - asked).toBeLessThanOrEqual(2);
});
