import type { ChainLink } from '../acp/meta';
import { l10n } from '../base/l10n';
import { AskError } from './errors';

/** For the rooms above, which know nothing of children. */
export { depthFromEnv } from '../children/shield';

/** Home is 0, who it asks is 1, who that one asks is 2 and asks nobody (rule 9). */
export const deepest = 2;

/** The caller's depth: what it says, or more where its chain says more. Anything that is no depth counts as the deepest. */
export function depthOfCaller(depth: number, chain: readonly ChainLink[]): number {
  const said = Number.isInteger(depth) && depth >= 0 ? depth : deepest;
  return Math.max(said, chain.length - 1);
}

/** Refuses an ask of somebody who may ask nobody. */
export function guardDepth(depth: number, agent: string): void {
  if (depth < deepest) return;
  throw new AskError('depth', l10n.t('{0} was not asked: a question may pass through two agents at most.', agent), {
    hint: l10n.t('Ask {0} from the conversation itself.', agent),
    forModel:
      `${agent} was not asked: you were yourself asked by an agent that was asked, and such a chain ends here. ` +
      'Answer with what you know, and say what you would have asked.',
  });
}

/** Refuses an agent that is already in the chain: the same file or command line, whatever its name, env or role. */
export function refuseCycle(chain: readonly ChainLink[], link: ChainLink): void {
  const before = chain.find((l) => l.id === link.id);
  if (!before) return;
  const way = [...chain.map((l) => l.name), link.name].join(' → ');
  throw new AskError('cycle', l10n.t('{0} was not asked: it is already part of this question ({1}).', link.name, way), {
    forModel:
      `${link.name} was not asked: it is the same agent as ${before.name}, who already waits for this answer (${way}). ` +
      'Answer with what you know, or ask somebody else.',
  });
}
