import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RemoteTarget } from '../../../src/a2a/remote';
import { AnswerText } from '../../../src/ask/answer';
import type { AskError } from '../../../src/ask/errors';
import type { TargetRequest, TargetSession } from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';
import { Patience } from '../../../src/base/patience';
import type { RemoteEntry } from '../../../src/config/types';
import { artifactOf, artifactUpdate, asV1, ScriptedA2A, statusUpdate, taskOf } from '../../support/a2a-agent';

/** Remote asks against a stand-in for an A2A agent, over real HTTP on the loopback. */

let agent: ScriptedA2A;
let stop: AbortController;
let answer: AnswerText;
let thoughts: string;
let alive: number;
let sessions: TargetSession[];

beforeEach(() => {
  stop = new AbortController();
  answer = new AnswerText();
  thoughts = '';
  alive = 0;
  sessions = [];
});
afterEach(async () => {
  for (const session of sessions) session.close();
  await agent.stop();
});

const timings = { firstPoll: 5, longestPoll: 10, get: 500, cancel: 500 };

function entry(at: Partial<Extract<RemoteEntry['at'], { kind: 'card' }>> = {}): RemoteEntry {
  return { kind: 'a2a', env: {}, at: { kind: 'card', url: agent.url, ...at } };
}

async function open(over: Partial<TargetRequest> = {}, fetcher?: typeof fetch): Promise<TargetSession> {
  const target = new RemoteTarget({
    key: async (ref) => (ref.kind === 'value' ? ref.value : `sk-of-${ref.name}`),
    log: silentLog,
    timings,
    fetch: fetcher,
  });
  const session = await target.open({
    name: 'scenes',
    entry: entry(),
    cwd: '/shop',
    depth: 1,
    chain: [{ name: 'Ada', id: 'x' }],
    yolo: false,
    byPerson: true,
    signal: stop.signal,
    patience: new Patience(),
    onUpdate(update) {
      answer.feed(update);
      if (update.sessionUpdate === 'agent_thought_chunk')
        thoughts += (update as unknown as { content: { text: string } }).content.text;
    },
    onPermission: async () => undefined,
    onAlive: () => void alive++,
    ...over,
  });
  sessions.push(session);
  return session;
}

async function ask(text = 'is it consistent?', over: Partial<TargetRequest> = {}) {
  const session = await open(over);
  const ended = await session.prompt(text);
  return { ...ended, answer: answer.whole() };
}
const failure = (asked: Promise<unknown>): Promise<AskError> =>
  asked.then(
    () => expect.fail('it was answered'),
    (error) => error,
  );

