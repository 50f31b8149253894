import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { busyFor, OpenAiModel } from '../../../../src/agent/model/openai';
import type { Message, ModelEvent } from '../../../../src/agent/model/types';
import { UserError } from '../../../../src/base/errors';

const baseUrl = 'http://model.test/v1';
const key = 'sk-verysecret123';

/** What of a request is looked at. */
interface Sent {
  messages: { role: string; content: string; tool_calls: { function: { arguments: string } }[] }[];
  model: string;
  stream: boolean;
  stream_options: object;
}

/** What `fetch` is to answer, in order; the last stays. */
function serve(...answers: (() => Response | Promise<Response>)[]) {
  const bodies: Record<string, unknown>[] = [];
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    bodies.push(JSON.parse(String(init.body)));
    return (answers[Math.min(bodies.length, answers.length) - 1] as () => Response)();
  });
  return bodies;
}

const sse = (text: string, cuts: number[] = []) => {
  const bytes = new TextEncoder().encode(text);
  const points = [...new Set([0, ...cuts.map((c) => c % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return new Response(
    new ReadableStream({
      start(controller) {
        for (let i = 1; i < points.length; i++) controller.enqueue(bytes.slice(points[i - 1], points[i]));
        controller.close();
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );
};
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const failing =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

async function run(messages: Message[] = [{ role: 'user', text: 'hi' }], signal = new AbortController().signal) {
  const model = new OpenAiModel({ baseUrl, model: 'm1', apiKey: key, file: '/x/mm.yaml' });
  const events: ModelEvent[] = [];
  for await (const event of model.stream({ messages, tools: [], signal })) events.push(event);
  return events;
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as UserError,
  );

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('chat completions', () => {
  it('reads text, thoughts, usage and the end', async () => {
    serve(() =>
      sse(
        chunk({ role: 'assistant', content: null }) +
          chunk({ reasoning_content: 'hm' }) +
          chunk({ content: 'a' }) +
          chunk({ content: 'b' }, 'stop') +
          `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })}\n\n` +
          'data: [DONE]\n\n',
      ),
    );
    expect(await run()).toEqual([
      { type: 'thought', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } },
      { type: 'end', reason: 'stop' },
    ]);
  });

  it('gives the same events however the bytes are cut', async () => {
    const text = `: a comment\r\n\r\n${chunk({ content: '中🎉é ' })}${chunk({
      tool_calls: [{ index: 0, id: 'c1', function: { name: 'bash', arguments: '{"command":"ec' } }],
    })}${chunk({ tool_calls: [{ index: 0, function: { arguments: 'ho \u2028"}' } }] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
    serve(() => sse(text));
    const whole = await run();
    expect(whole.some((e) => e.type === 'call')).toBe(true);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2000), { maxLength: 30 }), async (cuts) => {
        serve(() => sse(text, cuts));
        expect(await run()).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('sends what was said, with user and assistant in turn and every call answered', async () => {
    const bodies = serve(() => sse(chunk({ content: 'ok' }, 'stop')));
    await run([
      { role: 'system', text: 's' },
      { role: 'user', text: 'one' },
      { role: 'user', text: 'two' },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'bash', arguments: '{broken' }] },
      { role: 'user', text: 'three' },
    ]);
    const { messages, model, stream, stream_options } = bodies[0] as unknown as Sent;
    expect({ model, stream, stream_options }).toEqual({
      model: 'm1',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages[1]?.content).toBe('one\n\ntwo');
    // a server that parses the arguments of past calls must not fail on them
    expect(messages[2]?.tool_calls[0]?.function.arguments).toBe('{}');
  });

  it('takes a JSON body where the server ignores `stream`', async () => {
    serve(() =>
      Response.json({
        choices: [
          {
            message: {
              content: 'whole',
              tool_calls: [{ id: 'x', function: { name: 'read', arguments: { path: 'a' } } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    );
    expect(await run()).toEqual([
      { type: 'text', text: 'whole' },
      { type: 'call', call: { id: 'x', name: 'read', arguments: '{"path":"a"}' } },
      { type: 'end', reason: 'stop' },
    ]);
  });

  it('asks again without stream_options where the server refuses them', async () => {
    const bodies = serve(failing(400, { error: { message: 'Unrecognized request argument: stream_options' } }), () =>
      sse(chunk({ content: 'ok' }, 'stop')),
    );
    await run();
    expect(bodies[1]).not.toHaveProperty('stream_options');
  });

  it('waits as long as a busy server says, and gives up when that is too long', async () => {
    const bodies = serve(
      failing(429, {}, { 'retry-after': '0' }),
      failing(503, 'Loading model', { 'retry-after': '0' }),
      () => sse(chunk({ content: 'ok' }, 'stop')),
    );
    await run();
    expect(bodies).toHaveLength(3);
    const headers = (value: string) => ({ status: 429, headers: new Headers({ 'retry-after': value }) });
    expect(busyFor(headers('2'), 1)).toBe(2000);
    expect(busyFor(headers('3600'), 1)).toBeUndefined();
    expect(busyFor({ status: 400, headers: new Headers() }, 1)).toBeUndefined();
    expect(busyFor({ status: 503, headers: new Headers() }, 3)).toBe(2000);
  });

  it('says what failed and what to do, and never the key', async () => {
    const cases: [number, unknown, RegExp, RegExp][] = [
      [401, { error: { message: `Incorrect API key provided: ${key}` } }, /refused the key/, /apiKey in \/x\/mm\.yaml/],
      [404, { error: { message: 'model "m1" not found' } }, /does not know the model “m1”/, /ollama pull m1/],
      [404, 'not found', /no chat completions API/, /baseUrl/],
      [
        400,
        {
          error: {
            type: 'exceed_context_size_error',
            message: 'request (6031 tokens) exceeds the available context size',
          },
        },
        /longer than m1/,
        /new conversation/,
      ],
      [500, '<html><title>Bad day</title></html>', /failed \(500\): Bad day/, /again/],
      [
        400,
        { error: { message: 'Conversation roles must alternate' } },
        /did not accept.*roles must alternate/,
        /model and baseUrl/,
      ],
    ];
    for (const [status, body, message, hint] of cases) {
      serve(failing(status, body));
      const error = await failure(run());
      expect(error).toBeInstanceOf(UserError);
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(hint);
      expect(`${error.message} ${error.hint} ${error.detail}`).not.toContain(key);
    }
  });

  it('names the address that does not answer', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
    });
    const error = await failure(run());
    expect(error.message).toBe(`No model server answers at ${baseUrl}.`);
    expect(error.hint).toContain('ollama serve');
  });

  it('reports an error inside a stream, an empty one and one that breaks', async () => {
    serve(() => sse(`${chunk({ content: 'a' })}data: {"error":{"message":"out of memory"}}\n\n`));
    expect((await failure(run())).message).toContain('out of memory');
    serve(() => sse(''));
    expect((await failure(run())).message).toContain('ended its answer before it began');
    serve(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.error(new TypeError('terminated'));
            },
          }),
        ),
    );
    expect((await failure(run())).message).toMatch(/broke: terminated/);
  });

  it.each([
    ['in its words', chunk({ content: 'The half of an ans' })],
    [
      'in a call',
      chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'bash', arguments: '{"command":"rm -rf ' } }] }),
    ],
  ])('a stream that ends %s is no whole answer, and makes no call', async (_where, text) => {
    serve(() => sse(text));
    const model = new OpenAiModel({ baseUrl, model: 'm1', apiKey: key, file: '/x/mm.yaml' });
    const events: ModelEvent[] = [];
    const read = async () => {
      for await (const event of model.stream({
        messages: [{ role: 'user', text: 'hi' }],
        tools: [],
        signal: new AbortController().signal,
      }))
        events.push(event);
    };
    expect((await failure(read())).message).toContain('broke off');
    expect(events.filter((event) => event.type !== 'text')).toEqual([]);
    serve(() => sse(`${text}data: [DONE]\n\n`));
    expect((await run()).at(-1)).toEqual({ type: 'end', reason: 'stop' });
  });

  it('a redirect to another host is refused with nothing sent there, and followed within the same', async () => {
    const asked: string[] = [];
    const listening = async (name: string, location: (url: string) => string | undefined) => {
      const server = createServer((request, response) => {
        request.resume();
        asked.push(`${name} ${request.url}`);
        const target = location(request.url ?? '');
        if (target) response.writeHead(307, { location: target }).end();
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk({ content: 'hi' }, 'stop'));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const other = await listening('other', () => undefined);
    let target = `${other}/v1/chat/completions`;
    const own = await listening('own', (url) => (url.startsWith('/v1/') ? target : undefined));
    const said = async () => {
      const events: ModelEvent[] = [];
      const model = new OpenAiModel({ baseUrl: `${own}/v1`, model: 'm1', apiKey: key, file: '/x/mm.yaml' });
      const { signal } = new AbortController();
      for await (const event of model.stream({ messages: [{ role: 'user', text: 'hi' }], tools: [], signal }))
        events.push(event);
      return events;
    };
    expect((await failure(said())).message).toContain(other);
    expect(asked).toEqual(['own /v1/chat/completions']);
    target = '/v2/chat/completions';
    expect(await said()).toContainEqual({ type: 'text', text: 'hi' });
    target = '/v1/chat/completions';
    expect((await failure(said())).message).toContain('circle');
    expect(asked.filter((line) => line.startsWith('other'))).toEqual([]);
  });

  it('an error page of any size and shape costs little, and its end is not fetched', async () => {
    let pulled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled++;
            controller.enqueue(new TextEncoder().encode('<'.repeat(16_384)));
          },
        }),
        { status: 500 },
      );
    serve(endless);
    const from = process.cpuUsage();
    expect((await failure(run())).message).toContain('failed (500)');
    expect(pulled).toBeLessThan(40);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const body of ['<'.repeat(1_000_000), `{"error":${deep}}`, deep]) {
      serve(failing(500, body));
      expect(await failure(run())).toBeInstanceOf(UserError);
      serve(() =>
        sse(
          `data: {"choices":[{"delta":{"content":${body.startsWith('<') ? '1' : body.startsWith('{') ? '2' : deep}}}]}\n\ndata: [DONE]\n\n`,
        ),
      );
      await run().catch((error) => expect(error).toBeInstanceOf(UserError));
    }
    // the pattern that looked for tags from every `<` took a minute
    expect(process.cpuUsage(from).user / 1e6).toBeLessThan(5);
  });

  it('survives any bytes as a stream', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (text) => {
        serve(() => sse(`${text}\n\n${chunk({ content: 'x' }, 'stop')}`));
        await run().then(
          (events) => expect(events.at(-1)?.type).toBe('end'),
          (error) => expect(error).toBeInstanceOf(UserError),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('ends on content_filter as a refusal and on length as a limit', async () => {
    serve(() => sse(chunk({ content: 'x' }, 'content_filter')));
    expect((await run()).at(-1)).toEqual({ type: 'end', reason: 'refusal' });
    serve(() => sse(chunk({ content: 'x' }, 'length')));
    expect((await run()).at(-1)).toEqual({ type: 'end', reason: 'length' });
  });
});
