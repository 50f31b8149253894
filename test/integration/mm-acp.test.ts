import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { byPrompt, startModelServer, strict } from '../agents/model-server.mjs';
import { type Client, connect, demoFiles, Place } from './mm-support';

/** `mm -acp`, driven by the SDK's own client over real pipes; every frame of both sides is checked against the SDK's schema. */

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

async function start(
  o: Parameters<typeof connect>[1] = {},
  env: Record<string, string> = {},
  file = 'mm.yaml',
): Promise<Client> {
  const client = await connect(place.start(['-acp', '-config', file], { env }), o);
  clients.push(client);
  return client;
}

const calls = (client: Client) => client.updates.filter((u) => u.sessionUpdate === 'tool_call');

describe('the story', () => {
  test('initialize says who it is and promises nothing that is not there', async () => {
    const { initialized } = await start();
    expect(initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'mm', title: 'Ada' },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, embeddedContext: true },
        sessionCapabilities: { close: {} },
        _meta: { mm: { exchange: true, provider: 'demo', model: 'demo' } },
      },
    });
  });

  test('two sessions, an answer, an exchange that the next turn knows, each once', async () => {
    const client = await start();
    const one = await client.open(place.real);
    const two = await client.open(place.real);
    expect(one.sessionId).not.toBe(two.sessionId);
    const { stopReason } = await client.prompt(one.sessionId, 'hello');
    expect(stopReason).toBe('end_turn');
    expect(client.words()).toContain('I am Ada');
    const pair = {
      sessionId: one.sessionId,
      id: 'x1',
      user: '[asked bob: hi]',
      assistant: "[bob's answer]\nforty-two",
    };
    await client.agent.request('_mm/exchange', pair);
    await client.agent.request('_mm/exchange', { ...pair, assistant: "[bob's answer]\nagain" });
    client.words();
    await client.prompt(one.sessionId, 'what did bob say?');
    expect(client.words()).toBe('bob said: forty-two');
    await client.prompt(two.sessionId, 'what did bob say?');
    expect(client.words()).toContain('no answer of bob');
  });

  test('rule 4: bash asks, runs when allowed, does not when rejected, and is remembered for the session', async () => {
    let kind: 'allow_once' | 'reject_once' | 'allow_always' = 'reject_once';
    const client = await start({ answer: () => kind });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, 'run: touch made');
    expect(existsSync(`${place.real}/made`)).toBe(false);
    kind = 'allow_once';
    await client.prompt(sessionId, 'run: touch made && echo ok');
    expect(existsSync(`${place.real}/made`)).toBe(true);
    expect(client.words()).toContain('The result is: ok');
    kind = 'allow_always';
    await client.prompt(sessionId, 'run: echo 1');
    await client.prompt(sessionId, 'run: echo 2');
    expect(client.asked).toHaveLength(3);
    // another tool, and another session, are asked for anew
    await client.prompt(sessionId, 'write: a.txt x');
    await client.prompt((await client.open(place.real)).sessionId, 'run: echo 3');
    expect(client.asked).toHaveLength(5);
    expect(client.asked[0]?.toolCall).toMatchObject({
      name: 'bash',
      kind: 'execute',
      title: 'touch made',
      rawInput: { command: 'touch made' },
    });
  });

  test('write shows its diff in the question and at the end; read is free inside, asked for a key file', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    place.write('a.txt', 'old\n');
    place.write('.env', 'KEY=1');
    await client.prompt(sessionId, 'write: a.txt new\nread: a.txt\nread: .env');
    expect(place.read('a.txt')).toBe('new\n');
    const diff = { type: 'diff', path: `${place.real}/a.txt`, oldText: 'old\n', newText: 'new\n' };
    expect(client.asked.map((a) => a.toolCall.name)).toEqual(['write', 'read']);
    expect(client.asked[0]?.toolCall.content).toEqual([diff]);
    expect(client.asked[1]?.options.map((o) => o.kind)).toEqual(['allow_once', 'reject_once']);
    expect(client.updates).toContainEqual(expect.objectContaining({ status: 'completed', content: [diff] }));
    expect(calls(client).map((c) => (c as { title?: string }).title)).toEqual(['a.txt', 'a.txt', '.env']);
  });

  test('modes: yolo runs without a question; an asked session has none (rule 4)', async () => {
    const client = await start();
    const { sessionId, modes } = await client.open(place.real);
    expect(modes).toMatchObject({ currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'yolo' }] });
    await client.agent.request('session/set_mode', { sessionId, modeId: 'yolo' });
    await client.prompt(sessionId, 'run: echo free');
    expect(client.asked).toHaveLength(0);
    expect(client.words()).toContain('free');
    await expect(client.agent.request('session/set_mode', { sessionId, modeId: 'wild' })).rejects.toMatchObject({
      code: -32602,
    });
    const asked = await client.open(place.real, { askDepth: 1 });
    expect(asked.modes).toBeUndefined();
    await expect(
      client.agent.request('session/set_mode', { sessionId: asked.sessionId, modeId: 'yolo' }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('rule 4: the yolo of an asked agent’s own file does not count', async () => {
    place.write('mm.yaml', `${demoFiles['mm.yaml']}yolo: true\n`);
    const client = await start();
    const home = await client.open(place.real);
    expect(home.modes?.currentModeId).toBe('yolo');
    const asked = await client.open(place.real, { askDepth: 1 });
    await client.prompt(asked.sessionId, 'run: touch made');
    expect(client.asked).toHaveLength(1);
    expect(existsSync(`${place.real}/made`)).toBe(false);
    // in an asked session a prompt is only text
    client.words();
    await client.prompt(asked.sessionId, '/ask-bob hello');
    expect(client.words()).toContain('You said: /ask-bob hello');
  });

  test('rule 12: cancel ends a stream and a command at once, and nothing comes after the answer', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    for (const [prompt, seen] of [
      ['slow: 500', 'agent_message_chunk'],
      ["run: trap '' TERM; echo begun; sleep 100", 'tool_call_update'],
      ['stall', undefined],
    ] as const) {
      const from = client.updates.length;
      const turn = client.prompt(sessionId, prompt);
      if (seen)
        await vi.waitFor(
          () => expect(client.updates.slice(from).some((u) => u.sessionUpdate === seen)).toBe(true),
          10_000,
        );
      await client.agent.notify('session/cancel', { sessionId });
      expect((await turn).stopReason).toBe('cancelled');
      const count = client.updates.length;
      await client.open(place.real);
      expect(client.updates.filter((u) => u.sessionUpdate !== 'available_commands_update').length).toBeLessThanOrEqual(
        count,
      );
    }
    await client.prompt(sessionId, 'hello');
    expect(client.words()).toContain('I am Ada');
  });

  test('F043 a cancel while a question is open', async () => {
    let asked = () => {};
    const open = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const client = await start({
      answer: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const { sessionId } = await client.open(place.real);
    const turn = client.prompt(sessionId, 'run: touch made');
    await open;
    await client.agent.notify('session/cancel', { sessionId });
    expect((await turn).stopReason).toBe('cancelled');
    expect(existsSync(`${place.real}/made`)).toBe(false);
  });

  test('errors of the model are errors in words; the session lives on', async () => {
    const client = await start();
    const { sessionId } = await client.open(place.real);
    await expect(client.prompt(sessionId, 'fail: the dog ate it')).rejects.toThrow('the dog ate it');
    await client.prompt(sessionId, 'hello');
    expect(client.words()).toContain('I am Ada');
    await expect(client.open('/no/such/folder')).rejects.toThrow('/no/such/folder');
    await expect(client.prompt('nobody', 'x')).rejects.toMatchObject({ code: -32002 });
    await expect(client.prompt(sessionId, ' ')).rejects.toThrow('empty');
  });

  test('a broken file is said in the answer to initialize, with its line, and the process ends with 2', async () => {
    place.write('mm.yaml', 'provider: demo\nmodel: demo\nyolo: perhaps\n');
    const child = place.start(['-acp', '-config', 'mm.yaml']);
    await expect(connect(child)).rejects.toThrow(/mm\.yaml:3:7: `yolo`/);
    expect((await new Promise<[number]>((resolve) => child.on('exit', (...how) => resolve(how as never))))[0]).toBe(2);
  });
});

test('requests piped in by a script are answered before the process ends', async () => {
  const frames = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } },
    { jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: place.real, mcpServers: [] } },
  ];
  const input = frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
  const { code, stdout, stderr } = await place.run(['-acp', '-config', 'mm.yaml'], { input });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.filter((frame) => frame.method === undefined).map(({ id, error }) => [id, error])).toEqual([
    [0, undefined],
    [1, undefined],
  ]);
  expect([code, stderr]).toEqual([0, '']);
});

