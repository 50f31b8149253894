import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log';
import { Reaper } from '../../src/children/reaper';
import { type OfferRequest, Offers } from '../../src/host/offers';
import { demoFiles, mmFile, Place } from './mm-support';

/** Agents that a window offers to others: real bridges, asked over HTTP. */

const key = 'a-window-test-key-0123456789abcdef';
let place: Place;
let offers: Offers;
let reaper: Reaper;

beforeEach(() => {
  place = new Place(demoFiles);
  reaper = Reaper.start(silentLog, `${place.real}/launches`);
  offers = make();
});
afterEach(async () => {
  await offers.end();
  reaper.dispose();
  expect(await place.left(5000)).toEqual([]);
  place.dispose();
});

function make(): Offers {
  const self = { command: process.execPath, args: [mmFile], electron: false };
  return new Offers({ self, parentEnv: place.shell(), reaper, log: silentLog });
}
const request = (over: Partial<OfferRequest> = {}): OfferRequest => ({
  name: 'bob',
  config: `${place.real}/mm.yaml`,
  cwd: place.real,
  key,
  port: 0,
  tasks: `${place.real}/tasks.sqlite`,
  ...over,
});

async function ask(url: string, bearer = key): Promise<{ status: number; text: string }> {
  const message = { role: 'user', messageId: crypto.randomUUID(), parts: [{ kind: 'text', text: 'hello' }] };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'message/send', params: { message } }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe('an agent that is offered', () => {
  test('is asked with the key, and without it not; it ends when it is taken back', async () => {
    let changes = 0;
    offers.onDidChange(() => changes++);
    const offer = await offers.start(request());
    expect(offers.list()).toEqual([offer]);
    expect(offer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/bob$/);
    expect(await ask(offer.url)).toMatchObject({ status: 200, text: expect.stringContaining('completed') });
    expect((await ask(offer.url, 'sk-wrong')).status).toBe(401);
    // a second time it is the same one
    expect(await offers.start(request())).toEqual(offer);
    await offers.stop('bob');
    expect(offers.get('bob')).toBeUndefined();
    expect(changes).toBe(2);
    await expect(fetch(offer.url)).rejects.toThrow();
  });

  test('that dies is told, and can be offered again at the same address', async () => {
    const lost: string[] = [];
    offers.onDidLose(({ words }) => lost.push(words));
    const { url } = await offers.start(request());
    const serving = place.pids().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--serve'));
    expect(serving).toHaveLength(1);
    process.kill(serving[0]!, 'SIGKILL');
    await expect.poll(() => lost).toEqual([expect.stringContaining('The bridge of bob')]);
    expect(offers.list()).toEqual([]);
    const again = await offers.start(request({ port: Number(new URL(url).port) }));
    expect(again.url).toBe(url);
  });

  test.each([
    ['who is not in the file', { name: 'nobody' }],
    ['with a key that can be guessed', { key: 'short' }],
    ['of a file that is not there', { config: '/no/such/mm.yaml' }],
  ])('%s is told in words', async (_, over) => {
    await expect(offers.start(request(over))).rejects.toMatchObject({
      message: expect.stringContaining('could not be offered'),
      hint: expect.stringMatching(/\S/),
    });
    expect(offers.list()).toEqual([]);
  });

  test('F003: none outlives its window', async () => {
    await offers.start(request());
    await offers.end();
    offers = make();
    expect(await place.left(5000)).toEqual([]);
  });
});
