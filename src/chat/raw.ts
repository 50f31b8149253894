/** Readers for what agents and files send: whatever it is, they give a value of the right type or nothing, and never throw. */

export type Raw = Record<string, unknown>;

export function obj(value: unknown): Raw | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Raw) : undefined;
}

export function arr(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not empty. */
export function str(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number. */
export function num(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** JSON of a value, at most `max` characters; '' for what has none. */
export function json(value: unknown, max: number): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, undefined, 2);
  } catch {
    // Circular or a throwing getter: cannot come from JSON, only from a caller in this process.
    return '';
  }
  return text === undefined ? '' : text.slice(0, max);
}

/** The same text, and not a part of a longer one, which the engine would keep alive with it. */
export function own(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** Size of a value in characters of JSON, for "48 kB" beside an unsupported item. */
export function sizeOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return 0;
  }
}
