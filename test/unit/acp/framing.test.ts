import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, type Oversize } from '../../../src/acp/framing';

function split(chunks: Buffer[], maxLine?: number): { lines: string[]; oversize: Oversize[]; order: string[] } {
  const lines: string[] = [];
  const oversize: Oversize[] = [];
  const order: string[] = [];
  const splitter = new LineSplitter({
    onLine: (line) => {
      lines.push(line);
      order.push('line');
    },
    onOversize: (info) => {
      oversize.push(info);
      order.push('oversize');
    },
    maxLine,
  });
  for (const chunk of chunks) splitter.feed(chunk);
  splitter.finish();
  return { lines, oversize, order };
}

/** The bytes cut at the given places. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const at = [...new Set(places.map((p) => p % (bytes.length + 1)))].sort((a, b) => a - b);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const to of [...at, bytes.length]) {
    chunks.push(bytes.subarray(from, to));
    from = to;
  }
  return chunks;
}

const bytewise = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

test('F017 UTF-8 split between bytes is intact', () => {
  expect(split(bytewise('{"a":"中🎉é"}\n')).lines).toEqual(['{"a":"中🎉é"}']);
});

test('F018 only \\n ends a line: U+2028, U+2029 and U+0085 are text', () => {
  const text = '{"a":"x\u2028y\u2029z\u0085"}';
  expect(split([Buffer.from(`${text}\n`)]).lines).toEqual([text]);
  expect(split(bytewise(`${text}\n`)).lines).toEqual([text]);
});

test('a carriage return before the line end, a byte order mark and blank lines are taken off', () => {
  const bytes = Buffer.from('\ufeff{"a":1}\r\n\r\n\n{"b":2}\r\n');
  expect(split([bytes]).lines).toEqual(['{"a":1}', '{"b":2}']);
  expect(split(bytewise(bytes.toString())).lines).toEqual(['{"a":1}', '{"b":2}']);
});

test('the last line needs no line end', () => {
  expect(split([Buffer.from('a\nb')]).lines).toEqual(['a', 'b']);
  expect(split([Buffer.from('a\nb\n')]).lines).toEqual(['a', 'b']);
});

const line = fc.string({ unit: 'binary', maxLength: 40 }).map((s) => s.replace(/[\n\r\ufeff]/g, '_'));

test('property: where the chunks are cut changes nothing', () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(2000)), fc.boolean(), (lines, places, crlf) => {
      const bytes = Buffer.from(lines.map((l) => l + (crlf ? '\r\n' : '\n')).join(''));
      // lone surrogates cannot be written as UTF-8; what a buffer made of them is what has to come back
      const expected = lines.filter((l) => l !== '').map((l) => Buffer.from(l).toString());
      expect(split(cut(bytes, places)).lines).toEqual(expected);
    }),
  );
});

test('property: with a small cap every line is either delivered whole or reported with its length, in order', () => {
  const cap = 20;
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(2000)), (lines, places) => {
      const bytes = Buffer.from(lines.map((l) => `${l}\n`).join(''));
      const wanted = lines.filter((l) => l !== '').map((l) => Buffer.from(l));
      const found = split(cut(bytes, places), cap);
      expect(found.lines).toEqual(wanted.filter((l) => l.length <= cap).map(String));
      expect(found.oversize.map((o) => o.bytes)).toEqual(wanted.filter((l) => l.length > cap).map((l) => l.length));
      expect(found.order).toEqual(wanted.map((l) => (l.length > cap ? 'oversize' : 'line')));
    }),
  );
});

test('a line over the cap is one event with its head and tail, and what follows is delivered', () => {
  const long = `{"id":1,"x":"${'a'.repeat(5000)}","end":true}`;
  for (const chunks of [[Buffer.from(`before\n${long}\nafter\n`)], bytewise(`before\n${long}\nafter\n`)]) {
    const { lines, oversize } = split(chunks, 3000);
    expect(lines).toEqual(['before', 'after']);
    expect(oversize).toHaveLength(1);
    expect(oversize[0]!.bytes).toBe(long.length);
    expect(oversize[0]!.head).toBe(long.slice(0, 2048));
    expect(long.endsWith(oversize[0]!.tail)).toBe(true);
    expect(oversize[0]!.tail.length).toBe(256);
  }
});

test('a line over the cap without an end is reported at the end of the input', () => {
  const { oversize } = split([Buffer.alloc(50, 'a'), Buffer.alloc(50, 'b')], 60);
  expect(oversize.map((o) => o.bytes)).toEqual([100]);
});

test('a long line in small chunks costs time in proportion to its length', () => {
  const time = (length: number) => {
    const piece = Buffer.alloc(64, 'x');
    const splitter = new LineSplitter({ onLine() {}, onOversize() {} });
    const start = process.cpuUsage();
    for (let i = 0; i < length / piece.length; i++) splitter.feed(piece);
    splitter.feed(Buffer.from('\n'));
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  time(1 << 20);
  const small = Math.max(time(1 << 20), 2000);
  // sixteen times the length; quadratic work would take 256 times as long
  expect(time(1 << 24) / small).toBeLessThan(80);
});

test('after stop nothing more is delivered, not even of the same chunk', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    onLine: (text) => {
      lines.push(text);
      splitter.stop();
    },
    onOversize() {},
  });
  splitter.feed(Buffer.from('a\nb\nc\n'));
  splitter.feed(Buffer.from('d\n'));
  splitter.finish();
  expect(lines).toEqual(['a']);
});
