import { isObject } from '../acp/check';
import { cap } from '../base/text';
import { fieldsOf, lineOf, textOf } from './fields';

/** What came back over HTTP, as far as errors are read from it. */
export interface HttpAnswer {
  status: number;
  headers: Pick<Headers, 'get'>;
  /** The whole body, or as much of it as was read. */
  body: string;
}

/** What a body says of itself, whichever of its shapes it has. */
export interface Said {
  /** One text for a person, cleaned; '' when there is none. */
  text: string;
  /** `error.type` of LiteLLM: `auth_error`, `budget_exceeded`, `no_db_connection` … */
  type?: string;
  /** The code of a JSON-RPC error. */
  rpcCode?: number;
  /** A page for a browser. */
  html: boolean;
}

/** Characters that are searched, and those that are shown. */
const longest = 10_000;
const shown = 600;

/**
 * Reads the error of a body. LiteLLM writes it as `{"error":{"message","type"}}`, `{"detail":"…"}`, `{"detail":{"error","message"}}`, as a
 * list of FastAPI's (`{"detail":[{"loc","msg"}]}`), as JSON-RPC, and now and then as a Python object inside a text (facts, 1.5 and 1.8).
 */
export function saidOf({ headers, body }: HttpAnswer): Said {
  const head = cap(body, longest).text;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const html =
      /^\s*<(!doctype|html|head|body|\?xml)/i.test(head) || /\bhtml\b/i.test(headers.get('content-type') ?? '');
    // of a page the title says most
    const title = /<title[^>]{0,200}>([^<]{0,1000})<\/title>/i.exec(head)?.[1];
    const text = html ? (title ?? '') : head.replace(/<[^<>]*>/g, ' ');
    return { text: clean(text.replace(/\s+/g, ' ')), html };
  }
  const { error, detail } = fieldsOf(value);
  const from = error ?? detail ?? value;
  const fields = fieldsOf(from);
  return {
    text: clean(unwrapped(messageOf(from))),
    type: lineOf(fields.type, 100),
    rpcCode: isObject(error) && typeof fields.code === 'number' ? fields.code : undefined,
    html: false,
  };
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // FastAPI: what is wrong with which field
  if (Array.isArray(value))
    return value
      .slice(0, 10)
      .flatMap((item) => {
        const { loc, msg } = fieldsOf(item);
        const field = Array.isArray(loc)
          ? loc.filter((part) => part !== 'body' && typeof part !== 'object').join('.')
          : '';
        return typeof msg === 'string' ? `${field ? `${field}: ` : ''}${msg}` : [];
      })
      .join('; ');
  const { message, error, detail } = fieldsOf(value);
  for (const inner of [message, error, detail]) if (typeof inner === 'string' && inner) return inner;
  return '';
}

/** `{'error': 'No db connected'}`, Python's way to write an object, is what it holds. */
function unwrapped(text: string): string {
  return /^\{'error': (['"])(.*)\1\}$/s.exec(text)?.[2] ?? text;
}

/** What was said, without anything that looks like a key and without a program's traceback. */
function clean(text: string): string {
  const plain = cap(text.split('Traceback (most recent call last)')[0]!, longest)
    .text.replace(/\b(sk|pk)-(?!\.\.\.)[A-Za-z0-9_-]{4,}/g, '***')
    .replace(/ ?Received Model Group=[\s\S]*$/, '')
    .replace(/\s+/g, ' ');
  return textOf(plain, shown) ?? '';
}
