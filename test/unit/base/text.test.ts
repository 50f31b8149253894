import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cap, firstLine, visible } from '../../../src/base/text';

describe('cap', () => {
  it('says how much was cut and never leaves half a character', () => {
    expect(cap('abc', 3)).toEqual({ text: 'abc', cut: 0 });
    expect(cap('abcd', 3)).toEqual({ text: 'abc', cut: 1 });
    expect(cap('ab🎉', 3)).toEqual({ text: 'ab', cut: 2 });
    expect(cap('x', 0)).toEqual({ text: '', cut: 1 });
  });

  it('for any text: what is kept and what is cut are the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, max) => {
        const { text: kept, cut } = cap(text, max);
        expect(kept.length + cut).toBe(text.length);
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(max);
        expect(!/[\ud800-\udbff]$/.test(kept) || /[\ud800-\udbff]$/.test(text)).toBe(true);
      }),
    );
  });
});

describe('firstLine', () => {
  it.each([
    ['npm test\nmore', 'npm test'],
    ['  a\r\nb', 'a'],
    ['a\u2028b', 'a'],
    ['', ''],
  ])('of %j is %j', (text, line) => {
    expect(firstLine(text)).toBe(line);
  });

  it('is cut with an ellipsis, which counts', () => {
    expect(firstLine('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`);
    expect(firstLine('x'.repeat(60))).toHaveLength(60);
  });
});

describe('F046 visible', () => {
  it.each([
    ['rm \u202egpj.exe', 'rm [U+202E]gpj.exe'],
    ['a\u0000b', 'a[U+0000]b'],
    ['a\rb', 'a[U+000D]b'],
    ['\u001b[2K', '[U+001B][2K'],
    ['a\u200bb\u2066c', 'a[U+200B]b[U+2066]c'],
    ['\u{e0041}', '[U+E0041]'],
    ['a\u034fb', 'a[U+034F]b'],
    ['x\u2028y', 'x[U+2028]y'],
    ['\u3164', '[U+3164]'],
  ])('%j becomes %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('leaves words, newlines, tabs and other scripts as they are', () => {
    const text = 'échо 中文 עברית\n\tcafé 🎉';
    expect(visible(text)).toBe(text);
    expect(visible('a\r\nb')).toBe('a\nb');
  });

  it('leaves nothing to hide, and is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });
});