describe('an agent that streams', () => {
  it.each(['0.3', '1.0'] as const)(
    '%s: its pieces are the answer, what it says meanwhile a thought',
    async (version) => {
      agent = await ScriptedA2A.start({ version });
      const events = [
        taskOf('submitted'),
        statusUpdate('working', 'reading scene 2'),
        artifactUpdate('Scene 3 '),
        artifactUpdate('contradicts scene 2.', { append: true }),
        statusUpdate('completed'),
      ];
      agent.on('stream', (_, reply) => reply.events(version === '1.0' ? events.map(asV1) : events));
      expect(await ask()).toEqual({ stopReason: 'end_turn', answer: 'Scene 3 contradicts scene 2.' });
      expect(thoughts).toBe('reading scene 2');
      expect(agent.calls.map((c) => c.method)).toEqual(['stream']);
      const [call] = agent.calls;
      expect(call!.headers['a2a-version']).toBe(version === '1.0' ? '1.0' : undefined);
      expect(call!.params.message.parts).toEqual([
        version === '1.0' ? { text: 'is it consistent?' } : { kind: 'text', text: 'is it consistent?' },
      ]);
      expect(call!.body.id).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('rule 9: depth, chain and trace travel in the metadata of the message, and whether somebody can answer', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) => reply.events([taskOf('completed')]));
    await ask('x', { depth: 2 });
    await ask('x', { onInput: async () => 'yes' });
    const [first, second] = agent.of('stream').map(({ params }) => params.message.metadata.mm);
    expect(first).toEqual({
      depth: 2,
      chain: [{ name: 'Ada', id: 'x' }],
      trace: expect.stringMatching(/^[0-9a-f-]{36}$/),
      canAnswer: false,
    });
    expect(second.canAnswer).toBe(true);
    expect(agent.of('stream')[0]!.headers['x-litellm-trace-id']).toBe(first.trace);
  });

  it('a stream that breaks goes on where it was, by the task’s id, and nothing is shown twice', async () => {
    agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply) => reply.events([taskOf('working'), artifactUpdate('One, ')], { cut: true }));
    agent.on('resubscribe', (_, reply, time) =>
      time === 0
        ? reply.events([taskOf('working', { artifacts: [artifactOf('One, two, ')] })], { cut: true })
        : reply.events([
            taskOf('working', { artifacts: [artifactOf('One, two, ')] }),
            artifactUpdate('three.', { append: true }),
            statusUpdate('completed'),
          ]),
    );
    expect((await ask()).answer).toBe('One, two, three.');
    expect(agent.of('stream')).toHaveLength(1);
    expect(agent.of('resubscribe').map((c) => c.params)).toEqual([{ id: 'task-1' }, { id: 'task-1' }]);
  });

  it('where it cannot be subscribed to again its task is looked at', async () => {
    agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply) => reply.events([taskOf('working')], { cut: true }));
    agent.on('get', (_, reply, time) =>
      reply.result(time < 2 ? taskOf('working') : taskOf('completed', { artifacts: [artifactOf('done')] })),
    );
    expect((await ask()).answer).toBe('done');
    expect(agent.calls.map((c) => c.method)).toEqual(['stream', 'resubscribe', 'get', 'get', 'get']);
    expect(alive).toBe(3);
  });

  it('lines instead of events, and one answer instead of a stream, are read too', async () => {
    agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply, time) =>
      time === 0
        ? reply.events([taskOf('working'), artifactUpdate('lines'), statusUpdate('completed')], { lines: true })
        : reply.result(taskOf('completed', { artifacts: [artifactOf('one')] })),
    );
    expect((await ask()).answer).toBe('lines');
    answer = new AnswerText();
    expect((await ask()).answer).toBe('one');
  });

  it('a message is an answer without a task', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) =>
      reply.events([{ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'plain' }] }]),
    );
    expect((await ask()).answer).toBe('plain');
  });

  it('an answer in the words of the end counts when there is no other', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply, time) =>
      reply.events([
        taskOf('working'),
        ...(time ? [artifactUpdate('the answer')] : []),
        statusUpdate('completed', 'Done.'),
      ]),
    );
    expect((await ask()).answer).toBe('Done.');
    answer = new AnswerText();
    expect((await ask()).answer).toBe('the answer');
  });

  it('what belongs to another task is not shown', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) =>
      reply.events([
        taskOf('working'),
        { ...artifactUpdate('a stranger’s secret'), taskId: 'task-2' },
        statusUpdate('completed', undefined, 'task-2'),
        artifactUpdate('mine'),
        statusUpdate('completed'),
      ]),
    );
    expect((await ask()).answer).toBe('mine');
  });
});

describe('an agent that does not stream', () => {
  it('is asked without waiting, and its task looked at until it is over', async () => {
    agent = await ScriptedA2A.start({ streaming: false });
    agent.on('send', (_, reply) => reply.result(taskOf('submitted')));
    agent.on('get', (_, reply, time) =>
      reply.result(
        time < 3
          ? taskOf('working', { message: `step ${time}` })
          : taskOf('completed', { artifacts: [artifactOf('slow, but sure')] }),
      ),
    );
    expect((await ask()).answer).toBe('slow, but sure');
    expect(agent.of('send')[0]!.params.configuration).toEqual({ blocking: false });
    expect(thoughts).toBe('step 0\nstep 1\nstep 2');
  });

  it('a look that fails is tried again; too many in a row end the ask in words', async () => {
    agent = await ScriptedA2A.start({ streaming: false });
    agent.on('send', (_, reply) => reply.result(taskOf('submitted')));
    agent.on('get', (_, reply, time) =>
      time % 3 < 2 && time < 6
        ? reply.raw(502, 'text/html', '<html><title>Bad gateway</title>')
        : reply.result(taskOf(time < 6 ? 'working' : 'completed', { artifacts: [artifactOf('at last')] })),
    );
    expect((await ask()).answer).toBe('at last');
    agent.on('get', (_, reply) => reply.raw(503, 'text/plain', 'no'));
    const error = await failure(ask());
    expect(error.message).toContain('503');
    expect(agent.of('cancel')).toHaveLength(1);
  });

  it('a task that is no more ends the ask at once', async () => {
    agent = await ScriptedA2A.start({ streaming: false });
    agent.on('send', (_, reply) => reply.result(taskOf('submitted')));
    agent.on('get', (_, reply) => reply.error(-32001, 'Task not found: task-1'));
    expect((await failure(ask())).message).toBe('scenes answered with an error: Task not found: task-1');
    expect(agent.of('get')).toHaveLength(1);
  });
});

