import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffView } from '../../../src/chat/diff';

describe('the preview of a change', () => {
  it('rows with the line of the side on which they stand, and a gap', () => {
    const old = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join('\n');
    const view = diffView('/a.ts', old, old.replace('line 10', 'ten\nand a half'));
    expect(view).toMatchObject({ path: '/a.ts', added: 2, removed: 1, cut: 0 });
    expect(view.rows).toEqual([
      { kind: 'gap', text: '6 unchanged lines' },
      { kind: 'same', line: 7, text: 'line 7' },
      { kind: 'same', line: 8, text: 'line 8' },
      { kind: 'same', line: 9, text: 'line 9' },
      { kind: 'del', line: 10, text: 'line 10' },
      { kind: 'add', line: 10, text: 'ten' },
      { kind: 'add', line: 11, text: 'and a half' },
      { kind: 'same', line: 12, text: 'line 11' },
      { kind: 'same', line: 13, text: 'line 12' },
      { kind: 'same', line: 14, text: 'line 13' },
    ]);
  });

  it('a new file is all added', () => {
    expect(diffView('/a', undefined, 'x\ny\n')).toMatchObject({ added: 2, removed: 0 });
  });

  it('F060 one line of 1 MB does not hang and is cut', () => {
    const started = performance.now();
    const view = diffView('/a', 'a'.repeat(1_000_000), 'b'.repeat(1_000_000));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(view.rows.every((r) => r.text.length <= 501)).toBe(true);
    expect(view).toMatchObject({ added: 1, removed: 1 });
  });

  it('F060 many lines with none in common are counted and cut', () => {
    const old = Array.from({ length: 50_000 }, (_, i) => `o${i}`).join('\n');
    const next = Array.from({ length: 50_000 }, (_, i) => `n${i}`).join('\n');
    const started = performance.now();
    const view = diffView('/a', old, next);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(view.rows.length).toBe(400);
    expect(view.rows.length + view.cut).toBe(100_000);
  });

  it('adds up, whatever is compared', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((l) => l.join('\n'));
    fc.assert(
      fc.property(lines, lines, (old, next) => {
        const view = diffView('/a', old, next);
        expect(view.rows.filter((r) => r.kind === 'add')).toHaveLength(view.added);
        expect(view.rows.filter((r) => r.kind === 'del')).toHaveLength(view.removed);
        if (old === next) expect(view.rows).toEqual([]);
      }),
    );
  });
});
