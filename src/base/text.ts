/** What is left of a text after a cut, and how much was cut, in UTF-16 units. */
export interface Capped {
  text: string;
  /** Characters that were left out; 0 when nothing was. */
  cut: number;
}

/** The first `max` characters; never half of a surrogate pair. */
export function cap(text: string, max: number): Capped {
  if (text.length <= max) return { text, cut: 0 };
  let end = Math.max(0, max);
  const last = text.charCodeAt(end - 1);
  if (end > 0 && last >= 0xd800 && last <= 0xdbff) end--;
  return { text: text.slice(0, end), cut: text.length - end };
}

/** The first line of a text, cut to `max` characters with an ellipsis: for names of entries (design, section 8). */
export function firstLine(text: string, max = 60): string {
  const line = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/, 1)[0]!.trim();
  return line.length <= max ? line : `${cap(line, max - 1).text.trimEnd()}…`;
}

/**
 * A text in one line, its line breaks as ` ⏎ `, so that nothing of it looks like a line of ours. Linear, also for 100,000 spaces:
 * what comes here is an agent's, and a pattern such as `\\s*\\n` tries every start anew.
 */
export function inOneLine(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line, index) => line !== '' || index === 0 || index === lines.length - 1).join(' ⏎ ');
}

/**
 * Characters that a terminal or a dialog would hide, reorder or act on: controls but newline and tab, format characters
 * (bidi marks, zero-width characters, tags), line separators, fillers and variation selectors.
 */
export const hiddenCharacters =
  /(?![\n\t])\p{Cc}|\p{Cf}|[\u2028\u2029\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

/** Makes hidden characters visible as `[U+202E]`, so that what a person allows is what will run (faults F046). */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hiddenCharacters, chip);
}

function chip(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** Controls but newline and tab, and what reorders text: with these a text acts on a terminal instead of standing on it. */
const acting = /(?![\n\t])\p{Cc}|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** A text as a terminal may show it: escape sequences (titles, the clipboard, a cleared screen) stand there and do nothing. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(acting, chip);
}
