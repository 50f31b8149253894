import { describe, expect, it } from 'vitest';
import { AnswerText } from '../../../src/ask/answer';
import { ConversationGrants, noGrants } from '../../../src/ask/grants';
import { linkFor } from '../../../src/ask/identity';
import type { AskEvent, PermissionAnswer, PermissionQuestion } from '../../../src/ask/types';
import {
  answerOf,
  collect,
  config,
  entry,
  FakeAsker,
  FakeTarget,
  relayOf,
  request,
  text,
  usualOptions,
} from './support';

const yes = async () => undefined;
const settled = (events: AskEvent[]) =>
  events.flatMap((e) => (e.type === 'permission' && e.state === 'settled' ? [e] : []));
const waitingOf = (events: AskEvent[]) =>
  events.flatMap((e) => (e.type === 'permission' && e.state === 'waiting' ? [e.question] : []));

/** The next turn of the event loop: whatever could happen by itself has happened. */
const idle = () => new Promise((resolve) => setImmediate(resolve));

describe('an ask', () => {
  it('yields what happens in its order and ends in an answer', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
        await turn.say('It ');
        await turn.say('is.');
        return { stopReason: 'end_turn', usage: { totalTokens: 7 } };
      },
    });
    const { events, error } = await collect(relayOf(target).ask(request()));
    expect(error).toBeUndefined();
    expect(events.map((e) => (e.type === 'update' ? e.update.sessionUpdate : e.type))).toEqual([
      'starting',
      'started',
      'agent_thought_chunk',
      'agent_message_chunk',
      'agent_message_chunk',
      'end',
    ]);
    const answer = answerOf(events);
    expect(answer).toMatchObject({
      text: 'It is.',
      kept: 'It is.',
      agent: 'bob',
      title: 'bob title',
      provider: 'openai',
      model: 'qwen3:8b',
      stopReason: 'end_turn',
      usage: { totalTokens: 7 },
      truncated: 0,
      refused: [],
    });
    expect(target.closed).toBe(1);
  });

  it('rule 2: each ask is a new conversation, in the conversation folder', async () => {
    const target = new FakeTarget({ bob: (turn) => turn.say('x').then(yes) });
    const relay = relayOf(target);
    await collect(relay.ask(request({ cwd: '/some/where' })));
    await collect(relay.ask(request({ cwd: '/some/where' })));
    expect(target.opened).toHaveLength(2);
    expect(target.opened[0]).toMatchObject({ cwd: '/some/where', depth: 1, name: 'bob' });
    expect(target.closed).toBe(2);
  });

  it('the context stands before the prompt', async () => {
    const target = new FakeTarget({ bob: (turn) => turn.say('x').then(yes) });
    await collect(relayOf(target).ask(request({ context: 'User: hi' })));
    expect(target.prompts[0]).toMatch(/User: hi[\s\S]*\n\nis this safe\?$/);
  });

  it('an unknown agent is a usage error that lists the known ones', async () => {
    const { error } = await collect(relayOf(new FakeTarget({})).ask(request({ agent: 'eve' })));
    expect(error).toMatchObject({ failure: 'unknown-agent', exitCode: 2 });
    expect(error?.hint).toContain('bob, riker');
    expect(error?.forModel).toContain('bob, riker');
  });

  it('a name that every object has is no agent', async () => {
    const { error } = await collect(relayOf(new FakeTarget({})).ask(request({ agent: 'constructor' })));
    expect(error?.failure).toBe('unknown-agent');
  });

  it('an agent that cannot be started', async () => {
    const target = new FakeTarget({});
    target.failOpen = new Error('no such program');
    const { events, error } = await collect(relayOf(target).ask(request()));
    expect(events.map((e) => e.type)).toEqual(['starting']);
    expect(error).toMatchObject({ failure: 'start', exitCode: 1, message: 'no such program' });
  });

  it('an agent that fails in the middle: what came is told', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('half an ans');
        throw new Error('bob ended with exit code 1');
      },
    });
    const { events, error } = await collect(relayOf(target).ask(request()));
    expect(events.at(-1)?.type).toBe('update');
    expect(error).toMatchObject({
      failure: 'agent-error',
      exitCode: 1,
      came: { text: 'half an ans', face: { model: 'qwen3:8b' } },
    });
    expect(target.closed).toBe(1);
  });

  it('is linear and flat: a fast agent waits for a slow consumer', async () => {
    let sent = 0;
    const target = new FakeTarget({
      bob: async (turn) => {
        for (let i = 0; i < 2_000; i++) {
          sent++;
          await turn.say('word ');
        }
        return undefined;
      },
    });
    let seen = 0;
    let ahead = 0;
    for await (const event of relayOf(target).ask(request())) {
      if (event.type !== 'update') continue;
      seen++;
      ahead = Math.max(ahead, sent - seen);
      if (seen % 100 === 0) await idle();
    }
    expect(seen).toBe(2_000);
    expect(ahead).toBeLessThan(70);
  });

  it('updates before the prompt and after the turn are no part of it', async () => {
    let late: (() => void | Promise<void>) | undefined;
    const target = new FakeTarget({
      bob: async (turn) => {
        late = () => turn.request.onUpdate(text('late'));
        await turn.say('answer');
        return undefined;
      },
    });
    const open = target.open.bind(target);
    target.open = async (r) => {
      const session = await open(r);
      await r.onUpdate(text('banner'));
      return session;
    };
    const { events } = await collect(relayOf(target).ask(request()));
    expect(late!()).toBeUndefined();
    expect(answerOf(events).text).toBe('answer');
    expect(events.filter((e) => e.type === 'update')).toHaveLength(1);
  });
});

