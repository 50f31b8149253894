import { describe, UserError } from '../base/errors';
import { cap } from '../base/text';
import { ErrorCode } from './types';

/** An error that came over the wire, or that is to go over it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** A request was not answered in time. */
export class DeadlineError extends UserError {
  override readonly name = 'DeadlineError';
}

export type RpcId = string | number | null;

/** A line that claims to be JSON-RPC 2.0; which of the fields it has says what it is. */
export interface RpcMessage {
  jsonrpc: '2.0';
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

export function isRpc(value: unknown): value is RpcMessage {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

export function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}

const maxMessage = 4000;

/** The `error` of an answer as an error with words: agents put anything there (faults F022). */
export function readRpcError(error: unknown): RpcError {
  if (typeof error !== 'object' || error === null)
    return new RpcError(ErrorCode.internal, cap(describe(error), maxMessage).text);
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const number = typeof code === 'number' ? code : Number.parseInt(String(code), 10);
  const words = message === undefined || message === null || message === '' ? undefined : describe(message);
  const details = detailsOf(data);
  const text =
    words === undefined
      ? (details ?? describe(error))
      : details !== undefined && !words.includes(details)
        ? `${words}: ${details}`
        : words;
  return new RpcError(Number.isFinite(number) ? number : ErrorCode.internal, cap(text, maxMessage).text, data);
}

/** What agents write into `data` to say more: a text, or an object that names it; what it names may be an error of its own. */
function detailsOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data || undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  for (const key of ['details', 'message', 'error', 'cause'] as const) {
    const value = (data as Record<string, unknown>)[key];
    if ((typeof value === 'string' && value) || (typeof value === 'object' && value !== null)) return describe(value);
  }
  return undefined;
}

/** What a handler threw, as the `error` of an answer. No stack and no path of ours goes out. */
export function writeRpcError(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof RpcError) {
    const body: { code: number; message: string; data?: unknown } = { code: error.code, message: error.message };
    if (error.data !== undefined) body.data = error.data;
    return body;
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'CancelledError' || name === 'AbortError')
    return { code: ErrorCode.cancelled, message: 'Request cancelled' };
  const hint = error instanceof UserError ? error.hint : undefined;
  return { code: ErrorCode.internal, message: hint ? `${describe(error)} ${hint}` : describe(error) };
}

/**
 * Terminal codes and what a progress bar wrote before its last carriage return, taken off a line that is no JSON: a message may stand behind them
 * (faults F015). Neither can be inside a JSON text. Anything else in front of a message makes it noise: it may be a log that quotes it.
 */
export function withoutTerminalCodes(line: string): string[] {
  return line
    .replace(/\u001b(?:\[[0-9:;<=>?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g, '')
    .split('\r')
    .filter((part) => part.trim() !== '');
}

/** What a line over the cap was, read from its ends, as far as it can be seen. */
export function glimpse(head: string, tail: string): { id?: RpcId; method?: string; sessionId?: string } {
  const start =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*(?:"id"\s*:\s*(-?\d+|"[^"\\]*")\s*,\s*)?"(method|result|error)"\s*:\s*(?:"([^"\\]+)")?/.exec(
      head,
    );
  if (!start) return {};
  const last = /,\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$/.exec(tail);
  const id = start[1] ?? last?.[1];
  const found: { id?: RpcId; method?: string; sessionId?: string } = {};
  if (id !== undefined) found.id = JSON.parse(id) as RpcId;
  if (start[2] === 'method' && start[3] !== undefined) {
    found.method = start[3];
    const session = /^[^[]*?"sessionId"\s*:\s*"([^"\\]+)"/.exec(head);
    if (session) found.sessionId = session[1];
  }
  return found;
}
