import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ticker } from '../../src/ask/watchdog';
import { type WrittenScenario, writeScenario } from '../support/scenario';
import { demoFiles, idle, nodes, outline, Place, until, wordsOf } from './host-helper';

/** Hooks (rule 10) and watchdogs (rule 11) of a window, which is the hub of its agents. */

let place: Place;
const scenarios: WrittenScenario[] = [];
afterEach(async () => {
  await place.dispose();
  for (const s of scenarios.splice(0)) s.dispose();
});

/** A window whose files have these hooks; each hook notes in `log` that it ran. */
async function window(
  hooks: { home?: string; bob?: string },
  scripts: Record<string, string>,
  o: { every?: Ticker; more?: string; entries?: string } = {},
) {
  place = new Place();
  for (const [name, body] of Object.entries(scripts)) {
    place.write({ [`${name}.sh`]: `#!/bin/sh\necho ${name} >> log\n${body || 'cat > /dev/null'}\n` });
    chmodSync(join(place.folder, `${name}.sh`), 0o755);
  }
  place.write({
    'mm.yaml': `${demoFiles['mm.yaml']}${o.entries ?? ''}${o.more ?? ''}${hooks.home ? `hooks: {${hooks.home}}\n` : ''}`,
    'bob.yaml': `${demoFiles['bob.yaml']}${hooks.bob ? `hooks: {${hooks.bob}}\n` : ''}`,
  });
  const host = await place.host(o.every ? { every: o.every, stopGrace: 500 } : {});
  const c = await host.latest();
  const log = () => {
    const file = join(place.folder, 'log');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  return { host, c, log };
}

const list = (point: string, ...names: string[]) =>
  `${point}: [${names.map((n) => `{command: ./${n}.sh}`).join(', ')}]`;

describe('rule 10: hooks in a window', () => {
  it('an ask of the person: once each; the view and the pair have what went out and what came back', async () => {
    const { host, c, log } = await window(
      { home: `${list('preAsk', 'redact')}, ${list('postAsk', 'mask')}` },
      { redact: "sed 's/hunter2/xxxxx/'", mask: "sed 's/xxxxx/-----/g'" },
    );
    c.send('/ask-bob say: the key is hunter2');
    await idle(host, c);
    const [ask] = nodes(c, 'ask');
    expect(ask, outline(c).join('\n')).toMatchObject({
      prompt: 'say: the key is xxxxx',
      rewritten: true,
      kept: true,
      end: { how: 'done' },
    });
    expect(nodes(c, 'text').map((n) => [n.text.trim(), n.withheld ?? false])).toEqual([
      ['the key is xxxxx', true],
      ['the key is -----', false],
    ]);
    expect(nodes(c, 'notice').map((n) => n.title)).toEqual([
      'The hook ./redact.sh rewrote the question',
      'The hook ./mask.sh replaced this answer',
    ]);
    expect(log()).toEqual(['redact', 'mask']);
    c.send('what did bob say?');
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).toContain('the key is -----');
  });

  it('a hook that refused: the view says so with its reason, nobody is started', async () => {
    const { host, c } = await window({ home: list('preAsk', 'no') }, { no: 'echo "it names a customer" >&2; exit 2' });
    c.send('/ask-bob hi');
    await idle(host, c);
    expect(nodes(c, 'ask')[0]!.end).toEqual({
      how: 'not-asked',
      why: 'The hook ./no.sh refused the question to bob: it names a customer',
    });
    expect(host.pool.statuses()).toEqual([]);
  });

  it('an answer that is kept back is seen and not kept, also not by hand', async () => {
    const { host, c } = await window({ home: list('postAsk', 'keep') }, { keep: 'echo "a key" >&2; exit 2' });
    c.send('/ask-bob say: hunter2');
    await idle(host, c);
    const [ask] = nodes(c, 'ask');
    expect(ask!.end).toEqual({ how: 'withheld', why: 'The hook ./keep.sh keeps the answer of bob back: a key' });
    expect(nodes(c, 'text')[0]).toMatchObject({ text: 'hunter2\n', withheld: true });
    c.act(ask!.id, 'keep-answer');
    expect(nodes(c, 'ask')[0]!.kept).toBe(false);
    c.send('what did bob say?');
    await idle(host, c);
    expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).not.toContain('hunter2');
  });

  it('asks of models run each hook once, in the window and not in mm: Ada’s for bob, bob’s for riker', async () => {
    const { host, c, log } = await window(
      { home: `${list('preAsk', 'pre')}, ${list('postAsk', 'post')}`, bob: list('preAsk', 'bobs') },
      { pre: '', post: '', bobs: '' },
      { more: 'yolo: true\n' },
    );
    c.send('ask bob: ask riker: say: deep');
    await idle(host, c);
    expect(log(), outline(c).join('\n')).toEqual(['pre', 'bobs', 'post']);
    expect(wordsOf(c, nodes(c, 'turn')[0]!.id)).toContain('deep');
  });
});

