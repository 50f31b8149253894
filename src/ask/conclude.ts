import { l10n } from '../base/l10n';
import { AskError } from './errors';

/**
 * The ends of a turn that are no answer (rule 6).
 * @param refused names of calls that were refused on the way
 * @throws AskError for a refusal, a turn that the agent ended by itself, and one without a word.
 */
export function refuseNoAnswer(name: string, stopReason: string, text: string, refused: readonly string[]): void {
  if (stopReason === 'refusal') {
    throw new AskError('refusal', l10n.t('{0} refused to answer.', name), {
      forModel: `${name} refused to answer this question.`,
    });
  }
  if (stopReason === 'cancelled') {
    const after = refused.length ? refused.join(', ') : undefined;
    throw new AskError(
      'agent-error',
      after
        ? l10n.t('{0} ended its turn after {1} was refused.', name, after)
        : l10n.t('{0} ended its turn by itself.', name),
      { forModel: `${name} ended its turn without an answer${after ? `, because ${after} was refused` : ''}.` },
    );
  }
  if (text.trim() !== '') return;
  const limit = stopReason === 'max_tokens' || stopReason === 'max_turn_requests' ? stopReason : undefined;
  const empty = new AskError('empty', l10n.t('{0} returned nothing.', name), {
    hint: emptyHint(limit),
    forModel: `${name} ended its turn without a word. Ask again, or ask differently.`,
  });
  empty.limit = limit;
  throw empty;
}

function emptyHint(limit: AskError['limit']): string {
  if (limit === 'max_tokens') return l10n.t('It reached its limit of tokens before the first word.');
  if (limit === 'max_turn_requests') return l10n.t('It reached its limit of model requests before the first word.');
  return l10n.t('Ask again, or ask differently.');
}
