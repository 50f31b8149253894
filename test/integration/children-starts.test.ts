import { execFileSync, spawn as spawnProcess } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log';
import { endOrphans, startOf } from '../../src/children/launches';
import { probe } from '../../src/children/login-path';
import { ChildPool, type PoolOptions } from '../../src/children/pool';
import { ChildProcess } from '../../src/children/process';
import { Reaper } from '../../src/children/reaper';
import { alive, Nest, tinyAgent, until } from './children-support';

let nest: Nest;
let pool: ChildPool;
const signal = new AbortController().signal;
const newPool = (o: Partial<PoolOptions> = {}) =>
  new ChildPool({
    log: silentLog,
    hub: false,
    clientInfo: { name: 'test', version: '1' },
    loginPath: async () => undefined,
    ...o,
  });
beforeEach(() => {
  nest = new Nest();
  pool = newPool();
});
afterEach(async () => {
  await pool.end();
  nest.dispose();
});

describe('what cannot be an agent is told in its own sentence', () => {
  const script = (text: string) => nest.spec('/bin/sh', ['-c', text], { key: text });
  const start = async (text: string, o: Partial<PoolOptions> = {}) => {
    pool = newPool({ initializeDeadline: 1_500, ...o });
    return pool.acquire(script(text), { signal }).then(
      () => undefined,
      (error: Error) => error.message,
    );
  };

  it.each([
    ['prints its help and exits', "echo 'Usage: tool [options] FILE'", /shows how it is used/],
    ['prints its help on stderr and fails', "echo 'usage: tool' >&2; exit 2", /shows how it is used/],
    ['prints a web page', "echo '<!DOCTYPE html><html>'; sleep 9", /writes a web page/],
    ['echoes', 'cat', /sends back what it is sent/],
    ['prints other text and waits', 'echo Welcome; sleep 9', /writes text that is no ACP: “Welcome”/],
    ['says nothing and waits (F006)', 'sleep 9', /did not answer|no answer/i],
    ['exits at once', 'exit 0', /exit code 0/],
    ['fails in its own words', "echo starting; echo 'no model' >&2; exit 3", /exit code 3/],
    ['misses its interpreter', 'exec no-such-interpreter', /exit code 127: the program no-such-interpreter/],
  ])('%s', async (_what, text, words) => {
    expect(await start(text)).toMatch(words);
    expect(await nest.left(3000)).toEqual([]);
  });

  it('a file for another processor, one that is not executable, one that is not there', async () => {
    const elf = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(57, 0xff)]);
    const foreign = nest.file('foreign', '', 0o755);
    writeFileSync(foreign, elf);
    const plain = nest.file('plain', 'hi', 0o644);
    const said = (command: string) =>
      pool.acquire(nest.spec(command, [], { key: command }), { signal }).catch((error: Error) => error.message);
    expect(await said(foreign)).toMatch(/cannot run on this system/);
    expect(await said(plain)).toMatch(/is not executable/);
    expect(await said(join(nest.folder, 'nothing'))).toMatch(/was not found/);
  });

  it('after failures in a row the next start waits, and a restart by hand does not', async () => {
    let now = 0;
    pool = newPool({ now: () => now });
    const spec = script('exit 4');
    const said = () => pool.acquire(spec, { signal }).catch((error: Error) => error.message);
    for (let i = 0; i < 3; i++) expect(await said()).toMatch(/exit code 4/);
    expect(await said()).toMatch(/3 times in a row, so it is not tried again for 1 s/);
    now += 1_000;
    expect(await said()).toMatch(/exit code 4/);
    expect(await said()).toMatch(/for 2 s/);
    const byPerson = pool.acquire(spec, { signal, eager: true }).catch((error: Error) => error.message);
    expect(await byPerson, 'a person waits for nothing').toMatch(/exit code 4/);
    expect(await said()).toMatch(/for 4 s/);
    await pool.restart(spec.key);
    expect(await said()).toMatch(/exit code 4/);
  });
});

