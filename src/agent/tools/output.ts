import { l10n } from '../../base/l10n';

/**
 * Keeps the beginning and the end of an output within a cap, whatever its length: what a command says first and last is what matters.
 * Appending is linear; characters are never cut in half.
 */
export class OutputCap {
  readonly #max: number;
  readonly #headMax: number;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  constructor(max: number) {
    this.#max = Math.max(2, max);
    this.#headMax = Math.ceil(this.#max / 2);
  }

  /** Characters that came. */
  get total(): number {
    return this.#total;
  }

  add(text: string): void {
    this.#total += text.length;
    let rest = text;
    const room = this.#headMax - this.#head.length;
    if (room > 0 && this.#tailLength === 0) {
      const take = safeCut(rest, room);
      this.#head += rest.slice(0, take);
      rest = rest.slice(take);
    }
    if (!rest) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    if (this.#tailLength > this.#max * 4 + 65_536) this.#trim();
  }

  /** Head and tail, with a line between them that says how much is missing. */
  text(): string {
    this.#trim();
    const tail = this.#tail[0] ?? '';
    const cut = this.#total - this.#head.length - tail.length;
    if (cut === 0) return this.#head + tail;
    return `${this.#head}\n${l10n.t('[… {0} characters left out …]', cut)}\n${tail}`;
  }

  #trim(): void {
    const all = this.#tail.join('');
    let start = Math.max(0, all.length - (this.#max - this.#head.length));
    if (start > 0 && isLow(all.charCodeAt(start))) start++;
    this.#tail = [all.slice(start)];
    this.#tailLength = all.length - start;
  }
}

function safeCut(text: string, max: number): number {
  if (text.length <= max) return text.length;
  return isLow(text.charCodeAt(max)) ? max - 1 : max;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Takes escape sequences of a terminal out, and of lines that were drawn over with `\r` leaves the last state. */
export function plainOutput(text: string): string {
  return text
    .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, '')
    .split('\n')
    .map(lastState)
    .join('\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
}

/** What of a line is still to be seen. No pattern looks for its end: `\r*$` tries anew at each of a million `\r`. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return end === 0 ? '' : line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
