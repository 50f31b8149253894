import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Client, connect, demoFiles, Place } from './mm-support';

/** A chain home → bob → riker where no hub is: each `mm` relays by itself, and the SDK's own client is asked. */

let place: Place;
let clients: Client[];

beforeEach(() => {
  place = new Place(demoFiles);
  clients = [];
});
afterEach(async () => {
  for (const client of clients) {
    client.child.stdin.end();
    await client.exit;
    client.recorder.verify();
  }
  expect(await place.left(5000)).toEqual([]);
  place.dispose();
});

async function start(o: Parameters<typeof connect>[1] = {}, env: Record<string, string> = {}): Promise<Client> {
  const client = await connect(place.start(['-acp', '-config', 'mm.yaml'], { env }), o);
  clients.push(client);
  return client;
}

const questions = (client: Client) =>
  client.asked.map(({ toolCall, _meta }) => ({ name: toolCall.name, ...(_meta?.mm as object | undefined) }));

const chain = 'ask bob: ask riker: run: echo from-$((40+2))';

describe('a chain without a hub', () => {
  test('the story: a question at each level, each with its name and path; riker’s words come up to Ada', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    expect((await client.prompt(sessionId, chain)).stopReason).toBe('end_turn');
    expect(questions(client)).toEqual([
      { name: 'ask_agent' },
      { name: 'bob/ask_agent', path: ['bob'] },
      { name: 'bob/riker/bash', path: ['bob', 'riker'] },
    ]);
    const [own, bobs, rikers] = client.asked;
    expect(own!.toolCall.rawInput).toMatchObject({ agent: 'bob', prompt: 'ask riker: run: echo from-$((40+2))' });
    expect(JSON.stringify(bobs!.toolCall)).toContain('riker');
    expect(JSON.stringify(rikers!.toolCall)).toContain('echo from-$((40+2))');
    // the demo's own words show three lines of a result; what came up whole stands in the calls
    expect(JSON.stringify(client.updates)).toContain('from-42');
    expect(client.words()).toContain('I will ask riker.');
  });

  test.each([
    [0, ['ask_agent']],
    [1, ['ask_agent', 'bob/ask_agent']],
    [2, ['ask_agent', 'bob/ask_agent', 'bob/riker/bash']],
  ] as const)('rejected at level %i: nothing below it is asked, and the turn ends in words', async (level, names) => {
    const client = await start({
      answer: (request) => (client.asked.indexOf(request) === level ? 'reject_once' : 'allow_once'),
    });
    const { sessionId } = await client.open(place.real);
    expect((await client.prompt(sessionId, chain)).stopReason).toBe('end_turn');
    expect(client.asked.map((a) => a.toolCall.name)).toEqual(names);
    expect(JSON.stringify(client.updates)).toContain('rejected');
    expect(JSON.stringify(client.updates)).not.toContain('from-42');
  });

  test('rule 4: under a caller it says the path below itself; mustAsk where an entry says yolo: false', async () => {
    place.write('mm.yaml', demoFiles['mm.yaml'].replace('{path: riker.yaml}', '{path: riker.yaml, yolo: false}'));
    const client = await start({ answer: () => 'allow_once' });
    // as bob would be asked by somebody who is no hub: this Ada stands at depth 1
    const { sessionId } = await client.open(place.real, { askDepth: 1, chain: [] });
    await client.prompt(sessionId, 'ask riker: run: echo asked');
    await client.prompt(sessionId, 'ask bob: run: echo asked');
    const rikers = client.asked.find((a) => (a._meta?.mm as { path?: string[] } | undefined)?.path?.[0] === 'riker');
    expect(rikers).toMatchObject({ toolCall: { name: 'bash' }, _meta: { mm: { path: ['riker'], mustAsk: true } } });
    const bobs = client.asked.find((a) => (a._meta?.mm as { path?: string[] } | undefined)?.path?.[0] === 'bob');
    expect(bobs).toMatchObject({ toolCall: { name: 'bash' }, _meta: { mm: { path: ['bob'] } } });
    expect((bobs!._meta!.mm as object) && 'mustAsk' in (bobs!._meta!.mm as object)).toBe(false);
  });

  test('F054 cancel while riker waits for a permission: the question is taken back at every level', async () => {
    let withdrawn = false;
    const client = await start({
      answer: (request) => {
        if (request.toolCall.name !== 'bob/riker/bash') return 'allow_once';
        // a person who does not answer until the turn is over
        return new Promise((resolve) => {
          void vi.waitFor(() => expect(withdrawn).toBe(true), 20_000).then(() => resolve(undefined));
        });
      },
    });
    const { sessionId } = await client.open(place.real);
    const turn = client.prompt(sessionId, chain);
    await vi.waitFor(() => expect(client.asked.at(-1)?.toolCall.name).toBe('bob/riker/bash'), 20_000);
    await client.agent.notify('session/cancel', { sessionId });
    expect((await turn).stopReason).toBe('cancelled');
    withdrawn = true;
    await client.prompt(sessionId, '/ask-bob say: alive');
    expect(client.words()).toContain('alive');
  });
});