describe('F005, F011: the PATH of the login shell', () => {
  it('is tried once where the program, or its interpreter, is not found', async () => {
    const bin = join(nest.folder, 'bin');
    mkdirSync(bin);
    const agent = nest.file('bin/my-agent', `#!/usr/bin/env my-node\n${tinyAgent('')}`, 0o755);
    writeFileSync(join(bin, 'my-node'), `#!/bin/sh\ncp "$1" "$1.mjs"; exec "${process.execPath}" "$1.mjs"\n`, {
      mode: 0o755,
    });
    let asked = 0;
    pool = newPool({
      loginPath: async () => {
        asked++;
        return `${bin}:/usr/bin:/bin`;
      },
    });
    const env = { ...nest.env(), PATH: '/usr/bin:/bin' };
    const byName = await pool.acquire(nest.spec('my-agent', [], { key: 'name', env }), { signal });
    const byPath = await pool.acquire(nest.spec(agent, [], { key: 'path', env }), { signal });
    expect(asked).toBe(2);
    byName.release();
    byPath.release();
    expect(pool.statuses().map(({ state, exit }) => ({ state, exit }))).toEqual([
      { state: 'ready', exit: undefined },
      { state: 'ready', exit: undefined },
    ]);
    const nowhere = pool.acquire(nest.spec('no-such-agent', [], { key: 'none', env }), { signal });
    await expect(nowhere).rejects.toThrow('was not found: no-such-agent');
  });

  it('is read between marks, whatever the files of the shell print, and within a time', async () => {
    const noisy = nest.file(
      'noisy',
      '#!/bin/sh\necho "PATH=/banner"; export PATH=/mine:$PATH; eval "$2"; echo bye\n',
      0o755,
    );
    expect(await probe(noisy, { PATH: '/usr/bin:/bin' })).toBe('/mine:/usr/bin:/bin');
    const hangs = nest.file('hangs', '#!/bin/sh\nsleep 99\n', 0o755);
    expect(await probe(hangs, nest.env(), 300)).toBeUndefined();
    expect(await probe(join(nest.folder, 'no-shell'), {})).toBeUndefined();
    expect(await nest.left(2000)).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('launch records', () => {
  const leaves = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { detached: true, stdio: 'ignore' }).unref();
    console.error('up'); setInterval(() => {}, 1000);`;

  it('what left its group ends with its child, and with the host', async () => {
    const reaper = Reaper.start();
    const one = ChildProcess.spawn(nest.spec(process.execPath, [nest.file('a.mjs', leaves)]), reaper, silentLog);
    const two = ChildProcess.spawn(nest.spec(process.execPath, [nest.file('b.mjs', leaves)]), reaper, silentLog);
    await until(() => one.stderrTail().includes('up') && two.stderrTail().includes('up'), 10_000);
    expect(nest.pids()).toHaveLength(4);
    await one.stop({ stdin: 100, term: 100 });
    expect(await until(() => nest.pids().length === 2, 2000)).toBe(true);
    expect(alive(two.pid!)).toBe(true);
    reaper.dispose();
    expect(await nest.left(5000)).toEqual([]);
  });

  it('a host that was killed together with its reaper: the next start ends exactly its own orphans', async () => {
    const folder = join(nest.folder, 'launches');
    const living = Reaper.start(silentLog, folder);
    const ours = ChildProcess.spawn(nest.spec(process.execPath, [nest.file('a.mjs', leaves)]), living, silentLog);
    await until(() => ours.stderrTail().includes('up'), 10_000);
    expect(readdirSync(folder)).toEqual([`${living.id}.json`]);

    const dead = 'dead'.repeat(8);
    const orphan = spawnProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
      env: nest.env({ MM_LAUNCH: `${dead}.1` }),
    });
    orphan.unref();
    // before its exec it still has our environment
    expect(await until(() => nest.pids().includes(orphan.pid!), 5000)).toBe(true);
    // its host's id is somebody else's by now: the start tells
    writeFileSync(join(folder, `${dead}.json`), JSON.stringify({ pid: process.pid, start: 'long ago 1' }));
    writeFileSync(join(folder, 'notes.txt'), 'not ours');
    const before = nest.pids().length;
    expect(await endOrphans(folder, silentLog)).toBe(1);
    expect(await until(() => nest.pids().length === before - 1, 2000)).toBe(true);
    expect(alive(orphan.pid!)).toBe(false);
    expect(alive(ours.pid!)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual([`${living.id}.json`, 'notes.txt'].sort());
    expect(startOf(process.pid)).toBeDefined();

    living.dispose();
    expect(readdirSync(folder)).toEqual(['notes.txt']);
    expect(await nest.left(5000)).toEqual([]);
  });

  it('a record that its host is just writing is no record of a dead host', async () => {
    const folder = join(nest.folder, 'launches');
    mkdirSync(folder);
    const id = 'beef'.repeat(8);
    const file = join(folder, `${id}.json`);
    const child = spawnProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
      env: nest.env({ MM_LAUNCH: `${id}.1` }),
    });
    child.unref();
    writeFileSync(file, '');
    expect(await endOrphans(folder, silentLog)).toBe(0);
    expect(alive(child.pid!)).toBe(true);
    const long = new Date(Date.now() - 120_000);
    utimesSync(file, long, long);
    expect(await endOrphans(folder, silentLog)).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
    expect(await nest.left(2000)).toEqual([]);
  });

  it('a loop that starts, kills (-9) and restarts the host 20 times during an ask leaves no process', async () => {
    const mm = join(__dirname, '../../dist/mm.mjs');
    const config = nest.file('mm.yaml', 'provider: demo\nmmConfigs:\n  bob: {path: bob.yaml, yolo: true}\n');
    nest.file('bob.yaml', 'provider: demo\n');
    const env = nest.env({ HOME: nest.folder, XDG_CACHE_HOME: join(nest.folder, 'cache') });
    for (let round = 0; round < 20; round++) {
      const prompt = 'run: setsid sleep 300 & sleep 300';
      const host = spawnProcess(process.execPath, [mm, '--ask', 'bob', prompt, '-config', config], {
        env,
        stdio: 'ignore',
      });
      // in another moment each time: at the start, while bob starts, while its command runs
      const enough = round % 3 === 0 ? 1 : round % 3 === 1 ? 2 : 4;
      expect(await until(() => nest.pids().length >= enough, 20_000)).toBe(true);
      host.kill('SIGKILL');
    }
    expect(await nest.left(6000)).toEqual([]);
    const reapers = execFileSync('ps', ['-eo', 'args']).toString();
    expect(reapers).not.toContain(nest.folder);
    expect(readdirSync(join(nest.folder, 'cache/mm/launches'))).toEqual([]);
  }, 120_000);

  it('200 starts and ends leave no listener, no timer and no record behind', async () => {
    const folder = join(nest.folder, 'launches');
    const reaper = Reaper.start(silentLog, folder);
    const round = async () => {
      const child = ChildProcess.spawn(nest.spec('/bin/sh', ['-c', 'cat >/dev/null']), reaper, silentLog);
      await child.stop({ stdin: 2000, term: 500 });
    };
    for (let i = 0; i < 20; i++) await round();
    const before = process.getActiveResourcesInfo().length;
    for (let i = 0; i < 180; i++) await round();
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 2);
    expect(reaper.size).toBe(0);
    expect(readdirSync(folder)).toHaveLength(1);
    reaper.dispose();
    expect(readdirSync(folder)).toEqual([]);
  }, 60_000);
});