describe('rule 11: the home agent’s own turn', () => {
  /** Counts time only when the test says so. */
  function clock() {
    const ticking = new Set<() => void>();
    const every: Ticker = (_, tick) => {
      ticking.add(tick);
      return { dispose: () => ticking.delete(tick) };
    };
    const pass = (ticks: number) => {
      for (let i = 0; i < ticks; i++) for (const tick of [...ticking]) tick();
    };
    return { every, pass, running: () => ticking.size };
  }

  it('an agent that is not mm, and silent: its turn ends with a sentence, its session is cancelled, and it lives on', async () => {
    const time = clock();
    const s = writeScenario({
      on: { 'session/prompt': [[{ text: 'one' }, { waitFor: 'session/cancel' }], [{ text: 'two' }]] },
    });
    scenarios.push(s);
    const entry = `  cody: {command: ${JSON.stringify(s.command)}, args: ${JSON.stringify(s.args)}}\n`;
    const { host, c } = await window({}, {}, { every: time.every, entries: entry });
    expect(c.setHome('cody')).toBe(true);
    c.send('go');
    await until(host, c, () => nodes(c, 'text').length === 1 && time.running() === 1);
    time.pass(20);
    expect(c.working).toBe(true);
    time.pass(1);
    await idle(host, c);
    expect(nodes(c, 'turn')[0]!.end).toEqual({ how: 'watchdog', seconds: 300 });
    expect(s.received('session/cancel')).toHaveLength(1);
    c.send('again');
    await idle(host, c);
    expect(nodes(c, 'turn')[1]!.end).toEqual({ how: 'done' });
    expect(time.running()).toBe(0);
  });

  it('a question and an ask of hers are no silence of hers; bob’s own silence ends his part, and she goes on', async () => {
    const time = clock();
    const { host, c } = await window({}, {}, { every: time.every });
    c.send('ask bob: stall');
    const question = await until(host, c, () => host.queue.current);
    time.pass(100);
    expect(c.working).toBe(true);
    host.queue.answer(question.id, 'allow_once');
    await until(host, c, () => time.running() === 2 && nodes(c, 'ask')[0]?.state === 'running');
    time.pass(21);
    await idle(host, c);
    const turn = nodes(c, 'turn')[0]!;
    expect(turn.end, outline(c).join('\n')).toEqual({ how: 'done' });
    expect(nodes(c, 'ask')[0]!.end).toEqual({ how: 'watchdog', seconds: 300 });
    expect(wordsOf(c, turn.id)).toContain('bob has said nothing for 300 seconds');
  });

  it('a command of hers is no silence', async () => {
    const time = clock();
    const { host, c } = await window({}, {}, { every: time.every, more: 'yolo: true\n' });
    c.send('run: echo up; while [ ! -e go ]; do sleep 0.05; done; echo ran');
    await until(host, c, () => nodes(c, 'tool')[0]?.output.includes('up'));
    time.pass(1000);
    expect(c.working).toBe(true);
    writeFileSync(join(place.work, 'go'), '');
    await idle(host, c);
    expect(nodes(c, 'turn')[0]!.end).toEqual({ how: 'done' });
  });
});
