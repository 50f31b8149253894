import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../../../src/acp/types';
import { History } from '../../../src/agent/history';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/agent/model/types';
import type { Tool } from '../../../src/agent/tools/types';
import { maxRequests, parseArguments, runTurn, type TurnHost } from '../../../src/agent/turn';
import { UserError } from '../../../src/base/errors';

type Say = ModelEvent | Error | { wait: AbortSignal };

function model(...answers: Say[][]): ModelClient & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: [...request.messages] });
      for (const say of answers[Math.min(requests.length, answers.length) - 1]!) {
        if (say instanceof Error) throw say;
        if ('wait' in say) {
          await new Promise((_, reject) => say.wait.addEventListener('abort', () => reject(say.wait.reason)));
          continue;
        }
        yield say;
      }
    },
  };
}
const text = (words: string): ModelEvent => ({ type: 'text', text: words });
const call = (name: string, args: unknown, id = 'c1'): ModelEvent => ({
  type: 'call',
  call: { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});
const end = (reason: 'stop' | 'length' | 'refusal' = 'stop'): ModelEvent => ({ type: 'end', reason });

function host(tools: Tool[] = [], o: { answer?: string; onUpdate?(u: SessionUpdate): void } = {}) {
  const updates: SessionUpdate[] = [];
  const history = new History();
  history.user('go');
  let last = 0;
  const made: TurnHost = {
    id: 's',
    history,
    systemPrompt: 'be good',
    tools: new Map(tools.map((tool) => [tool.definition.name, tool])),
    context: { cwd: '/w', maxOutput: 1000 },
    output: {
      async update(_id, update) {
        updates.push(update);
        o.onUpdate?.(update);
      },
      requestPermission: async () => ({ outcome: 'selected', optionId: o.answer ?? 'allow_once' }),
    },
    leave: { yolo: () => false, allowed: new Set() },
    newId: (prefix) => `${prefix}-${++last}`,
  };
  return { host: made, updates, history };
}

function tool(
  o: { title?: string; gate?: 'free' | 'ask'; run?(): Promise<{ ok: boolean; text: string }> } = {},
): Tool & { runs: number } {
  const made = {
    runs: 0,
    kind: 'execute' as const,
    definition: { name: 'do', description: '', parameters: {} },
    async prepare(args: Record<string, unknown>) {
      return {
        title: o.title ?? 'doing',
        rawInput: args,
        gate: o.gate ?? ('ask' as const),
        keyFile: false,
        async run() {
          made.runs++;
          return o.run ? o.run() : { ok: true, text: 'did it' };
        },
      };
    },
  };
  return made;
}
const live = () => new AbortController().signal;
const of = (updates: SessionUpdate[], kind: string) => updates.filter((u) => u.sessionUpdate === kind);

describe('a turn', () => {
  it('says what the model says, and keeps it', async () => {
    const h = host();
    const client = model([text('hel'), text('lo'), { type: 'usage', usage: { totalTokens: 5 } }, end()]);
    expect(await runTurn(h.host, client, live())).toEqual({ stopReason: 'end_turn', usage: { totalTokens: 5 } });
    const words = of(h.updates, 'agent_message_chunk').map((u) => (u as { content: { text: string } }).content.text);
    expect(words.join('')).toBe('hello');
    expect(h.history.messages.at(-1)).toEqual({ role: 'assistant', text: 'hello', calls: [] });
    expect(client.requests[0]?.messages[0]).toEqual({ role: 'system', text: 'be good' });
  });

  it('runs a call after leave and goes on with its result', async () => {
    const t = tool();
    const h = host([t]);
    const client = model([call('do', { a: 1 }), end()], [text('done'), end()]);
    expect((await runTurn(h.host, client, live())).stopReason).toBe('end_turn');
    expect(t.runs).toBe(1);
    expect(h.updates.map((u) => [u.sessionUpdate, (u as { status?: string }).status])).toEqual([
      ['tool_call', 'pending'],
      ['tool_call_update', 'in_progress'],
      ['tool_call_update', 'completed'],
      ['agent_message_chunk', undefined],
    ]);
    expect(h.updates[0]).toMatchObject({ name: 'do', kind: 'execute', title: 'doing', rawInput: { a: 1 } });
    expect(client.requests[1]?.messages.at(-1)).toEqual({ role: 'tool', callId: 'c1', name: 'do', text: 'did it' });
  });

  it('F046 shows nothing hidden in the title of a call or of its question; the input has it exactly', async () => {
    const command = '\u202els\u001b[2J';
    const h = host([tool({ title: command })]);
    const asked: unknown[] = [];
    h.host.output.requestPermission = async ({ toolCall }) => {
      asked.push(toolCall);
      return { outcome: 'selected', optionId: 'allow_once' };
    };
    await runTurn(
      h.host,
      model([call('do', { command }), call(command, {}, 'c2'), end()], [text('done'), end()]),
      live(),
    );
    const title = '[U+202E]ls[U+001B][2J';
    expect(asked).toMatchObject([{ title, rawInput: { command } }]);
    expect(of(h.updates, 'tool_call')).toMatchObject([{ title, rawInput: { command } }, { title }]);
  });

  it('tells the model of a call that was rejected, and runs nothing', async () => {
    const t = tool();
    const h = host([t], { answer: 'reject_once' });
    const client = model([call('do', {}), end()], [text('a pity'), end()]);
    await runTurn(h.host, client, live());
    expect(t.runs).toBe(0);
    expect(of(h.updates, 'tool_call_update')).toMatchObject([{ status: 'failed' }]);
    expect(client.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: expect.stringContaining('Not allowed'),
    });
  });

  it('turns malformed arguments, unknown tools and failing tools into results, not into an end', async () => {
    const t = tool({
      run: async () => {
        throw new Error('disk on fire');
      },
    });
    const h = host([t]);
    const client = model(
      [call('do', '{broken'), call('nope', {}, 'c2'), call('do', {}, 'c3'), end()],
      [text('ok'), end()],
    );
    expect((await runTurn(h.host, client, live())).stopReason).toBe('end_turn');
    const results = client.requests[1]!.messages.filter((m) => m.role === 'tool').map((m) => m.text);
    expect(results[0]).toMatch(/no valid JSON/);
    expect(results[1]).toMatch(/no tool "nope".*do/);
    expect(results[2]).toMatch(/disk on fire/);
    for (const u of h.updates.filter((u) => u.sessionUpdate === 'tool_call' && u.status !== 'pending'))
      expect(u).toMatchObject({ status: 'failed' });
  });

  it('gives an id of its own to a call whose id came before', async () => {
    const h = host([tool()]);
    const client = model([call('do', {}), end()], [call('do', {}), end()], [text('x'), end()]);
    await runTurn(h.host, client, live());
    const ids = h.history.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.id) : []));
    expect(new Set(ids).size).toBe(2);
  });

  it('F056 says why it ended', async () => {
    const stop = async (reason: 'length' | 'refusal') =>
      (await runTurn(host().host, model([text('x'), end(reason)]), live())).stopReason;
    expect(await stop('length')).toBe('max_tokens');
    expect(await stop('refusal')).toBe('refusal');
    const h = host([tool({ gate: 'free' })]);
    let n = 0;
    const circles: ModelClient = {
      async *stream() {
        yield call('do', {}, `c${++n}`);
        yield end();
      },
    };
    expect((await runTurn(h.host, circles, live())).stopReason).toBe('max_turn_requests');
    expect(n).toBe(maxRequests);
  });

  it('does not run a call that was cut off by the limit', async () => {
    const t = tool();
    await runTurn(host([t]).host, model([call('do', '{"command":"rm'), end('length')]), live());
    expect(t.runs).toBe(0);
  });

  it('keeps what came before a failure and throws the words of it', async () => {
    const h = host();
    await expect(runTurn(h.host, model([text('half'), new UserError('no more')]), live())).rejects.toThrow('no more');
    expect(h.history.messages.at(-1)).toMatchObject({ role: 'assistant', text: 'half' });
  });

  it('rule 12: stops at once, and no update comes after the end', async () => {
    const controller = new AbortController();
    const h = host();
    setTimeout(() => controller.abort(new DOMException('x', 'AbortError')), 30);
    const turn = runTurn(h.host, model([text('a'), { wait: controller.signal }, text('b'), end()]), controller.signal);
    expect((await turn).stopReason).toBe('cancelled');
    const count = h.updates.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(h.updates).toHaveLength(count);
    expect(h.history.messages.at(-1)).toMatchObject({ text: 'a' });
  });

  it('a stop while a tool runs fails that call and makes no other', async () => {
    const controller = new AbortController();
    const t = tool({
      run: async () => {
        controller.abort();
        throw Object.assign(new Error('x'), { name: 'AbortError' });
      },
    });
    const h = host([t]);
    const turn = runTurn(h.host, model([call('do', {}), call('do', {}, 'c2'), end()]), controller.signal);
    expect((await turn).stopReason).toBe('cancelled');
    expect(t.runs).toBe(1);
    expect(h.updates.at(-1)).toMatchObject({ sessionUpdate: 'tool_call_update', status: 'failed' });
  });

  it('F033 begins a new message id at each switch between text and thought', async () => {
    const h = host();
    const thought = (words: string): ModelEvent => ({ type: 'thought', text: words });
    await runTurn(h.host, model([thought('A'), text('one'), thought('B'), text('two'), end()]), live());
    const rows = h.updates.map((u) => [u.sessionUpdate, (u as { messageId?: string }).messageId]);
    expect(rows.map(([kind]) => kind)).toEqual([
      'agent_thought_chunk',
      'agent_message_chunk',
      'agent_thought_chunk',
      'agent_message_chunk',
    ]);
    expect(new Set(rows.map(([, id]) => id)).size).toBe(4);
  });
});

describe('arguments of a call', () => {
  it('are an object, also as a text in a text', () => {
    expect(parseArguments('{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
    expect(parseArguments('"{\\"a\\":1}"')).toEqual({ ok: true, value: { a: 1 } });
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const bad of ['[]', '1', 'null', '', '{', deep]) expect(parseArguments(bad).ok).toBe(false);
  });
});
