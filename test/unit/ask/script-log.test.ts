import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { beginLine, ScriptLog, writeScriptLine } from '../../../src/ask/script-log';

const logs: ScriptLog[] = [];
async function made(): Promise<ScriptLog> {
  const log = await ScriptLog.make();
  logs.push(log);
  return log;
}
afterEach(async () => {
  for (const log of logs.splice(0)) await log.dispose();
});

describe('what the scripts of a command ask', () => {
  it('is written by mm --ask and read by the tool while the command runs', async () => {
    const log = await made();
    expect(await log.look()).toBe(false);
    await writeScriptLine(log.file, beginLine('1', 'riker', '\n sum it up\nall of it'));
    expect(await log.look()).toBe(true);
    expect(log.asks).toMatchObject([{ id: '1', agent: 'riker', what: 'sum it up', state: 'running' }]);
    expect(await log.look()).toBe(false);
    await writeScriptLine(log.file, { id: '1', end: 'failed', why: 'no such agent', at: 5 });
    expect(await log.look()).toBe(true);
    expect(log.asks).toMatchObject([{ state: 'failed', why: 'no such agent', endedAt: 5 }]);
  });

  it.skipIf(process.platform === 'win32')('nobody else reads it, and nothing of it is left', async () => {
    const log = await made();
    expect((await stat(log.file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(log.file))).mode & 0o777).toBe(0o700);
    await log.dispose();
    await expect(stat(dirname(log.file))).rejects.toThrow('ENOENT');
  });

  it('mm --ask neither makes a file nor writes through a link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mm-log-'));
    try {
      const file = join(folder, 'victim');
      await writeFile(file, 'mine');
      const link = join(folder, 'link');
      await symlink(file, link);
      const line = beginLine('1', 'riker', 'hi');
      await expect(writeScriptLine(join(folder, 'none'), line)).rejects.toThrow('ENOENT');
      if (process.platform !== 'win32') {
        await expect(writeScriptLine(link, line)).rejects.toThrow();
        expect(await readFile(file, 'utf8')).toBe('mine');
        // a pipe that nobody reads would hold it for ever
        execFileSync('mkfifo', [join(folder, 'pipe')]);
        await expect(writeScriptLine(join(folder, 'pipe'), line)).rejects.toThrow();
      }
      await expect(writeScriptLine(folder, line)).rejects.toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('what a hostile script writes shows at most lines: 50 of them, of 64 kB', async () => {
    const log = await made();
    const hostile = [
      'no json',
      'null',
      '[]',
      '{"id":1,"agent":"x","at":1}',
      '{"id":"","agent":"x","at":1}',
      '{"id":"a","agent":"","at":1}',
      '{"id":"a","agent":{"toString":1},"at":1}',
      '{"id":"a","agent":"x","at":"1"}',
      '{"id":"never-begun","end":"done","at":1}',
    ];
    await appendFile(log.file, `${hostile.join('\n')}\n`);
    await log.look();
    expect(log.asks).toEqual([]);
    for (let i = 0; i < 100; i++)
      await appendFile(log.file, `${JSON.stringify({ id: `${i}`, agent: 'é'.repeat(300), at: 1 })}\n`);
    while (await log.look());
    expect(log.asks.length).toBeGreaterThan(40);
    expect(log.asks.length).toBeLessThanOrEqual(50);
    expect(log.asks[0]!.agent).toBe('é'.repeat(100));
    await appendFile(log.file, 'x'.repeat(200_000));
    for (let i = 0; i < 20; i++) await log.look();
    expect(log.asks.length).toBeLessThanOrEqual(50);
  });
});
