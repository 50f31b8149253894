import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalTarget } from '../../src/ask/local';
import { Relay } from '../../src/ask/relay';
import type { AskEvent, AskRequest } from '../../src/ask/types';
import { describe as inWords } from '../../src/base/errors';
import { silentLog } from '../../src/base/log';
import { ChildPool } from '../../src/children/pool';
import type { AgentEntry, MmConfig } from '../../src/config/types';
import { type Scenario, scriptedAgentPath, type WrittenScenario, writeScenario } from '../support/scenario';
import { checkFrame } from '../support/schema';
import { answerOf, collect, config, FakeAsker, request } from '../unit/ask/support';

/** The relay over real children: scripted agents, one process each. */
let pool: ChildPool;
let scenarios: WrittenScenario[];
const files = new Map<string, MmConfig>();

beforeEach(() => {
  scenarios = [];
  files.clear();
});

afterEach(async () => {
  await pool.end();
  // Whatever we sent in any of these stories is what the protocol says.
  for (const scenario of scenarios) {
    for (const frame of scenario.received()) checkFrame('client', frame);
    scenario.dispose();
  }
});

function scripted(scenario: Scenario): WrittenScenario {
  const written = writeScenario(scenario);
  scenarios.push(written);
  return written;
}

/** As an agent with a command line of its own. */
function byCommand(scenario: Scenario, o: Partial<AgentEntry> = {}): AgentEntry {
  const { command, args } = scripted(scenario);
  return { kind: 'command', command, args, env: {}, ...o } as AgentEntry;
}

/** As an agent with a file; the program that we start for it reads the scenario in it. */
function byFile(scenario: Scenario, o: Partial<AgentEntry> = {}): AgentEntry {
  return { kind: 'path', path: scripted(scenario).file, env: {}, ...o } as AgentEntry;
}

interface Options {
  hub?: boolean;
  parentEnv?: NodeJS.ProcessEnv;
  cancelGrace?: number;
  initializeDeadline?: number;
  sessionDeadline?: number;
}

function relay(o: Options = {}): Relay {
  const hub = o.hub ?? false;
  const { initializeDeadline, sessionDeadline } = o;
  pool = new ChildPool({ log: silentLog, hub, clientInfo: { name: 'mm', version: '0' }, initializeDeadline });
  const target = new LocalTarget({
    pool,
    self: { command: process.execPath, args: [scriptedAgentPath], electron: false },
    parentEnv: o.parentEnv ?? process.env,
    log: silentLog,
    sessionDeadline,
  });
  return new Relay({
    targets: [target],
    log: silentLog,
    hub,
    cancelGrace: o.cancelGrace ?? 3_000,
    loadConfigOf: async (entry) => files.get(entry.path)!,
  });
}

