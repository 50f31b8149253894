import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/host/conversation';
import type { Host } from '../../src/host/host';
import { type Scenario, type Steps, textFrame, writeScenario } from '../support/scenario';
import { checkFrame } from '../support/schema';
import { idle, nodes, outline, until, wordsOf } from './host-helper';
import { Place as MmPlace } from './mm-support';
import { closeWindows, type ScriptedWindow, scriptedWindow } from './scripted-window';

/**
 * Faults of framing, order and tool calls on their whole way: a real child, the window's host, the conversation as the view gets it.
 * Each stands under its number in the catalogue of faults; those that a window cannot show are beside the code that they are about
 * (test/unit/acp, test/unit/chat).
 */

const windows: ScriptedWindow[] = [];
afterEach(async () => {
  try {
    // whatever was sent in any of these stories is what the protocol says
    for (const { written } of windows.splice(0))
      for (const scenario of Object.values(written))
        for (const frame of scenario.received()) checkFrame('client', frame);
  } finally {
    await closeWindows();
  }
});

/** A window with the scripted agent cody. */
async function withCody(scenario: Scenario): Promise<ScriptedWindow> {
  const window = await scriptedWindow({ cody: scenario });
  windows.push(window);
  return window;
}

/** cody as the home agent, after one turn. */
async function turnOf(scenario: Scenario): Promise<ScriptedWindow> {
  const window = await withCody(scenario);
  expect(window.c.setHome('cody')).toBe(true);
  await say(window, 'go');
  return window;
}

/** cody after one ask of the person, beside the demo's Ada. */
async function askOf(scenario: Scenario): Promise<ScriptedWindow> {
  const window = await withCody(scenario);
  await say(window, '/ask-cody go');
  return window;
}

async function say({ host, c }: { host: Host; c: Conversation }, text: string): Promise<void> {
  c.send(text);
  await idle(host, c);
}

/** Both ways to an agent's words. */
const ways = [
  { way: 'home', run: turnOf },
  { way: 'asked', run: askOf },
] as const;

const prompt = (...steps: object[]): Scenario => ({ on: { 'session/prompt': steps as Steps } });
const words = (c: Conversation): string =>
  nodes(c, 'text')
    .map((n) => n.text)
    .join('');
const ends = (c: Conversation): unknown[] => [...nodes(c, 'turn'), ...nodes(c, 'ask')].map((n) => n.end?.how);
const toolUpdate = (toolCallId: string, more: object) => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId, ...more },
});
const textContent = (text: string) => [{ type: 'content', content: { type: 'text', text } }];