describe('rule 4: permissions are the caller’s', () => {
  const one = (o?: Parameters<import('./support').Turn['permission']>[0]) =>
    new FakeTarget({
      bob: async (turn) => {
        await turn.say(`${await turn.permission(o)}`);
        return undefined;
      },
    });

  it.each([
    ['allow_once', 'once', 'allowed'],
    ['allow_conversation', 'once', 'allowed'],
    ['reject', 'no', 'rejected'],
    ['cancelled', 'undefined', 'cancelled'],
  ] as const)('the person says %s', async (said, sent, outcome) => {
    const permissions = new FakeAsker([said]);
    const grants = new ConversationGrants();
    const { events } = await collect(relayOf(one()).ask(request({ permissions, grants })));
    const answer = answerOf(events);
    expect(answer.text).toBe(sent);
    expect(permissions.asked[0]).toMatchObject({
      name: 'bob/bash',
      path: ['bob'],
      tool: 'bash',
      chain: ['You', 'bob'],
      cwd: '/work',
      keyFile: false,
      cannotAllow: false,
    });
    expect(waitingOf(events)).toHaveLength(1);
    expect(settled(events)[0]?.decision).toMatchObject({ outcome });
    expect(grants.has(['bob'], 'bash')).toBe(said === 'allow_conversation');
    expect(answer.refused).toEqual(said === 'reject' ? ['bob/bash'] : []);
  });

  it('"allow for this conversation" is not asked again, for that very name (F047)', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.permission();
        await turn.permission();
        await turn.permission({ toolCall: { toolCallId: 'w', name: 'write' } });
        await turn.say('x');
        return undefined;
      },
    });
    const permissions = new FakeAsker(['allow_conversation', 'reject']);
    const grants = new ConversationGrants();
    const { events } = await collect(relayOf(target).ask(request({ permissions, grants })));
    expect(permissions.asked.map((q) => q.name)).toEqual(['bob/bash', 'bob/write']);
    expect(settled(events).map((e) => e.decision.by)).toEqual(['person', 'grant', 'person']);
    expect(grants.has([], 'bash')).toBe(false);
  });

  it('F048 a grant settles what waits for the same call, and nothing else', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        const same = [turn.permission(), turn.permission(), turn.permission()];
        const other = turn.permission({ toolCall: { toolCallId: 'w', name: 'write' } });
        const key = turn.permission({ toolCall: { toolCallId: 'k', name: 'bash', rawInput: { command: 'cat .env' } } });
        await turn.say((await Promise.all([...same, other, key])).join(' '));
        return undefined;
      },
    });
    let answer: (a: PermissionAnswer) => void = () => undefined;
    const permissions = new FakeAsker((q: PermissionQuestion) => {
      if (q.tool === 'write') return 'reject';
      if (q.keyFile) return 'allow_once';
      if (permissions.asked.length === 1) return new Promise<PermissionAnswer>((resolve) => (answer = resolve));
      return new Promise(() => undefined);
    });
    const events: AskEvent[] = [];
    for await (const event of relayOf(target).ask(request({ permissions }))) {
      events.push(event);
      if (waitingOf(events).length === 5) answer('allow_conversation');
    }
    expect(answerOf(events).text).toBe('once once once no once');
    expect(permissions.signals[1]?.aborted).toBe(true);
    expect(permissions.signals[3]?.aborted).toBe(false);
    expect(permissions.signals[4]?.aborted).toBe(false);
  });

  it('the entry’s yolo runs it without a question, and says so', async () => {
    const permissions = new FakeAsker();
    const cfg = config({ bob: entry('bob', { yolo: true }) });
    const { events } = await collect(relayOf(one()).ask(request({ permissions, config: cfg })));
    expect(answerOf(events).text).toBe('once');
    expect(permissions.asked).toHaveLength(0);
    expect(settled(events)[0]?.decision).toEqual({ outcome: 'allowed', by: 'yolo' });
  });

  it('live yolo counts at the moment of the call', async () => {
    let live = false;
    const target = new FakeTarget({
      bob: async (turn) => {
        live = true;
        await turn.say(`${await turn.permission()}`);
        return undefined;
      },
    });
    const { events } = await collect(relayOf(target).ask(request({ liveYolo: () => live })));
    expect(answerOf(events).text).toBe('once');
  });

  it('F055 the yolo of bob’s own file never counts', async () => {
    const permissions = new FakeAsker(['reject']);
    const relay = relayOf(one(), { hub: true, loadConfigOf: async () => config({}, { yolo: true }) });
    await collect(relay.ask(request({ permissions })));
    expect(permissions.asked).toHaveLength(1);
  });

  it('where nobody can answer, a call is refused at once and listed', async () => {
    const permissions = new FakeAsker();
    permissions.canAnswer = false;
    const { events } = await collect(relayOf(one()).ask(request({ permissions, grants: noGrants })));
    expect(answerOf(events)).toMatchObject({ text: 'no', refused: ['bob/bash'] });
    expect(permissions.asked).toHaveLength(0);
    expect(waitingOf(events)).toHaveLength(0);
    expect(settled(events)[0]?.decision.by).toBe('nobody');
  });

  it('a mm that relays by itself: its path goes behind ours, and no yolo answers mustAsk', async () => {
    const permissions = new FakeAsker(['allow_once']);
    const cfg = config({ bob: entry('bob', { yolo: true }) });
    const target = one({ meta: { path: ['riker'], mustAsk: true } });
    await collect(relayOf(target).ask(request({ permissions, config: cfg })));
    expect(permissions.asked[0]).toMatchObject({
      name: 'bob/riker/bash',
      path: ['bob', 'riker'],
      chain: ['You', 'bob', 'riker'],
      mustAsk: true,
    });
  });

  it('hostile meta of a question changes nothing', async () => {
    const permissions = new FakeAsker(['allow_once']);
    await collect(relayOf(one({ meta: { path: [3, {}, ''], mustAsk: 'no' } })).ask(request({ permissions })));
    expect(permissions.asked[0]).toMatchObject({ name: 'bob/bash', mustAsk: false });
  });

  it('our own mm below home: an entry’s true gives nothing, its false is told upwards', async () => {
    for (const yolo of [true, false]) {
      const permissions = new FakeAsker(['allow_once']);
      await collect(
        relayOf(one()).ask(
          request({ depth: 1, chain: [], permissions, config: config({ bob: entry('bob', { yolo }) }) }),
        ),
      );
      expect(permissions.asked[0]?.mustAsk).toBe(!yolo);
    }
  });

  it('an unnamed tool cannot be remembered', async () => {
    const permissions = new FakeAsker(['allow_conversation', 'allow_conversation']);
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.permission({ toolCall: { toolCallId: 'u', title: 'Something' } });
        await turn.permission({ toolCall: { toolCallId: 'v', title: 'Something' } });
        await turn.say('x');
        return undefined;
      },
    });
    const { events } = await collect(relayOf(target).ask(request({ permissions })));
    expect(permissions.asked.map((q) => q.name)).toEqual(['bob/unnamed tool', 'bob/unnamed tool']);
    expect(settled(events).every((e) => !e.decision.remembered)).toBe(true);
  });

  it('a call on a key file is asked each time, grant or not', async () => {
    const permissions = new FakeAsker(['allow_conversation']);
    const grants = new ConversationGrants();
    grants.add(['bob'], 'bash');
    const target = one({ toolCall: { toolCallId: 'k', name: 'bash', rawInput: { command: 'cat .env' } } });
    await collect(relayOf(target).ask(request({ permissions, grants })));
    expect(permissions.asked[0]?.keyFile).toBe(true);
  });

  it('an agent that offers no allow_once can only be refused, under yolo too', async () => {
    const options = usualOptions.filter((o) => o.kind !== 'allow_once');
    const permissions = new FakeAsker(['allow_once']);
    const asked = await collect(relayOf(one({ options })).ask(request({ permissions })));
    expect(permissions.asked[0]?.cannotAllow).toBe(true);
    expect(answerOf(asked.events).text).toBe('no');
    const yolo = await collect(relayOf(one({ options })).ask(request({ liveYolo: () => true })));
    expect(answerOf(yolo.events)).toMatchObject({ text: 'no', refused: ['bob/bash'] });
  });

  it('what was announced of a call fills what the question leaves out (kimi)', async () => {
    const permissions = new FakeAsker(['reject']);
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.update({
          sessionUpdate: 'tool_call',
          toolCallId: 'x',
          title: 'Bash',
          kind: 'execute',
          status: 'pending',
        });
        await turn.permission({ toolCall: { toolCallId: 'x', title: 'Bash' } });
        await turn.say('x');
        return undefined;
      },
    });
    await collect(relayOf(target).ask(request({ permissions })));
    expect(permissions.asked[0]).toMatchObject({ name: 'bob/bash', toolCall: { kind: 'execute' } });
  });

  it('an asker that fails allows nothing', async () => {
    const permissions = new FakeAsker(() => Promise.reject(new Error('no window')));
    const { events } = await collect(relayOf(one()).ask(request({ permissions })));
    expect(answerOf(events).text).toBe('undefined');
  });

  it('hostile requests are survived', async () => {
    const permissions = new FakeAsker(() => 'reject');
    for (const toolCall of [null, 3, 'x', { toolCallId: {} }, { rawInput: { cwd: 3 } }]) {
      const { events } = await collect(
        relayOf(one({ toolCall: toolCall as never, options: 'x' as never })).ask(request({ permissions })),
      );
      expect(answerOf(events).text).toBe('undefined');
    }
  });
});

