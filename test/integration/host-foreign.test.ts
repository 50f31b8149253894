import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Scenario, type Step, textFrame, type WrittenScenario } from '../support/scenario';
import { idle, nodes, outline, Place, until, wordsOf } from './host-helper';
import { closeWindows, scriptedWindow as window } from './scripted-window';

let place: Place | undefined;
afterEach(async () => {
  await closeWindows();
  await place?.dispose();
  place = undefined;
});

const prompts = (s: WrittenScenario): string[] =>
  s.received('session/prompt').map((f) => f.params.prompt.map((b: { text: string }) => b.text).join('\n---\n'));

describe('a home agent that is not mm', () => {
  it('rule 6: pairs stand in front of its next prompt, in order, each once', async () => {
    const { host, c, written } = await window({ cody: { on: { 'session/prompt': [{ text: 'fine' }] } } });
    expect(c.setHome('cody')).toBe(true);
    c.send('/ask-bob say: first');
    await idle(host, c);
    c.send('/ask-bob say: second');
    await idle(host, c);
    c.send('and?');
    await idle(host, c);
    c.send('more?');
    await idle(host, c);
    expect(
      nodes(c, 'ask').map((a) => a.end?.how),
      outline(c).join('\n'),
    ).toEqual(['done', 'done']);
    const [one, two] = prompts(written.cody!);
    expect(one).toMatch(
      /^\[asked bob \(demo\/demo\): say: first\]\n\[bob's answer\]\nfirst\s*\n---\n\[asked bob .*: say: second\]\n[\s\S]*second\s*\n---\nand\?$/,
    );
    expect(two).toBe('more?');
  });

  it('rule 4: its calls ask the person, whatever any yolo says; a grant answers the next one', async () => {
    const { host, c, written } = await window({
      cody: {
        on: {
          'session/prompt': [
            {
              permission: {
                toolCall: { toolCallId: 'x$N', title: 'touch a', kind: 'execute', rawInput: { command: 'touch a' } },
              },
            },
            { text: 'answer: $ANSWER{result.outcome.optionId}' },
          ],
        },
      },
    });
    c.setHome('cody');
    c.send('go');
    const question = await until(host, c, () => host.queue.current);
    expect(question.shown).toMatchObject({
      name: 'bash',
      command: 'touch a',
      chain: [{ name: 'You' }, { name: 'cody' }],
    });
    host.queue.answer(question.id, 'allow_conversation');
    await idle(host, c);
    c.send('again');
    await idle(host, c);
    expect(nodes(c, 'permission')).toHaveLength(1);
    const words = nodes(c, 'turn').map((t) => wordsOf(c, t.id));
    expect(words).toEqual(['answer: allow', 'answer: allow']);
    expect(written.cody!.received('session/new')[0].params._meta.mm).toMatchObject({ askDepth: 0 });
  });

  it('rule 7: given the transcript, it has questions and answers, and the pair that waited only once', async () => {
    const { host, c, written } = await window({
      cody: { on: { 'session/prompt': [[{ text: 'I keep herons in mind' }], [{ exit: 4 }], [{ text: 'ah' }]] } },
    });
    c.setHome('cody');
    c.send('remember herons');
    await idle(host, c);
    c.send('now end');
    await idle(host, c);
    expect(nodes(c, 'turn')[1]!.end).toMatchObject({ how: 'died', title: expect.stringContaining('exit code 4') });
    c.send('/ask-bob say: grey');
    await idle(host, c);
    const [notice] = nodes(c, 'notice');
    expect(notice!.title).toBe('cody does not remember what stands above');
    c.act(notice!.id, 'give-transcript');
    c.send('what was it?');
    await idle(host, c);
    const last = prompts(written.cody!).at(-1)!;
    expect(last).toContain('User: remember herons');
    expect(last).toContain('cody: I keep herons in mind');
    expect(last.match(/say: grey/g)).toHaveLength(1);
    expect(last).toMatch(/\n---\nwhat was it\?$/);
  });
});

describe('rule 4: a home agent that is not mm asks', () => {
  const modes = (currentModeId: string, ...ids: string[]) => ({
    currentModeId,
    availableModes: ids.map((id) => ({ id, name: id })),
  });
  const agent = (name: string, answer: object): Scenario => ({
    on: {
      initialize: [{ answer: { protocolVersion: 1, agentInfo: { name, version: '1' }, agentCapabilities: {} } }],
      'session/new': [{ answer: { sessionId: 's1', ...answer } }],
      'session/set_mode': [{ answer: {} }],
      'session/prompt': [{ text: 'hello' }],
    },
  });

  it.each([
    ['claude-agent-acp', modes('auto', 'auto', 'default'), 'default'],
    ['codex-acp', modes('agent', 'agent', 'workspace-write'), 'workspace-write'],
    ['gemini-cli', modes('yolo', 'yolo', 'default'), 'default'],
  ])('%s: its asking mode is set before the prompt', async (program, offered, mode) => {
    const { host, c, written } = await window({ cody: agent(program, { modes: offered }) });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'turn')[0], outline(c).join('\n')).toMatchObject({ end: { how: 'done' } });
    const methods = written.cody!.received().map((f) => f.method);
    expect(methods.indexOf('session/set_mode')).toBeLessThan(methods.indexOf('session/prompt'));
    expect(written.cody!.received('session/set_mode')).toMatchObject([{ params: { modeId: mode } }]);
  });

  it.each([
    ['pi-acp', { modes: modes('high', 'low', 'high') }],
    ['claude-agent-acp', { modes: modes('auto', 'auto', 'bypassPermissions') }],
  ])('%s never asks and has no such mode: it gets no prompt, and the turn says why', async (program, answer) => {
    const { host, c, written } = await window({ cody: agent(program, answer) });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'turn')[0]!.end).toMatchObject({
      how: 'failed',
      title: expect.stringContaining('cody cannot be the agent that you talk to'),
      detail: expect.stringContaining('/ask-cody'),
    });
    expect(written.cody!.received('session/prompt')).toEqual([]);
  });

  it('a mode that it does not take: no prompt goes out', async () => {
    const scenario = agent('gemini-cli', { modes: modes('yolo', 'yolo', 'default') });
    scenario.on!['session/set_mode'] = [{ error: { code: -32603, message: 'no such mode' } }];
    const { host, c, written } = await window({ cody: scenario });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'turn')[0]!.end).toMatchObject({ how: 'failed', title: expect.stringContaining('no such mode') });
    expect(written.cody!.received('session/prompt')).toEqual([]);
  });
});

