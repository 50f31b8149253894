import { copyFileSync, mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../../src/base/log';
import type { Conversation } from '../../src/host/conversation';
import type { Host } from '../../src/host/host';
import { type Scenario, scriptedAgentPath, type WrittenScenario, writeScenario } from '../support/scenario';
import { markName, Nest, stubborn, tinyAgent } from './children-support';
import { demoFiles, idle, nodes, outline, Place, until, wordsOf } from './host-helper';

/**
 * Faults of starts and ends on their whole way: a window whose mm.yaml names a program, its real process, the conversation. Each stands
 * under its number in the catalogue of faults; the ends of a child in all their kinds are in children-process.test.ts.
 */

let nest: Nest;
let place: Place;
let scenarios: WrittenScenario[];
let log: string[];
const person = { HOME: process.env.HOME, SHELL: process.env.SHELL };
beforeEach(() => {
  nest = new Nest();
  scenarios = [];
  log = [];
});
afterEach(async () => {
  await place.dispose();
  for (const s of scenarios) s.dispose();
  nest.dispose();
  for (const [name, value] of Object.entries(person)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

interface Program {
  command: string;
  args?: string[];
  env?: Record<string, string>;
}

/** A window whose agent cody is this program, beside the demo's Ada and bob. All processes carry the nest's mark. */
async function window(
  cody: Program | undefined,
  env: Record<string, string> = {},
): Promise<{ host: Host; c: Conversation }> {
  place = new Place({
    ...demoFiles,
    'mm.yaml': `${demoFiles['mm.yaml']}${cody ? `  cody: ${JSON.stringify(cody)}\n` : ''}`,
  });
  const host = await open(env);
  return { host, c: await host.latest() };
}

/** One more window on the same folder, as after a reload. */
const open = (env: Record<string, string> = {}): Promise<Host> =>
  place.host({ log: listLog, parentEnv: { ...process.env, [markName]: nest.mark, ...env } });

const at = (level: string) => (message: string) => void log.push(`${level}: ${message}`);
const listLog: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

function scripted(scenario: Scenario): { command: string; args: string[] } {
  const written = writeScenario(scenario);
  scenarios.push(written);
  return { command: written.command, args: written.args };
}

/** Says something to cody, as the home agent or by an ask, and waits for nothing. */
function say(c: Conversation, way: 'home' | 'asked', text = 'go'): void {
  if (way === 'home') c.setHome('cody');
  expect(c.send(way === 'home' ? text : `/ask-cody ${text}`)).toBe(true);
}

const entry = (c: Conversation) => [...nodes(c, 'turn'), ...nodes(c, 'ask')].at(-1)!;
const words = (c: Conversation): string => wordsOf(c, entry(c).id);
const ways = [{ way: 'home' }, { way: 'asked' }] as const;
const answers = "globalThis.prompted = (m, say) => say({ id: m.id, result: { stopReason: 'end_turn' } });";

describe('ends', () => {
  const ends: [string, (host: Host) => Promise<void>][] = [
    ['the window closes', (host) => host.end()],
    ['it is restarted', (host) => host.restartAgent('cody')],
  ];

  it.each(ends)(
    'F001 an agent behind a wrapper, deaf to stdin’s end and SIGHUP: gone within 3 s when %s',
    async (_, end) => {
      const deaf = "process.on('SIGHUP', () => {}); setInterval(() => {}, 1000);";
      const inner = nest.file('inner.mjs', tinyAgent(deaf + answers));
      const { host, c } = await window({ command: 'sh', args: ['-c', `"${process.execPath}" "${inner}"; :`] });
      say(c, 'home');
      await idle(host, c);
      expect(nest.pids()).toHaveLength(2);
      const started = Date.now();
      await end(host);
      expect(nest.pids()).toEqual([]);
      expect(Date.now() - started).toBeLessThan(3000);
    },
  );

  it.each([
    ['with an agent behind it', (inner: string) => `trap '' TERM; "${process.execPath}" "${inner}"; :`],
    ['that still starts', () => "trap '' TERM; sleep 600; :"],
  ])('F002 a launcher that swallows TERM, %s: all are gone when the window has closed', async (_, script) => {
    const inner = nest.file('inner.mjs', tinyAgent(stubborn + answers));
    const { host, c } = await window({ command: 'sh', args: ['-c', script(inner)] });
    say(c, 'home');
    await expect.poll(() => nest.pids().length, { timeout: 10_000 }).toBe(2);
    const started = Date.now();
    // what `deactivate` awaits: a timer that nobody waits for would end with the extension host
    await host.end();
    expect(nest.pids()).toEqual([]);
    expect(Date.now() - started).toBeLessThan(3000);
  });

  it('F003 five reloads: as many processes as the living window has in its pool', async () => {
    let { host, c } = await window(undefined);
    for (let round = 0; round < 5; round++) {
      c.send('say: hello');
      c.send('/ask-bob say: hello');
      await idle(host, c);
      const closing = host.end();
      // the editor starts the next window before the last one has gone
      host = await open();
      c = await host.latest();
      await closing;
    }
    expect(nest.pids()).toEqual([]);
    c.send('say: hello');
    await idle(host, c);
    expect(nest.pids()).toEqual(host.pool.statuses().map((s) => s.pid));
  });

  it.each(ways)(
    'F004 ended with 137 in mid prompt, $way: said within a second, with stderr; again on demand',
    async ({ way }) => {
      const { host, c } = await window(
        scripted({ on: { 'session/prompt': [{ stderr: 'heap is full\n' }, { text: 'half an ans' }, { exit: 137 }] } }),
      );
      say(c, way);
      await until(host, c, () => nodes(c, 'text').length > 0);
      const started = Date.now();
      await idle(host, c);
      expect(Date.now() - started).toBeLessThan(1000);
      const ended = entry(c);
      expect(ended.end, outline(c).join('\n')).toEqual({
        how: 'died',
        title: 'cody ended with exit code 137 (ended by SIGKILL, often for lack of memory)',
        stderrTail: 'heap is full',
      });
      expect(words(c)).toBe('half an ans');
      expect(c.act(ended.id, way === 'home' ? 'try-again' : 'ask-again')).toBe(true);
      await idle(host, c);
      expect(entry(c).id).not.toBe(ended.id);
      expect(words(c)).toBe('half an ans');
    },
  );
});

describe('starts', () => {
  it('F005 F011 a script for env node on a PATH without node: the PATH of the login shell is tried, and what that shell prints reaches nobody', async () => {
    const bin = join(nest.folder, 'bin');
    mkdirSync(bin);
    nest.file('bin/mm-node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, 0o755);
    nest.file('.bash_profile', `echo hi\nexport PATH="${bin}:$PATH"\n. ~/.bashrc\n`);
    nest.file('.bashrc', 'echo hi again\n');
    // of the editor, which a desktop has started; the probe runs the person's own shell, once in the life of an editor
    process.env.HOME = nest.folder;
    process.env.SHELL = '/bin/bash';
    const { args } = scripted({ on: { 'session/prompt': [{ text: '$ENV{PATH}' }] } });
    copyFileSync(scriptedAgentPath, join(nest.folder, 'scripted.mjs'));
    const agent = nest.file('agent.mjs', '#!/usr/bin/env mm-node\nawait import("./scripted.mjs");\n', 0o755);
    const { host, c } = await window({ command: agent, args: [args[1]!] }, { PATH: '/usr/bin:/bin' });
    for (const { way } of ways) {
      // not from one to the other: that would be a cycle
      const talk = way === 'home' ? c : host.create();
      say(talk, way);
      await idle(host, talk);
      expect(entry(talk).end, outline(talk).join('\n')).toEqual({ how: 'done' });
      expect(words(talk)).toContain(bin);
    }
    expect(log.filter((line) => /no messages|\bhi\b/.test(line))).toEqual([]);
  });

  it.each(ways)(
    'F005 without one anywhere, $way: exit code 127 is understood, and the interpreter named',
    async ({ way }) => {
      const agent = nest.file('agent', '#!/usr/bin/env mm-no-such-node\n', 0o755);
      const { host, c } = await window({ command: agent }, { PATH: '/usr/bin:/bin' });
      say(c, way);
      await idle(host, c);
      expect(entry(c).end, outline(c).join('\n')).toMatchObject({
        title: 'cody ended with exit code 127: the program mm-no-such-node, which it needs, was not found on the PATH',
      });
    },
  );

  it.each(ways)(
    'F006 sleep 9999, $way: it shows that it starts and until when; Stop ends the process',
    async ({ way }) => {
      const { host, c } = await window({ command: 'sleep', args: ['9999'] });
      say(c, way);
      await until(host, c, () => entry(c).until !== undefined);
      expect(entry(c).state).toBe('starting');
      await expect.poll(() => nest.pids().length).toBe(1);
      c.stop();
      await idle(host, c);
      expect(entry(c).end).toEqual({ how: 'stopped' });
      expect(await nest.left(3000)).toEqual([]);
    },
  );

  it.each(ways)(
    'F010 what makes Electron run as Node reaches nobody, $way, unless the person listed it',
    async ({ way }) => {
      const hosts = {
        ELECTRON_RUN_AS_NODE: '1',
        ELECTRON_NO_ASAR: '1',
        VSCODE_PID: '7',
        VSCODE_IPC_HOOK: '/x',
        NODE_OPTIONS: '--no-warnings',
      };
      const shows = { on: { 'session/prompt': [{ text: '$KEYS' }] } };
      const own = /^(ELECTRON_|VSCODE_|NODE_OPTIONS$)/;
      const { host, c } = await window(scripted(shows), hosts);
      say(c, way);
      await idle(host, c);
      expect(words(c)).toContain('PATH');
      expect(
        words(c)
          .split(' ')
          .filter((name) => own.test(name)),
      ).toEqual([]);

      const listed = { ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--no-deprecation' };
      place.write({
        'mm.yaml': `${demoFiles['mm.yaml']}  cody: ${JSON.stringify({ ...scripted(shows), env: listed })}\n`,
      });
      await host.setConfig(await place.config());
      const other = host.create();
      say(other, way);
      await idle(host, other);
      expect(
        words(other)
          .split(' ')
          .filter((name) => own.test(name)),
        outline(other).join('\n'),
      ).toEqual(Object.keys(listed));
    },
  );

  it('F012 two folders: an agent works in the one that the conversation chose; its process stays where its first session was', async () => {
    const { host } = await window(undefined);
    const second = join(place.folder, 'second');
    mkdirSync(second);
    await host.setConfig({ ...(await place.config()), folders: [place.work, second] });
    const pwd = async (folder: string) => {
      const c = host.create();
      expect(c.send('/ask-bob run: pwd')).toBe(false);
      c.setFolder(folder);
      c.send('/ask-bob run: pwd');
      host.queue.answer((await until(host, c, () => host.queue.current)).id, 'allow_once');
      await idle(host, c);
      return nodes(c, 'tool')[0]!.output.trim();
    };
    expect(await pwd(second)).toContain(second);
    const [bob] = host.pool.statuses();
    expect(await pwd(place.work)).toContain(place.work);
    expect(host.pool.statuses().map((s) => s.pid)).toEqual([bob!.pid]);
    expect(readlinkSync(`/proc/${bob!.pid}/cwd`)).toBe(second);
  });

  it('F014 a later change of mm.yaml is offered as a restart, and then holds', async () => {
    const { host, c } = await window(undefined);
    c.send('say: hello');
    await idle(host, c);
    const offers = () =>
      c
        .state()
        .notices.map((n) => n.title)
        .filter((title) => title.includes('Restart Agent'));
    expect(offers()).toEqual([]);
    place.write({ 'mm.yaml': demoFiles['mm.yaml']!.replace('Ada}', 'Ada, description: new}') });
    await host.setConfig(await place.config());
    expect(offers()).toEqual([
      'Ada was started with an earlier version of mm.yaml. “mm: Restart Agent…” starts the new one.',
    ]);
    const before = host.pool.statuses()[0]!.pid;
    await host.restartAgent('Ada');
    c.send('say: hello again');
    await idle(host, c);
    expect(offers()).toEqual([]);
    expect(host.pool.statuses().map((s) => s.pid)).not.toContain(before);
  });
});
