import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { startFront } from '../../scripts/lib/front.mjs';

/** The door of a served editor: an editor without a password must not be reached under a foreign name. */

const socket = path.join(tmpdir(), `mm-front-${process.pid}.sock`);
const inner = http.createServer((_, response) => response.end('editor'));
let upgrades = 0;
inner.on('upgrade', (_, connection) => {
  upgrades++;
  connection.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
});
let front: { port: number; close(): void };

beforeAll(async () => {
  await new Promise<void>((resolve) => inner.listen(socket, resolve));
  front = await startFront({ socket, port: 0, trusted: [] });
});
afterAll(() => {
  front.close();
  inner.close();
});

/** What comes back for a request with this `Host`, whole. */
function ask(host: string, upgrade: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = net.connect(front.port, '127.0.0.1');
    let answer = '';
    client.on('data', (chunk) => {
      answer += chunk;
    });
    client.on('error', reject);
    client.on('close', () => resolve(answer));
    const more = upgrade ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n' : 'Connection: close\r\n';
    client.write(`GET /x HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
  });
}

test.each(['127.0.0.1:1', 'localhost:8080', '[::1]:80', 'LOCALHOST'])('%s reaches the editor', async (host) => {
  expect(await ask(host, false)).toContain('editor');
  const before = upgrades;
  await ask(host, true);
  expect(upgrades).toBe(before + 1);
});

test.each(['evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:1', '10.0.0.1', '127.0.0.1:1@evil'])(
  '%s does not',
  async (host) => {
    expect(await ask(host, false)).toMatch(/^HTTP\/1\.1 (403|400)/);
    const before = upgrades;
    await ask(host, true);
    expect(upgrades).toBe(before);
  },
);
