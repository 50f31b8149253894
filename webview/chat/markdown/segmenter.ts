import { type Env, type Parsed, parseBlocks } from './parser';

/** A block that no later word can change. */
export type Block = { kind: 'html'; html: string } | { kind: 'code'; info: string; code: string };

/** What stands after the last closed block: blocks that later words may still change, or a fence that has not ended. */
export type Open = { kind: 'blocks'; blocks: Block[] } | { kind: 'fence'; info: string } | { kind: 'nothing' };

/** A fence that has begun; `at` is where its next line begins in the tail. */
interface Fence {
  marker: string;
  length: number;
  indent: number;
  info: string;
  at: number;
}

/** Characters that one step looks at: what a frame can parse, lay out and paint. */
const stride = 4_096;
/** A list longer than this is cut before an item; anything else that is no fence is cut at a line, at last anywhere. */
const longList = 16_384;
const longBlock = 32_768;
const longest = 65_536;

/**
 * Cuts Markdown that is still being written into blocks that are final, so that only the last one is ever parsed again. Where it cuts
 * depends on the text alone and never on how the text was split into chunks: whatever comes in, and in whatever pieces, the blocks are
 * those of the whole text (test "any split"). Only complete lines decide; the unfinished line is for the picture of the moment.
 */
export class Segmenter {
  /** What is not closed yet. */
  #tail = '';
  /** Length of the part of the tail that `step` has looked at. */
  #seen = 0;
  /** A carriage return at the end of a chunk, of which we do not know yet whether a line feed follows. */
  #carry = '';
  #source = '';
  #env: Env = {};
  #fence: Fence | undefined;
  #finished = false;
  /** Words of an open fence that nobody has fetched yet. */
  #fenceWords = '';

  /** Everything that came, with line feeds only. */
  get source(): string {
    return this.#source;
  }

  /** Characters that are not closed. */
  get rest(): number {
    return this.#tail.length;
  }

