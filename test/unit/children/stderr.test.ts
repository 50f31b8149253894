import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StderrLines, StderrTail } from '../../../src/children/stderr';

function tailOf(chunks: (string | Buffer)[], secrets: string[] = []): string {
  const tail = new StderrTail(secrets);
  for (const chunk of chunks) tail.push(Buffer.from(chunk as string));
  return tail.text();
}

describe('the tail of stderr', () => {
  it('F017: one byte at a time stays intact', () => {
    const bytes = [...Buffer.from('中🎉é\nfin')].map((byte) => Buffer.from([byte]));
    expect(tailOf(bytes)).toBe('中🎉é\nfin');
  });

  it('is at most 4 kB, from the start of a line, with whole characters, and is the newest', () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `line ${i} 中🎉\n`);
    const text = tailOf(lines);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(text)).toBeGreaterThan(3900);
    expect(text).toMatch(/^line \d+ 中🎉\n/);
    expect(text.endsWith('line 2999 中🎉')).toBe(true);
  });

  it('one endless line is cut to its end, never inside a character', () => {
    const text = tailOf(Array.from({ length: 40 }, () => '🎉'.repeat(100)));
    expect(text).toMatch(/^(🎉)+$/u);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  });

  it('escape codes are removed, other controls are made visible', () => {
    expect(
      tailOf([
        '\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b(B\r\n50%\r100%\u0008\u202e!',
      ]),
    ).toBe('red link\n50%\n100%[U+0008][U+202E]!');
  });

  it('F064: values of secret variables do not appear, also across chunks', () => {
    expect(tailOf(['the key sk-se', 'cret-1 and sk-secret-12 are wrong'], ['sk-secret-1', 'sk-secret-12', ''])).toBe(
      'the key *** and *** are wrong',
    );
  });

  it('whatever comes, nothing is thrown and what is shown is harmless and small', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 }), (chunks) => {
        const text = tailOf(chunks.map((chunk) => Buffer.from(chunk)));
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        // A control character becomes up to eight visible ones.
        expect(text.length).toBeLessThanOrEqual(4096 * 8);
      }),
    );
  });

  it('megabytes cost little memory and time', () => {
    const tail = new StderrTail();
    const chunk = Buffer.alloc(10, 'x');
    const start = Date.now();
    for (let i = 0; i < 200_000; i++) tail.push(chunk);
    tail.push(Buffer.alloc(20_000_000, 'y'));
    expect(tail.text()).toMatch(/^y{4096}$/);
    expect(Date.now() - start).toBeLessThan(3000);
  });
});

it('lines for the log: split characters, unended and endless lines', () => {
  const seen: string[] = [];
  const lines = new StderrLines((line) => seen.push(line));
  for (const byte of Buffer.from('é1\n\n\u001b[1mtwo\u001b[0m\r\nend')) lines.push(Buffer.from([byte]));
  lines.finish();
  expect(seen).toEqual(['é1', 'two', 'end']);
  lines.push(Buffer.alloc(100_000, 'x'));
  expect(seen.at(-1)!.length).toBeLessThanOrEqual(4096);
});