describe('framing and validation', () => {
  it.each(ways)(
    'F015 log lines and escape codes on stdout, $way: one notice of each kind that names the agent, no failed turn',
    async ({ run }) => {
      const noise = '\u001b[32mready\u001b[0m\n\n   \nDEBUG cache miss\n';
      const { c, log } = await run({
        on: {
          start: [{ raw: `Welcome!\n${noise}` }],
          initialize: [{ raw: noise }],
          'session/new': [{ raw: 'loading 10%\rloading 100%\n' }],
          'session/prompt': [{ text: 'one ' }, { raw: noise }, { text: 'two' }, { raw: '\u001b[2K\r' }],
        },
      });
      expect(ends(c)).toEqual(['done']);
      expect(words(c)).toBe('one two');
      expect(nodes(c, 'notice')).toEqual([]);
      const noticed = log.filter((line) => line.includes('no messages'));
      expect(noticed).toHaveLength(1);
      expect(noticed[0]).toMatch(/^warn: cody: .*Welcome!/);
    },
  );

  it('F015 noise is counted: the end of the child says how much there was', async () => {
    const { host, log } = await turnOf(prompt({ raw: 'x\ny\nz\n' }, { text: 'ok' }));
    await host.end();
    expect(log.filter((line) => line.includes('3 lines'))).toMatchObject([expect.stringMatching(/^info: cody: /)]);
  });

  it.each(ways)('F016 JSON that is no message, $way: nothing is matched to a request', async ({ run }) => {
    const steps = ['123', '"x"', 'null', '[]', '{}', '{"level":"info","id":0}', 'true'].map((line) => ({
      raw: `${line}\n`,
    }));
    const { c } = await run(
      prompt(
        ...steps,
        { send: { level: 'info', id: '$ID' } },
        { send: { result: {}, id: '$ID' } },
        { text: 'still here' },
      ),
    );
    expect(words(c)).toBe('still here');
    expect(ends(c)).toEqual(['done']);
  });

  it('F017 one byte per write: text, thought, output of a call and stderr are intact', async () => {
    const all = '中🎉é';
    const frame = (update: object) => ({
      raw: `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'session-1', update } })}\n`,
      split: 1,
    });
    const block = { content: { type: 'text', text: all } };
    const { c, log } = await turnOf(
      prompt(
        { stderr: `warning ${all}\n` },
        frame({ sessionUpdate: 'agent_thought_chunk', ...block }),
        frame({
          sessionUpdate: 'tool_call',
          toolCallId: 'a',
          title: all,
          content: textContent(all),
          status: 'completed',
        }),
        frame({ sessionUpdate: 'tool_call', toolCallId: 'b', title: 'b', _meta: { terminal_output: { data: all } } }),
        frame({ sessionUpdate: 'agent_message_chunk', ...block }),
      ),
    );
    expect(words(c)).toBe(all);
    expect(nodes(c, 'thought').map((n) => n.text)).toEqual([all]);
    expect(nodes(c, 'tool').map((n) => n.output)).toEqual([all, all]);
    await expect.poll(() => log.join('\n')).toContain(`cody: warning ${all}`);
  });

  it.each(ways)('F018 a raw U+2028 is a character of its message, $way', async ({ run }) => {
    const { c } = await run(
      prompt({ raw: `${JSON.stringify(textFrame('session-1', 'a\u2028b\u2029c\u0085d'))}\n` }, { text: '!' }),
    );
    expect(words(c)).toBe('a\u2028b\u2029c\u0085d!');
    expect(nodes(c, 'text')).toHaveLength(1);
    expect(ends(c)).toEqual(['done']);
  });

  it.each(ways)('F019 ids that come back as text, $way: matched, with one warning', async ({ run }) => {
    const { c, log } = await run({ stringIds: true, ...prompt({ text: 'hello' }) });
    expect(words(c)).toBe('hello');
    expect(ends(c)).toEqual(['done']);
    expect(log.filter((line) => line.startsWith('warn: ') && line.includes('came back as the text'))).toHaveLength(1);
  });

  it.each(ways)(
    'F020 a new kind of update and of block, $way: one row each, kept in the log, the turn succeeds',
    async ({ run }) => {
      const { c, log } = await run(
        prompt(
          { text: 'before' },
          { update: { sessionUpdate: 'totally_new', payload: 'from the future' } },
          { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', depth: 3 } } },
          {
            update: {
              sessionUpdate: 'tool_call',
              toolCallId: 't',
              title: 't',
              status: 'completed',
              content: [{ type: 'graph', nodes: [] }],
            },
          },
          { text: 'after' },
        ),
      );
      expect(nodes(c, 'unsupported').map((n) => n.label)).toEqual(['totally_new', 'hologram']);
      expect(nodes(c, 'text').map((n) => n.text)).toEqual(['before', 'after']);
      expect(ends(c)).toEqual(['done']);
      expect(log.filter((line) => line.includes('totally_new')).join('\n')).toContain('from the future');
    },
  );

  it.each(ways)('F021 updates that are none, $way: ignored, counted, one notice', async ({ run }) => {
    const bad = [null, [], 'text', 5, {}, { sessionUpdate: null }].map((update) => ({
      send: { jsonrpc: '2.0', method: 'session/update', params: { sessionId: '$SID', update } },
    }));
    const none = [null, [], 'x', undefined].map((params) => ({
      send: { jsonrpc: '2.0', method: 'session/update', params },
    }));
    const half = [
      { sessionUpdate: 'agent_message_chunk' },
      { sessionUpdate: 'agent_message_chunk', content: null },
      { sessionUpdate: 'agent_message_chunk', content: [{ type: 'text', text: 'x' }] },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: { a: 1 } } },
      { sessionUpdate: 'tool_call' },
      { sessionUpdate: 'tool_call', toolCallId: 7, title: [] },
      { sessionUpdate: 'plan', entries: 'none' },
    ].map((update) => ({ update }));
    const { c, log } = await run(prompt(...bad, ...none, ...half, { text: 'fine' }));
    expect(words(c)).toBe('fine');
    expect(nodes(c, 'tool')).toEqual([]);
    expect(ends(c)).toEqual(['done']);
    expect(log.filter((line) => line.includes('malformed'))).toHaveLength(1);
  });

  it('F023 Stop is a notification: session/cancel has no id', async () => {
    const window = await withCody(prompt({ text: 'working' }, { waitFor: 'session/cancel' }));
    const { host, c, written } = window;
    c.setHome('cody');
    c.send('go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    c.stop();
    await idle(host, c);
    expect(ends(c)).toEqual(['stopped']);
    const [cancel] = written.cody!.received('session/cancel');
    expect(Object.keys(cancel)).toEqual(['jsonrpc', 'method', 'params']);
    expect(cancel.params).toEqual({ sessionId: 'session-1' });
  });
});

