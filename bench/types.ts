/** One measured figure, beside the floor or peer that was measured in the same run (design, section 11). */
export interface BenchRow {
  /** What was measured, in a few words: "receive a text chunk". */
  name: string;
  /** Ours. */
  value: number;
  unit: 'ns' | 'µs' | 'ms' | 's' | 'MB' | '';
  /** The floor or peer, in the same unit, and what it is: "JSON.parse per line". */
  floor?: { name: string; value: number };
  /** What has to hold, in words: "at most 2×". */
  goal: string;
  /** Whether the goal is met; absent when the row is only for information. */
  met?: boolean;
}
