import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/base/log';
import { Follower } from '../../../src/host/follow';
import { readAdded, readConversation } from '../../../src/host/records';

let folder: string;
let file: string;
let follower: Follower | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mm-follow-'));
  file = join(folder, 'c.jsonl');
});
afterEach(async () => {
  follower?.dispose();
  follower = undefined;
  await rm(folder, { recursive: true, force: true });
});

function follow(from: number) {
  const lines: string[] = [];
  let looks = 0;
  follower = new Follower({ file, from, log: silentLog, onLine: (line) => lines.push(line), onLooked: () => looks++ });
  return { lines, looks: () => looks };
}

const soon = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 20 });

describe('following a file that another window writes', () => {
  it('gives whole lines that were added, once, in their order; what was known is not read again', async () => {
    await writeFile(file, 'known\n');
    const { lines } = follow(6);
    await appendFile(file, 'a\nb\nhalf');
    await soon(() => expect(lines).toEqual(['a', 'b']));
    await appendFile(file, ' of it\n\nlast\n');
    await soon(() => expect(lines).toEqual(['a', 'b', 'half of it', 'last']));
  });

  it('no character is torn, however the bytes arrive', async () => {
    await writeFile(file, '');
    const { lines } = follow(0);
    const text = '{"x":"ä€😀"}\n'.repeat(3);
    for (const byte of Buffer.from(text)) await appendFile(file, Buffer.from([byte]));
    await soon(() => expect(lines).toEqual(Array(3).fill('{"x":"ä€😀"}')));
  });

  it('a file larger than one read', async () => {
    await writeFile(file, '');
    const long = 'x'.repeat(300_000);
    await appendFile(file, `${long}\n${long}\n`);
    const { lines } = follow(0);
    await soon(() => expect(lines.map((line) => line.length)).toEqual([300_000, 300_000]));
  });

  it('writes nothing, and a file that has gone ends nothing', async () => {
    await writeFile(file, 'one\n');
    const before = await stat(file);
    const { lines, looks } = follow(0);
    await soon(() => expect(lines).toEqual(['one']));
    expect(await readFile(file, 'utf8')).toBe('one\n');
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
    await rm(file);
    const until = looks() + 1;
    await soon(() => expect(looks()).toBeGreaterThan(until));
    await writeFile(file, 'one\ntwo\n');
    await soon(() => expect(lines).toEqual(['one', 'two']));
  });
});

describe('where a reader goes on', () => {
  const head = `${JSON.stringify({ v: 1, id: '12345678', created: 1, cwd: '', home: '' })}\n`;
  const title = '{"title":"ä"}';

  it.each([
    ['a whole file', `${head}${title}\n`, `${head}${title}\n`],
    ['a last line without its end, which could be read', `${head}${title}`, `${head}${title}`],
    ['a last line in the middle', `${head}${title}\n{"tit`, `${head}${title}\n`],
  ])('%s', (_name, content, known) => {
    expect(readConversation(content)!.read).toBe(Buffer.byteLength(known));
  });

  it('only what a reader can show is taken from a line', () => {
    expect(readAdded('{"title":"x"}')).toEqual({ title: 'x' });
    expect(readAdded('{"home":"bob"}')).toEqual({ home: 'bob' });
    expect(readAdded('{"patch":{"op":"remove","id":"n1"}}')).toEqual({ patch: { op: 'remove', id: 'n1' } });
    for (const line of ['', 'x', 'null', '[]', '{}', '{"patch":{"op":"boom"}}', '{"exchange":{}}'])
      expect(readAdded(line), line).toBeUndefined();
  });
});
