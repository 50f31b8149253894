/** A line longer than this many bytes is not delivered but reported (design, section 5). */
export const defaultMaxLine = 32 * 1024 * 1024;

/** What is kept of a line over the cap: enough to see what it was and whom it belongs to. */
export interface Oversize {
  /** Length of the whole line, in bytes. */
  bytes: number;
  /** Its first and its last characters; where the cut split a character, U+FFFD stands at the edge. */
  head: string;
  tail: string;
}

export interface LineSplitterOptions {
  /** A line without its line end; blank ones are left out. */
  onLine(line: string): void;
  onOversize(info: Oversize): void;
  /** In bytes. */
  maxLine?: number;
}

const newline = 10;
const keptHead = 2048;
const keptTail = 256;
/** A buffer that one long line made grow beyond this is given back after that line. */
const keptCapacity = 1024 * 1024;
const empty = Buffer.alloc(0);

/**
 * Cuts a byte stream into lines of UTF-8 text at `\n` only: a carriage return before it and a byte order mark are taken off, U+2028 and its like
 * are text (faults F017, F018). Every byte is looked at once and copied at most once or, for a line in many pieces, an amortised constant number
 * of times. Whole lines of a chunk are decoded together, because one call into the decoder per line costs as much as parsing a short line.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onOversize: (info: Oversize) => void;
  readonly #max: number;
  /** The beginning of a line whose end has not come yet: the first `#used` bytes. */
  #pending = empty;
  #used = 0;
  /** Set while the rest of a line over the cap is being dropped. */
  #dropped: { bytes: number; head: string; tail: Buffer } | undefined;
  #stopped = false;

  constructor(options: LineSplitterOptions) {
    this.#onLine = options.onLine;
    this.#onOversize = options.onOversize;
    this.#max = options.maxLine ?? defaultMaxLine;
  }

  feed(chunk: Buffer): void {
    if (this.#stopped || chunk.length === 0) return;
    let start = 0;
    if (this.#used > 0 || this.#dropped) {
      const end = chunk.indexOf(newline);
      this.#hold(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return;
      this.#endHeld();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(newline);
    if (last >= start) {
      if (last - start <= this.#max) this.#split(chunk.toString('utf8', start, last));
      else start = this.#splitLong(chunk, start);
      start = last + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The input has ended: a last line without a line end is a line. */
  finish(): void {
    if (this.#used > 0 || this.#dropped) this.#endHeld();
  }

  /** Nothing more is delivered, not even the rest of the chunk that is being cut. */
  stop(): void {
    this.#stopped = true;
    this.#pending = empty;
    this.#used = 0;
    this.#dropped = undefined;
  }

  /** Lines that are all in one piece of text, none of them over the cap. */
  #split(text: string): void {
    let start = 0;
    while (!this.#stopped) {
      const end = text.indexOf('\n', start);
      this.#emit(text, start, end < 0 ? text.length : end);
      if (end < 0) return;
      start = end + 1;
    }
  }

  /** Whole lines in a chunk that is itself over the cap: each has to be measured. Returns where the last one ended. */
  #splitLong(chunk: Buffer, from: number): number {
    let start = from;
    for (let end = chunk.indexOf(newline, start); end >= 0 && !this.#stopped; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#endHeld();
      start = end + 1;
    }
    return start;
  }

  #emit(text: string, from: number, to: number): void {
    let start = from;
    let end = to;
    if (end > start && text.charCodeAt(end - 1) === 13) end--;
    if (end > start && text.charCodeAt(start) === 0xfeff) start++;
    if (end > start) this.#onLine(text.slice(start, end));
  }

  #hold(bytes: Buffer): void {
    const dropped = this.#dropped;
    if (dropped) {
      dropped.bytes += bytes.length;
      dropped.tail = lastOf(dropped.tail, bytes);
      return;
    }
    const length = this.#used + bytes.length;
    if (length > this.#max) {
      const whole = this.#pending.subarray(0, this.#used);
      const first = Buffer.concat([whole.subarray(0, keptHead), bytes.subarray(0, keptHead)]);
      this.#dropped = { bytes: length, head: first.toString('utf8', 0, keptHead), tail: lastOf(whole, bytes) };
      this.#pending = empty;
      this.#used = 0;
      return;
    }
    if (length > this.#pending.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(length, this.#pending.length * 2, 4096), this.#max));
      this.#pending.copy(grown, 0, 0, this.#used);
      this.#pending = grown;
    }
    bytes.copy(this.#pending, this.#used);
    this.#used = length;
  }

  #endHeld(): void {
    const dropped = this.#dropped;
    if (dropped) {
      this.#dropped = undefined;
      this.#onOversize({ bytes: dropped.bytes, head: dropped.head, tail: dropped.tail.toString('utf8') });
      return;
    }
    const text = this.#pending.toString('utf8', 0, this.#used);
    this.#used = 0;
    if (this.#pending.length > keptCapacity) this.#pending = empty;
    this.#emit(text, 0, text.length);
  }
}

/** A copy of the last bytes of two pieces, so that no big chunk is kept alive for them. */
function lastOf(before: Buffer, after: Buffer): Buffer {
  const end = after.subarray(Math.max(0, after.length - keptTail));
  return Buffer.concat([before.subarray(Math.max(0, before.length - (keptTail - end.length))), end]);
}