describe('F022 a rejection that is no Error has readable words', () => {
  const rejections: [string, unknown, string][] = [
    ['a plain object', { code: -32603, message: { reason: { message: 'quota is used up' } } }, 'quota is used up'],
    ['an object without a message', { code: 7, data: { status: 503, body: { retry: true } } }, '503'],
    ['a string', 'the model is asleep', 'the model is asleep'],
    [
      'an Error with a cause',
      { code: -32603, message: 'fetch failed', data: { cause: { code: 'ECONNREFUSED' } } },
      'ECONNREFUSED',
    ],
    ['a list', ['first', { second: true }], 'first'],
    ['null, which is neither error nor result', null, 'ended its turn without saying why'],
  ];
  const rejecting = (error: unknown) => prompt({ send: { jsonrpc: '2.0', id: '$ID', error } }, { noAnswer: true });

  describe.each(rejections)('%s', (_, error, expected) => {
    it.each(ways)('in the conversation and the log, $way', async ({ run }) => {
      const { c, log } = await run(rejecting(error));
      const [entry] = [...nodes(c, 'turn').filter((n) => n.agent.name === 'cody'), ...nodes(c, 'ask')];
      expect(entry!.end, outline(c).join('\n')).toMatchObject({
        how: 'failed',
        title: expect.stringContaining(expected),
      });
      expect(log.join('\n')).toContain(expected);
      expect(JSON.stringify(c.snapshot()) + log.join('\n')).not.toContain('[object');
    });

    it('in the result of ask_agent', async () => {
      const { host, c } = await withCody(rejecting(error));
      c.send('ask cody: anything');
      const question = await until(host, c, () => host.queue.current);
      host.queue.answer(question.id, 'allow_once');
      await idle(host, c);
      expect(words(c), outline(c).join('\n')).toContain(expected);
      expect(JSON.stringify(c.snapshot())).not.toContain('[object');
    });

    it('on stderr of mm --ask', async () => {
      const cody = writeScenario(rejecting(error));
      const place = new MmPlace({
        'mm.yaml': `provider: demo\nmodel: demo\nmmConfigs:\n  cody: {command: ${JSON.stringify(cody.command)}, args: ${JSON.stringify(cody.args)}}\n`,
      });
      try {
        const { code, stdout, stderr } = await place.run(['--ask', 'cody', 'hi', '-config', 'mm.yaml']);
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toContain(expected);
        expect(stderr).not.toContain('[object');
      } finally {
        expect(await place.left(6000)).toEqual([]);
        place.dispose();
        cody.dispose();
      }
    });
  });
});

