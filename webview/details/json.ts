/** A piece of JSON with the class of its colour; the text itself is never changed. */
export interface Token {
  text: string;
  kind?: 'attr' | 'string' | 'number' | 'literal';
}

/** More than this is shown without colours: a frame must stay short. */
const most = 40_000;

const pattern = /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

/** The pieces of a JSON text, in order and complete; what is no JSON comes as plain text. */
export function jsonTokens(text: string): Token[] {
  if (text.length > most) return [{ text }];
  const result: Token[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) result.push({ text: text.slice(at, match.index) });
    const [whole, string, colon] = match;
    if (string !== undefined) {
      result.push({ text: string, kind: colon === undefined ? 'string' : 'attr' });
      if (colon !== undefined) result.push({ text: colon });
    } else result.push({ text: whole, kind: /^[tfn]/.test(whole) ? 'literal' : 'number' });
    at = match.index + whole.length;
  }
  if (at < text.length) result.push({ text: text.slice(at) });
  return result;
}