describe('rule 6: ends', () => {
  it('a question between two texts parts them, also where no update comes with it (gemini)', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('I will run it.');
        await turn.permission();
        await turn.say('Then not.');
        return undefined;
      },
    });
    const { events } = await collect(relayOf(target).ask(request({ permissions: new FakeAsker(['reject']) })));
    expect(answerOf(events).text).toBe('I will run it.\n\nThen not.');
    // Who follows the events has the same text.
    const follower = new AnswerText();
    for (const event of events) follower.event(event);
    expect(follower.text()).toBe(answerOf(events).text);
  });

  const ending = (stopReason: string, ...words: string[]) =>
    new FakeTarget({
      bob: async (turn) => {
        for (const w of words) await turn.say(w);
        return stopReason;
      },
    });

  it('keeps maxOutput characters of the caller; the screen gets all', async () => {
    const cfg = config({ bob: entry('bob') }, { maxOutput: 5 });
    const { events } = await collect(relayOf(ending('end_turn', 'abc', 'defgh')).ask(request({ config: cfg })));
    expect(answerOf(events)).toMatchObject({
      text: 'abcdefgh',
      kept: 'abcde\n[3 more characters were cut]',
      truncated: 3,
    });
  });

  it.each(['max_tokens', 'max_turn_requests'])('%s is an answer whose last line says so', async (reason) => {
    const { events } = await collect(relayOf(ending(reason, 'abc')).ask(request()));
    expect(answerOf(events).text).toBe('abc');
    expect(answerOf(events).kept).toMatch(/^abc\n\[The answer ends here: .*\]$/);
  });

  it.each([
    ['refusal', 'I will not', 'refusal'],
    ['end_turn', '', 'empty'],
    ['end_turn', ' \n', 'empty'],
    ['max_tokens', '', 'empty'],
    ['cancelled', 'partly', 'agent-error'],
  ])('F056 %s with "%s" leaves no pair: %s', async (reason, words, failure) => {
    const { events, error } = await collect(relayOf(ending(reason, words)).ask(request()));
    expect(events.some((e) => e.type === 'end')).toBe(false);
    expect(error).toMatchObject({ failure, exitCode: 1 });
    expect(error?.came?.text).toBe(words.trim() ? words : undefined);
    expect(error?.forModel).toContain('bob');
  });

  it('a turn that the agent itself ended after a refusal says so (codex)', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.permission();
        return 'cancelled';
      },
    });
    const { error } = await collect(relayOf(target).ask(request({ permissions: new FakeAsker(['reject']) })));
    expect(error?.message).toContain('bob/bash');
    expect(error?.refused).toEqual(['bob/bash']);
  });
});

