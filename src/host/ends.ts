import { AskError } from '../ask/errors';
import { describe, isCancelled, UserError } from '../base/errors';
import { cap } from '../base/text';
import type { End } from '../chat/nodes';

/** How an ask that left no answer stands in the conversation. `seconds`: the caller's `watchdogTimeout`. */
export function endOfAsk(error: unknown, seconds: number): End {
  if (!(error instanceof AskError)) return isCancelled(error) ? { how: 'stopped' } : failed(error);
  switch (error.failure) {
    case 'unknown-agent':
    case 'depth':
    case 'cycle':
    case 'refused':
      return { how: 'not-asked', why: sentences(error) };
    case 'withheld':
      return { how: 'withheld', why: sentences(error) };
    case 'cancelled':
      return { how: 'stopped' };
    case 'refusal':
      return { how: 'refusal' };
    case 'empty':
      return { how: error.limit ?? 'empty' };
    case 'watchdog':
      return { how: 'watchdog', seconds };
    case 'died':
      return { how: 'died', title: error.message, stderrTail: error.detail ?? '' };
    default:
      return failed(error);
  }
}

/** Anything else that ended a turn, in words (faults F022). */
export function failed(error: unknown): End {
  const { hint, detail } = error instanceof UserError ? error : { hint: undefined, detail: undefined };
  const more = [hint, detail].filter((t) => t !== undefined && t !== '').join('\n');
  return { how: 'failed', title: cap(describe(error), 2000).text, ...(more ? { detail: cap(more, 8000).text } : {}) };
}

function sentences(error: UserError): string {
  return error.hint ? `${error.message} ${error.hint}` : error.message;
}