describe('ends', () => {
  it('Stop while pairs are handed over: the turn ends at once, the child lives, and the pair goes with the next prompt', async () => {
    const { host, c, written } = await window({
      cody: {
        on: {
          initialize: [
            {
              answer: {
                protocolVersion: 1,
                agentInfo: { name: 'cody', version: '1' },
                agentCapabilities: { _meta: { mm: { exchange: true } } },
              },
            },
          ],
          '_mm/exchange': [[{ noAnswer: true }], [{ answer: {} }]],
          'session/prompt': [{ text: 'fine' }],
        },
      },
    });
    c.setHome('cody');
    c.send('/ask-bob say: first');
    await idle(host, c);
    c.send('and?');
    await until(host, c, () => c.state().busy && !c.state().starting);
    await expect.poll(() => written.cody!.received('_mm/exchange').length, { timeout: 10_000 }).toBe(1);
    const started = performance.now();
    c.stop();
    await idle(host, c);
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(nodes(c, 'turn')[0]).toMatchObject({ end: { how: 'stopped' } });
    expect(host.pool.statuses().find((s) => s.name === 'cody')).toMatchObject({ state: 'ready' });
    expect(written.cody!.received('session/prompt')).toEqual([]);
    c.send('and now?');
    await idle(host, c);
    expect(nodes(c, 'turn')[1]).toMatchObject({ end: { how: 'done' } });
    const sent = written.cody!.received('_mm/exchange').map((f) => f.params);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each<[string, Step[]]>([
    [
      'F051 an agent that ignores Stop and keeps streaming',
      [{ repeat: 10_000, steps: [{ text: 'on ' }, { delay: 5 }] }],
    ],
    ['F067 an agent that never answers the prompt', [{ text: 'on ' }, { noAnswer: true }]],
  ])('%s: the turn ends, its child too, and the next prompt is answered', async (_, steps) => {
    const { host, c } = await window(
      {
        cody: {
          ignoreTerm: true,
          on: {
            'session/cancel': [],
            'session/prompt': [{ byPrompt: { go: steps, '*': [{ text: 'yes: $PROMPT' }] } }],
          },
        },
      },
      { stopGrace: 200 },
    );
    c.setHome('cody');
    c.send('go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    const { pid } = host.pool.statuses()[0]!;
    c.stop();
    await idle(host, c);
    const [first] = nodes(c, 'turn');
    expect(first).toMatchObject({ end: { how: 'stopped' } });
    expect(() => process.kill(pid!, 0)).toThrow();
    expect(nodes(c, 'notice')).toMatchObject([{ title: 'cody does not remember what stands above' }]);
    const before = wordsOf(c, first!.id);
    c.send('still there?');
    await idle(host, c);
    const [, second] = nodes(c, 'turn');
    expect(second, outline(c).join('\n')).toMatchObject({ end: { how: 'done' } });
    expect(wordsOf(c, second!.id)).toBe('yes: still there?');
    expect(wordsOf(c, first!.id)).toBe(before);
  });

  it('F051 “Force stop” does not wait for the end of its turn', async () => {
    const { host, c } = await window(
      { cody: { on: { 'session/cancel': [], 'session/prompt': [[{ text: 'I go on' }, { hang: true }]] } } },
      { stopGrace: 60_000 },
    );
    c.setHome('cody');
    c.send('go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    const [turn] = nodes(c, 'turn');
    expect(c.act(turn!.id, 'force-stop')).toBe(true);
    c.stop();
    await until(host, c, () => nodes(c, 'turn')[0]!.stoppedAt !== undefined);
    expect(c.state().busy, 'forced before it was stopped').toBe(true);
    c.act(turn!.id, 'force-stop');
    await idle(host, c);
    const [ended] = nodes(c, 'turn');
    expect(ended).toMatchObject({ end: { how: 'stopped' } });
    expect(ended!.stoppedAt).toBeUndefined();
    expect(host.pool.statuses()).toEqual([]);
  });

  it('F051 an asked agent too: the ask ends, and its process with it', async () => {
    const { host, c } = await window(
      { cody: { on: { 'session/cancel': [], 'session/prompt': [[{ text: 'I go on' }, { hang: true }]] } } },
      { stopGrace: 60_000 },
    );
    c.send('/ask-cody go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    const [ask] = nodes(c, 'ask');
    c.stopAsk(ask!.id);
    await until(host, c, () => nodes(c, 'ask')[0]!.stoppedAt !== undefined);
    c.act(ask!.id, 'force-stop');
    await idle(host, c);
    expect(nodes(c, 'ask')[0]).toMatchObject({ end: { how: 'stopped' } });
    expect(host.pool.statuses()).toEqual([]);
  });

  it('F006 a start shows when it is given up, and “Wait longer” puts that off; Stop ends it', async () => {
    const silent: Scenario = { on: { initialize: [{ hang: true }] } };
    const { host, c } = await window({ cody: silent, dana: silent });
    c.setHome('cody');
    c.send('go');
    await until(host, c, () => nodes(c, 'turn')[0]?.until !== undefined);
    const [turn] = nodes(c, 'turn');
    expect(turn).toMatchObject({ state: 'starting' });
    expect(turn!.until! - turn!.at).toBeGreaterThan(29_000);
    expect(turn!.until! - turn!.at).toBeLessThan(35_000);
    // within the same millisecond its whole time again is the same time
    await delay(5);
    c.act(turn!.id, 'wait');
    await until(host, c, () => nodes(c, 'turn')[0]!.until! > turn!.until!);
    c.send('/ask-dana hello?');
    await until(host, c, () => nodes(c, 'ask')[0]?.until !== undefined);
    const [ask] = nodes(c, 'ask');
    await delay(5);
    c.act(ask!.id, 'wait');
    await until(host, c, () => nodes(c, 'ask')[0]!.until! > ask!.until!);
    c.stopAsk(ask!.id);
    c.stop();
    await idle(host, c);
    expect(nodes(c, 'turn')[0]).toMatchObject({ state: 'done', end: { how: 'stopped' } });
    expect(nodes(c, 'turn')[0]!.until).toBeUndefined();
    expect(nodes(c, 'ask')[0]).toMatchObject({ state: 'done', end: { how: 'stopped' } });
  });

  it('F026 words after Stop are marked and never in the next turn', async () => {
    const { host, c } = await window({
      cody: {
        on: {
          'session/prompt': [
            [
              { text: 'before' },
              { waitFor: 'session/cancel' },
              { repeat: 20, steps: [{ text: 'late ' }] },
              // in one write: what is read after the next prompt went out could as well be its answer
              {
                together: [
                  { jsonrpc: '2.0', id: '$ID', result: { stopReason: 'cancelled' } },
                  textFrame('$SID', 'after the end'),
                ],
              },
              { noAnswer: true },
            ],
            [{ text: 'next' }],
          ],
        },
      },
    });
    c.setHome('cody');
    c.send('go');
    await until(host, c, () => nodes(c, 'text').length === 1);
    c.stop();
    await idle(host, c);
    c.send('next');
    await idle(host, c);
    expect(nodes(c, 'text').map((t) => [t.text, t.afterStop ?? false])).toEqual([
      ['before', false],
      ['late '.repeat(20), true],
      ['next', false],
    ]);
  });

  it.each([
    ['end_turn', 'empty'],
    ['refusal', 'refusal'],
    ['max_tokens', 'max_tokens'],
    ['max_turn_requests', 'max_turn_requests'],
    ['cancelled', 'stopped'],
  ])('F056 F066 a turn without a word that ends with %s says why', async (stopReason, how) => {
    const { host, c } = await window({ cody: { on: { 'session/prompt': [{ answer: { stopReason } }] } } });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'turn')[0]).toMatchObject({ state: 'done', end: { how } });
  });

  it('F020 F022 an unknown update is one row; an error that is no text is put in words', async () => {
    const { host, c } = await window({
      cody: {
        on: {
          'session/prompt': [
            [{ update: { sessionUpdate: 'brand_new', x: 1 } }, { text: 'ok' }],
            [{ error: { code: -32000, message: { message: 'no quota' } } }],
          ],
        },
      },
    });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'unsupported')).toMatchObject([{ label: 'brand_new' }]);
    expect(nodes(c, 'turn')[0]!.end).toEqual({ how: 'done' });
    c.send('again');
    await idle(host, c);
    expect(nodes(c, 'turn')[1]!.end).toMatchObject({ how: 'failed', title: expect.stringContaining('no quota') });
  });

  it('a program that is not there: the turn says which, and a later one works when it is', async () => {
    place = new Place({
      'mm.yaml': 'acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  ghost: {command: mm-no-such-program}\n',
    });
    const host = await place.host();
    const c = await host.latest();
    c.setHome('ghost');
    c.send('boo');
    await idle(host, c);
    expect(nodes(c, 'turn')[0]!.end, outline(c).join('\n')).toMatchObject({
      how: expect.stringMatching(/died|failed/),
      title: expect.stringContaining('mm-no-such-program'),
    });
    expect(nodes(c, 'notice')).toEqual([]);
  });

  it('F035 F036 a call that was never announced and never ended', async () => {
    const { host, c } = await window({
      cody: {
        on: {
          'session/prompt': [
            {
              update: {
                sessionUpdate: 'tool_call_update',
                toolCallId: 'u',
                title: 'ls',
                kind: 'execute',
                status: 'in_progress',
              },
            },
            { text: 'done' },
          ],
        },
      },
    });
    c.setHome('cody');
    c.send('go');
    await idle(host, c);
    expect(nodes(c, 'tool')).toMatchObject([{ name: 'bash', what: 'ls', state: 'no-result' }]);
  });
});

describe('asks of agents that are not mm', () => {
  it('F041 F042 F048 three calls at once: asked one after the other, and allowing one for the conversation settles its like', async () => {
    const { host, c } = await window({
      cody: {
        on: {
          'session/prompt': [
            {
              permission: {
                toolCall: { toolCallId: 'a', title: 'ls a', kind: 'execute', rawInput: { command: 'ls a' } },
              },
              wait: false,
            },
            {
              permission: {
                toolCall: { toolCallId: 'b', title: 'ls b', kind: 'execute', rawInput: { command: 'ls b' } },
              },
              wait: false,
            },
            {
              permission: { toolCall: { toolCallId: 'c', title: 'get', kind: 'fetch', rawInput: { url: 'http://x' } } },
            },
            { text: 'all answered' },
          ],
        },
      },
    });
    c.send('/ask-cody go');
    await until(host, c, () => host.queue.size === 3);
    await until(host, c, () => nodes(c, 'permission').find((p) => p.more === 2));
    expect(c.state().waiting).toBe(3);
    host.queue.answer(host.queue.current!.id, 'allow_conversation');
    await until(host, c, () => host.queue.size === 1);
    expect(host.queue.current!.shown.name).toBe('cody/fetch');
    host.queue.answer(host.queue.current!.id, 'reject');
    await idle(host, c);
    expect(nodes(c, 'permission').map((p) => p.state)).toEqual([
      'allowed-conversation',
      'allowed-conversation',
      'rejected',
    ]);
    expect(nodes(c, 'ask')[0], outline(c).join('\n')).toMatchObject({ end: { how: 'done' } });
  });

  it('F044 the agent ends its turn while the question waits: withdrawn, and a late answer changes nothing', async () => {
    const { host, c } = await window({
      cody: {
        on: {
          'session/prompt': [
            {
              permission: { toolCall: { toolCallId: 'a', title: 'ls', kind: 'execute', rawInput: { command: 'ls' } } },
              wait: false,
            },
            { text: 'never mind' },
          ],
        },
      },
    });
    let asked = '';
    host.queue.onDidChange(() => {
      asked = host.queue.current?.id ?? asked;
    });
    c.send('/ask-cody go');
    await idle(host, c);
    expect(asked).not.toBe('');
    expect(host.queue.answer(asked, 'allow_once')).toBe(false);
    expect(nodes(c, 'permission')).toMatchObject([{ state: 'withdrawn' }]);
    expect(nodes(c, 'tool')).toMatchObject([{ state: 'no-result' }]);
  });
});