function of(agents: Record<string, AgentEntry>, o: Partial<AskRequest> = {}): AskRequest {
  return request({ config: config(agents), cwd: process.cwd(), ...o });
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('it did not happen in 20 s');
    await delay(10);
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const say = (text: string): Scenario => ({ on: { 'session/prompt': [{ text }] } });

describe('an ask over a real child', () => {
  it('carries the question and the answer', async () => {
    const bob = byCommand({
      on: {
        'session/prompt': [
          { thought: 'hm' },
          { text: 'You said: ' },
          { text: '$PROMPT in $CWD' },
          { answer: { stopReason: 'end_turn', usage: { totalTokens: 9, inputTokens: 5, outputTokens: 4 } } },
        ],
      },
    });
    const { events, error } = await collect(relay().ask(of({ bob })));
    expect(error).toBeUndefined();
    expect(answerOf(events)).toMatchObject({
      text: `You said: is this safe? in ${process.cwd()}`,
      title: 'Scripted',
      stopReason: 'end_turn',
      usage: { totalTokens: 9, inputTokens: 5, outputTokens: 4 },
    });
  });

  it('rule 1: a child is started once, shared by asks at the same time, and by later ones', async () => {
    const bob = byCommand({
      on: { 'session/prompt': [{ waitFor: 'session/prompt', count: 2 }, { text: '$PID $SID' }] },
    });
    const carrier = relay();
    const both = await Promise.all([collect(carrier.ask(of({ bob }))), collect(carrier.ask(of({ bob })))]);
    const third = await collect(carrier.ask(of({ robert: bob }, { agent: 'robert' })));
    const said = [...both, third].map(({ events }) => answerOf(events).text.split(' '));
    expect(new Set(said.map(([pid]) => pid)).size).toBe(1);
    expect(new Set(said.map(([, session]) => session)).size).toBe(3);
    expect(pool.statuses()).toHaveLength(1);
  });

  it('rule 1: a child that died is replaced on the next ask, and the words say how it ended (F004)', async () => {
    const bob = byCommand({
      on: {
        'session/prompt': [{ text: 'half' }, { stderr: 'out of luck\n' }, { exit: 7 }],
      },
    });
    const carrier = relay();
    const first = await collect(carrier.ask(of({ bob })));
    expect(first.error).toMatchObject({
      failure: 'died',
      exitCode: 1,
      message: 'bob ended with exit code 7',
      came: { text: 'half' },
    });
    expect(first.error?.detail).toContain('out of luck');
    const second = await collect(carrier.ask(of({ bob })));
    expect(second.error?.failure).toBe('died');
    expect(scenarios[0]!.received('initialize')).toHaveLength(2);
  });

  it('rule 1: a warm child that is killed in the very moment of an ask is replaced before anything is lost', async () => {
    const bob = byCommand({ on: { 'session/prompt': [{ text: '$PID' }] } });
    const carrier = relay();
    const first = answerOf((await collect(carrier.ask(of({ bob })))).events).text;
    process.kill(Number(first), 'SIGKILL');
    const second = await collect(carrier.ask(of({ bob })));
    expect(second.error).toBeUndefined();
    expect(answerOf(second.events).text).not.toBe(first);
  });

  it('a child that is killed in mid-answer', async () => {
    const bob = byCommand({ on: { 'session/prompt': [{ text: '$PID' }, { hang: true }] } });
    const { error } = await collect(
      (async function* () {
        for await (const event of relay().ask(of({ bob }))) {
          yield event;
          if (event.type === 'update') process.kill(pool.statuses()[0]!.pid!, 'SIGKILL');
        }
      })(),
    );
    expect(error).toMatchObject({ failure: 'died', message: 'bob was ended by signal SIGKILL' });
  });

  it('a program that is not there cannot be started', async () => {
    const bob: AgentEntry = { kind: 'command', command: '/no/such/program', args: [], env: {} };
    const { error } = await collect(relay().ask(of({ bob })));
    expect(error).toMatchObject({ failure: 'start', exitCode: 1 });
    expect(error?.message).toContain('/no/such/program');
  });

  it('rule 2 and 9: a new session with folder, depth and chain', async () => {
    const bob = byCommand({ on: { 'session/prompt': [{ text: 'x' }] } });
    await collect(relay().ask(of({ bob })));
    const [frame] = scenarios[0]!.received('session/new');
    expect(frame.params.cwd).toBe(process.cwd());
    expect(frame.params._meta.mm.askDepth).toBe(1);
    expect(frame.params._meta.mm.chain.map((l: { name: string }) => l.name)).toEqual(['Ada', 'bob']);
  });

  it('rule 3: nothing meant for the parent reaches the child', async () => {
    const bob = byCommand(
      { on: { 'session/prompt': [{ text: '$KEYS|$ENV{AGENT_YOLO}|$ENV{MM_ASK_DEPTH}|$ENV{OWN}' }] } },
      { env: { OWN: 'yes' } },
    );
    const parentEnv = { ...process.env, AGENT_MODEL: 'x', AGENT_API_KEY: 'k', MM_SECRET_A: 's', VSCODE_PID: '1' };
    const { events } = await collect(relay({ parentEnv }).ask(of({ bob })));
    const [keys, yolo, depth, own] = answerOf(events).text.split('|');
    expect(keys).not.toMatch(/AGENT_MODEL|AGENT_API_KEY|MM_SECRET|VSCODE_/);
    expect([yolo, depth, own]).toEqual(['false', '1', 'yes']);
  });

  it.each([
    ['allow_once', 'allow'],
    ['reject', 'reject'],
  ] as const)('rule 4: the person says %s, the agent hears %s', async (answer, optionId) => {
    const bob = byCommand({
      on: { 'session/prompt': [{ permission: {} }, { text: '$ANSWER{result.outcome.optionId}' }] },
    });
    const permissions = new FakeAsker([answer]);
    const { events } = await collect(relay().ask(of({ bob }, { permissions })));
    expect(permissions.asked[0]?.name).toBe('bob/bash');
    expect(answerOf(events).text).toBe(optionId);
  });

  it('rule 4: an agent that starts in a mode in which a model decides is set to ask', async () => {
    const bob = byCommand({
      on: {
        initialize: [
          {
            answer: { protocolVersion: 1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '1' } },
          },
        ],
        'session/new': [
          {
            answer: {
              sessionId: 's',
              modes: {
                currentModeId: 'auto',
                availableModes: [
                  { id: 'default', name: 'Manual' },
                  { id: 'auto', name: 'Auto' },
                ],
              },
            },
          },
        ],
        'session/prompt': [{ text: 'x' }],
      },
    });
    await collect(relay().ask(of({ bob })));
    const methods = scenarios[0]!.received().map((f) => f.method);
    expect(methods.indexOf('session/set_mode')).toBeLessThan(methods.indexOf('session/prompt'));
    expect(scenarios[0]!.received('session/set_mode')[0].params.modeId).toBe('default');
  });

  it('rule 4: an agent that never asks is refused before its prompt; its banner is no part of an answer', async () => {
    const pi: Scenario = {
      sessionIds: ['s', 's2'],
      on: {
        initialize: [{ answer: { protocolVersion: 1, agentInfo: { name: 'pi-acp', version: '1' } } }],
        'session/new': [{ text: 'banner ' }],
        'session/prompt': [{ text: 'answer' }],
      },
    };
    const refused = byCommand(pi);
    const carrier = relay();
    const { error } = await collect(carrier.ask(of({ pi: refused }, { agent: 'pi' })));
    expect(error).toMatchObject({ failure: 'refused', exitCode: 3 });
    expect(scenarios[0]!.received('session/prompt')).toHaveLength(0);
    const { events } = await collect(carrier.ask(of({ pi: { ...refused, yolo: true } }, { agent: 'pi' })));
    expect(answerOf(events).text).toBe('answer');
  });

  it('rule 5: fs and terminal are refused each time, and the connection lives on', async () => {
    const call = (method: string) => ({
      request: { method, params: { sessionId: '$SID', path: '/etc/passwd', command: 'ls' } },
    });
    const bob = byCommand({
      on: {
        'session/prompt': [
          call('fs/read_text_file'),
          { text: '$ANSWER{error.code} ' },
          call('terminal/create'),
          { text: '$ANSWER{error.code}' },
        ],
      },
    });
    const { events } = await collect(relay().ask(of({ bob })));
    expect(answerOf(events).text).toBe('-32601 -32601');
  });

  it('an agent’s error stands in words, and a sign-in is told as such (F022, F058)', async () => {
    const carrier = relay();
    const broken = byCommand({ on: { 'session/prompt': [{ error: { code: -32603, message: 'model unreachable' } }] } });
    const locked = byCommand({
      on: { 'session/new': [{ error: { code: -32000, message: 'Authentication required' } }] },
    });
    const first = await collect(carrier.ask(of({ bob: broken })));
    expect(first.error).toMatchObject({
      failure: 'agent-error',
      message: 'bob answered with an error: model unreachable',
    });
    const second = await collect(carrier.ask(of({ bob: locked })));
    expect(second.error?.failure).toBe('start');
    expect(second.error?.hint).toMatch(/sign in/);
  });

  it('F064 an agent’s error may quote a key of its entry; it is not shown', async () => {
    const says = { error: { code: -32603, message: 'no such key: hunter2secret', data: { key: 'hunter2secret' } } };
    const bob = byCommand({ on: { 'session/prompt': [says] } }, { env: { BOB_API_KEY: 'hunter2secret' } });
    const { error } = await collect(relay().ask(of({ bob })));
    expect(error?.message).toBe('bob answered with an error: no such key: ***');
    expect(inWords(error)).not.toContain('hunter2');
  });

  it('F025 every word is there before the end, however fast', async () => {
    const bob = byCommand({
      on: { 'session/prompt': [{ repeat: 500, steps: [{ text: '$I ' }] }] },
    });
    const { events } = await collect(relay().ask(of({ bob })));
    expect(answerOf(events).text.trim().split(' ')).toEqual(Array.from({ length: 500 }, (_, i) => String(i)));
  });

  it('rule 12: cancel ends the turn; the child and its pool entry survive', async () => {
    const bob = byCommand({
      on: {
        'session/prompt': [[{ text: 'working' }, { waitFor: 'session/cancel' }, { text: ' late' }], [{ text: '$PID' }]],
      },
    });
    const carrier = relay();
    const stop = new AbortController();
    const events: AskEvent[] = [];
    await expect(async () => {
      for await (const event of carrier.ask(of({ bob }, { signal: stop.signal }))) {
        events.push(event);
        if (event.type === 'update') stop.abort();
      }
    }).rejects.toMatchObject({ failure: 'cancelled', exitCode: 130, came: { text: 'working' } });
    const [status] = pool.statuses();
    const again = await collect(carrier.ask(of({ bob })));
    expect(answerOf(again.events).text).toBe(String(status!.pid));
    const cancels = scenarios[0]!.received('session/cancel');
    expect(cancels).toHaveLength(1);
    expect(cancels[0]).not.toHaveProperty('id');
  });

  it('rule 12: a question that waits is answered cancelled before session/cancel (F043)', async () => {
    const bob = byCommand({ on: { 'session/prompt': [{ permission: {} }, { waitFor: 'session/cancel' }] } });
    const stop = new AbortController();
    const { error } = await collect(
      (async function* () {
        for await (const event of relay().ask(of({ bob }, { signal: stop.signal }))) {
          yield event;
          if (event.type === 'permission' && event.state === 'waiting') stop.abort();
        }
      })(),
    );
    expect(error?.failure).toBe('cancelled');
    await until(() => scenarios[0]!.received('session/cancel').length > 0);
    const frames = scenarios[0]!.received();
    const answer = frames.findIndex((f) => f.result?.outcome?.outcome === 'cancelled');
    expect(answer).toBeGreaterThan(0);
    expect(answer).toBeLessThan(frames.findIndex((f) => f.method === 'session/cancel'));
  });

  it('F051 an agent that ignores cancel does not hold the ask; the next one is served', async () => {
    const bob = byCommand({ on: { 'session/cancel': [], 'session/prompt': [{ text: '$PID' }, { delay: 1_000 }] } });
    const carrier = relay({ cancelGrace: 100 });
    const stop = new AbortController();
    let first: number | undefined;
    await expect(async () => {
      for await (const event of carrier.ask(of({ bob }, { signal: stop.signal }))) {
        if (event.type !== 'update') continue;
        first = pool.statuses()[0]!.pid;
        stop.abort();
      }
    }).rejects.toMatchObject({ failure: 'cancelled' });
    // nobody else used its process
    await until(() => !alive(first!));
    expect(answerOf((await collect(carrier.ask(of({ bob })))).events).text).not.toBe(`${first}`);
  });

  it('F051 forced, it ends at once; what else it did ends with it, in words', async () => {
    const bob = byCommand({
      on: { 'session/cancel': [], 'session/prompt': [{ text: 'x' }, { hang: true }] },
    });
    const carrier = relay({ cancelGrace: 60_000 });
    const stop = new AbortController();
    const other = collect(carrier.ask(of({ bob }, { id: 'other' })));
    await until(() => scenarios[0]!.received('session/prompt').length === 1);
    const pid = pool.statuses()[0]!.pid!;
    const forced = async () => {
      for await (const event of carrier.ask(of({ bob }, { id: 'mine', signal: stop.signal }))) {
        if (event.type !== 'update') continue;
        carrier.force('mine');
        stop.abort();
        await until(() => scenarios[0]!.received('session/cancel').length > 0);
        expect(alive(pid), 'forced before it was stopped').toBe(true);
        carrier.force('mine');
      }
    };
    await expect(forced).rejects.toMatchObject({ failure: 'cancelled' });
    expect((await other).error).toMatchObject({ failure: 'died', message: 'bob was restarted' });
    expect(alive(pid)).toBe(false);
  });

  it('F006 a start that takes long: its limit is told, “Wait” puts it off, and it is given up at its end', async () => {
    const start = { initialize: [{ delay: 700 }], 'session/new': [{ delay: 700 }], 'session/prompt': [{ text: 'up' }] };
    const bob = byCommand({ on: start });
    const limits = (events: AskEvent[]) =>
      events.flatMap((e) => (e.type === 'starting' && e.until !== undefined ? [e.until] : []));
    const impatient = await collect(relay({ initializeDeadline: 400 }).ask(of({ bob })));
    expect(impatient.error).toMatchObject({ failure: 'start' });
    expect(impatient.error?.message).toMatch(/within 0\.4/);
    expect(limits(impatient.events)).toHaveLength(1);

    const carrier = relay({ initializeDeadline: 500, sessionDeadline: 500 });
    const events: AskEvent[] = [];
    for await (const event of carrier.ask(of({ bob }, { id: 'a' }))) {
      events.push(event);
      if (event.type === 'starting' && event.until !== undefined && event.until - Date.now() < 499) carrier.wait('a');
      else if (event.type === 'starting') setTimeout(() => carrier.wait('a'), 300);
    }
    expect(answerOf(events).text).toBe('up');
    expect(limits(events).length).toBeGreaterThanOrEqual(4);
  });

  it('cancelled while the child is being started', async () => {
    const bob = byCommand({ on: { initialize: [{ hang: true }] } });
    const stop = new AbortController();
    await expect(async () => {
      for await (const event of relay().ask(of({ bob }, { signal: stop.signal }))) {
        if (event.type === 'starting') setTimeout(() => stop.abort(), 50);
      }
    }).rejects.toMatchObject({ failure: 'cancelled' });
  });
});