  /** Whether the text refers to addresses that are given elsewhere in it; then it is rendered again when it is complete. */
  get hasReferences(): boolean {
    return Object.keys(this.#env.references ?? {}).length > 0;
  }

  /** A segmenter for the same text that knows all its references from the start. */
  again(): Segmenter {
    const next = new Segmenter();
    next.#env = { references: { ...this.#env.references } };
    next.push(this.#source);
    next.finish();
    return next;
  }

  push(chunk: string): void {
    let text = this.#carry + chunk;
    this.#carry = '';
    if (text.endsWith('\r')) {
      this.#carry = '\r';
      text = text.slice(0, -1);
    }
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    this.#tail += text;
    this.#source += text;
  }

  /** No more words come: everything can be closed. */
  finish(): void {
    if (this.#carry !== '') {
      this.#carry = '';
      this.#tail += '\n';
      this.#source += '\n';
    }
    this.#finished = true;
  }

  /** Closes what can be closed in the next few kilobytes. `more` says whether another step could close more. */
  step(): { closed: Block[]; more: boolean } {
    if (this.#fence) return this.#stepFence(this.#fence);
    const end = this.#end();
    const closed: Block[] = [];
    if (end === 0) return { closed, more: false };
    const source = this.#tail.slice(0, end);
    const last = this.#finished && end === this.#tail.length;
    const parsed = parseBlocks(source, this.#scratch());
    const lines = lineStarts(source);
    let done = 0;
    for (const [i, block] of parsed.entries()) {
      const start = lines[block.start] ?? 0;
      const next = parsed[i + 1];
      const stop = next ? (lines[next.start] ?? source.length) : source.length;
      const fence = block.kind === 'code' ? fenceAt(source, start) : undefined;
      if (fence && !next) {
        this.#drop(start);
        this.#fence = fence;
        return { closed, more: true };
      }
      const cut = fence ? undefined : forcedCut(source.slice(start, stop), block.list);
      if (cut !== undefined) {
        closed.push(...parseBlocks(source.slice(start, start + cut), this.#scratch()).map(toBlock));
        this.#drop(start + cut);
        return { closed, more: true };
      }
      done = next || last ? stop : start;
      if (next || last) closed.push(toBlock(block));
    }
    if (parsed.length === 0 && last) done = source.length;
    this.#drop(done);
    this.#seen = source.length - done;
    return { closed, more: !last && (this.#finished || this.#tail.indexOf('\n', this.#seen) >= 0) };
  }

  /** The open rest as it looks at this moment. Costs a parse of the rest. */
  open(): Open {
    if (this.#fence) return { kind: 'fence', info: this.#fence.info };
    if (this.#tail.trim() === '') return { kind: 'nothing' };
    const source = this.#tail.length > longest ? this.#tail.slice(0, longest) : this.#tail;
    const env = this.#scratch();
    return { kind: 'blocks', blocks: parseBlocks(source, env).map(toBlock) };
  }

  /** The words of the open fence that came since the last call. */
  takeFenceWords(): string {
    const words = this.#fenceWords;
    this.#fenceWords = '';
    return words;
  }

  /** The unfinished line of the open fence, unless it may become the fence's end. */
  fenceRest(): string {
    const fence = this.#fence;
    if (!fence) return '';
    const line = withoutIndent(this.#tail.slice(fence.at), fence.indent);
    return line.trimStart().startsWith(fence.marker.repeat(2)) || line.trim() === fence.marker ? '' : line;
  }

  /** How much of the tail the next step looks at: complete lines, all when finished; 0 when nothing new can be closed. */
  #end(): number {
    const limit = this.#seen + stride;
    if (this.#finished && this.#tail.length <= limit) return this.#tail.length;
    const before = this.#tail.lastIndexOf('\n', limit - 1) + 1;
    if (before > this.#seen) return before;
    const after = this.#tail.indexOf('\n', limit) + 1;
    if (after > 0) return after;
    // a line without end is cut at last, so that it cannot be parsed again and again
    const line = this.#tail.length - (this.#tail.lastIndexOf('\n') + 1);
    return this.#finished || line > longest ? this.#tail.length : 0;
  }

  /** References so far, in an environment that may be thrown away: what is not closed defines nothing yet. */
  #scratch(): Env {
    return this.#env.references ? { references: { ...this.#env.references } } : {};
  }

  /** Forgets the beginning of the tail; what it defines holds from now on. */
  #drop(count: number): void {
    this.#seen = 0;
    if (count === 0) return;
    const source = this.#tail.slice(0, count);
    if (/^[ >]*\[[^\]]+\]:/m.test(source)) parseBlocks(source, this.#env);
    this.#tail = this.#tail.slice(count);
  }

  /** Looks for the end of the fence in the lines that came; what stands before it is only passed on. */
  #stepFence(fence: Fence): { closed: Block[]; more: boolean } {
    const limit = fence.at + 8 * stride;
    let words = '';
    let ended = false;
    while (!ended && fence.at < this.#tail.length && fence.at < limit) {
      const newline = this.#tail.indexOf('\n', fence.at);
      if (newline < 0 && !this.#finished) break;
      const line = this.#tail.slice(fence.at, newline < 0 ? this.#tail.length : newline);
      fence.at = newline < 0 ? this.#tail.length : newline + 1;
      ended = isFenceEnd(line, fence);
      if (!ended) words += `${withoutIndent(line, fence.indent)}\n`;
    }
    this.#fenceWords += words;
    if (!ended && fence.at >= limit) return { closed: [], more: true };
    if (!ended && !this.#finished) return { closed: [], more: false };
    const source = this.#tail.slice(0, fence.at);
    this.#fence = undefined;
    this.#fenceWords = '';
    this.#tail = this.#tail.slice(fence.at);
    this.#seen = 0;
    return { closed: parseBlocks(source, {}).map(toBlock), more: this.#finished || this.#tail.includes('\n') };
  }
}

/** The blocks of a whole text: what every way of streaming it has to give. */
export function segments(source: string): Block[] {
  let segmenter = new Segmenter();
  segmenter.push(source);
  segmenter.finish();
  let blocks = run(segmenter);
  if (segmenter.hasReferences) {
    segmenter = segmenter.again();
    blocks = run(segmenter);
  }
  return blocks;
}

function run(segmenter: Segmenter): Block[] {
  const blocks: Block[] = [];
  for (;;) {
    const { closed, more } = segmenter.step();
    blocks.push(...closed);
    if (!more) return blocks;
  }
}

function toBlock(block: Parsed): Block {
  return block.kind === 'code'
    ? { kind: 'code', info: block.info, code: block.code }
    : { kind: 'html', html: block.html() };
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let i = source.indexOf('\n'); i >= 0; i = source.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** Where a block that has become too long is cut, or undefined while it is not. Depends on its beginning only. */
function forcedCut(block: string, list: boolean): number | undefined {
  if (block.length <= (list ? longList : longBlock)) return undefined;
  if (list) {
    const item = /\n(?=(?:[-*+]|\d{1,9}[.)])[ \t])/g;
    item.lastIndex = longList;
    const found = item.exec(block);
    if (found && found.index < longest) return found.index + 1;
    if (block.length <= longest) return undefined;
  }
  const line = block.indexOf('\n', longBlock);
  if (line >= 0 && line < longest) return line + 1 < block.length ? line + 1 : undefined;
  if (block.length <= longest) return undefined;
  // not inside of a surrogate pair
  const unit = block.charCodeAt(longest - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? longest - 1 : longest;
}

function fenceAt(source: string, start: number): Fence | undefined {
  const newline = source.indexOf('\n', start);
  const line = source.slice(start, newline < 0 ? source.length : newline);
  const match = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line);
  if (!match) return undefined;
  const [, indent, marks, info] = match as unknown as [string, string, string, string];
  return {
    marker: marks[0]!,
    length: marks.length,
    indent: indent.length,
    info: info.trim(),
    at: line.length + (newline < 0 ? 0 : 1),
  };
}

function isFenceEnd(line: string, fence: Fence): boolean {
  const match = /^ {0,3}(`+|~+)[ \t]*$/.exec(line);
  return match !== null && match[1]![0] === fence.marker && match[1]!.length >= fence.length;
}

function withoutIndent(line: string, indent: number): string {
  let i = 0;
  while (i < indent && line[i] === ' ') i++;
  return i === 0 ? line : line.slice(i);
}
