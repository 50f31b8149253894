/** Values for the placeholders `{0}`, `{1}` or `{name}` of a message. */
export type Args = (string | number)[] | [Record<string, string | number>];

let strings: Record<string, string> = {};
let language = 'en';

/** The dictionary of the person's language, English text → text; what is missing stays English. */
export function useStrings(dictionary: Record<string, string>, locale: string): void {
  strings = dictionary;
  language = locale;
}

/** A text that a person sees, in their language; the first argument is always a literal, so that a scanner finds it. */
export function t(message: string, ...args: Args): string {
  const text = Object.hasOwn(strings, message) ? strings[message]! : message;
  if (args.length === 0) return text;
  const named = typeof args[0] === 'object' ? args[0] : undefined;
  return text.replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = named ? named[key] : (args as unknown[])[Number(key)];
    return value === undefined ? whole : String(value);
  });
}

/** What formats numbers and times; made once per language, because making one costs more than drawing an entry. */
let formats:
  | {
      language: string;
      number: Intl.NumberFormat;
      money: Intl.NumberFormat;
      time: Intl.DateTimeFormat;
      day: Intl.DateTimeFormat;
      month: Intl.DateTimeFormat;
    }
  | undefined;

function format(): NonNullable<typeof formats> {
  if (formats?.language === language) return formats;
  const make = (tag: string | undefined) => ({
    language,
    number: new Intl.NumberFormat(tag),
    money: new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }),
    time: new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    // the days are the proxy's, which counts in UTC
    day: new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(tag, { month: 'short', timeZone: 'UTC' }),
  });
  try {
    formats = make(language);
  } catch {
    // a tag that the browser does not know: its own language
    formats = make(undefined);
  }
  return formats;
}

/** A number as people of that language write it: "12,310". */
export function number(value: number): string {
  return format().number.format(value);
}

/** US dollars: "$1.20". A part of a cent is not nothing: "< $0.01". */
export function money(value: number): string {
  return value > 0 && value < 0.005 ? t('< {0}', format().money.format(0.01)) : format().money.format(value);
}

/** "24 November" of "2026-11-24"; what is no date stays as it is. */
export function dayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? date : format().day.format(day);
}

/** "Nov" of "2026-11-24". */
export function monthOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? '' : format().month.format(day);
}

/** "10:42" with its machine form; nothing for what is no time, since a damaged file must not keep a conversation from being drawn. */
export function timeOfDay(at: number): { text: string; iso: string } {
  const date = new Date(at);
  return Number.isNaN(date.getTime())
    ? { text: '', iso: '' }
    : { text: format().time.format(date), iso: date.toISOString() };
}

/** Stands in a text for something that is no text; `filled` puts it there: `filled(t('You allowed {0} once', slot), html`…`)`. */
export const slot = '\u0001';

/** A text with its slots filled, in order, for a template. */
export function filled(text: string, ...things: unknown[]): unknown[] {
  const result: unknown[] = [];
  for (const [i, part] of text.split(slot).entries()) {
    if (i > 0) result.push(things[i - 1]);
    result.push(part);
  }
  return result;
}