describe('order', () => {
  const early = (text: string) => textFrame('$SID', text);

  it.each(ways)(
    'F024 updates before the answer to session/new, $way: heard in order, and no part of the first answer',
    async ({ run }) => {
      const { c, log } = await run({
        on: {
          'session/new': [
            { text: 'pi v1.6.0\n' },
            { update: { sessionUpdate: 'available_commands_update', availableCommands: [] } },
            {
              together: [
                early('banner'),
                { jsonrpc: '2.0', id: '$ID', result: { sessionId: '$SID' } },
                early('late banner'),
              ],
            },
            { noAnswer: true },
          ],
          'session/prompt': [{ text: 'the answer' }],
        },
      });
      expect(nodes(c, 'text').map((n) => n.text)).toEqual(['the answer']);
      expect(ends(c)).toEqual(['done']);
      expect(log.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
    },
  );

  it.each(ways)(
    'F025 the last chunk and the answer in one write, $way: every word is there before the end',
    async ({ run }) => {
      const { c } = await run(
        prompt(
          { repeat: 500, steps: [{ text: '$I ' }] },
          {
            together: [early('the end'), { jsonrpc: '2.0', id: '$ID', result: { stopReason: 'end_turn' } }],
          },
          { noAnswer: true },
        ),
      );
      expect(words(c)).toBe(`${Array.from({ length: 500 }, (_, i) => `${i} `).join('')}the end`);
      expect(ends(c)).toEqual(['done']);
    },
  );

  it('F026 words after the cancel of an ask are marked, and no part of a later one', async () => {
    const { host, c } = await withCody({
      on: {
        'session/prompt': [
          [
            { text: 'before' },
            { waitFor: 'session/cancel' },
            { repeat: 20, steps: [{ text: 'late ' }] },
            { answer: { stopReason: 'cancelled' } },
            { text: 'after the end' },
            toolUpdate('t', { title: 'late call', status: 'completed' }),
          ] as Steps,
          [{ text: 'next' }],
        ] as Steps,
      },
    });
    c.send('/ask-cody go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    c.stop();
    await idle(host, c);
    await say({ host, c }, '/ask-cody again');
    expect(nodes(c, 'text').map((t) => [t.text, t.afterStop ?? false])).toEqual([
      ['before', false],
      ['late '.repeat(20), true],
      ['next', false],
    ]);
    expect(nodes(c, 'tool')).toEqual([]);
  });

  it('F026 what comes while no prompt runs is in no turn: not before, not between, and a call is ended by its own turn', async () => {
    const window = await turnOf({
      on: {
        'session/prompt': [
          [
            { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'npm test', kind: 'execute' } },
            { text: 'one' },
            {
              together: [
                { jsonrpc: '2.0', id: '$ID', result: { stopReason: 'end_turn' } },
                early('between'),
                early('and more'),
              ],
            },
            { noAnswer: true },
          ],
          [toolUpdate('t', { status: 'completed', content: textContent('passed') }), { text: 'two' }],
        ] as Steps,
      },
    });
    await say(window, 'more');
    const { c } = window;
    expect(nodes(c, 'text').map((n) => n.text)).toEqual(['one', 'two']);
    const [first] = nodes(c, 'turn');
    expect(nodes(c, 'tool')).toMatchObject([{ parent: first!.id, what: 'npm test', state: 'done', output: 'passed' }]);
  });

  it.each(ways)(
    'F028 the echo of the prompt, with and without an id and trimmed, $way: it stands once',
    async ({ run }) => {
      const { c } = await run(
        prompt(
          { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: '$PROMPT' } } },
          {
            update: {
              sessionUpdate: 'user_message_chunk',
              messageId: 'm1',
              content: { type: 'text', text: '  $PROMPT \n' },
            },
          },
          { text: 'hello' },
        ),
      );
      expect(nodes(c, 'user')).toHaveLength(1);
      expect(nodes(c, 'text').map((n) => n.text)).toEqual(['hello']);
    },
  );

  it.each(ways)('F033 thought, text, tool, thought, text are five rows in that order, $way', async ({ run }) => {
    const { c } = await run(
      prompt(
        { thought: 'A' },
        { text: 'first' },
        { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'completed' } },
        { thought: 'B' },
        { text: 'second' },
      ),
    );
    expect(
      c
        .snapshot()
        .flatMap((n) => (n.kind === 'text' || n.kind === 'thought' ? [n.text] : n.kind === 'tool' ? [n.what] : [])),
    ).toEqual(['A', 'first', 'ls', 'B', 'second']);
  });

  it('F034 image, text and link keep their order in the view, and in the answer that is kept', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const link = { type: 'resource_link', name: 'plan.md', uri: 'file:///plan.md' };
    const block = (content: object) => ({ update: { sessionUpdate: 'agent_message_chunk', content } });
    const { host, c, written } = await scriptedWindow({
      cody: prompt({ text: 'look:' }, block(image), { text: 'and' }, block(link), { text: 'done' }),
      dora: prompt({ text: 'seen' }),
    });
    c.setHome('dora');
    await say({ host, c }, '/ask-cody go');
    expect(
      c.snapshot().flatMap((n) => (n.kind === 'text' ? [n.text] : n.kind === 'unsupported' ? [n.label] : [])),
    ).toEqual(['look:', 'image/png', 'and', 'plan.md', 'done']);
    await say({ host, c }, 'and?');
    const [{ params }] = written.dora!.received('session/prompt');
    expect(params.prompt[0].text).toContain('look:\n\n[image]\n\nand\n\n[plan.md]\n\ndone');
  });
});

