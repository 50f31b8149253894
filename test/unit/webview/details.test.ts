import { describe, expect, it } from 'vitest';
import { jsonTokens } from '../../../webview/details/json';
import { marks } from '../../../webview/details/marks';
import { bars, scaleTop, slots, tellingProbes } from '../../../webview/details/scale';

const only = (pieces: { text: string; only: boolean }[]) => pieces.filter((p) => p.only).map((p) => p.text);
const whole = (pieces: { text: string }[]) => pieces.map((p) => p.text).join('');

describe('what differs between two texts', () => {
  it.each([
    ['Checks continuity between the scenes', 'Checks continuity', ['between the scenes'], []],
    ['continuity, timeline, characters', 'continuity, timeline', ['characters'], []],
    ['$2.00', '$5.00', ['$2.00'], ['$5.00']],
    ['a quick fox', 'a slow fox', ['quick'], ['slow']],
    ['', 'new', [], ['new']],
    ['same words', 'same words', [], []],
  ] as const)('%s / %s', (theirs, ours, inTheirs, inOurs) => {
    const found = marks(theirs, ours);
    expect(only(found.theirs)).toEqual(inTheirs);
    expect(only(found.ours)).toEqual(inOurs);
    expect(whole(found.theirs)).toBe(theirs);
    expect(whole(found.ours)).toBe(ours);
  });

  it('of very long texts says only that they differ', () => {
    const long = 'word '.repeat(5000);
    expect(marks(long, 'word').theirs).toEqual([{ text: long, only: true }]);
  });
});

describe('JSON in colours', () => {
  it('is the same text, with names, strings, numbers and words told apart', () => {
    const text = '{ "a\\"b" : "c: 1", "n": -1.5e3, "l": [true, null], "e": "" }';
    const tokens = jsonTokens(text);
    expect(whole(tokens)).toBe(text);
    const of = (kind: string) => tokens.filter((t) => t.kind === kind).map((t) => t.text);
    expect(of('attr')).toEqual(['"a\\"b"', '"n"', '"l"', '"e"']);
    expect(of('string')).toEqual(['"c: 1"', '""']);
    expect(of('number')).toEqual(['-1.5e3']);
    expect(of('literal')).toEqual(['true', 'null']);
  });

  it('bears what is no JSON, and does not colour what is very long', () => {
    for (const text of ['', '<html>"', '"open', 'x'.repeat(50_000)]) expect(whole(jsonTokens(text))).toBe(text);
    expect(jsonTokens('1 '.repeat(30_000))).toHaveLength(1);
  });
});

describe('the scale of the chart', () => {
  it.each([
    [1.71, 2],
    [2, 2],
    [0.3, 0.4],
    [0.1 + 0.2, 0.4],
    [4.2, 5],
    [31, 40],
    [99, 100],
    [0, 1],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1],
  ])('holds %d up to %d', (most, top) => expect(scaleTop(most)).toBeCloseTo(top, 9));

  it('draws no bar outside of the plot', () => {
    const days = [3, -1, 1].map((spend) => ({ date: '2026-11-01', spend }));
    expect(bars(days, 2)).toEqual([100, 0, 50]);
  });
});

describe('probes of a day', () => {
  const now = 1_800_000_000_000;
  const hour = 3600_000;

  it('stand in the half hour in which they were, the worst of each', () => {
    const strip = slots(
      [
        { at: now - 1000, ms: 40 },
        { at: now - 2000, error: 'refused' },
        { at: now - 40 * 60_000, ms: 30 },
        { at: now - 41 * 60_000, ms: 4000 },
        { at: now - 24 * hour + 1000, ms: 40 },
        { at: now - 24 * hour - 1000, ms: 40 },
      ],
      now,
    );
    expect(strip).toHaveLength(48);
    expect(strip.map((s) => s.state).filter((s) => s !== 'none')).toEqual(['answered', 'slow', 'silent']);
    expect([strip[47]!.state, strip[46]!.state, strip[0]!.state]).toEqual(['silent', 'slow', 'answered']);
    expect(strip[46]!.ms).toBe(4000);
  });

  it('slow is a second, or five times as long as usual', () => {
    const usual = Array.from({ length: 9 }, (_, i) => ({ at: now - (i + 1) * hour, ms: 600 }));
    const strip = slots([{ at: now, ms: 1500 }, ...usual], now);
    expect(strip[47]!.state).toBe('answered');
    expect(slots([{ at: now, ms: 1500 }], now)[47]!.state).toBe('answered');
    expect(slots([{ at: now, ms: 1500 }, ...usual.map((p) => ({ ...p, ms: 20 }))], now)[47]!.state).toBe('slow');
  });

  it('the table shows the newest two and the newest that went wrong', () => {
    const probes = [1, 2, 3, 4, 5].map((i) => ({
      at: now - i * hour,
      ...(i === 4 ? { error: 'refused' } : { ms: i }),
    }));
    expect(tellingProbes(probes).map((p) => (now - p.at) / hour)).toEqual([1, 2, 4]);
    expect(tellingProbes(probes.slice(0, 3))).toHaveLength(3);
  });
});
