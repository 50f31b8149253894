import type { Probe, SpendDay } from '../../src/a2a/view';

/** The chart's arithmetic: no drawing, no words. */

/** The top of a scale that holds `most`: 1, 2 or 5 of a power of ten, so that half of it is a good number too. */
export function scaleTop(most: number): number {
  if (!(most > 0) || !Number.isFinite(most)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  for (const step of [1, 2, 4, 5, 10]) {
    // what 0.1 + 0.2 is must not lift the scale
    if (step * power >= most * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

/** Heights of the days in per cent of the scale. */
export function bars(days: readonly SpendDay[], top: number): number[] {
  return days.map((day) => Math.min(100, Math.max(0, (day.spend / top) * 100)));
}

/** Half an hour of the last day. */
export interface Slot {
  state: 'none' | 'answered' | 'slow' | 'silent';
  /** The slowest answer, in milliseconds. */
  ms?: number;
  /** Per cent of the strip's height. */
  height: number;
}

export const slotCount = 48;
const day = 24 * 3600_000;

/** An answer is slow when it takes a second, or five times as long as usual where usual is more than a blink. */
export function slowFrom(probes: readonly Probe[]): number {
  const times = probes.flatMap((p) => (p.ms === undefined ? [] : [p.ms])).sort((a, b) => a - b);
  const usual = times[times.length >> 1] ?? 0;
  return Math.max(1000, usual * 5);
}

/** The last 24 hours in 48 slots, oldest first: the worst of each slot counts. */
export function slots(probes: readonly Probe[], now: number): Slot[] {
  const slow = slowFrom(probes);
  const result: Slot[] = Array.from({ length: slotCount }, () => ({ state: 'none', height: 0 }));
  for (const probe of probes) {
    const age = now - probe.at;
    if (age < 0 ? age < -60_000 : age >= day) continue;
    const slot = result[slotCount - 1 - Math.min(slotCount - 1, Math.floor((Math.max(0, age) / day) * slotCount))]!;
    if (probe.error !== undefined) {
      slot.state = 'silent';
      slot.height = 100;
    } else if (slot.state !== 'silent') {
      const ms = Math.max(slot.ms ?? 0, probe.ms ?? 0);
      slot.ms = ms;
      slot.state = ms >= slow ? 'slow' : 'answered';
      // by the size of the number, so that 40 ms and 80 ms are told apart beside ten seconds
      slot.height = Math.round(25 + 75 * Math.min(1, Math.log10(1 + ms) / 4));
    }
  }
  return result;
}

/** What the table shows: the two newest, and the newest that went wrong. */
export function tellingProbes(probes: readonly Probe[]): Probe[] {
  const newest = probes.slice(0, 2);
  const failed = probes.slice(2).find((probe) => probe.error !== undefined);
  return failed ? [...newest, failed] : probes.slice(0, 3);
}