describe('tool calls', () => {
  it.each(ways)(
    'F035 an update and a question for calls that were never announced, $way: cards from what is known',
    async ({ way }) => {
      const { host, c } = await withCody(
        prompt(
          toolUpdate('u', { title: 'read notes', kind: 'read', status: 'completed', content: textContent('milk') }),
          {
            permission: { toolCall: { toolCallId: 'p', title: 'ls', kind: 'execute', rawInput: { command: 'ls -l' } } },
          },
          toolUpdate('p', { status: 'completed', content: textContent('total 0') }),
          { text: 'done' },
        ),
      );
      if (way === 'home') c.setHome('cody');
      c.send(way === 'home' ? 'go' : '/ask-cody go');
      const question = await until(host, c, () => host.queue.current);
      host.queue.answer(question.id, 'allow_once');
      await idle(host, c);
      const name = way === 'home' ? 'bash' : 'cody/bash';
      expect(nodes(c, 'tool')).toMatchObject([
        { toolCallId: 'u', title: 'read notes', state: 'done', output: 'milk' },
        { toolCallId: 'p', name, what: 'ls -l', state: 'done', output: 'total 0' },
      ]);
    },
  );

  const open = {
    update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'npm test', kind: 'execute', status: 'in_progress' },
  };

  it.each(ways)('F036 a call without an end when the turn ends, $way: no result', async ({ run }) => {
    const { c } = await run(prompt(open, { text: 'done' }));
    expect(nodes(c, 'tool')).toMatchObject([{ state: 'no-result', endedAt: expect.any(Number) }]);
  });

  it.each(ways)('F036 a call without an end when the child dies, $way: no result', async ({ run }) => {
    const { c } = await run(prompt(open, { exit: 3 }));
    expect(nodes(c, 'tool')).toMatchObject([{ state: 'no-result' }]);
    expect(ends(c)).toEqual(['died']);
  });

  it.each(ways)('F036 a call without an end when it is stopped, $way: cancelled', async ({ way }) => {
    const { host, c } = await withCody(prompt(open, { waitFor: 'session/cancel' }));
    if (way === 'home') c.setHome('cody');
    c.send(way === 'home' ? 'go' : '/ask-cody go');
    await until(host, c, () => nodes(c, 'tool').length === 1);
    c.stop();
    await idle(host, c);
    expect(nodes(c, 'tool')).toMatchObject([{ state: 'cancelled' }]);
  });

  it('F037 35,000 lines of output, repeated whole by each update: under 2 s, the last state and the size are there', async () => {
    const window = await withCody({
      on: { 'session/prompt': [open, { output: { toolCallId: 't', lines: 35_000, every: 100 } }, { text: 'done' }] },
    });
    window.c.setHome('cody');
    const before = process.cpuUsage();
    await say(window, 'go');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
    const [tool] = nodes(window.c, 'tool');
    const whole = Array.from({ length: 35_000 }, (_, i) => `line ${i}\n`).join('');
    expect(tool!.output).toBe(whole.slice(0, tool!.output.length));
    expect(tool!.output.length + tool!.outputCut).toBe(whole.length);
  });

  it.each(ways)(
    'F008 F038 F040 terminals and files, $way: -32601 each time, one notice for each method, the connection lives',
    async ({ run }) => {
      const folder = mkdtempSync(join(tmpdir(), 'mm-big-'));
      const big = join(folder, 'big');
      writeFileSync(big, '');
      truncateSync(big, 2 ** 31);
      const calls: [string, object][] = [
        ['terminal/create', { command: 'git', args: ['--version'] }],
        ['terminal/wait_for_exit', { terminalId: 't1' }],
        ['terminal/output', { terminalId: 't1' }],
        ['terminal/release', { terminalId: 't1' }],
        ['fs/read_text_file', { path: '/proc/self/../../nowhere/\u0000' }],
        ['fs/read_text_file', { path: '/' }],
        ['fs/read_text_file', { path: '/etc/passwd' }],
        ['fs/read_text_file', { path: big }],
        ['fs/write_text_file', { path: '/tmp/x', content: 'y' }],
      ];
      const { c, log } = await run(
        prompt(
          ...calls.flatMap(([method, params]) => [
            { request: { method, params: { sessionId: '$SID', ...params } } },
            { text: '$ANSWER{error.code} ' },
          ]),
          toolUpdate('t', {
            title: 'git --version',
            kind: 'execute',
            status: 'completed',
            content: [{ type: 'terminal', terminalId: 't1' }],
            rawOutput: { output: 'git version 2' },
          }),
        ),
      );
      rmSync(folder, { recursive: true });
      expect(words(c)).toBe('-32601 '.repeat(calls.length));
      expect(nodes(c, 'tool')).toMatchObject([{ output: 'git version 2', state: 'done' }]);
      expect(ends(c)).toEqual(['done']);
      const noted = log.filter((line) => line.includes('not offered'));
      expect(noted).toHaveLength(new Set(calls.map(([method]) => method)).size);
      for (const line of noted) expect(line).toMatch(/^warn: cody: /);
    },
  );

  it('F039 output that the agent embeds is kept, cut between characters, and says how much was cut', async () => {
    const { c } = await turnOf(
      prompt(
        toolUpdate('a', { status: 'completed', content: textContent(`${'x'.repeat(99_999)}🎉tail`) }),
        toolUpdate('b', {
          status: 'completed',
          content: [{ type: 'terminal', terminalId: 'gone' }],
          _meta: { terminal_output: { terminal_id: 'gone', data: `${'y'.repeat(99_999)}🎉` } },
        }),
      ),
    );
    const [a, b] = nodes(c, 'tool');
    expect(a).toMatchObject({ output: 'x'.repeat(99_999), outputCut: 6 });
    expect(b).toMatchObject({ output: 'y'.repeat(99_999), outputCut: 2 });
  });
});