describe('asks under a hub', () => {
  test('ask_agent sends _mm/ask, is not gated here, and gives the answer to the model', async () => {
    const sent: Record<string, unknown>[] = [];
    const client = await start({
      hub: (params) => {
        sent.push(params);
        return { text: 'from the hub', agent: 'bob', title: 'Bob', stopReason: 'end_turn', truncated: 0 };
      },
    });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, 'ask bob: is it safe?');
    const toolCallId = (calls(client)[0] as { toolCallId: string }).toolCallId;
    expect(sent).toEqual([{ sessionId, toolCallId, agent: 'bob', prompt: 'is it safe?' }]);
    expect(client.asked).toHaveLength(0);
    expect(client.words()).toContain('The result is: from the hub');
    expect(client.updates.some((u) => u.sessionUpdate === 'available_commands_update')).toBe(false);
  });

  test('a refusal of the hub is a result for the model', async () => {
    const client = await start({
      hub: () => {
        throw Object.assign(new Error('bob was not asked: the person rejected the question.'), { code: -32603 });
      },
    });
    const { sessionId } = await client.open(place.real);
    expect((await client.prompt(sessionId, 'ask bob: x')).stopReason).toBe('end_turn');
    expect(client.words()).toContain('bob was not asked');
  });

  test('rule 9: at depth 2 there is no ask_agent', async () => {
    const client = await start({ hub: () => ({}) });
    for (const askDepth of [2, 3, -1, 'x']) {
      const { sessionId } = await client.open(place.real, { askDepth: askDepth as number });
      await client.prompt(sessionId, 'ask bob: x');
      expect(client.words()).toContain('I have no tool ask_agent here');
    }
  });
});

