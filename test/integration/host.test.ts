import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { idle, nodes, outline, Place, until, wordsOf } from './host-helper';

let place: Place;
afterEach(() => place.dispose());

describe('the story: a window with Ada, bob and riker', () => {
  it('Ada answers, bob is asked and runs a command that the person allows, Ada knows it in her next turn', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    await until(host, c, () => c.state().agents.length === 2);
    expect(c.state()).toMatchObject({
      home: { name: 'Ada' },
      agents: [
        { name: 'bob', description: 'Data', state: 'asleep', model: 'demo' },
        { name: 'riker', description: 'Riker', state: 'asleep' },
      ],
      busy: false,
    });
    expect(host.pool.statuses()).toEqual([]);

    expect(c.send('say: good morning')).toBe(true);
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).toContain('good morning');
    expect(nodes(c, 'turn')[0]).toMatchObject({
      state: 'done',
      end: { how: 'done' },
      agent: { name: 'Ada', provider: 'demo' },
    });

    expect(c.send('/ask-bob run: echo hello from bob')).toBe(true);
    const question = await until(host, c, () => host.queue.current, 'a question');
    expect(question.shown).toMatchObject({
      name: 'bob/bash',
      verb: 'run',
      command: 'echo hello from bob',
      cwd: place.work,
      chain: [{ name: 'You' }, { name: 'bob' }],
      canRemember: true,
    });
    await until(host, c, () => c.state().running[0]?.state === 'waiting');
    expect(c.state()).toMatchObject({
      running: [{ agent: { name: 'bob' }, askedBy: 'You', state: 'waiting' }],
      waiting: 1,
    });
    expect(host.queue.answer(question.id, 'allow_once')).toBe(true);
    await idle(host, c);
    const ask = nodes(c, 'ask')[0]!;
    expect(ask, outline(c).join('\n')).toMatchObject({ end: { how: 'done' }, kept: true, askedBy: 'You', depth: 1 });
    expect(nodes(c, 'tool')).toMatchObject([
      { name: 'bob/bash', state: 'done', what: 'echo hello from bob', parent: ask.id },
    ]);
    expect(nodes(c, 'tool')[0]!.output).toContain('hello from bob');
    expect(nodes(c, 'permission')).toMatchObject([{ state: 'allowed' }]);

    expect(c.send('what did bob say?')).toBe(true);
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[1]!.id)).toContain('hello from bob');
    expect(c.state().agents[0]).toMatchObject({ name: 'bob', state: 'ready' });
  });

  it('rejected: no command runs, and the call says so', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob run: touch made');
    const question = await until(host, c, () => host.queue.current, 'a question');
    host.queue.answer(question.id, 'reject');
    await idle(host, c);
    expect(nodes(c, 'tool')).toMatchObject([{ state: 'rejected' }]);
    expect(nodes(c, 'permission')).toMatchObject([{ state: 'rejected' }]);
    expect(existsSync(join(place.work, 'made'))).toBe(false);
  });

  it('rule 4: allowed for this conversation, bob is not asked about again, but Ada is', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob run: echo one');
    host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_conversation');
    await idle(host, c);
    c.send('/ask-bob run: echo two');
    await idle(host, c);
    expect(nodes(c, 'tool').map((t) => t.state)).toEqual(['done', 'done']);
    expect(nodes(c, 'permission').map((p) => p.state)).toEqual(['allowed-conversation']);
    c.send('run: echo three');
    const question = await until(host, c, () => host.queue.current);
    expect(question.shown).toMatchObject({ name: 'bash', chain: [{ name: 'You' }, { name: 'Ada' }] });
    host.queue.answer(question.id, 'allow_once');
    await idle(host, c);
    // another conversation knows nothing of it
    const other = host.create();
    other.send('/ask-bob run: echo four');
    expect((await until(host, other, () => host.queue.current)).shown.name).toBe('bob/bash');
    other.stop();
    await idle(host, other);
  });

  it('rule 8: Ada’s model asks bob; the person sees the prompt first, then bob’s answer under his name, inside her turn', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('ask bob: say: forty-two');
    const question = await until(host, c, () => host.queue.current, 'the question whether to ask');
    expect(question.shown).toMatchObject({ name: 'ask_agent', verb: 'ask', chain: [{ name: 'You' }, { name: 'Ada' }] });
    expect(question.shown.command).toContain('say: forty-two');
    host.queue.answer(question.id, 'allow_once');
    await idle(host, c);
    const [turn] = nodes(c, 'turn');
    const [ask] = nodes(c, 'ask');
    expect(ask, outline(c).join('\n')).toMatchObject({
      parent: turn!.id,
      askedBy: 'Ada',
      end: { how: 'done' },
      agent: { name: 'bob' },
    });
    expect(wordsOf(c, ask!.id)).toContain('forty-two');
    expect(nodes(c, 'tool')).toEqual([]);
    expect(turn!.end).toEqual({ how: 'done' });
  });

  it('rule 8: a rejected ask starts nobody and is the call’s end', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('ask bob: say: forty-two');
    const question = await until(host, c, () => host.queue.current);
    host.queue.answer(question.id, 'reject');
    await idle(host, c);
    expect(nodes(c, 'ask')).toEqual([]);
    expect(nodes(c, 'tool'), outline(c).join('\n')).toMatchObject([{ name: 'ask_agent', state: 'rejected' }]);
    expect(host.pool.statuses().filter((s) => s.role === 'asked')).toEqual([]);
  });

  it('a chain: bob asks riker; riker’s words stand inside bob’s', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob ask riker: say: from the deep');
    host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_once');
    await idle(host, c);
    const [bob, riker] = nodes(c, 'ask');
    expect(riker, outline(c).join('\n')).toMatchObject({
      parent: bob!.id,
      askedBy: 'bob',
      depth: 2,
      end: { how: 'done' },
    });
    expect(wordsOf(c, riker!.id)).toContain('from the deep');
    expect(bob).toMatchObject({ end: { how: 'done' }, kept: true });
  });

  it('a nested ask is stopped alone: bob hears it and answers, and riker’s part says so', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob ask riker: stall');
    host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_once');
    const riker = await until(host, c, () =>
      nodes(c, 'ask').find((a) => a.agent.name === 'riker' && a.state === 'running'),
    );
    c.stopAsk(riker.id);
    await idle(host, c);
    const [bob, stopped] = nodes(c, 'ask');
    expect(stopped, outline(c).join('\n')).toMatchObject({ id: riker.id, end: { how: 'stopped' } });
    expect(bob).toMatchObject({ end: { how: 'done' }, kept: true });
    expect(wordsOf(c, bob!.id)).toContain('stopped your question to riker');
    expect(host.pool.statuses().map((s) => s.state)).toEqual(['ready', 'ready']);
  });

  it('an ask that Ada’s model made is stopped alone: she hears it and goes on', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('ask bob: stall');
    host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_once');
    const bob = await until(host, c, () => nodes(c, 'ask').find((a) => a.state === 'running'));
    c.stopAsk(bob.id);
    await idle(host, c);
    const [turn] = nodes(c, 'turn');
    expect(nodes(c, 'ask'), outline(c).join('\n')).toMatchObject([{ end: { how: 'stopped' } }]);
    expect(turn!.end).toEqual({ how: 'done' });
    expect(wordsOf(c, turn!.id)).toContain('stopped your question to bob');
  });

  it('rule 9: the home agent’s own file is a cycle, also when the person asks, and also one level down', async () => {
    place = new Place({
      'mm.yaml':
        'acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  twin: {path: mm.yaml}\n  bob: {path: bob.yaml}\n',
      'bob.yaml': 'acp: {title: Bob}\nprovider: demo\nmodel: demo\nmmConfigs:\n  ada: {path: mm.yaml}\n',
    });
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-twin say: hello');
    await idle(host, c);
    expect(nodes(c, 'ask')[0]!.end).toMatchObject({ how: 'not-asked', why: expect.stringContaining('Ada → twin') });
    expect(host.pool.statuses()).toEqual([]);
    c.send('/ask-bob ask ada: say: hello');
    await idle(host, c);
    expect(host.pool.statuses().map((s) => s.name)).toEqual(['bob']);
    expect(wordsOf(c, nodes(c, 'ask')[1]!.id), outline(c).join('\n')).toContain('already waits for this answer');
    // bob can be home in one conversation and asked in another
    const other = host.create('bob');
    other.send('say: I am home');
    await idle(host, other);
    expect(nodes(other, 'turn')[0]).toMatchObject({ end: { how: 'done' } });
  });

  it('while Ada works an ask goes out at once, and plain words stay in the composer', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('stall');
    await until(host, c, () => c.state().busy && !c.state().starting);
    expect(c.send('and now?')).toBe(false);
    expect(c.send('/ask-bob say: I am here')).toBe(true);
    await until(host, c, () => nodes(c, 'ask')[0]?.state === 'done');
    expect(nodes(c, 'ask')[0]).toMatchObject({ end: { how: 'done' } });
    expect(c.state().busy).toBe(true);
    c.stop();
    await idle(host, c);
    expect(nodes(c, 'turn')[0]).toMatchObject({ end: { how: 'stopped' } });
    // the pair waited for her, and the child survived the stop
    c.send('what did bob say?');
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[1]!.id)).toContain('I am here');
  });

  it('F043 F054 Stop while a question of bob waits inside Ada’s turn: withdrawn, cancelled, both children alive', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('ask bob: run: touch made');
    host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_once');
    const question = await until(host, c, () => host.queue.current);
    expect(question.shown).toMatchObject({
      name: 'bob/bash',
      chain: [{ name: 'You' }, { name: 'Ada' }, { name: 'bob' }],
    });
    c.stop();
    await idle(host, c);
    expect(host.queue.size).toBe(0);
    expect(host.queue.answer(question.id, 'allow_once')).toBe(false);
    expect(nodes(c, 'turn')[0]).toMatchObject({ end: { how: 'stopped' } });
    expect(nodes(c, 'ask')[0]).toMatchObject({ end: { how: 'stopped' } });
    expect(nodes(c, 'permission').map((p) => p.state)).toEqual(['allowed', 'withdrawn']);
    expect(nodes(c, 'tool')).toMatchObject([{ name: 'bob/bash', state: 'cancelled' }]);
    expect(existsSync(join(place.work, 'made'))).toBe(false);
    expect(host.pool.statuses().map((s) => s.state)).toEqual(['ready', 'ready']);
  });

  it('rule 7: with context bob gets the questions and answers of the conversation', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('say: the password is swordfish');
    await idle(host, c);
    c.send('/ask-with-context-bob recall');
    await idle(host, c);
    expect(nodes(c, 'ask')[0], outline(c).join('\n')).toMatchObject({ withContext: true, end: { how: 'done' } });
  });
});