describe('permissions', () => {
  const call = (toolCallId: string) => ({
    toolCallId,
    title: toolCallId,
    kind: 'execute',
    rawInput: { command: toolCallId },
  });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];

  /** Starts a turn, and gives the ids of the questions that came. */
  function begin({ host, c }: ScriptedWindow, way: 'home' | 'asked'): Set<string> {
    const asked = new Set<string>();
    host.queue.onDidChange(() => {
      for (const { id } of host.queue.waiting) asked.add(id);
    });
    if (way === 'home') c.setHome('cody');
    c.send(way === 'home' ? 'go' : '/ask-cody go');
    return asked;
  }

  it.each(ways)(
    'F043 Stop with a dialog open and two behind it, $way: all answered cancelled before the cancel, all gone',
    async ({ way }) => {
      const questions = ['ls a', 'ls b', 'ls c'].map((id) => ({
        permission: { toolCall: call(id) },
        wait: false as const,
      }));
      const window = await withCody(prompt(...questions, { waitFor: 'session/cancel' }));
      const { host, c, written } = window;
      const asked = begin(window, way);
      await until(host, c, () => host.queue.size === 3);
      c.stop();
      await idle(host, c);
      expect(host.queue.size).toBe(0);
      expect(asked.size).toBe(3);
      for (const id of asked) expect(host.queue.answer(id, 'allow_once')).toBe(false);
      expect(nodes(c, 'permission').map((p) => p.state)).toEqual(Array(3).fill('withdrawn'));
      expect(ends(c)).toEqual(['stopped']);
      const frames = written.cody!.received();
      const cancel = frames.findIndex((f) => f.method === 'session/cancel');
      const answers = frames.flatMap((f, i) => (f.result?.outcome?.outcome === 'cancelled' ? [i] : []));
      expect(answers).toHaveLength(3);
      expect(Math.max(...answers)).toBeLessThan(cancel);
    },
  );

  const waysOut: [string, object[]][] = [
    ['the agent ends its turn', [{ answer: { stopReason: 'end_turn' } }]],
    ['the agent dies', [{ exit: 3 }]],
    [
      'the agent cancels its request',
      [{ send: { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'q' } } }, { text: 'never mind' }],
    ],
  ];
  describe.each(waysOut)('F044 %s while its question waits', (_, steps) => {
    it.each(ways)(
      '$way: withdrawn from the queue, the count and the view; a late answer changes nothing',
      async ({ way }) => {
        const params = { sessionId: '$SID', toolCall: call('ls'), options };
        const window = await withCody(
          prompt(
            { text: 'may I?' },
            { request: { method: 'session/request_permission', params, id: 'q' }, wait: false },
            ...steps,
          ),
        );
        const { host, c } = window;
        const asked = begin(window, way);
        await idle(host, c);
        expect(asked.size).toBe(1);
        expect(host.queue.waiting).toEqual([]);
        expect(c.state().waiting).toBe(0);
        for (const id of asked) expect(host.queue.answer(id, 'allow_once')).toBe(false);
        expect(nodes(c, 'permission')).toMatchObject([{ state: 'withdrawn' }]);
        expect(host.decisions.list().map((d) => d.outcome)).toEqual(['cancelled']);
      },
    );
  });

  it.each(ways)('F050 two options with the same label, $way: the answer is the id of the kind', async ({ way }) => {
    const same = [
      { optionId: 'for-ever', name: 'Allow', kind: 'allow_always' },
      { optionId: 'never', name: 'Allow', kind: 'reject_always' },
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'not-now', name: 'Allow', kind: 'reject_once' },
    ];
    const question = { permission: { toolCall: call('ls'), options: same } };
    const window = await withCody(
      prompt(question, { text: '$ANSWER{result.outcome.optionId} ' }, question, {
        text: '$ANSWER{result.outcome.optionId}',
      }),
    );
    const { host, c } = window;
    begin(window, way);
    const first = await until(host, c, () => host.queue.current);
    host.queue.answer(first.id, 'allow_once');
    const second = await until(host, c, () => host.queue.current?.id !== first.id && host.queue.current);
    host.queue.answer(second.id, 'reject');
    await idle(host, c);
    expect(words(c)).toBe('once not-now');
  });
});

