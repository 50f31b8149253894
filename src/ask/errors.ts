import { describe, ExitCode, isCancelled, UserError, type UserErrorOptions } from '../base/errors';
import { l10n } from '../base/l10n';
import type { HookPoint } from '../config/types';
import type { AgentFace, AskFailure } from './types';

/** The exit codes of section 7; what is not named here has that of the error's options, else 1: a failure of the agent. */
const exitCodes: Partial<Record<AskFailure, ExitCode>> = {
  'unknown-agent': ExitCode.usage,
  depth: ExitCode.refused,
  cycle: ExitCode.refused,
  refused: ExitCode.refused,
  hook: ExitCode.refused,
  withheld: ExitCode.refused,
  cancelled: ExitCode.cancelled,
  watchdog: ExitCode.watchdog,
};

export interface AskErrorOptions extends UserErrorOptions {
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
  /** Of an answer without a word: the limit that was reached before the first one. */
  limit?: 'max_tokens' | 'max_turn_requests';
  /** What came before it ended, if anything did. */
  came?: CameSoFar;
  /** Calls that were refused on the way, by name; also told when the ask failed (rule 13). */
  refused: string[] = [];

  constructor(failure: AskFailure, message: string, options: AskErrorOptions = {}) {
    super(message, { ...options, exitCode: exitCodes[failure] ?? options.exitCode });
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

/** A hook of the caller's file said no, and perhaps why (rule 10). */
export function refusedByHook(point: HookPoint, agent: string, hook: string, reason: string | undefined): AskError {
  const why = reason ?? l10n.t('it gave no reason');
  if (point === 'postAsk') {
    return new AskError('withheld', l10n.t('The hook {0} keeps the answer of {1} back: {2}', hook, agent, why), {
      forModel: `${agent} answered, but a hook keeps the answer back${reason ? `, because: ${reason}` : ''}. Go on without it.`,
    });
  }
  return new AskError('refused', l10n.t('The hook {0} refused the question to {1}: {2}', hook, agent, why), {
    forModel:
      `${agent} was not asked: a hook refused the question${reason ? `, because: ${reason}` : ''}. ` +
      `Ask differently where that helps, or go on without ${agent}.`,
  });
}

/** A hook that failed decides as one that refuses: what it did not let through goes nowhere. `words`: a sentence without its end. */
export function brokenHook(point: HookPoint, agent: string, words: string, options: AskErrorOptions = {}): AskError {
  const bare = words.replace(/\.$/, '');
  const message =
    point === 'preAsk'
      ? l10n.t('{0} was not asked: {1}.', agent, bare)
      : l10n.t('The answer of {0} is kept back: {1}.', agent, bare);
  const what = point === 'preAsk' ? `${agent} was not asked` : `${agent} answered, but the answer is kept back`;
  return new AskError('hook', message, {
    forModel: `${what}: a hook that has to run ${point === 'preAsk' ? 'before' : 'after'} it is broken, which a person has to mend. Go on without ${agent}.`,
    ...options,
  });
}

/** The agent said nothing for as long as the caller's file allows (rule 11). */
export function silentAsk(name: string, seconds: number, file: string): AskError {
  return new AskError('watchdog', l10n.t('{0} has said nothing for {1} s, so the ask was ended.', name, seconds), {
    hint: l10n.t('Ask again. If it needs longer, raise `watchdogTimeout` in {0}.', file),
    forModel: `${name} has said nothing for ${seconds} seconds, so your question was ended. There is no answer: ask once more, or go on without ${name}.`,
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
  const { hint, detail, exitCode }: UserErrorOptions = error instanceof UserError ? error : {};
  return new AskError(failure, words, {
    hint,
    detail,
    exitCode,
    cause: error,
    forModel: `${name} could not answer: ${words}`,
  });
}
