import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansi, someLines } from '../../../webview/chat/base/ansi';

const plain = (text: string) =>
  ansi(text)
    .map((run) => run.text)
    .join('');

describe('output of a terminal', () => {
  it('has its colours as classes', () => {
    expect(ansi('\u001b[31mred\u001b[39m \u001b[1;32mbold\u001b[0m rest')).toEqual([
      { text: 'red', classes: 'a-red' },
      { text: ' ', classes: '' },
      { text: 'bold', classes: 'a-green a-bold' },
      { text: ' rest', classes: '' },
    ]);
    expect(ansi('\u001b[38;5;2mg\u001b[38;2;1;2;3mx')).toEqual([
      { text: 'g', classes: 'a-green' },
      { text: 'x', classes: '' },
    ]);
  });
  it('F062 leads nowhere and draws nothing: links, titles, cursor moves and bidirectional marks are dropped', () => {
    expect(
      plain('\u001b]8;;https://evil.example\u0007click\u001b]8;;\u001b\\ \u001b[2J\u001b[10;10Hx\u202ey\u009b31mz'),
    ).toBe('click xyz');
  });
  it('shows what a progress bar leaves', () => {
    expect(plain('10%\r50%\r100%\nnext\r\nend')).toBe('100%\nnext\nend');
  });
  it('leaves no control character of anything', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('\u001b', '[', ']', ';', '3', '1', 'm', '\r', '\n', 'a', '\u0007', '\u009b', '\\'),
        }),
        (text) => {
          expect(plain(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        },
      ),
    );
  });
});

describe('F037 some lines of a long output', () => {
  it('gives the first or the last ones, and counts all', () => {
    const text = 'a\nb\nc\nd\n';
    expect(someLines(text, 2, 'start')).toEqual({ text: 'a\nb', total: 4 });
    expect(someLines(text, 2, 'end')).toEqual({ text: 'c\nd', total: 4 });
    expect(someLines(text, 9, 'end')).toEqual({ text: 'a\nb\nc\nd', total: 4 });
    expect(someLines('', 9, 'end')).toEqual({ text: '', total: 0 });
  });
  it('agrees with splitting', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'x', 'yy'), { minLength: 1 }),
        fc.integer({ min: 1, max: 5 }),
        (lines, max) => {
          const text = lines.join('\n');
          const all = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
          fc.pre(text !== '' && text !== '\n');
          expect(someLines(text, max, 'end')).toEqual({ text: all.slice(-max).join('\n'), total: all.length });
          expect(someLines(text, max, 'start')).toEqual({ text: all.slice(0, max).join('\n'), total: all.length });
        },
      ),
    );
  });
});