describe('rule 8: ask_agent is gated, once, and shows the prompt before it goes', () => {
  const target = () => new FakeTarget({ bob: (turn) => turn.say('yes').then(yes) });
  const byModel = { caller: { kind: 'model' as const, name: 'Ada' }, gate: { toolCallId: 't9' } };

  it('nothing is started before the answer', async () => {
    const bob = target();
    const permissions = new FakeAsker(() => {
      expect(bob.opened).toHaveLength(0);
      return 'allow_once';
    });
    const { events } = await collect(relayOf(bob).ask(request({ ...byModel, permissions })));
    expect(answerOf(events).text).toBe('yes');
    expect(permissions.asked).toHaveLength(1);
    expect(permissions.asked[0]).toMatchObject({
      name: 'ask_agent',
      path: [],
      tool: 'ask_agent',
      chain: ['You', 'Ada'],
      toolCall: { toolCallId: 't9', rawInput: { agent: 'bob', prompt: 'is this safe?' } },
    });
  });

  it('a rejected question is an ask that was refused', async () => {
    const bob = target();
    const { error } = await collect(relayOf(bob).ask(request({ ...byModel, permissions: new FakeAsker(['reject']) })));
    expect(error).toMatchObject({ failure: 'refused', exitCode: 3 });
    expect(error?.forModel).toMatch(/rejected/);
    expect(bob.opened).toHaveLength(0);
  });

  it('the caller’s live yolo answers it, not bob’s entry', async () => {
    const free = new FakeAsker();
    await collect(relayOf(target()).ask(request({ ...byModel, permissions: free, liveYolo: () => true })));
    expect(free.asked).toHaveLength(0);
    const asked = new FakeAsker(['allow_once']);
    const cfg = config({ bob: entry('bob', { yolo: true }) });
    await collect(relayOf(target()).ask(request({ ...byModel, permissions: asked, config: cfg })));
    expect(asked.asked).toHaveLength(1);
  });

  it('what is refused anyway is not asked about', async () => {
    const permissions = new FakeAsker();
    const { error } = await collect(relayOf(target()).ask(request({ ...byModel, permissions, depth: 2 })));
    expect(error?.failure).toBe('depth');
    expect(permissions.asked).toHaveLength(0);
  });

  it('a prompt that speaks of .env is no call on a key file', async () => {
    const permissions = new FakeAsker(['allow_conversation']);
    const grants = new ConversationGrants();
    await collect(relayOf(target()).ask(request({ ...byModel, permissions, grants, prompt: 'what is in .env?' })));
    expect(grants.has([], 'ask_agent')).toBe(true);
  });
});