describe('an agent that asks back', () => {
  const asking = async () => {
    const started = await ScriptedA2A.start();
    return started.on('stream', ({ params }, reply, time) =>
      time === 0
        ? reply.events([taskOf('submitted'), statusUpdate('input-required', 'Which colour?')])
        : reply.events([
            taskOf('working'),
            artifactUpdate(`It is ${params.message.parts[0].text}.`),
            statusUpdate('completed'),
          ]),
    );
  };

  it('gets the person’s answer, in the same task', async () => {
    agent = await asking();
    const asked: string[] = [];
    const onInput = async ({ text }: { text: string }) => {
      asked.push(text);
      return 'red';
    };
    expect((await ask('paint', { onInput })).answer).toBe('It is red.');
    expect(asked).toEqual(['Which colour?']);
    const [first, second] = agent.of('stream').map((c) => c.params.message);
    expect(second).toMatchObject({ taskId: 'task-1', contextId: 'context-1' });
    expect(second.messageId).not.toBe(first.messageId);
  });

  it.each([
    ['nobody is there', undefined],
    ['there is no answer', async () => undefined],
  ])('where %s the task is cancelled, and its question told', async (_, onInput) => {
    agent = (await asking()).on('cancel', (_, reply) => reply.result(taskOf('canceled')));
    const error = await failure(ask('paint', { onInput }));
    expect(error.message).toBe('scenes asks back, and was not answered: Which colour?');
    expect(error.forModel).toContain('Which colour?');
    expect(agent.of('cancel').map((c) => c.params)).toEqual([{ id: 'task-1' }]);
  });

  it('a question for leave from a bridge of ours is told as one', async () => {
    const update = statusUpdate('input-required', 'bob/bash: ls');
    Object.assign(update.status.message!, { metadata: { mm: { question: { name: 'bob/bash' } } } });
    agent = (await ScriptedA2A.start()).on('stream', (_, reply, time) =>
      reply.events(
        time === 0 ? [taskOf('working'), update] : [taskOf('completed', { artifacts: [artifactOf('ran')] })],
      ),
    );
    const asked: unknown[] = [];
    const onInput = async (question: unknown) => {
      asked.push(question);
      return 'allow';
    };
    expect((await ask('run: ls', { onInput })).answer).toBe('ran');
    expect(asked).toEqual([{ text: 'bob/bash: ls', leave: true }]);
    expect(agent.of('stream')[1]!.params.message.parts).toEqual([{ kind: 'text', text: 'allow' }]);
  });

  it('a sign-in is told as one', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) =>
      reply.events([taskOf('working'), statusUpdate('auth-required', 'Open https://example.com/device')]),
    );
    expect((await failure(ask())).message).toContain('wants a sign-in first: Open https://example.com/device');
  });
});

