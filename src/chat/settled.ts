import { cap } from '../base/text';
import type { PermissionNode } from './nodes';

/** Characters of a question that nobody answers any more. */
const maxSettled = 2_000;

/** How a question was settled; `ask/types.ts`' `PermissionDecision` fits. */
export interface ChatDecision {
  outcome: 'allowed' | 'rejected' | 'cancelled';
  by: 'yolo' | 'grant' | 'command-rule' | 'person' | 'nobody' | 'rule' | 'stop';
  remembered?: boolean;
  why?: string;
}

/**
 * A question that nobody answers any more is one line. Its changes go, and a long command: what was made stands with its call, and a
 * conversation does not keep a megabyte for each question.
 */
export function settledNode(
  node: PermissionNode,
  state: PermissionNode['state'],
  why: string | undefined,
): PermissionNode {
  const { why: _, ...rest } = node;
  return {
    ...rest,
    command: cap(node.command, maxSettled).text,
    state,
    more: 0,
    diffs: [],
    ...(why === undefined ? {} : { why }),
  };
}

/** How a settled question stands in the conversation, and what it makes of the call. */
export function settledState(d: ChatDecision): { state: PermissionNode['state']; refused?: 'person' | 'rule' } {
  // A question that waited and was then covered by a grant: the person has allowed it for the conversation (faults F048).
  if (d.outcome === 'allowed') return { state: d.remembered || d.by === 'grant' ? 'allowed-conversation' : 'allowed' };
  if (d.outcome === 'cancelled') return { state: 'withdrawn' };
  return d.by === 'person' ? { state: 'rejected', refused: 'person' } : { state: 'refused', refused: 'rule' };
}