describe('children that end', () => {
  it('F004 bob is killed in mid-answer: said at once with how; asked again he answers', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob slow: 200');
    await until(host, c, () => nodes(c, 'text').some((t) => t.text.includes('word2')));
    const bob = host.pool.statuses().find((s) => s.name === 'bob')!;
    process.kill(bob.pid!, 'SIGKILL');
    await idle(host, c);
    const [ask] = nodes(c, 'ask');
    expect(ask).toMatchObject({ end: { how: 'died' }, kept: false });
    expect(ask!.end).toHaveProperty('title', expect.stringContaining('SIGKILL'));
    expect(c.act(ask!.id, 'ask-again')).toBe(true);
    await until(host, c, () => nodes(c, 'text').filter((t) => t.text.includes('word2')).length === 2);
    c.stop();
    await idle(host, c);
    expect(nodes(c, 'ask')).toMatchObject([{ end: { how: 'died' } }, { end: { how: 'stopped' }, prompt: 'slow: 200' }]);

    // what came of the second one is kept on demand, and Ada knows it
    expect(c.act(nodes(c, 'ask')[1]!.id, 'keep-answer')).toBe(true);
    expect(nodes(c, 'ask')[1]!.kept).toBe(true);
    c.send('what did bob say?');
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).toContain('word1');
  });

  it('F004 Ada ends in her turn: the turn says how, then that she does not remember; with the transcript she knows it', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('say: the code word is heron');
    await idle(host, c);
    c.send('exit: 3');
    await idle(host, c);
    expect(nodes(c, 'turn')[1]!.end, outline(c).join('\n')).toMatchObject({
      how: 'died',
      title: expect.stringContaining('exit code 3'),
    });
    const [notice] = nodes(c, 'notice');
    expect(notice).toMatchObject({
      title: 'Ada does not remember what stands above',
      actions: [{ id: 'give-transcript' }],
    });
    expect(c.act(notice!.id, 'give-transcript')).toBe(true);
    expect(nodes(c, 'notice')[0]).toMatchObject({
      actions: [],
      title: expect.stringContaining('with your next message'),
    });
    c.send('say: thanks');
    await idle(host, c);
    expect(nodes(c, 'notice')).toMatchObject([{ title: expect.stringContaining('was given the transcript') }]);
    expect(nodes(c, 'turn')[2]).toMatchObject({ end: { how: 'done' } });
  });

  it.each([
    ['no', 'I have no answer of bob'],
    ['yes', 'bob said: the answer is teal'],
  ])(
    'what Ada knew of bob is gone with her child, and comes back with the transcript (given: %s)',
    async (given, words) => {
      place = new Place();
      const host = await place.host();
      const c = await host.latest();
      c.send('/ask-bob say: the answer is teal');
      await idle(host, c);
      c.send('what did bob say?');
      await idle(host, c);
      expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).toContain('the answer is teal');
      await host.restartAgent('Ada');
      const notice = await until(host, c, () => nodes(c, 'notice')[0], 'the line');
      if (given === 'yes') expect(c.act(notice.id, 'give-transcript')).toBe(true);
      c.send('what did bob say?');
      await idle(host, c);
      expect(wordsOf(c, nodes(c, 'turn')[1]!.id), outline(c).join('\n')).toContain(words);
    },
  );

  it('a restart between turns is said as well, and what waited for Ada still reaches her', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('say: hello');
    await idle(host, c);
    c.send('/ask-bob say: the answer is blue');
    await idle(host, c);
    await host.restartAgent('Ada');
    await until(host, c, () => nodes(c, 'notice').length === 1, 'the line');
    c.send('what did bob say?');
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[1]!.id)).toContain('the answer is blue');
  });

  it('no child outlives the host', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    c.send('/ask-bob stall');
    c.send('stall');
    await until(host, c, () => host.pool.statuses().filter((s) => s.state === 'ready').length === 2);
    const pids = host.pool.statuses().map((s) => s.pid!);
    await host.end();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('a window that is reloaded', () => {
  it('finds the conversation as it was, says that Ada does not remember it, and delivers what waited', async () => {
    place = new Place();
    const first = await place.host();
    const c = await first.latest();
    c.send('say: hello');
    await idle(first, c);
    c.send('/ask-bob say: the answer is green');
    await idle(first, c);
    const before = c.snapshot();
    await first.end();

    const second = await place.host();
    const again = await second.latest();
    expect(again.id).toBe(c.id);
    expect(again.snapshot().slice(0, before.length)).toEqual(before);
    expect(nodes(again, 'notice')).toMatchObject([{ title: 'Ada does not remember what stands above' }]);
    again.send('what did bob say?');
    await idle(second, again);
    expect(wordsOf(again, nodes(again, 'turn')[1]!.id)).toContain('the answer is green');
    await second.end();

    // once delivered, not again; and not one more line for each reload without a turn
    const third = await place.host();
    const last = await third.latest();
    expect(nodes(last, 'notice')).toHaveLength(2);
    await third.end();
    const fourth = await place.host();
    expect(nodes(await fourth.latest(), 'notice')).toHaveLength(2);
  });

  it('in mid-answer: the part that came is there, and nothing spins', async () => {
    place = new Place();
    const first = await place.host();
    const c = await first.latest();
    c.send('slow: 200');
    await until(first, c, () => nodes(c, 'text').some((t) => t.text.includes('word3')));
    await first.end();
    const second = await place.host();
    const again = await second.latest();
    expect(nodes(again, 'text')[0]).toMatchObject({ done: true, text: expect.stringContaining('word3') });
    expect(nodes(again, 'turn')[0]).toMatchObject({ state: 'done' });
    expect(again.state()).toMatchObject({ busy: false, running: [] });
  });

  it('F049 a second window on the same conversation reads it and says so', async () => {
    place = new Place();
    const first = await place.host();
    const c = await first.latest();
    c.send('say: hello');
    await idle(first, c);
    await c.flush();
    const second = await place.host();
    const other = await second.latest();
    expect(other.id).toBe(c.id);
    expect(other.readOnly).toBe(true);
    expect(other.snapshot()).toEqual(c.snapshot());
    expect(other.state().notices).toMatchObject([{ title: expect.stringContaining('Another window') }]);
    expect(other.send('hello?')).toBe(false);
  });

  it('F049 the second window follows what the first one writes, and goes on when that has gone', async () => {
    place = new Place();
    const first = await place.host();
    const c = await first.latest();
    c.send('say: hello');
    await idle(first, c);
    await c.flush();
    const second = await place.host();
    const other = await second.latest();
    expect(other.readOnly).toBe(true);

    c.send('/ask-bob run: echo öäü-live');
    const question = await until(first, c, () => first.queue.current, 'a question');
    // it waits there, and there only
    await until(second, other, () => nodes(other, 'permission')[0]?.state === 'waiting', 'the question');
    expect(nodes(other, 'permission')[0]).toMatchObject({ card: false, why: expect.stringContaining('window') });
    expect(second.queue.size).toBe(0);
    expect(second.asks.groups()).toEqual([]);
    first.queue.answer(question.id, 'allow_once');
    await idle(first, c);
    await c.flush();
    await until(second, other, () => nodes(other, 'ask')[0]?.state === 'done', 'the end of the ask');
    expect(other.snapshot()).toEqual(c.snapshot());
    expect(JSON.stringify(other.snapshot())).toContain('öäü-live');

    await first.end();
    const notice = () => other.state().notices.find((n) => n.actions.some((a) => a.id === 'take-over'));
    await until(second, other, notice, 'the offer to go on');
    const mine = (await second.reopen(other.id))!;
    expect(mine.readOnly).toBe(false);
    expect(mine.send('say: from the second window')).toBe(true);
    await idle(second, mine);
    expect(JSON.stringify(mine.snapshot())).toContain('from the second window');
  });
});

describe('configuration', () => {
  it('changes show at once; who is no longer named is asked no more', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    await until(host, c, () => c.state().agents.length === 2);
    place.write({
      'mm.yaml': 'acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  riker: {path: riker.yaml}\n',
    });
    await host.setConfig(await place.config());
    expect(c.state().agents.map((a) => a.name)).toEqual(['riker']);
    expect(c.send('/ask-bob hello')).toBe(false);
    expect(c.state().notices).toMatchObject([{ title: expect.stringContaining('riker') }]);
  });

  it('another home agent while nothing was said: bob, with his own agents', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    expect(c.state().homes.map((h) => h.name)).toEqual(['Ada', 'bob', 'riker']);
    expect(c.setHome('bob')).toBe(true);
    await until(host, c, () => c.state().agents.length === 1);
    expect(c.state()).toMatchObject({ home: { name: 'bob', title: 'Bob' }, agents: [{ name: 'riker' }] });
    c.send('/ask-riker say: aye');
    await idle(host, c);
    expect(nodes(c, 'ask')[0]).toMatchObject({ end: { how: 'done' } });
    expect(c.setHome('riker')).toBe(false);
    expect(c.state().homes).toEqual([]);
  });

  it('while the configuration is read, words stay in the composer and a line says why, until it is there', async () => {
    place = new Place();
    const host = await place.host();
    const c = await host.latest();
    await host.setConfig({ folders: [place.work], config: undefined });
    expect(c.send('hello')).toBe(false);
    expect(c.state().notices).toMatchObject([{ title: expect.stringContaining('still being read') }]);
    await host.setConfig(await place.config());
    expect(c.state().notices).toEqual([]);
    expect(c.send('say: now')).toBe(true);
    await idle(host, c);
  });

  it('a blocker: nothing is taken, nothing is started', async () => {
    place = new Place();
    const host = await place.host();
    await host.setConfig({
      folders: [place.work],
      config: undefined,
      blocker: {
        kind: 'notice',
        id: 'mm:trust',
        at: 0,
        shape: 'card',
        level: 'warning',
        title: 'Not trusted',
        actions: [],
      },
    });
    const c = await host.latest();
    expect(c.send('hello')).toBe(false);
    expect(c.send('/ask-bob hello')).toBe(false);
    expect(c.state().blocker?.title).toBe('Not trusted');
    expect(host.pool.statuses()).toEqual([]);
    await host.setConfig(await place.config());
    expect(c.state().blocker).toBeUndefined();
    expect(c.send('say: now')).toBe(true);
    await idle(host, c);
  });
});