describe('delegation', () => {
  it.each<[string, object[]]>([
    ['works', [{ text: 'working' }, { waitFor: 'session/cancel' }, { text: ' late' }]],
    ['waits for a permission', [{ text: 'may I?' }, { permission: {} }, { waitFor: 'session/cancel' }]],
  ])(
    'F054 Stop while Ada’s model waits for an agent that %s: it hears the cancel, nothing waits, both live',
    async (_, steps) => {
      const { host, c, written } = await withCody(prompt(...steps));
      c.send('ask cody: anything');
      const asks = await until(host, c, () => host.queue.current);
      host.queue.answer(asks.id, 'allow_once');
      await until(host, c, () => nodes(c, 'text').some((n) => n.parent === nodes(c, 'ask')[0]?.id));
      if (steps.length > 2 && 'permission' in steps[1]!) await until(host, c, () => host.queue.size === 1);
      c.stop();
      await idle(host, c);
      expect(host.queue.size).toBe(0);
      expect(nodes(c, 'ask')).toMatchObject([{ end: { how: 'stopped' }, kept: false }]);
      expect(nodes(c, 'turn')).toMatchObject([{ end: { how: 'stopped' } }]);
      expect(written.cody!.received('session/cancel')).toHaveLength(1);
      expect(host.pool.statuses().map((s) => s.state)).toEqual(['ready', 'ready']);
    },
  );

  it.each<[string, object[], RegExp]>([
    ['dies in mid-answer', [{ text: 'half' }, { exit: 137 }], /its program ended/],
    ['dies while its question waits', [{ permission: {}, wait: false }, { exit: 1 }], /its program ended/],
    ['answers with an error', [{ error: { code: -32603, message: 'no such table' } }], /no such table/],
    ['says nothing', [{ answer: { stopReason: 'end_turn' } }], /without a word/],
  ])('F054 an asked agent that %s: the asking one gets a result in words and goes on', async (_, steps, said) => {
    const { host, c } = await withCody(prompt(...steps));
    c.send('ask cody: anything');
    const question = await until(host, c, () => host.queue.current);
    host.queue.answer(question.id, 'allow_once');
    await idle(host, c);
    const [turn] = nodes(c, 'turn');
    expect(turn!.end, outline(c).join('\n')).toEqual({ how: 'done' });
    expect(wordsOf(c, turn!.id)).toMatch(said);
    expect(host.queue.size).toBe(0);
    expect(nodes(c, 'ask')[0]).toMatchObject({ state: 'done', kept: false });
  });
});

