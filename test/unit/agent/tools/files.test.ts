import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInside, realPath, resolveIn } from '../../../../src/agent/tools/paths';
import { readTool } from '../../../../src/agent/tools/read';
import type { RunContext, ToolContext } from '../../../../src/agent/tools/types';
import { writeTool } from '../../../../src/agent/tools/write';

let folder: string;
let context: ToolContext;
const run: RunContext = { signal: new AbortController().signal, toolCallId: 'c', show: async () => {} };

beforeEach(async () => {
  folder = await realPath(await mkdtemp(join(tmpdir(), 'mm-files-')));
  await mkdir(join(folder, 'ws'));
  context = { cwd: join(folder, 'ws'), maxOutput: 100 };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ws = (name: string) => join(folder, 'ws', name);
const read = async (args: Record<string, unknown>) => (await readTool.prepare(args, context)).run(run);

describe('read', () => {
  it('gives a file, some of its lines, and says where it was cut', async () => {
    await writeFile(ws('a.txt'), 'one\ntwo\nthree\n');
    expect(await read({ path: 'a.txt' })).toMatchObject({ ok: true, text: 'one\ntwo\nthree\n' });
    expect((await read({ path: 'a.txt', first: 2, last: 2 })).text).toBe('two');
    expect((await read({ path: 'a.txt', first: '3' })).text).toBe('three\n');
    expect(await read({ path: 'a.txt', first: 9 })).toMatchObject({ ok: false });
    await writeFile(ws('long.txt'), 'x'.repeat(150));
    expect((await read({ path: 'long.txt' })).text).toMatch(/^x{100}\n\[50 more characters/);
  });

  it('says what is no text, and lists a folder', async () => {
    await writeFile(ws('p.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    await writeFile(ws('b.bin'), Buffer.from([1, 0, 2]));
    await writeFile(ws('empty'), '');
    expect((await read({ path: 'p.png' })).text).toMatch(/is an image \(PNG\)/);
    expect((await read({ path: 'b.bin' })).text).toMatch(/binary/);
    expect((await read({ path: 'empty' })).text).toMatch(/empty/);
    expect((await read({ path: 'nothing' })).text).toBe('nothing does not exist.');
    expect((await read({ path: '.' })).text).toContain('b.bin');
  });

  it('rule 4: is free inside the folder; outside, through a link and for key files it asks', async () => {
    await writeFile(join(folder, 'outside.txt'), 'x');
    await symlink(join(folder, 'outside.txt'), ws('link.txt'));
    await writeFile(ws('in.txt'), 'x');
    const gate = async (path: string) => {
      const prepared = await readTool.prepare({ path }, context);
      return [prepared.gate, prepared.keyFile];
    };
    expect(await gate('in.txt')).toEqual(['free', false]);
    expect(await gate(ws('in.txt'))).toEqual(['free', false]);
    expect(await gate('../outside.txt')).toEqual(['ask', false]);
    expect(await gate('link.txt')).toEqual(['ask', false]);
    expect(await gate('.env')).toEqual(['ask', true]);
    expect(await gate('~/.ssh/id_rsa')).toEqual(['ask', true]);
    expect(await gate('not-there/../../x')).toEqual(['ask', false]);
  });

  it('does not follow a link that was put there after leave was given', async () => {
    await writeFile(ws('a.txt'), 'fine');
    await writeFile(join(folder, 'secret'), 'secret');
    const prepared = await readTool.prepare({ path: 'a.txt' }, context);
    await rm(ws('a.txt'));
    await symlink(join(folder, 'secret'), ws('a.txt'));
    const result = await prepared.run(run);
    expect(result.ok).toBe(false);
    expect(result.text).not.toContain('secret\n');
  });

  it('refuses arguments that are none', async () => {
    await expect(readTool.prepare({}, context)).rejects.toThrow('"path"');
    await expect(readTool.prepare({ path: 'a', first: 'x' }, context)).rejects.toThrow('"first"');
  });
});

describe('write', () => {
  const write = async (args: Record<string, unknown>) => writeTool.prepare(args, context);

  it('shows the diff before and after, makes folders, and always asks', async () => {
    const prepared = await write({ path: 'sub/deep/a.txt', content: 'new\n' });
    const diff = [{ type: 'diff', path: ws('sub/deep/a.txt'), oldText: null, newText: 'new\n' }];
    expect(prepared).toMatchObject({ gate: 'ask', keyFile: false, title: 'sub/deep/a.txt', content: diff });
    expect(await prepared.run(run)).toMatchObject({ ok: true, content: diff });
    expect(await readFile(ws('sub/deep/a.txt'), 'utf8')).toBe('new\n');
    expect((await write({ path: 'sub/deep/a.txt', content: '' })).content).toMatchObject([
      { oldText: 'new\n', newText: '' },
    ]);
  });

  it('keeps the mode and leaves nothing beside the file', async () => {
    await writeFile(ws('run.sh'), 'old');
    await chmod(ws('run.sh'), 0o755);
    await (await write({ path: 'run.sh', content: 'new' })).run(run);
    expect((await stat(ws('run.sh'))).mode & 0o777).toBe(0o755);
    expect((await read({ path: '.' })).text).toBe('run.sh');
  });

  it('writes nothing over what changed since the question', async () => {
    await writeFile(ws('a.txt'), 'one');
    const prepared = await write({ path: 'a.txt', content: 'mine' });
    await writeFile(ws('a.txt'), 'theirs');
    expect(await prepared.run(run)).toMatchObject({ ok: false });
    expect(await readFile(ws('a.txt'), 'utf8')).toBe('theirs');
  });

  it('names what is behind a link', async () => {
    await writeFile(join(folder, 'outside.txt'), 'x');
    await symlink(join(folder, 'outside.txt'), ws('link.txt'));
    const prepared = await write({ path: 'link.txt', content: 'y' });
    expect(prepared.title).toBe(`link.txt → ${join(folder, 'outside.txt')}`);
    expect(prepared.content).toMatchObject([{ path: join(folder, 'outside.txt') }]);
    await prepared.run(run);
    expect(await readFile(join(folder, 'outside.txt'), 'utf8')).toBe('y');
  });

  it('says that a folder is none', async () => {
    await expect(write({ path: '.', content: '' })).rejects.toThrow('folder');
    await expect(write({ path: 'a' })).rejects.toThrow('"content"');
  });
});

describe('paths', () => {
  it('knows inside from beside', () => {
    expect(isInside('/a/b', '/a/b')).toBe(true);
    expect(isInside('/a/b', '/a/b/..c')).toBe(true);
    expect(isInside('/a/b', '/a/bc')).toBe(false);
    expect(isInside('/a/b', '/a')).toBe(false);
    expect(resolveIn('/a', 'b/../c')).toBe('/a/c');
  });
});

describe('a folder on the way that became a link while the person read the question', () => {
  const swap = async () => {
    await rm(ws('lk/real'), { recursive: true });
    await symlink(join(folder, 'evil'), ws('lk/real'));
  };
  beforeEach(async () => {
    await mkdir(ws('lk/real'), { recursive: true });
    await mkdir(join(folder, 'evil'));
  });

  it.each(['new.txt', 'deep/new.txt'])('write: nothing is written behind it (%s)', async (name) => {
    const call = await writeTool.prepare({ path: `lk/real/${name}`, content: 'x' }, context);
    await swap();
    expect(await call.run(run)).toMatchObject({ ok: false, text: expect.stringContaining('changed in the meantime') });
    await expect(stat(join(folder, 'evil', name))).rejects.toThrow();
  });

  it('read: nothing is read behind it', async () => {
    await writeFile(ws('lk/real/a.txt'), 'mine');
    const call = await readTool.prepare({ path: 'lk/real/a.txt' }, context);
    await writeFile(join(folder, 'evil/a.txt'), 'secret');
    await swap();
    expect(await call.run(run)).toMatchObject({ ok: false, text: expect.stringContaining('changed in the meantime') });
  });
});
