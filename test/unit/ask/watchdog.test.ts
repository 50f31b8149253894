import { describe, expect, it, vi } from 'vitest';
import type { AnyUpdate } from '../../../src/acp/types';
import type { AskEvent, PermissionAnswer } from '../../../src/ask/types';
import { type Ticker, Watchdog } from '../../../src/ask/watchdog';
import { bashCall, collect, config, entry, FakeAsker, FakeTarget, type Play, relayOf, request, text } from './support';

/** Rule 11, by a clock that the tests turn. */

class FakeClock {
  readonly #timers = new Set<{ ms: number; at: number; tick: () => void }>();
  #now = 0;

  readonly every: Ticker = (ms, tick) => {
    const timer = { ms, at: this.#now + ms, tick };
    this.#timers.add(timer);
    return { dispose: () => this.#timers.delete(timer) };
  };

  get running(): number {
    return this.#timers.size;
  }

  /** Waits until so many watchdogs count, or more by now. */
  async watched(asks = 1): Promise<void> {
    await vi.waitFor(() => expect(this.running).toBeGreaterThanOrEqual(asks), { interval: 1 });
    await settle();
  }

  /** Lets that many seconds pass; between two ticks everything that waits for nothing else happens. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds * 1000;
    for (;;) {
      await settle();
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#now = next.at;
      next.at += next.ms;
      next.tick();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets all that is ready happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A turn that waits until the test says so. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const call = (o: Record<string, unknown>): AnyUpdate =>
  ({ sessionUpdate: 'tool_call', toolCallId: 'c1', title: 't', ...o }) as unknown as AnyUpdate;
const update = (o: Record<string, unknown>): AnyUpdate =>
  ({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', ...o }) as unknown as AnyUpdate;

async function start(play: Play, o: { seconds?: number; asker?: FakeAsker; more?: Record<string, Play> } = {}) {
  const clock = new FakeClock();
  const target = new FakeTarget({ bob: play, ...o.more });
  const relay = relayOf(target, {
    hub: true,
    every: clock.every,
    cancelGrace: 50,
    loadConfigOf: async () => config({ riker: entry('riker') }, { watchdogTimeout: 100 }),
  });
  const events: AskEvent[] = [];
  const settings = config({ bob: entry('bob') }, { watchdogTimeout: o.seconds ?? 300 });
  let over = false;
  const ended = collect(tap(relay.ask(request({ config: settings, permissions: o.asker ?? new FakeAsker() })), events));
  void ended.then(() => {
    over = true;
  });
  await clock.watched();
  return { clock, target, events, ended, over: () => over };
}

async function* tap(events: AsyncIterable<AskEvent>, into: AskEvent[]): AsyncGenerator<AskEvent> {
  for await (const event of events) {
    into.push(event);
    yield event;
  }
}

/** An agent that does something and then hangs until it is cancelled. */
const hangs =
  (first: Play = async () => undefined): Play =>
  async (turn) => {
    await first(turn);
    await turn.stopped;
    return 'cancelled';
  };

describe('rule 11: silence', () => {
  it('ends an ask as a cancel does, with 124, words for both, and what came', async () => {
    const t = await start(
      hangs(async ({ say }) => {
        await say('so far');
        return undefined;
      }),
    );
    await t.clock.pass(299);
    expect(t.over()).toBe(false);
    await t.clock.pass(17);
    const { error } = await t.ended;
    expect(error).toMatchObject({ failure: 'watchdog', exitCode: 124, came: { text: 'so far' } });
    expect(error!.message).toBe('bob has said nothing for 300 s, so the ask was ended.');
    expect(error!.hint).toContain('`watchdogTimeout` in /agents/home.yaml');
    expect(error!.forModel).toContain('There is no answer');
    // the child's session was cancelled, and lives on
    expect(t.target.opened[0]!.signal.aborted).toBe(true);
    expect(t.target.closed).toBe(1);
    expect(t.clock.running).toBe(0);
  });

  it('an agent that ignores the cancel is left to the stop path', async () => {
    const t = await start(() => new Promise(() => undefined), { seconds: 10 });
    await t.clock.pass(11);
    expect((await t.ended).error).toMatchObject({ failure: 'watchdog' });
  });

  it('an agent that still answers in its grace has not answered in time', async () => {
    const t = await start(
      async ({ stopped, say }) => {
        await stopped;
        await say('late');
        return 'end_turn';
      },
      { seconds: 10 },
    );
    await t.clock.pass(11);
    const { error } = await t.ended;
    expect(error).toMatchObject({ failure: 'watchdog' });
    expect(error!.came).toBeUndefined();
  });

  it.each<[string, AnyUpdate]>([
    ['text', text('x')],
    ['a thought', { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'x' } }],
    ['a tool call', call({ kind: 'fetch', status: 'in_progress' })],
    ['output of a call', update({ kind: 'fetch', content: [] })],
    ['a kind that nobody knows', { sessionUpdate: 'x_news' } as unknown as AnyUpdate],
  ])('%s is a sign of life', async (_, sign) => {
    let turn: Parameters<Play>[0];
    const t = await start(
      hangs(async (own) => {
        turn = own;
        return undefined;
      }),
    );
    for (let i = 0; i < 5; i++) {
      await t.clock.pass(250);
      await turn!.update(sign);
    }
    expect(t.over()).toBe(false);
    await t.clock.pass(320);
    expect((await t.ended).error).toMatchObject({ failure: 'watchdog' });
  });

  it('a person’s cancel stays a cancel', async () => {
    const stop = new AbortController();
    const clock = new FakeClock();
    const relay = relayOf(new FakeTarget({ bob: hangs() }), { every: clock.every });
    const ended = collect(relay.ask(request({ signal: stop.signal })));
    await clock.watched();
    await clock.pass(100);
    stop.abort();
    expect((await ended).error).toMatchObject({ failure: 'cancelled', exitCode: 130 });
    expect(clock.running).toBe(0);
  });
});

describe('rule 11: what is no silence', () => {
  it.each<[string, Record<string, unknown>]>([
    ['of kind execute', { kind: 'execute', status: 'in_progress' }],
    ['bash by name', { name: 'bash', status: 'pending' }],
    ['that asks another agent (a `mm` that relays by itself)', { name: 'ask_agent' }],
  ])('a running command: an open call %s; after its end silence counts anew', async (_, fields) => {
    let turn: Parameters<Play>[0];
    const t = await start(
      hangs(async (own) => {
        turn = own;
        await own.update(call(fields));
        return undefined;
      }),
    );
    await t.clock.pass(100_000);
    expect(t.over()).toBe(false);
    await turn!.update(update({ status: 'completed' }));
    await t.clock.pass(299);
    expect(t.over()).toBe(false);
    await t.clock.pass(17);
    expect((await t.ended).error).toMatchObject({ failure: 'watchdog' });
  });

  it('a question that waits for a person', async () => {
    const answer = gate();
    const asker = new FakeAsker(async (): Promise<PermissionAnswer> => {
      await answer.opened;
      return 'reject';
    });
    const t = await start(
      hangs(async ({ permission, update: send }) => {
        await send(call({ ...bashCall, status: 'pending' }));
        await permission();
        return undefined;
      }),
      { asker },
    );
    await t.clock.pass(100_000);
    expect(t.over()).toBe(false);
    answer.open();
    // F036: a call that was refused does not run, although the agent never ends it
    await t.clock.pass(320);
    expect((await t.ended).error).toMatchObject({ failure: 'watchdog' });
  });

  it('F035: a command that is announced after it was allowed, without its kind', async () => {
    const t = await start(
      hangs(async ({ permission, update: send }) => {
        await permission();
        await send(update({ status: 'in_progress' }));
        return undefined;
      }),
      { asker: new FakeAsker(['allow_once']) },
    );
    await t.clock.pass(100_000);
    expect(t.over()).toBe(false);
  });

  it('an ask of the agent: the one below ends first, and the one above goes on', async () => {
    let words = '';
    const t = await start(
      async ({ ask, say }) => {
        words = await ask('riker', 'and you?').then(
          () => 'answered',
          (error: { forModel?: string }) => error.forModel ?? 'no words',
        );
        await say('I go on alone.');
        return undefined;
      },
      { seconds: 100, asker: new FakeAsker(['allow_once']), more: { riker: hangs() } },
    );
    await t.clock.watched(2);
    await t.clock.pass(106);
    const { events, error } = await t.ended;
    expect(error).toBeUndefined();
    expect(words).toContain('riker has said nothing for 100 seconds');
    expect(events.at(-1)).toMatchObject({ type: 'end', answer: { text: 'I go on alone.' } });
  });

  it('a command or a question of a deeper agent rests every watchdog of the chain', async () => {
    const answer = gate();
    const ran = gate();
    const asker = new FakeAsker(async (question): Promise<PermissionAnswer> => {
      if (question.tool === 'ask_agent') return 'allow_once';
      await answer.opened;
      return 'allow_once';
    });
    const t = await start(
      async ({ ask, say }) => {
        await say((await ask('riker', 'run it')).text);
        return undefined;
      },
      {
        seconds: 50,
        asker,
        more: {
          riker: async ({ permission, update: send, say }) => {
            await permission();
            await send(call({ kind: 'execute', status: 'in_progress' }));
            await ran.opened;
            await say('done');
            return undefined;
          },
        },
      },
    );
    await t.clock.watched(2);
    await t.clock.pass(10_000);
    answer.open();
    await t.clock.pass(10_000);
    expect(t.over()).toBe(false);
    ran.open();
    expect((await t.ended).error).toBeUndefined();
  });

  it('a consumer that takes nothing: the agent is held back and not silent', async () => {
    const clock = new FakeClock();
    const relay = relayOf(
      new FakeTarget({
        bob: async ({ say }) => {
          for (let i = 0; i < 100; i++) await say('x');
          return undefined;
        },
      }),
      { every: clock.every },
    );
    const events = relay.ask(request());
    await events.next();
    await clock.watched();
    await clock.pass(100_000);
    let last: AskEvent | undefined;
    for await (const event of { [Symbol.asyncIterator]: () => events }) last = event;
    expect(last).toMatchObject({ type: 'end' });
  });
});

describe('the watchdog', () => {
  it('counts ticks and not the clock: a machine that slept has heard no silence', () => {
    let tick = () => {};
    let silent = 0;
    const dog = new Watchdog({
      seconds: 300,
      resting: () => false,
      onSilence: () => silent++,
      every: (_, go) => {
        tick = go;
        return { dispose: () => undefined };
      },
    });
    for (let i = 0; i < 20; i++) tick();
    expect(silent).toBe(0);
    dog.alive();
    for (let i = 0; i < 20; i++) tick();
    expect(silent).toBe(0);
    tick();
    expect(silent).toBe(1);
  });
});