describe('rule 9: chains stop', () => {
  it('who is at depth 2 asks nobody, by depth or by chain', async () => {
    const chain = ['a', 'b', 'c'].map((id) => ({ name: id, id }));
    for (const o of [
      { depth: 2, chain: [] },
      { depth: 0, chain },
      { depth: -1 },
      { depth: Number.NaN },
      { depth: 1.5 },
    ]) {
      const target = new FakeTarget({});
      const { error } = await collect(relayOf(target).ask(request(o)));
      expect(error).toMatchObject({ failure: 'depth', exitCode: 3 });
      expect(error?.forModel).toMatch(/Answer with what you know/);
      expect(target.opened).toHaveLength(0);
    }
  });

  it('a cycle is refused before anything is started, whatever name, env or role', async () => {
    const home = await linkFor('Ada', { kind: 'home', file: '/agents/ada.yaml' });
    const target = new FakeTarget({});
    const cfg = config({ me: entry('ada', { env: { X: '1' }, yolo: true }) });
    const { events, error } = await collect(relayOf(target).ask(request({ agent: 'me', config: cfg, chain: [home] })));
    expect(error).toMatchObject({ failure: 'cycle', exitCode: 3 });
    expect(error?.forModel).toContain('Ada → me');
    expect(events).toEqual([]);
    expect(target.opened).toHaveLength(0);
  });

  it('the same command line is a cycle too', async () => {
    const claude = entry('x', { kind: 'command', command: 'claude', args: ['acp'] } as never);
    const link = await linkFor('claude', claude);
    const cfg = config({ again: { ...claude, env: { A: 'b' } } });
    const { error } = await collect(
      relayOf(new FakeTarget({})).ask(request({ agent: 'again', config: cfg, chain: [link] })),
    );
    expect(error?.failure).toBe('cycle');
  });

  it('the chain ends with the asked agent, and no path is in it', async () => {
    const target = new FakeTarget({ bob: (turn) => turn.say('x').then(yes) });
    await collect(relayOf(target).ask(request()));
    const { chain } = target.opened[0]!;
    expect(chain.map((l) => l.name)).toEqual(['Ada', 'bob']);
    expect(chain[1]!.id).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(chain)).not.toContain('agents');
  });
});

