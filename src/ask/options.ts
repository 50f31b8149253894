import type { PermissionOption } from '../acp/types';
import type { PermissionDecision } from './types';

/**
 * Which of the agent's own `optionId`s goes back (rule 4): the first of its kind. To allow: `allow_once`, never
 * `allow_always`, because "for this conversation" is remembered by us. To refuse: `reject_once`, else `reject_always`.
 * @returns undefined for the outcome `cancelled`, which is also what is left where the agent offers nothing that fits.
 */
export function optionFor(outcome: PermissionDecision['outcome'], options: unknown): string | undefined {
  if (outcome === 'allowed') return firstOf(options, 'allow_once');
  if (outcome === 'rejected') return firstOf(options, 'reject_once') ?? firstOf(options, 'reject_always');
  return undefined;
}

/** The agent offers a way to allow this one call. Without it the call can only be refused. */
export function canAllow(options: unknown): boolean {
  return firstOf(options, 'allow_once') !== undefined;
}

/** What came as options, with everything left out that is none; never throws. */
export function cleanOptions(options: unknown): PermissionOption[] {
  if (!Array.isArray(options)) return [];
  return options.filter(
    (o): o is PermissionOption =>
      o !== null && typeof o === 'object' && typeof o.optionId === 'string' && typeof o.kind === 'string',
  );
}

function firstOf(options: unknown, kind: string): string | undefined {
  return cleanOptions(options).find((o) => o.kind === kind)?.optionId;
}
