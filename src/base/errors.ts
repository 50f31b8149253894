import { cap, visible } from './text';

/** The exit codes of `mm` (design, section 7). */
export const ExitCode = { done: 0, failed: 1, usage: 2, refused: 3, watchdog: 124, cancelled: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export interface UserErrorOptions {
  /** What to do next, one sentence. */
  hint?: string;
  /** With what `mm` exits when this error ends it; `failed` when nothing is said. */
  exitCode?: ExitCode;
  /** Further lines that belong to the error, such as the tail of a child's stderr. */
  detail?: string;
  cause?: unknown;
}

/** An error whose message is meant for a person: it says what happened, and in `hint` what to do. Anything else is a bug of ours. */
export class UserError extends Error {
  readonly hint?: string;
  readonly detail?: string;
  readonly exitCode: ExitCode;

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'UserError';
    this.hint = options.hint;
    this.detail = options.detail;
    this.exitCode = options.exitCode ?? ExitCode.failed;
  }
}

/** Ends whatever waited for something that a person or a caller cancelled. Not an error to show. */
export class CancelledError extends Error {
  constructor(message = 'cancelled') {
    super(message);
    this.name = 'CancelledError';
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledError || (error instanceof Error && error.name === 'AbortError');
}

/** Causes and nested messages deeper than this are left out: a chain of errors may be a ring. */
const deepest = 5;

/** A message often quotes its cause, cleaned and cut. */
function says(own: string, cause: string): boolean {
  return own.includes(cause) || own.includes(visible(cap(cause, 200).text));
}

/** Any thrown or rejected value in words; never `[object Object]` (faults F022). */
export function describe(error: unknown): string {
  return words(error, 0);
}

function words(error: unknown, depth: number): string {
  if (typeof error === 'string') return error || 'unknown error';
  if (error === undefined || error === null || depth > deepest) return 'unknown error';
  if (error instanceof Error) {
    const own = error.message || error.name;
    const cause = error.cause === undefined || depth === deepest ? '' : words(error.cause, depth + 1);
    return cause && cause !== 'unknown error' && !says(own, cause) && !cause.includes(own) ? `${own} (${cause})` : own;
  }
  if (typeof error !== 'object') return String(error);
  const { message } = error as { message?: unknown };
  if (message && (typeof message === 'string' || typeof message === 'object')) return words(message, depth + 1);
  try {
    return JSON.stringify(error) ?? 'unknown error';
  } catch {
    return 'unknown error';
  }
}
