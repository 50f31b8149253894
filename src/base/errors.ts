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

/** Any thrown or rejected value in words; never `[object Object]` (faults F022). */
export function describe(error: unknown): string {
  if (error instanceof Error) {
    const own = error.message || error.name;
    const cause = error.cause === undefined || error.cause === null ? '' : describe(error.cause);
    return cause && !own.includes(cause) ? `${own} (${cause})` : own;
  }
  if (typeof error === 'string') return error || 'unknown error';
  if (error === undefined || error === null) return 'unknown error';
  if (typeof error === 'object') {
    const message = (error as { message?: unknown }).message;
    if (typeof message === 'string' && message) return message;
    if (message && typeof message === 'object') return describe(message);
    try {
      return JSON.stringify(error) ?? 'unknown error';
    } catch {
      return 'unknown error';
    }
  }
  return String(error);
}