describe('asks by its own relay', () => {
  test('commands are offered; /ask-bob runs bob, asks for bob/bash and leaves a pair', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    await vi.waitFor(() => expect(client.updates).toHaveLength(1));
    const [commands] = client.updates as unknown as [{ availableCommands: { name: string; description: string }[] }];
    expect(commands.availableCommands.map((c) => c.name)).toEqual([
      'ask-bob',
      'ask-with-context-bob',
      'ask-riker',
      'ask-with-context-riker',
    ]);
    // an entry without a description is described by its own title (rule 8)
    expect(commands.availableCommands.map((c) => c.description)).toContain('Will Riker');
    const { stopReason } = await client.prompt(sessionId, '/ask-bob think: hm\nrun: echo from bob');
    expect(stopReason).toBe('end_turn');
    expect(client.asked.map((a) => a.toolCall.name)).toEqual(['bob/bash']);
    expect(client.words()).toMatch(/The result is: from bob/);
    const ask = calls(client)[0] as unknown as { toolCallId: string; _meta: { mm: { ask: object } } };
    expect(ask._meta.mm.ask).toMatchObject({ agent: 'bob', askedBy: 'You', depth: 1 });
    expect(calls(client)[1]).toMatchObject({
      name: 'bob/bash',
      title: 'echo from bob',
      _meta: { mm: { ask: { agent: 'bob', title: 'Bob', provider: 'demo', model: 'bobs-model' } } },
    });
    expect(client.updates).toContainEqual(expect.objectContaining({ toolCallId: ask.toolCallId, status: 'completed' }));
    await client.prompt(sessionId, 'what did bob say?');
    expect(client.words()).toContain('from bob');
  });

  test('grants: bob/bash for this session is not Ada’s bash, nor bob/riker/bash', async () => {
    const client = await start({ answer: () => 'allow_always' });
    const { sessionId } = await client.open(place.real);
    const names = () => client.asked.map((a) => a.toolCall.name);
    await client.prompt(sessionId, '/ask-bob run: echo 1');
    await client.prompt(sessionId, '/ask-bob run: echo 2');
    expect(names()).toEqual(['bob/bash']);
    await client.prompt(sessionId, 'run: echo 3');
    expect(names()).toEqual(['bob/bash', 'bash']);
    await client.prompt(sessionId, '/ask-bob ask riker: run: echo 4');
    expect(names()).toEqual(['bob/bash', 'bash', 'bob/ask_agent', 'bob/riker/bash']);
    expect(client.words()).toContain('4');
  });

  test('ask_agent of the home model is gated once, shows the prompt, and bob’s words', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, 'ask bob: say: I am bob');
    expect(client.asked).toMatchObject([
      { toolCall: { name: 'ask_agent', rawInput: { agent: 'bob', prompt: 'say: I am bob' } } },
    ]);
    expect(JSON.stringify(client.asked[0]?.toolCall.content)).toContain('say: I am bob');
    expect(client.words()).toContain('The result is: I am bob');
    expect(client.updates).toContainEqual(
      expect.objectContaining({ _meta: { mm: { ask: expect.objectContaining({ agent: 'bob', askedBy: 'Ada' }) } } }),
    );
  });

  test('rule 9: a cycle is refused before anything is started, in words for the model', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, '/ask-riker ask ada: hello');
    expect(client.words()).toContain('ada was not asked');
  });

  test('rule 7: with context bob gets the conversation; without it nothing of it', async () => {
    const server = await startModelServer(byPrompt);
    try {
      place.write('bob.yaml', `provider: openai\nmodel: scripted\nbaseUrl: ${server.url}\n`);
      const client = await start();
      const { sessionId } = await client.open(place.real);
      await client.prompt(sessionId, 'remember the word marmalade');
      await client.prompt(sessionId, '/ask-bob which word?');
      await client.prompt(sessionId, '/ask-with-context-bob which word?');
      const [plain, full] = server.requests.map((request) => String(request.body.messages.at(-1)?.content));
      expect(plain).toBe('which word?');
      expect(full).toContain('User: remember the word marmalade');
      expect(full).not.toContain('You are Ada.');
      expect(full?.endsWith('which word?')).toBe(true);
      await expect(client.prompt(sessionId, '/ask-eve hello')).rejects.toThrow(/no agent “eve”.*bob, riker/);
      await expect(client.prompt(sessionId, '/ask-bob')).rejects.toThrow('question');
    } finally {
      await server.close();
    }
  });

  test('rule 12: cancel reaches the bottom of the chain; the child serves the next ask', async () => {
    const client = await start({ answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    const turn = client.prompt(sessionId, "/ask-bob ask riker: run: trap '' TERM; echo deep; sleep 100");
    await vi.waitFor(() => expect(client.asked.at(-1)?.toolCall.name).toBe('bob/riker/bash'), 20_000);
    await client.agent.notify('session/cancel', { sessionId });
    expect((await turn).stopReason).toBe('cancelled');
    await client.prompt(sessionId, '/ask-bob say: alive');
    expect(client.words()).toContain('alive');
    await client.prompt(sessionId, 'what did bob say?');
    expect(client.words()).toBe('bob said: alive');
  });

  test('a bob that dies is told with its exit code, and replaced', async () => {
    const client = await start();
    const { sessionId } = await client.open(place.real);
    await expect(client.prompt(sessionId, '/ask-bob exit: 7')).rejects.toThrow('bob ended with exit code 7');
    await client.prompt(sessionId, '/ask-bob say: back');
    expect(client.words()).toContain('back');
  });
});

