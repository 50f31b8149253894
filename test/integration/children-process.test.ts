import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log';
import { describeExit, exitHint } from '../../src/children/exit';
import { ChildProcess } from '../../src/children/process';
import { Reaper } from '../../src/children/reaper';
import type { ChildSpec } from '../../src/children/types';
import { alive, Nest, stubborn, tinyAgent, until } from './children-support';

let nest: Nest;
let reaper: Reaper;
beforeEach(() => {
  nest = new Nest();
  reaper = Reaper.start();
});
afterEach(() => {
  reaper.dispose();
  nest.dispose();
});
const spawn = (spec: ChildSpec) => ChildProcess.spawn(spec, reaper, silentLog);
const node = (script: string, name = 'agent.mjs') => spawn(nest.spec(process.execPath, [nest.file(name, script)]));
const stderrHas = (child: ChildProcess, text: string) => until(() => child.stderrTail().includes(text), 10_000);
const timed = async (work: Promise<unknown>) => {
  const start = Date.now();
  await work;
  return Date.now() - start;
};

describe('the end of one child', () => {
  it('one that ends with its stdin is gone at once, with its exit code', async () => {
    const child = node(tinyAgent());
    expect(await timed(child.stop())).toBeLessThan(1900);
    expect(await child.exited).toMatchObject({ code: 0 });
    expect(nest.pids()).toEqual([]);
  });

  it('one that ignores the end of stdin gets TERM after the first grace', async () => {
    const child = node(
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.error('up')",
    );
    await stderrHas(child, 'up');
    const took = await timed(child.stop({ stdin: 300, term: 5000 }));
    expect(took).toBeGreaterThanOrEqual(290);
    expect(took).toBeLessThan(3000);
    expect(await child.exited).toMatchObject({ code: 7 });
  });

  it('one that ignores stdin and TERM is gone within 5 s, by KILL', async () => {
    const child = node(`${stubborn} console.error('up')`);
    await stderrHas(child, 'up');
    const took = await timed(child.stop());
    expect(took).toBeGreaterThanOrEqual(3900);
    expect(took).toBeLessThan(5000);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(await nest.left(0)).toEqual([]);
  });

  it('F001: what a wrapper started is gone within 3 s', async () => {
    const inner = nest.file(
      'inner.js',
      "process.on('SIGHUP', () => {}); setInterval(() => {}, 1000); console.error('inner');",
    );
    const child = spawn(nest.spec('/bin/sh', ['-c', `"${process.execPath}" "${inner}"; :`]));
    await stderrHas(child, 'inner');
    expect(await timed(child.stop())).toBeLessThan(3000);
    expect(nest.pids()).toEqual([]);
  });

  it('F002: a wrapper that swallows TERM goes with its child by KILL to the group', async () => {
    const inner = nest.file('inner.js', `${stubborn} console.error('inner');`);
    const child = spawn(nest.spec('/bin/sh', ['-c', `trap '' TERM; "${process.execPath}" "${inner}"; :`]));
    await stderrHas(child, 'inner');
    expect(await timed(child.stop({ stdin: 300, term: 300 }))).toBeLessThan(2000);
    expect(nest.pids()).toEqual([]);
  });

  it('F001: when the wrapper ends by itself, what it leaves behind is ended, also when that ignores TERM', async () => {
    const inner = nest.file('inner.js', `${stubborn} console.error('inner');`);
    const child = spawn(nest.spec('/bin/sh', ['-c', `"${process.execPath}" "${inner}" & read line; exit 3`]));
    await stderrHas(child, 'inner');
    child.stdin.write('go\n');
    expect(await child.exited).toMatchObject({ code: 3 });
    await child.gone;
    expect(nest.pids()).toEqual([]);
  });

  it('a stopped process (Ctrl-Z) is ended too', async () => {
    const child = node(
      "process.on('SIGTERM', () => process.exit(7)); console.error('up'); setInterval(() => {}, 1000)",
    );
    await stderrHas(child, 'up');
    process.kill(child.pid!, 'SIGSTOP');
    expect(await timed(child.stop({ stdin: 200, term: 3000 }))).toBeLessThan(2500);
    expect(await child.exited).toMatchObject({ code: 7 });
  });

  it('a second, shorter stop hurries the first', async () => {
    const child = node(`${stubborn} console.error('up')`);
    await stderrHas(child, 'up');
    const first = child.stop({ stdin: 20_000, term: 20_000 });
    expect(await timed(child.stop({ stdin: 100, term: 100 }))).toBeLessThan(2000);
    expect(await timed(first)).toBeLessThan(500);
  });

  it('nothing is signalled after the end', async () => {
    const child = node(tinyAgent());
    await child.stop();
    const kill = process.kill;
    const sent: unknown[] = [];
    process.kill = ((...args: unknown[]) => sent.push(args)) as never;
    try {
      await child.stop();
      child.killNow();
    } finally {
      process.kill = kill;
    }
    expect(sent).toEqual([]);
  });

  it('output that a process outside the group holds open is let go of', async () => {
    const child = spawn(nest.spec('/bin/sh', ['-c', `setsid sleep 600 & echo last; exit 0`]));
    let text = '';
    const closed = new Promise((resolve) => child.stdout.on('data', (d) => (text += d)).once('close', resolve));
    expect(await child.exited).toMatchObject({ code: 0 });
    expect(await timed(closed)).toBeLessThan(3000);
    expect(text).toBe('last\n');
  });

  it('the last answer of one that ended is not lost to a slow reader', async () => {
    const child = node("process.stdout.write('x'.repeat(50000) + 'end', () => process.exit(0))");
    let text = '';
    const ended = new Promise((resolve) =>
      child.stdout
        .on('data', (d) => {
          text += d;
          child.stdout.pause();
          setTimeout(() => child.stdout.resume(), 700);
        })
        .once('end', resolve),
    );
    await child.exited;
    await ended;
    expect(text.length).toBe(50003);
  });

  it('20 rounds of start and stop leave nothing, neither processes nor entries on the list', async () => {
    for (let round = 0; round < 20; round++) {
      const child = spawn(nest.spec('/bin/sh', ['-c', 'cat >/dev/null & cat']));
      if (round % 2) child.stdin.write('x\n');
      await child.stop({ stdin: 1000, term: 500 });
    }
    expect(nest.pids()).toEqual([]);
    expect(reaper.size).toBe(0);
  });
});