describe('a hub carries what an asked agent asks', () => {
  const bobsFile = config({ riker: entry('riker') }, { file: '/agents/bob.yaml', maxOutput: 4 });
  const hub = { hub: true, loadConfigOf: async () => bobsFile };
  const relayed = (o: { permission?: boolean } = {}) =>
    new FakeTarget({
      bob: async (turn) => {
        const answer = await turn.ask('riker', 'and you?').catch((e) => ({ text: `failed: ${e.forModel}` }));
        await turn.say(`riker says ${answer.text}`);
        return undefined;
      },
      riker: async (turn) => {
        if (o.permission) await turn.permission();
        await turn.say('abcdef');
        return undefined;
      },
    });

  it('gates bob/ask_agent, asks riker by bob’s own file, and nests the events', async () => {
    const target = relayed({ permission: true });
    const permissions = new FakeAsker(['allow_once', 'reject']);
    const { events } = await collect(relayOf(target, hub).ask(request({ permissions })));
    expect(permissions.asked.map((q) => [q.name, q.chain])).toEqual([
      ['bob/ask_agent', ['You', 'bob']],
      ['bob/riker/bash', ['You', 'bob', 'riker']],
    ]);
    // bob's maxOutput is 4: what he gets is cut by his own file.
    expect(answerOf(events)).toMatchObject({
      text: 'riker says abcd\n[2 more characters were cut]',
      refused: ['bob/riker/bash'],
    });
    const nested = events.flatMap((e) => (e.type === 'nested' ? [e] : []));
    expect(nested[0]).toMatchObject({ agent: 'riker', askedBy: 'bob', prompt: 'and you?', toolCallId: 't1' });
    expect(nested.map((e) => e.event.type)).toEqual([
      'permission',
      'permission',
      'starting',
      'started',
      'permission',
      'permission',
      'update',
      'end',
    ]);
    expect(new Set(nested.map((e) => e.askId)).size).toBe(1);
    expect(target.opened[1]).toMatchObject({ depth: 2, name: 'riker' });
    expect(target.opened[1]!.chain.map((l) => l.name)).toEqual(['Ada', 'bob', 'riker']);
  });

  it('a nested ask is stopped alone, by the id of its events: bob hears it and goes on', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        const answer = await turn.ask('riker', 'and you?').catch((e) => ({ text: e.forModel }));
        await turn.say(`I heard: ${answer.text}`);
        return undefined;
      },
      riker: async (turn) => {
        await turn.say('let me think');
        await turn.stopped;
        return 'cancelled';
      },
    });
    const relay = relayOf(target, hub);
    const events: AskEvent[] = [];
    for await (const event of relay.ask(request({ permissions: new FakeAsker(['allow_once']) }))) {
      events.push(event);
      if (event.type === 'nested' && event.event.type === 'update') expect(relay.stop(event.askId)).toBe(true);
    }
    expect(answerOf(events).text).toBe(
      'I heard: The person stopped your question to riker. There is no answer: go on without it, and do not ask it again.',
    );
    expect(target.closed).toBe(2);
  });

  it('what does not run any more cannot be stopped', async () => {
    const relay = relayOf(new FakeTarget({ bob: async (turn) => void (await turn.say('hi')) }));
    expect(relay.stop('ask-1')).toBe(false);
    await collect(relay.ask(request()));
    expect(relay.stop('ask-1')).toBe(false);
  });

  it('rule 4, deeper: bob’s yolo runs it all, an explicit false in bob’s entry for riker asks', async () => {
    const cfg = config({ bob: entry('bob', { yolo: true }) });
    const free = new FakeAsker();
    await collect(relayOf(relayed({ permission: true }), hub).ask(request({ permissions: free, config: cfg })));
    expect(free.asked).toHaveLength(0);
    const asked = new FakeAsker(['reject']);
    const strict = async () => config({ riker: entry('riker', { yolo: false }) });
    await collect(
      relayOf(relayed({ permission: true }), { hub: true, loadConfigOf: strict }).ask(
        request({ permissions: asked, config: cfg }),
      ),
    );
    expect(asked.asked.map((q) => q.name)).toEqual(['bob/riker/bash']);
  });

  it('rule 4, deeper: a true in bob’s entry for riker gives no more than bob has', async () => {
    const permissions = new FakeAsker(['allow_once', 'reject']);
    const loose = async () => config({ riker: entry('riker', { yolo: true }) });
    await collect(
      relayOf(relayed({ permission: true }), { hub: true, loadConfigOf: loose }).ask(request({ permissions })),
    );
    expect(permissions.asked.map((q) => q.name)).toEqual(['bob/ask_agent', 'bob/riker/bash']);
  });

  it('rule 9: riker asks nobody, and gets a text that he can use', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say((await turn.ask('riker', 'x')).text);
        return undefined;
      },
      riker: async (turn) => {
        await turn.say(
          await turn.ask('data', 'x').then(
            () => 'answered',
            (e) => e.failure,
          ),
        );
        return undefined;
      },
    });
    const wide = async () => config({ riker: entry('riker'), data: entry('data') });
    const { events } = await collect(
      relayOf(target, { hub: true, loadConfigOf: wide }).ask(request({ liveYolo: () => true })),
    );
    expect(answerOf(events).text).toBe('depth');
    expect(target.opened.map((r) => r.name)).toEqual(['bob', 'riker']);
  });

  it('rule 9: riker cannot ask bob back, and bob not himself', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say(
          await turn.ask('me', 'x').then(
            () => 'answered',
            (e) => e.failure,
          ),
        );
        return undefined;
      },
    });
    const self = async () => config({ me: entry('bob') });
    const { events } = await collect(
      relayOf(target, { hub: true, loadConfigOf: self }).ask(request({ liveYolo: () => true })),
    );
    expect(answerOf(events).text).toBe('cycle');
  });

  it('without a hub _mm/ask is not offered', async () => {
    const target = new FakeTarget({ bob: (turn) => turn.say('x').then(yes) });
    await collect(relayOf(target).ask(request()));
    expect(target.opened[0]!.onAsk).toBeUndefined();
  });

  it('an agent that is a command line has no file of ours to ask by', async () => {
    const cfg = config({ bob: entry('bob', { kind: 'command', command: 'x', args: [] } as never) });
    const { events } = await collect(relayOf(relayed(), hub).ask(request({ config: cfg })));
    expect(answerOf(events).text).toMatch(/nobody whom you could ask/);
  });

  it('F054 cancel reaches the bottom of the chain', async () => {
    let rikerStopped = false;
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.ask('riker', 'x').catch(() => undefined);
        await turn.stopped;
        return 'cancelled';
      },
      riker: async (turn) => {
        await turn.say('working');
        await turn.stopped;
        rikerStopped = true;
        return 'cancelled';
      },
    });
    const stop = new AbortController();
    const events: AskEvent[] = [];
    let error: unknown;
    try {
      for await (const event of relayOf(target, hub).ask(request({ signal: stop.signal, liveYolo: () => true }))) {
        events.push(event);
        if (event.type === 'nested' && event.event.type === 'update') stop.abort();
      }
    } catch (e) {
      error = e;
    }
    expect(error).toMatchObject({ failure: 'cancelled', exitCode: 130 });
    expect(rikerStopped).toBe(true);
    expect(target.closed).toBe(2);
  });
});