describe('a model behind an address', () => {
  const config = (url: string) => `provider: openai\nmodel: scripted\nbaseUrl: ${url}\nsystemPrompt: Be short.\n`;

  test('streams, thinks, calls tools with arguments in pieces, and counts tokens', async () => {
    const server = await startModelServer(byPrompt);
    try {
      place.write('mm.yaml', config(server.url));
      const client = await start({ answer: () => 'allow_once' });
      const { sessionId } = await client.open(place.real);
      const first = await client.prompt(sessionId, 'hello');
      expect(client.words()).toBe('Hello from the scripted model.');
      expect(first).toMatchObject({ usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 } });
      await client.prompt(sessionId, 'think: deeply');
      expect(client.updates.some((u) => u.sessionUpdate === 'agent_thought_chunk')).toBe(true);
      client.words();
      await client.prompt(sessionId, 'run: echo real && exit 4');
      expect(client.words()).toMatch(/The tool said: real\n\[exit code 4\]/);
      expect(server.requests[0]?.body.messages[0]).toEqual({ role: 'system', content: 'Be short.' });
      expect(server.requests[0]?.body.tools.map((t) => t.function.name)).toEqual(['read', 'write', 'bash']);
    } finally {
      await server.close();
    }
  });

  test('a strict template is never given two user messages in a row', async () => {
    const server = await startModelServer(strict(byPrompt));
    try {
      place.write('mm.yaml', `${config(server.url)}mmConfigs: {bob: {path: bob.yaml}}\n`);
      const client = await start({ answer: () => 'allow_once' });
      const { sessionId } = await client.open(place.real);
      await client.prompt(sessionId, '/ask-bob say: hello');
      await client.prompt(sessionId, 'and you?');
      const turn = client.prompt(sessionId, 'slow: 1000');
      await vi.waitFor(() => expect(server.requests).toHaveLength(2));
      await client.agent.notify('session/cancel', { sessionId });
      await turn;
      expect((await client.prompt(sessionId, 'run: echo x')).stopReason).toBe('end_turn');
    } finally {
      await server.close();
    }
  });

  test('cancel drops the connection, so that the server stops', async () => {
    const server = await startModelServer(() => [{ text: 'a' }, { hang: true }]);
    try {
      place.write('mm.yaml', config(server.url));
      const client = await start();
      const { sessionId } = await client.open(place.real);
      const turn = client.prompt(sessionId, 'x');
      await vi.waitFor(() => expect(client.updates.length).toBeGreaterThan(0));
      await client.agent.notify('session/cancel', { sessionId });
      expect((await turn).stopReason).toBe('cancelled');
      await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
    } finally {
      await server.close();
    }
  });

  test('a server that is not there, refuses the key or breaks off is named in words', async () => {
    const server = await startModelServer((_body, n) =>
      n === 1
        ? [{ status: 401, body: { error: { message: 'bad key sk-abcdefgh' } } }]
        : [{ text: 'half' }, { drop: true }],
    );
    place.write('mm.yaml', `${config(server.url)}apiKey: \${env:KEY}\n`);
    const client = await start({}, { KEY: 'sk-abcdefgh' });
    const { sessionId } = await client.open(place.real);
    const refused = await client.prompt(sessionId, 'x').catch((error: Error) => error as never as { message: string });
    expect(JSON.stringify([refused, (refused as { message: string }).message])).toMatch(/refused the key/);
    expect(JSON.stringify([refused, (refused as { message: string }).message])).not.toContain('sk-abcdefgh');
    await expect(client.prompt(sessionId, 'x')).rejects.toThrow(/broke/);
    await server.close();
    await expect(client.prompt(sessionId, 'x')).rejects.toThrow(`No model server answers at ${server.url}`);
  });
});