describe('what cannot be started', () => {
  it.each<[string, (n: Nest) => Partial<ChildSpec>, RegExp, RegExp]>([
    [
      'a program that is not there',
      () => ({ command: 'no-such-agent' }),
      /^bob's program was not found: no-such-agent$/,
      /The PATH searched: \//,
    ],
    [
      'a path that is not there',
      () => ({ command: '/no/agent' }),
      /^bob's program was not found: \/no\/agent$/,
      /absolute path/,
    ],
    [
      'a file that is not executable',
      (n) => ({ command: n.file('plain', 'x') }),
      /^bob's program is not executable: .*plain$/,
      /chmod/,
    ],
    [
      'a folder that is not there',
      () => ({ command: 'cat', cwd: '/no/folder' }),
      /no folder \/no\/folder/,
      /folder that exists/,
    ],
    [
      'F005: a script whose interpreter is missing',
      (n) => ({ command: n.file('s', '#!/no/python9\n', 0o755) }),
      /s needs \/no\/python9, which was not found/,
      /Install \/no\/python9/,
    ],
    ['an argument that no system takes', () => ({ command: 'cat', args: ['a\0b'] }), /^bob was not started: /, /.*/],
    ['a folder as program', (n) => ({ command: n.folder }), /not executable/, /.*/],
  ])('%s', async (_, more, words, hint) => {
    const child = spawn(nest.spec('x', [], more(nest)));
    const exit = await child.exited;
    expect(describeExit('bob', exit)).toMatch(words);
    expect(exitHint(exit) ?? '').toMatch(hint);
    child.stdin.write('x');
    await child.stop();
    await new Promise<void>((resolve) => {
      if (child.stdout.destroyed || child.stdout.readableEnded) resolve();
      else child.stdout.resume().once('close', resolve);
    });
    expect(reaper.size).toBe(0);
  });

  it('F005: #!/usr/bin/env node without node on the PATH names node', async () => {
    const script = nest.file('agent', '#!/usr/bin/env node\n');
    chmodSync(script, 0o755);
    const exit = await spawn(nest.spec(script, [], { env: { ...nest.env(), PATH: '/no' } })).exited;
    expect(exit.code).toBe(127);
    expect(describeExit('bob', exit)).toContain('the program node, which it needs');
  });
});

it('F012: the process starts in the folder it is given', async () => {
  const child = node('console.error(process.cwd())');
  expect((await child.exited).stderrTail).toBe(nest.folder);
});

it('a child that ends while much is written to it does not throw', async () => {
  const child = node('process.stdin.destroy(); process.exit(1)');
  for (let i = 0; i < 100; i++) child.stdin.write('x'.repeat(10_000));
  expect(await child.exited).toMatchObject({ code: 1 });
  child.stdin.write('x');
});

describe('the reaper', () => {
  it('it survives what a terminal sends, and a killed one is replaced with the whole list', async () => {
    const child = node(`${stubborn} console.error('up')`);
    await stderrHas(child, 'up');
    const first = reaper.pid!;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(first, signal);
    process.kill(first, 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(alive(first)).toBe(true);
    process.kill(first, 'SIGKILL');
    expect(await until(() => reaper.pid !== undefined && reaper.pid !== first, 5000)).toBe(true);
    reaper.dispose();
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('a group that was taken off the list is spared, others are not, and its shell ends', async () => {
    const [one, three] = ['1', '3'].map((n) => node(`${stubborn} console.error('up')`, `a${n}.mjs`)) as [
      ChildProcess,
      ChildProcess,
    ];
    // of another launch: its group was once on our list
    const other = Reaper.start();
    const two = ChildProcess.spawn(
      nest.spec(process.execPath, [nest.file('a2.mjs', `${stubborn} console.error('up')`)]),
      other,
      silentLog,
    );
    for (const child of [one, two, three]) await stderrHas(child, 'up');
    const shell = reaper.pid!;
    reaper.add(two.pid!);
    reaper.remove(two.pid!);
    reaper.dispose();
    expect(await one.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(await three.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(await until(() => !alive(shell), 3000)).toBe(true);
    expect(alive(two.pid!)).toBe(true);
    two.killNow();
    await two.gone;
    other.dispose();
  });
});
