import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/base/log';
import type { Node, Patch } from '../../../src/chat/nodes';
import { Thread } from '../../../src/chat/patch';
import { type Header, readConversation } from '../../../src/host/records';
import { Store } from '../../../src/host/store';

let dir: string;
let store: Store;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mm-store-'));
  store = new Store(join(dir, 'deep', 'er'), silentLog);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const header = (id = 'conversation-1', cwd = '/work'): Header => ({ v: 1, id, created: 5, cwd, home: 'Ada' });
const user = (id: string, text = id): Patch => ({ op: 'put', node: { kind: 'user', id, at: 1, text } });
const text = (id: string, words: string): Patch => ({
  op: 'put',
  node: { kind: 'text', id, at: 1, text: words, done: false },
});
const path = (id = 'conversation-1') => join(store.dir, `${id}.jsonl`);

describe('a conversation on disk', () => {
  it('comes back as it was: entries, title, home, pairs and what was delivered of them', async () => {
    const file = store.writer(header())!;
    file.record({ title: 'is this safe?' });
    file.patch(user('n1', 'is this safe?'));
    file.patch(text('n2', 'ye'));
    file.patch({ op: 'append', id: 'n2', text: 's' });
    for (const id of ['x', 'y'])
      file.record({ exchange: { id, node: 'n2', user: '[asked bob: hi]', assistant: "[bob's answer]\nyes" } });
    file.record({ delivered: 'x' });
    file.record({ transcript: 'queued', node: 'n9' });
    await file.close();
    const loaded = (await store.load('conversation-1'))!;
    expect(loaded).toMatchObject({
      header: header(),
      title: 'is this safe?',
      home: 'Ada',
      transcript: 'n9',
      unreadable: 0,
      torn: false,
      exchanges: [
        { id: 'x', delivered: true },
        { id: 'y', delivered: false },
      ],
    });
    expect(loaded.thread.nodes()).toEqual([
      { kind: 'user', id: 'n1', at: 1, text: 'is this safe?' },
      { kind: 'text', id: 'n2', at: 1, text: 'yes', done: false },
    ]);
  });

  it('nothing is on disk before something was written, and nothing but the file after it', async () => {
    const file = store.writer(header())!;
    await file.close();
    expect(await store.list()).toEqual([]);
    const other = store.writer(header())!;
    other.patch(user('n1'));
    await other.close();
    expect(readdirSync(store.dir)).toEqual(['conversation-1.jsonl']);
  });

  it('a torn last line is left out, and the next line does not stick to it', async () => {
    const file = store.writer(header())!;
    file.patch(user('n1'));
    file.patch(user('n2'));
    await file.close();
    truncateSync(path(), readFileSync(path()).length - 10);
    const loaded = (await store.load('conversation-1'))!;
    expect(loaded).toMatchObject({ torn: true, unreadable: 1 });
    expect(loaded.thread.nodes().map((n) => n.id)).toEqual(['n1']);
    const again = store.writer(loaded.header, loaded)!;
    again.patch(user('n3'));
    await again.close();
    expect((await store.load('conversation-1'))!.thread.nodes().map((n) => n.id)).toEqual(['n1', 'n3']);
  });

  it('cut anywhere, a file still gives all whole lines', async () => {
    const file = store.writer(header())!;
    for (let i = 0; i < 20; i++) file.patch(user(`n${i}`, `ü${i}`));
    await file.close();
    const whole = readFileSync(path());
    fc.assert(
      fc.property(fc.nat(whole.length), (cut) => {
        const loaded = readConversation(whole.subarray(0, cut).toString('utf8'));
        const lines = whole.subarray(0, cut).toString('utf8').split('\n').length - 1;
        if (lines < 1) return;
        expect(loaded!.thread.size).toBeGreaterThanOrEqual(lines - 1);
      }),
    );
  });

  it('whatever stands in a file, reading it does not throw', () => {
    const line = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((v) => JSON.stringify({ patch: v })),
      fc.jsonValue().map((v) => JSON.stringify({ exchange: v, delivered: v, home: v, title: v, transcript: v })),
      fc.constant(JSON.stringify({ patch: user('a') })),
    );
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, withHeader) => {
        const content = [...(withHeader ? [JSON.stringify(header())] : []), ...lines].join('\n');
        const loaded = readConversation(content);
        if (withHeader) expect(loaded).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  it('folding the file equals the live state, for any patches', async () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const patch = fc.oneof(
      ids.map((id) => user(id)),
      fc.tuple(ids, fc.string()).map(([id, t]) => text(id, t)),
      fc.tuple(ids, fc.string()).map(([id, t]): Patch => ({ op: 'append', id, text: t })),
      ids.map((id): Patch => ({ op: 'remove', id })),
    );
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(patch, fc.nat(5)), { maxLength: 40 }), async (steps) => {
        const id = `property-${++n}`;
        const live = new Thread();
        const file = store.writer(header(id))!;
        for (const [p, flush] of steps) {
          live.apply(p);
          file.patch(p);
          if (flush === 0) await file.flush();
        }
        file.record({ title: 't' });
        await file.close();
        const loaded = (await store.load(id))!;
        expect(loaded.thread.nodes()).toEqual(live.nodes());
      }),
      { numRuns: 60 },
    );
  });

  it('F037 a running call that repeats its output does not fill the disk, and its last state is there', async () => {
    const file = store.writer(header())!;
    const tool = (output: string, state: 'running' | 'done'): Patch => {
      const node: Node = {
        kind: 'tool',
        id: 't',
        at: 1,
        toolCallId: 't',
        name: 'bash',
        title: '',
        toolKind: 'execute',
        state,
        what: '',
        output,
        outputCut: 0,
        diffs: [],
      };
      return { op: 'put', node };
    };
    for (let i = 1; i <= 200; i++) {
      file.patch(tool('x'.repeat(i * 500), 'running'));
      file.record({ title: `${i}` }); // each record drains what waits
    }
    file.patch(tool('the end', 'done'));
    await file.close();
    expect(readFileSync(path()).length).toBeLessThan(300_000);
    expect((await store.load('conversation-1'))!.thread.nodes()).toMatchObject([{ output: 'the end', state: 'done' }]);
  });

  it('F049 one writer: while one has it, no other gets it', async () => {
    const file = store.writer(header())!;
    file.patch(user('n1'));
    await file.flush();
    const loaded = (await store.load('conversation-1'))!;
    expect(store.writer(loaded.header, loaded)).toBeUndefined();
    await file.close();
    const next = store.writer(loaded.header, loaded);
    expect(next).toBeDefined();
    await next!.close();
  });

  it('a writer that another window has replaced writes nothing more, and says so once', async () => {
    const file = store.writer(header())!;
    let lost = 0;
    file.onLost = () => lost++;
    file.patch(user('n1'));
    await file.flush();
    const before = readFileSync(path(), 'utf8');
    writeFileSync(join(store.dir, 'conversation-1.lock'), '{"pid":1,"host":"elsewhere","token":"x"}');
    file.patch(user('n2'));
    await file.flush();
    file.patch(user('n3'));
    await file.close();
    expect(readFileSync(path(), 'utf8')).toBe(before);
    expect(lost).toBe(1);
    expect(readdirSync(store.dir).sort()).toEqual(['conversation-1.jsonl', 'conversation-1.lock']);
  });

  it('the list: newest first, by folder, with the title, and without what is no conversation', async () => {
    for (const [id, cwd, at] of [
      ['one-11111', '/a', 10],
      ['two-22222', '/b', 30],
      ['three-333', '/a', 20],
    ] as const) {
      const file = store.writer(header(id, cwd))!;
      file.record({ title: `about ${id}` });
      file.patch(user('n1'));
      await file.close();
      utimesSync(path(id), at, at);
    }
    writeFileSync(path('not-a-conversation'), 'hello\n');
    expect((await store.list()).map((s) => s.id)).toEqual(['two-22222', 'three-333', 'one-11111']);
    expect(await store.list(['/a'])).toMatchObject([
      { id: 'three-333', title: 'about three-333' },
      { id: 'one-11111' },
    ]);
    expect(await store.load('not-a-conversation')).toBeUndefined();
    expect(await store.load('nobody-knows-it')).toBeUndefined();
    await expect(store.load('../../etc/passwd')).rejects.toThrow('not the id');
  });

  it('a disk that does not take it is told once, and nothing throws', async () => {
    const file = store.writer(header())!;
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'in the way');
    const failures: unknown[] = [];
    file.onFailure = (error) => failures.push(error);
    file.patch(user('n1'));
    await file.flush();
    file.patch(user('n2'));
    await file.close();
    expect(failures).toHaveLength(1);
    rmSync(dir);
  });

  it('what a disk did not take is written when it takes something again, the header too', async () => {
    const file = store.writer(header())!;
    file.patch(user('n1'));
    mkdirSync(path(), { recursive: true }); // a folder in the file's place: no write can begin
    await file.flush();
    rmdirSync(path());
    file.patch(user('n2'));
    await file.close();
    const loaded = (await store.load('conversation-1'))!;
    expect(loaded.header).toEqual(header());
    expect(loaded.thread.nodes().map((n) => n.id)).toEqual(['n1', 'n2']);
  });

  it.each([0, 1, 2])('a disk that takes half of write %i loses nothing of what was said', async (bad) => {
    const handle = await open(tmpdir(), 'r');
    const prototype = Object.getPrototypeOf(handle) as { appendFile(text: string): Promise<void> };
    await handle.close();
    const append = prototype.appendFile;
    let write = 0;
    const full = vi.spyOn(prototype, 'appendFile').mockImplementation(async function (this: unknown, text) {
      if (write++ !== bad) return append.call(this, text);
      await append.call(this, text.slice(0, text.length / 2));
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
    try {
      const file = store.writer(header())!;
      const failures: unknown[] = [];
      file.onFailure = (error) => failures.push(error);
      for (const id of ['a', 'b', 'c', 'd']) {
        file.patch(user(id));
        file.record({ exchange: { id, node: id, user: '[asked bob: hi]', assistant: "[bob's answer]\nyes" } });
        await file.flush();
      }
      await file.close();
      expect(failures).toHaveLength(1);
    } finally {
      full.mockRestore();
    }
    const loaded = (await store.load('conversation-1'))!;
    expect(loaded.thread.nodes().map((n) => n.id)).toEqual(['a', 'b', 'c', 'd']);
    expect(readFileSync(path(), 'utf8').match(/"exchange"/g)).toHaveLength(4);
  });

  it('10,000 entries are read in little more than their lines take to parse', async () => {
    const file = store.writer(header())!;
    for (let i = 0; i < 10_000; i++) file.patch(text(`n${i}`, 'some words of an answer '.repeat(8)));
    await file.close();
    const content = readFileSync(path(), 'utf8');
    const time = (run: () => void): number => {
      const started = performance.now();
      run();
      return performance.now() - started;
    };
    const best = (run: () => void): number => Math.min(...Array.from({ length: 5 }, () => time(run)));
    const floor = best(() => {
      for (const line of content.split('\n')) if (line !== '') JSON.parse(line);
    });
    expect(readConversation(content)!.thread.size).toBe(10_000);
    expect(best(() => readConversation(content))).toBeLessThan(4 * floor + 20);
  });
});