describe('rule 12: cancel', () => {
  const cancelAt = async (
    target: FakeTarget,
    when: (event: AskEvent) => boolean,
    o: Parameters<typeof request>[0] = {},
  ) => {
    const stop = new AbortController();
    const events: AskEvent[] = [];
    try {
      for await (const event of relayOf(target).ask(request({ ...o, signal: stop.signal }))) {
        events.push(event);
        if (when(event)) stop.abort();
      }
    } catch (error) {
      return { events, error: error as import('../../../src/ask/errors').AskError };
    }
    return { events, error: undefined };
  };

  it('ends the ask, frees the session, and tells what had come', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('half');
        await turn.stopped;
        return 'cancelled';
      },
    });
    const { error } = await cancelAt(target, (e) => e.type === 'update');
    expect(error).toMatchObject({ failure: 'cancelled', exitCode: 130, came: { text: 'half' } });
    expect(target.closed).toBe(1);
  });

  it('F043 a pending question is answered cancelled, its asker is told, its late answer changes nothing', async () => {
    let sent: string | undefined = 'nothing';
    const target = new FakeTarget({
      bob: async (turn) => {
        sent = await turn.permission();
        return 'cancelled';
      },
    });
    let late: (a: PermissionAnswer) => void = () => undefined;
    const grants = new ConversationGrants();
    const permissions = new FakeAsker(() => new Promise<PermissionAnswer>((resolve) => (late = resolve)));
    const { events, error } = await cancelAt(target, (e) => e.type === 'permission' && e.state === 'waiting', {
      permissions,
      grants,
    });
    late('allow_conversation');
    await idle();
    expect(sent).toBeUndefined();
    expect(permissions.signals[0]?.aborted).toBe(true);
    expect(settled(events)[0]?.decision).toEqual({ outcome: 'cancelled', by: 'stop' });
    expect(grants.has(['bob'], 'bash')).toBe(false);
    expect(error?.refused).toEqual([]);
  });

  it('F026 updates after cancel are shown and not kept', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('before');
        await turn.stopped;
        for (let i = 0; i < 20; i++) await turn.say(' after');
        return 'cancelled';
      },
    });
    const { events, error } = await cancelAt(target, (e) => e.type === 'update');
    expect(events.filter((e) => e.type === 'update')).toHaveLength(21);
    expect(error?.came?.text).toBe('before');
  });

  it('a question after cancel is answered cancelled without asking', async () => {
    const permissions = new FakeAsker();
    let sent: string | undefined = 'nothing';
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('x');
        await turn.stopped;
        sent = await turn.permission();
        return 'cancelled';
      },
    });
    await cancelAt(target, (e) => e.type === 'update', { permissions });
    expect(sent).toBeUndefined();
    expect(permissions.asked).toHaveLength(0);
  });

  it('F067 an agent that ignores cancel does not hold the ask', async () => {
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('x');
        return new Promise<string>(() => undefined);
      },
    });
    const { error } = await cancelAt(target, (e) => e.type === 'update');
    expect(error?.failure).toBe('cancelled');
    expect(target.closed).toBe(1);
  });

  it('before anything began nothing is started', async () => {
    const target = new FakeTarget({});
    const { error } = await collect(relayOf(target).ask(request({ signal: AbortSignal.abort() })));
    expect(error?.failure).toBe('cancelled');
    expect(target.opened).toHaveLength(0);
  });

  it('a consumer that leaves the loop cancels the ask', async () => {
    let stopped = false;
    const target = new FakeTarget({
      bob: async (turn) => {
        await turn.say('x');
        await turn.stopped;
        stopped = true;
        return 'cancelled';
      },
    });
    for await (const event of relayOf(target).ask(request())) if (event.type === 'update') break;
    expect(stopped).toBe(true);
    expect(target.closed).toBe(1);
  });

  it('a session that opens after the cancel was given up is closed', async () => {
    const target = new FakeTarget({ bob: async () => undefined });
    const open = target.open.bind(target);
    let opening: () => void = () => undefined;
    target.open = async (r) => {
      await new Promise<void>((resolve) => (opening = resolve));
      return open(r);
    };
    const { error } = await cancelAt(target, (e) => e.type === 'starting');
    expect(error?.failure).toBe('cancelled');
    opening();
    await idle();
    expect(target.closed).toBe(1);
  });

  it('a question that the end of the turn made moot is withdrawn (F044)', async () => {
    const permissions = new FakeAsker();
    const agent = new AbortController();
    const target = new FakeTarget({
      bob: async (turn) => {
        void turn.request.onPermission(
          { toolCall: { toolCallId: 'x', name: 'bash' }, options: usualOptions, meta: {} },
          agent.signal,
        );
        await idle();
        agent.abort();
        await turn.say('done without it');
        return undefined;
      },
    });
    const { events } = await collect(relayOf(target).ask(request({ permissions })));
    expect(permissions.signals[0]?.aborted).toBe(true);
    expect(settled(events)[0]?.decision.outcome).toBe('cancelled');
    expect(answerOf(events).refused).toEqual([]);
  });
});
