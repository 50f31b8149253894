import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeLock } from '../../../src/host/lock';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mm-lock-'));
  file = join(dir, 'c.lock');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

const holder = (over: object = {}) => JSON.stringify({ pid: process.ppid, host: hostname(), token: 't', ...over });
const silentFor = (ms: number) => {
  const at = new Date(Date.now() - ms);
  utimesSync(file, at, at);
};
const hour = 3_600_000;

describe('one writer', () => {
  it('holds until it is released, and leaves nothing', () => {
    const lock = takeLock(file)!;
    expect(takeLock(file)).toBeUndefined();
    expect(lock.held()).toBe(true);
    lock.dispose();
    expect(readdirSync(dir)).toEqual([]);
    takeLock(file)!.dispose();
  });

  it('F049 a living process of this machine is never replaced by silence: it may sleep', () => {
    writeFileSync(file, holder());
    silentFor(20 * 60_000);
    expect(takeLock(file)).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe(holder());
  });

  it('a process that has ended is replaced at once', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(file, holder({ pid: child.pid }));
    expect(takeLock(file)).toBeDefined();
  });

  it('of another machine only silence can be told', () => {
    writeFileSync(file, holder({ host: 'elsewhere', pid: 999_999_999 }));
    expect(takeLock(file)).toBeUndefined();
    silentFor(30_000);
    expect(takeLock(file)).toBeDefined();
  });

  it.runIf(process.platform === 'linux')('a process id that was used again is not the holder', () => {
    writeFileSync(file, holder({ start: '1' }));
    expect(takeLock(file)).toBeDefined();
  });

  it('a lock from before the machine was started is free', () => {
    writeFileSync(file, holder());
    silentFor(1_000_000 * hour);
    expect(takeLock(file)).toBeDefined();
  });

  it('what cannot be read is held while it is new: somebody may be writing it', () => {
    writeFileSync(file, '');
    expect(takeLock(file)).toBeUndefined();
    silentFor(30_000);
    expect(takeLock(file)).toBeDefined();
  });

  it('a holder that was replaced notices with its next beat, is told once, and does not touch the other’s lock', () => {
    vi.useFakeTimers();
    const onLost = vi.fn();
    const lock = takeLock(file, onLost)!;
    writeFileSync(file, holder({ token: 'other' }));
    vi.advanceTimersByTime(60_000);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(lock.held()).toBe(false);
    lock.dispose();
    expect(readFileSync(file, 'utf8')).toBe(holder({ token: 'other' }));
  });

  it('a lock that somebody has removed is taken again', () => {
    const lock = takeLock(file)!;
    rmSync(file);
    expect(lock.held()).toBe(true);
    expect(readdirSync(dir)).toEqual(['c.lock']);
    lock.dispose();
  });

  it('of many processes that find a free lock at the same time exactly one holds it', async () => {
    const script = join(dir, 'take.ts');
    const module = new URL('../../../src/host/lock.ts', import.meta.url).pathname;
    const { build } = await import('esbuild');
    writeFileSync(
      script,
      `import { takeLock } from ${JSON.stringify(module)};
       process.stdin.once('data', () => {
         const lock = takeLock(process.argv[2]!);
         setTimeout(() => { console.log(lock?.held() ? 'held' : 'not'); process.stdin.resume(); }, 300);
       });
       console.log('ready');`,
    );
    const out = join(dir, 'take.mjs');
    await build({ entryPoints: [script], outfile: out, bundle: true, platform: 'node', format: 'esm' });
    writeFileSync(file, holder({ pid: 999_999_999 }));
    const children = Array.from({ length: 6 }, () => spawn(process.execPath, [out, file]));
    const said = children.map((child) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      return () => text;
    });
    const until = (words: RegExp) => vi.waitFor(() => said.every((s) => words.test(s())) || expect.fail(), 20_000);
    await until(/ready/);
    for (const child of children) child.stdin.write('go\n');
    await until(/held|not/);
    expect(said.filter((s) => /held/.test(s()))).toHaveLength(1);
    for (const child of children) child.kill('SIGKILL');
  }, 30_000);
});