describe('ends', () => {
  it.each([
    ['failed', 'scenes failed: It went wrong'],
    ['rejected', 'scenes did not take the question: It went wrong'],
    ['canceled', 'scenes stopped, and not because of you: It went wrong'],
  ])('%s is told with its reason, and what had come stays', async (state, words) => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) =>
      reply.events([taskOf('working'), artifactUpdate('half'), statusUpdate(state, 'It went wrong')]),
    );
    expect((await failure(ask())).message).toBe(words);
    expect(answer.whole()).toBe('half');
    expect(agent.of('cancel')).toEqual([]);
  });

  it('rule 12: Stop reaches the agent', async () => {
    agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply) =>
      reply.events([taskOf('working'), () => stop.abort(), () => new Promise(() => {})]),
    );
    agent.on('cancel', (_, reply) => reply.result(taskOf('canceled')));
    expect((await failure(ask())).failure).toBe('cancelled');
    expect(agent.of('cancel').map((c) => c.params)).toEqual([{ id: 'task-1' }]);
  });

  it('rule 12: also while it is looked at, and when it does not hear', async () => {
    agent = await ScriptedA2A.start({ streaming: false });
    agent.on('send', (_, reply) => reply.result(taskOf('working')));
    agent.on('get', (_, reply, time) => (time === 1 ? stop.abort() : reply.result(taskOf('working'))));
    agent.on('cancel', (_, reply) => reply.raw(500, 'text/plain', 'no'));
    expect((await failure(ask())).failure).toBe('cancelled');
  });

  it.each<[string, (a: ScriptedA2A) => unknown, string]>([
    [
      'a JSON-RPC error',
      (a) => a.on('stream', (_, r) => r.error(-32602, 'bad parts')),
      'answered with an error: bad parts',
    ],
    [
      'an error in the stream',
      (a) => a.on('stream', (_, r) => r.events([{ error: { code: -32603, message: 'boom' } }])),
      'answered with an error: boom',
    ],
    [
      'HTML',
      (a) => a.on('stream', (_, r) => r.raw(200, 'text/html', '<html><title>Sign in</title></html>')),
      'is no A2A agent',
    ],
    [
      'garbage',
      (a) => a.on('stream', (_, r) => r.raw(200, 'application/json', '{"jsonrpc":"2.0","result":{"a":1}}')),
      'is no A2A agent',
    ],
    [
      'a wrong key',
      (a) => a.on('stream', (_, r) => r.raw(401, 'application/json', '{"error":"unauthorized"}')),
      'does not accept the key',
    ],
    ['a stream without a word', (a) => a.on('stream', (_, r) => r.events([])), 'its answer ended before it began'],
    [
      'a connection that breaks at once',
      (a) => a.on('stream', (_, r) => r.events([], { cut: true })),
      'does not answer at',
    ],
  ])('%s is told in words', async (_, script, words) => {
    agent = await ScriptedA2A.start();
    script(agent);
    const error = await failure(ask());
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('[object');
  });
});

