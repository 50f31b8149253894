/** Which lines are drawn, and how much room stands for those that are not. */
export type Piece = { line: number } | { from: number; gap: number };

/** Lines above and below what is seen, so that a turn of the wheel finds them drawn. */
const spare = 12;

/** Heights of lines, measured where they have been drawn and guessed elsewhere. */
export class Heights<L extends { id: string }> {
  readonly #measured = new Map<string, number>();
  /** The top of each line, and behind the last one the whole height. */
  #tops: number[] = [0];
  #lines: readonly L[] = [];

  constructor(private readonly guess: (line: L) => number) {}

  use(lines: readonly L[]): void {
    this.#lines = lines;
    const tops = [0];
    for (const line of lines) tops.push(tops[tops.length - 1]! + (this.#measured.get(line.id) ?? this.guess(line)));
    this.#tops = tops;
  }

  /** @returns whether it was not what had been thought. */
  measure(id: string, height: number): boolean {
    const before = this.#measured.get(id);
    if (before !== undefined && Math.abs(before - height) < 0.5) return false;
    this.#measured.set(id, height);
    return true;
  }

  /** The page has another width: all that was measured is wrong. */
  forget(): void {
    this.#measured.clear();
    this.use(this.#lines);
  }

  top(line: number): number {
    return this.#tops[Math.min(Math.max(line, 0), this.#tops.length - 1)]!;
  }

  /** The line at a distance from the top of the tree. */
  at(y: number): number {
    let low = 0;
    let high = Math.max(0, this.#tops.length - 2);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#tops[middle]! <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The lines between two distances, and one further line wherever it is: the one that has the focus must be in the page, or Tab would not
   * find it.
   */
  pieces(from: number, to: number, further: number): Piece[] {
    const count = this.#lines.length;
    if (count === 0) return [];
    const first = Math.max(0, this.at(from) - spare);
    const last = Math.min(count - 1, this.at(to) + spare);
    const drawn: number[] = [];
    if (further >= 0 && further < first) drawn.push(further);
    for (let i = first; i <= last; i++) drawn.push(i);
    if (further > last && further < count) drawn.push(further);
    const result: Piece[] = [];
    let next = 0;
    const gap = (end: number) => {
      if (end > next) result.push({ from: next, gap: this.top(end) - this.top(next) });
    };
    for (const line of drawn) {
      gap(line);
      result.push({ line });
      next = line + 1;
    }
    gap(count);
    return result;
  }
}
