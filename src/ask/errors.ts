import { describe, ExitCode, isCancelled, UserError, type UserErrorOptions } from '../base/errors';
import { l10n } from '../base/l10n';
import type { AgentFace, AskFailure } from './types';

/** The exit codes of section 7; what is not named here is a failure of the agent, 1. */
const exitCodes: Partial<Record<AskFailure, ExitCode>> = {
  'unknown-agent': ExitCode.usage,
  depth: ExitCode.refused,
  cycle: ExitCode.refused,
  refused: ExitCode.refused,
  cancelled: ExitCode.cancelled,
  watchdog: ExitCode.watchdog,
};

export interface AskErrorOptions extends Omit<UserErrorOptions, 'exitCode'> {
  /** What the caller's model reads instead of `message`; English, and says what it can do now. */
  forModel?: string;
}

/** Words that came before an ask failed, for "Keep what came" (rule 6). */
export interface CameSoFar {
  text: string;
  face: AgentFace;
}

/** An ask that left no answer. `message` and `hint` are for a person, `forModel` is what `ask_agent` returns. */
export class AskError extends UserError {
  readonly failure: AskFailure;
  readonly forModel: string;
  /** What came before it ended, if anything did. */
  came?: CameSoFar;
  /** Calls that were refused on the way, by name; also told when the ask failed (rule 13). */
  refused: string[] = [];

  constructor(failure: AskFailure, message: string, options: AskErrorOptions = {}) {
    super(message, { ...options, exitCode: exitCodes[failure] ?? ExitCode.failed });
    this.name = 'AskError';
    this.failure = failure;
    this.forModel = options.forModel ?? message;
  }
}

/** The ask of `name` was cancelled, by the person, the caller or the end of either. */
export function cancelledAsk(name: string, cause?: unknown): AskError {
  return new AskError('cancelled', l10n.t('The question to {0} was cancelled.', name), {
    forModel: `The question to ${name} was cancelled. There is no answer.`,
    cause,
  });
}

/**
 * Any error as an `AskError`: one that is, stays; a cancel, or anything after the ask was stopped, is `cancelled`;
 * words for a person are kept; the rest is put in words.
 */
export function toAskError(error: unknown, failure: AskFailure, name: string, signal?: AbortSignal): AskError {
  if (signal?.aborted && !(error instanceof AskError && error.failure === 'cancelled'))
    return cancelledAsk(name, error);
  if (error instanceof AskError) return error;
  if (isCancelled(error)) return cancelledAsk(name, error);
  const words = describe(error);
  const { hint, detail } = error instanceof UserError ? error : { hint: undefined, detail: undefined };
  return new AskError(failure, words, {
    hint,
    detail,
    cause: error,
    forModel: `${name} could not answer: ${words}`,
  });
}
