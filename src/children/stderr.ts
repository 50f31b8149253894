import { StringDecoder } from 'node:string_decoder';
import { masker } from '../base/secrets';
import { cap, visible } from '../base/text';

const keep = 4096;

// CSI, OSC (ended by BEL or ST) and two-character escapes. No nested quantifiers: linear on hostile input.
const escapes =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;

/** The last 4 kB that a child wrote to stderr. Bytes are kept and decoded at the end, so that no character is ever split (F017). */
export class StderrTail {
  /** The newest bytes stand before `#end`; when it is full, its last quarter moves to the front. */
  readonly #bytes = Buffer.alloc(keep * 8);
  #end = 0;
  #cut = false;
  /** Hides secrets (F064). */
  readonly mask: (text: string) => string;

  /** @param secrets values that are replaced by `***` wherever they appear */
  constructor(secrets: readonly string[] = []) {
    this.mask = masker(secrets);
  }

  push(chunk: Buffer): void {
    const tail = keep * 2;
    if (this.#end + chunk.length > this.#bytes.length) {
      this.#cut = true;
      const kept = Math.max(0, Math.min(this.#end, tail - chunk.length));
      this.#bytes.copyWithin(0, this.#end - kept, this.#end);
      this.#end = kept;
    }
    const end = chunk.length > tail && this.#end + chunk.length > this.#bytes.length ? chunk.subarray(-tail) : chunk;
    end.copy(this.#bytes, this.#end);
    this.#end += end.length;
  }

  /** What is kept, from the start of a line, with escape codes removed and other control characters made visible. */
  text(): string {
    const all = this.#bytes.subarray(0, this.#end);
    // A secret that crosses the cut must not survive as a half, so masking comes before the cut.
    let text = this.mask(wholeCharacters(all).replace(escapes, ''));
    text = text.replace(/\r+\n/g, '\n').replace(/\r/g, '\n');
    let cut = this.#cut;
    let bytes = Buffer.from(text);
    if (bytes.length > keep) {
      bytes = bytes.subarray(bytes.length - keep);
      cut = true;
    }
    text = wholeCharacters(bytes);
    const line = text.indexOf('\n');
    if (cut && line >= 0 && line < text.length - 1) text = text.slice(line + 1);
    return visible(text).trim();
  }
}

/** The same stream for the log, line by line. */
export class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #partial = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const lines = (this.#partial + this.#decoder.write(chunk)).split('\n');
    this.#partial = lines.pop() ?? '';
    // What never ends its line (a progress bar) is let go of in pieces.
    if (this.#partial.length > keep) {
      lines.push(this.#partial);
      this.#partial = '';
    }
    for (const line of lines) this.#say(line);
  }

  finish(): void {
    this.#say(this.#partial + this.#decoder.end());
    this.#partial = '';
  }

  #say(line: string): void {
    const text = visible(line.replace(escapes, '').trimEnd());
    if (text) this.#onLine(cap(text, keep).text);
  }
}

/** Decodes UTF-8 without the halves of characters at both ends. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && start < 3 && (bytes[start]! & 0xc0) === 0x80) start++;
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needs > back) end -= back;
    break;
  }
  return bytes.subarray(start, end).toString('utf8');
}
