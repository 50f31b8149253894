import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputCap, plainOutput } from '../../../../src/agent/tools/output';

const wellFormed = (text: string) => Buffer.from(text).toString() === text;

describe('output of a command', () => {
  it('is whole below the cap, and head and tail with the number between them above it', () => {
    const short = new OutputCap(10);
    short.add('12345');
    short.add('67890');
    expect(short.text()).toBe('1234567890');
    const long = new OutputCap(10);
    for (const part of ['abc', 'def', 'ghi', 'jkl', 'mno']) long.add(part);
    expect(long.text()).toBe('abcde\n[… 5 characters left out …]\nklmno');
  });

  it('does not depend on how it was cut, and keeps no more than the cap', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 4, max: 60 }), (text, max) => {
        const whole = new OutputCap(max);
        whole.add(text);
        const parts = new OutputCap(max);
        for (const c of text) parts.add(c);
        expect(parts.total).toBe(text.length);
        expect(wellFormed(parts.text())).toBe(wellFormed(whole.text()));
        if (text.length <= max) expect(parts.text()).toBe(text);
        else expect(parts.text().length).toBeLessThan(max + 60);
      }),
    );
  });

  it('F017 never cuts a character in half', () => {
    for (let max = 2; max < 12; max++) {
      const output = new OutputCap(max);
      for (let i = 0; i < 40; i++) output.add('🎉');
      expect(wellFormed(output.text())).toBe(true);
    }
  });

  it('is linear: 50 MB in small pieces', () => {
    const output = new OutputCap(20_000);
    const line = `${'x'.repeat(99)}\n`;
    const start = performance.now();
    for (let i = 0; i < 500_000; i++) output.add(line);
    expect(output.text().length).toBeLessThan(20_100);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it('loses what only a terminal understands', () => {
    expect(plainOutput('\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07')).toBe('red link');
    expect(plainOutput('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
    expect(plainOutput('a\x07b\tc')).toBe('ab\tc');
  });
});

describe('lines that were drawn over', () => {
  it('leave their last state', () => {
    expect(plainOutput('10 %\r50 %\r100 %\ndone\r\nnext\r\r\nlast')).toBe('100 %\ndone\nnext\nlast');
  });
  it('cost linear time, however long', () => {
    const from = process.cpuUsage();
    for (const text of ['a'.repeat(1_000_000), 'a\r'.repeat(500_000), '\r'.repeat(1_000_000), '\x1b['.repeat(500_000)])
      plainOutput(text);
    // looking for the end of the line from each character took a minute for 200 kB, or for as many `\r`
    expect(process.cpuUsage(from).user / 1e6).toBeLessThan(3);
  });
});