describe('ends', () => {
  it.each([
    ['end_turn', 'empty'],
    ['refusal', 'refusal'],
    ['max_tokens', 'max_tokens'],
    ['max_turn_requests', 'max_turn_requests'],
    ['cancelled', 'failed'],
    ['brand_new', 'empty'],
  ])('F056 an ask without a word that ends with %s says why, and leaves no pair', async (stopReason, how) => {
    const { c } = await askOf(prompt({ answer: { stopReason } }));
    expect(nodes(c, 'ask')[0], outline(c).join('\n')).toMatchObject({ state: 'done', kept: false, end: { how } });
  });

  it.each(ways)(
    'F066 a prompt that resolves at once with nothing, $way: it says so, and trying again works',
    async ({ way, run }) => {
      const window = await run({
        on: { 'session/prompt': [[{ answer: { stopReason: 'end_turn' } }], [{ text: 'now' }]] },
      });
      const { host, c } = window;
      expect(ends(c)).toEqual(['empty']);
      const [entry] = way === 'home' ? nodes(c, 'turn') : nodes(c, 'ask');
      c.act(entry!.id, way === 'home' ? 'try-again' : 'ask-again');
      await idle(host, c);
      expect(ends(c)).toEqual(['empty', 'done']);
      expect(wordsOf(c, (way === 'home' ? nodes(c, 'turn') : nodes(c, 'ask'))[1]!.id)).toBe('now');
    },
  );

  it('F058 “unauthorized” in a tool’s error is no sign-in; only its code is', async () => {
    const failing = prompt(
      toolUpdate('t', { title: 'curl', kind: 'execute', status: 'failed', content: textContent('401 Unauthorized') }),
      { text: 'it says unauthorized' },
    );
    const first = await askOf(failing);
    expect(ends(first.c)).toEqual(['done']);
    const errors = await askOf({
      on: {
        'session/prompt': [
          [{ error: { code: -32603, message: 'Unauthorized: sign in to the database' } }],
          [{ error: { code: -32000, message: 'Authentication required' } }],
        ],
      },
    });
    await say(errors, '/ask-cody again');
    const [plain, locked] = nodes(errors.c, 'ask').map((n) => JSON.stringify(n.end));
    for (const text of [JSON.stringify(nodes(first.c, 'ask')[0]!.end), plain])
      expect(text).not.toContain('sign in there');
    expect(locked).toContain('sign in there');
  });
});
