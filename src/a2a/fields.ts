import { isObject } from '../acp/check';
import { cap, firstLine, visible } from '../base/text';

/**
 * Fields of what came over the network, one at a time: what has the wrong shape is as good as absent, what is too long is cut, and
 * what would hide or reorder text is made visible (faults F046).
 */

/** An object, or an empty one. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** Halves of a character: JSON may hold them, and what is written to a file or a socket may not. */
const halves = /\p{Surrogate}/gu;

/** A text of several lines, at most `max` characters before hidden ones are made visible; undefined when there is none. */
export function textOf(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  // cut first: each hidden character grows to eight
  return visible(cap(value, max).text.replace(halves, '\ufffd')).trim() || undefined;
}

/** A text of one line: a name, an id, a tag. */
export function lineOf(value: unknown, max: number): string | undefined {
  const text = textOf(value, max);
  return text && firstLine(text, max * 2);
}

/** The texts of a list, at most `count`, each of one line. */
export function linesOf(value: unknown, count: number, max: number): string[] {
  return listOf(value, count).flatMap((item) => lineOf(item, max) ?? []);
}

/** The first `count` items of a list, or none. */
export function listOf(value: unknown, count: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, count) : [];
}

/** A finite number, or undefined: null stands for “none” on this wire. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Characters of an address; browsers and servers take no more. */
const longestAddress = 2_048;

/**
 * An http or https address as `URL` writes it, or undefined. One with a name and a password is none: it would stand in logs and
 * messages, and `fetch` refuses it anyway.
 */
export function addressOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > longestAddress || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return undefined;
  // `URL` puts a slash behind a bare host; everywhere else a slash more or less is another address
  return url.pathname === '/' && !url.search && !url.hash ? url.origin : url.href;
}
