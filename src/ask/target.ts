/**
 * Who carries an ask to an agent. `local.ts` does it over the pool of children; a room above may plug in another one,
 * for agents that live elsewhere, without a change here.
 */
export type { AskTarget, TargetPermission, TargetRequest, TargetSession } from './types';