describe('whatever a server sends', () => {
  it('an ask comes to an end in words, and nothing of it is an object', async () => {
    agent = await ScriptedA2A.start();
    agent.on('get', (_, reply) => reply.error(-32001, 'Task not found'));
    const piece = fc.oneof(
      fc.jsonValue().map((value) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })}\n\n`),
      fc.jsonValue().map((value) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, error: value })}\n\n`),
      fc
        .constantFrom(taskOf('working'), artifactUpdate('words'), statusUpdate('completed'), statusUpdate('nonsense'))
        .map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: event })}\n\n`),
      fc.string().map((text) => `data: ${text}\n\n`),
      fc.constantFrom(': ping\n\n', '\n\n', 'event: x\n', 'data:\n\n', '\0\n', 'retry: 1\n\n'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.constantFrom(200, 400, 500), async (pieces, status) => {
        agent.on('stream', (_, reply) => reply.raw(status, 'text/event-stream', pieces.join('')));
        answer = new AnswerText();
        const ended = await ask().then(
          () => undefined,
          (error: AskError) => error,
        );
        if (!ended) return;
        expect(ended.name).toBe('AskError');
        expect(`${ended.message} ${ended.hint} ${ended.forModel}`).not.toContain('[object');
        expect(ended.message.length).toBeLessThan(3_000);
      }),
      { numRuns: 60 },
    );
  });

  it('a stream that never ends an event is cut', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) =>
      reply.raw(200, 'text/event-stream', `data: ${'x'.repeat(9_000_000)}`),
    );
    expect((await failure(ask())).message).toContain('is no A2A agent');
  });
});

describe('its address', () => {
  it('a key goes to the address beside which it stands', async () => {
    agent = (await ScriptedA2A.start()).on('stream', (_, reply) => reply.events([taskOf('completed')]));
    await ask('x', { entry: entry({ key: { kind: 'secret', name: 'scenes' } }) });
    expect(agent.calls[0]!.headers.authorization).toBe('Bearer sk-of-scenes');
  });

  it('a card that announces a host of a closed network is refused before anything goes there', async () => {
    agent = await ScriptedA2A.start({
      card: () => ({ name: 'x', url: 'http://169.254.169.254/latest', protocolVersion: '0.3.0' }),
    });
    const error = await failure(ask());
    expect(error.message).toContain('announces the address http://169.254.169.254/latest, which nobody has configured');
    expect(error.failure).toBe('start');
  });

  it('to another host of the open network no key goes', async () => {
    agent = await ScriptedA2A.start({
      card: () => ({ name: 'x', url: 'https://93.184.216.34/a2a', protocolVersion: '0.3.0' }),
    });
    const sent: { url: string; key: string | null }[] = [];
    const fetcher: typeof fetch = (input, init) => {
      const url = String(input);
      if (url.startsWith(agent.url)) return fetch(input, init);
      sent.push({ url, key: new Headers(init?.headers).get('authorization') });
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        result: taskOf('completed', { artifacts: [artifactOf('hi')] }),
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
    };
    const session = await open({ entry: entry({ key: { kind: 'value', value: 'sk-mine' } }) }, fetcher);
    await session.prompt('x');
    expect(sent).toEqual([{ url: 'https://93.184.216.34/a2a', key: null }]);
  });

  it.each<[string, (url: string) => unknown, string]>([
    ['nothing there', () => 404, 'There is no agent card at'],
    ['HTML', () => '<html><title>Router</title>', 'is no A2A agent'],
    ['no object', () => [], 'is no A2A agent'],
    [
      'another transport only',
      (url) => ({ name: 'x', url, preferredTransport: 'GRPC', protocolVersion: '0.3.0' }),
      'cannot be asked over JSON-RPC',
    ],
  ])('%s is told in words', async (_, card, words) => {
    agent = await ScriptedA2A.start({ card });
    const error = await failure(ask());
    expect(error.message).toContain(words);
    expect(error.failure).toBe('start');
  });

  it('nobody at home', async () => {
    agent = await ScriptedA2A.start();
    const { url } = agent;
    await agent.stop();
    const error = await failure(ask('x', { entry: entry({ url }) }));
    expect(error.message).toBe(`scenes does not answer at ${url}.`);
    agent = await ScriptedA2A.start();
  });
});

describe('behind a proxy', () => {
  const behind = (): RemoteEntry => ({
    kind: 'a2a',
    env: {},
    at: {
      kind: 'proxy',
      agent: 'scene-checker',
      proxy: { name: 'team', url: agent.url, key: { kind: 'secret', name: 'proxy' } },
    },
  });

  it('it is asked by its name there, with the proxy’s key, whatever its card announces', async () => {
    agent = await ScriptedA2A.start({
      card: () => ({
        name: 'Scene Checker',
        url: 'http://169.254.169.254/',
        protocolVersion: '0.3',
        capabilities: { streaming: true },
      }),
    });
    agent.on('stream', (_, reply) => reply.events([taskOf('completed', { artifacts: [artifactOf('fine')] })]));
    const session = await open({ entry: behind() });
    expect(session.face).toEqual({ name: 'scenes', title: 'Scene Checker', provider: 'team' });
    await session.prompt('x');
    expect(answer.whole()).toBe('fine');
    expect(agent.calls[0]!.headers.authorization).toBe('Bearer sk-of-proxy');
  });

  it.each<[string, number, unknown, string]>([
    [
      'not allowed',
      403,
      { detail: "Agent 'scene-checker' is not allowed for your key/team. Contact proxy admin for access." },
      'key',
    ],
    [
      'too often',
      429,
      { detail: 'Rate limit exceeded for agent: x. Limit type: requests. Current limit: 2, Remaining: 0.' },
      'as many requests as',
    ],
    [
      'an agent that is down',
      500,
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error: Cannot connect to host 127.0.0.1:41298' },
      },
      'does not reach the agent',
    ],
    [
      'a database that is not there',
      400,
      { error: { message: 'No connected db.', type: 'no_db_connection', code: '400' } },
      'key',
    ],
  ])('%s is told in the proxy’s words', async (_, status, body, words) => {
    agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply) => reply.raw(status, 'application/json', JSON.stringify(body)));
    const error = await failure(ask('x', { entry: behind() }));
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('sk-of-proxy');
  });
});