describe('a hub over real children', () => {
  it('is none for a program that has no mm.yaml here', async () => {
    const bob = byCommand(say('x'));
    await collect(relay({ hub: true }).ask(of({ bob })));
    expect(scenarios[0]!.received('initialize')[0].params.clientCapabilities._meta?.mm?.ask).not.toBe(true);
  });

  const ask = (agent: string) => ({
    request: { method: '_mm/ask', params: { sessionId: '$SID', toolCallId: 't1', agent, prompt: 'and you?' } },
  });

  it('carries what bob asks, by bob’s own file, and nests the events', async () => {
    const riker = byFile(say('I am riker, asked: $PROMPT'));
    const bob = byFile({
      on: { 'session/prompt': [ask('riker'), { text: '$ANSWER{result.agent}: $ANSWER{result.text}' }] },
    });
    files.set((bob as { path: string }).path, config({ riker }));
    const permissions = new FakeAsker(['allow_once']);
    const { events } = await collect(relay({ hub: true }).ask(of({ bob }, { permissions })));
    expect(answerOf(events).text).toBe('riker: I am riker, asked: and you?');
    expect(permissions.asked.map((q) => q.name)).toEqual(['bob/ask_agent']);
    expect(events.some((e) => e.type === 'nested' && e.event.type === 'end')).toBe(true);
    const initialize = scenarios[1]!.received('initialize')[0];
    expect(initialize.params.clientCapabilities._meta.mm.ask).toBe(true);
    const opened = scenarios[0]!.received('session/new')[0];
    expect(opened.params._meta.mm).toMatchObject({ askDepth: 2 });
  });

  it('rule 9: a refusal reaches bob as a text that his model can use', async () => {
    const bob = byFile({
      on: { 'session/prompt': [ask('me'), { text: '$ANSWER{error.data.failure}: $ANSWER{error.message}' }] },
    });
    files.set((bob as { path: string }).path, config({ me: bob }));
    const { events } = await collect(relay({ hub: true }).ask(of({ bob }, { liveYolo: () => true })));
    expect(answerOf(events).text).toMatch(/^cycle: me was not asked: it is the same agent as bob/);
    expect(pool.statuses()).toHaveLength(1);
  });

  it('F054 a cancel of bob’s ask cancels riker', async () => {
    const riker = byFile({ on: { 'session/prompt': [{ text: 'x' }, { waitFor: 'session/cancel' }] } });
    const bob = byFile({ on: { 'session/prompt': [ask('riker'), { waitFor: 'session/cancel' }] } });
    files.set((bob as { path: string }).path, config({ riker }));
    const stop = new AbortController();
    await expect(async () => {
      const events = relay({ hub: true }).ask(of({ bob }, { signal: stop.signal, liveYolo: () => true }));
      for await (const event of events) if (event.type === 'nested' && event.event.type === 'update') stop.abort();
    }).rejects.toMatchObject({ failure: 'cancelled' });
    await until(() => scenarios[0]!.received('session/cancel').length === 1);
    expect(pool.statuses().every((s) => s.state === 'ready')).toBe(true);
  });
});
