import type { End } from './nodes';

/** The end of a turn or ask by the stop reason that the agent gave. A reason that this build does not know counts as done. */
export function endOf(stopReason: string, somethingCame: boolean): End {
  switch (stopReason) {
    case 'cancelled':
      return { how: 'stopped' };
    case 'refusal':
      return { how: 'refusal' };
    case 'max_tokens':
      return { how: 'max_tokens' };
    case 'max_turn_requests':
      return { how: 'max_turn_requests' };
    default:
      return somethingCame ? { how: 'done' } : { how: 'empty' };
  }
}
