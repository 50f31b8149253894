import type { AskParams, ChainLink } from '../acp/meta';
import { l10n } from '../base/l10n';
import type { AgentEntry, MmConfig, PathEntry } from '../config/types';
import type { EntryYolos } from './decide';
import { depthOfCaller, guardDepth } from './depth';
import { AskError, toAskError } from './errors';
import type { AskRequest } from './types';

export interface NestedParts {
  /** The ask of the agent that asks now. */
  outer: AskRequest;
  id: string;
  /** The entry of the agent that asks. */
  entry: AgentEntry;
  /** The chain with that agent as last link. */
  chain: ChainLink[];
  /** Names from "You" to that agent. */
  askers: readonly string[];
  /** The yolos from the first entry to that agent's own. */
  entries: EntryYolos;
  params: Omit<AskParams, 'sessionId'>;
  signal: AbortSignal;
  loadConfigOf?(entry: PathEntry): Promise<MmConfig>;
}

/** The person stopped an ask that a model had made; the model goes on. */
export function stoppedAsk(name: string, cause?: unknown): AskError {
  return new AskError('cancelled', l10n.t('The question to {0} was stopped.', name), {
    forModel: `The person stopped your question to ${name}. There is no answer: go on without it, and do not ask it again.`,
    cause,
  });
}

/**
 * The request for an ask that an asked agent makes through the hub: one level deeper, with the agent's own file as the
 * caller's file, and with the person, the grants and the live yolo of the ask that it answers. What the agent says is its
 * prompt and whom it asks; depth, chain and path are ours.
 */
export async function nestedRequest(parts: NestedParts): Promise<AskRequest> {
  const { outer, entry, params } = parts;
  const depth = depthOfCaller(outer.depth + 1, parts.chain);
  guardDepth(depth, params.agent);
  if (entry.kind !== 'path' || !parts.loadConfigOf) {
    throw new AskError('unknown-agent', l10n.t('{0} has no mm.yaml here, so it can ask nobody.', outer.agent), {
      forModel: 'There is nobody whom you could ask from here.',
    });
  }
  const config = await parts.loadConfigOf(entry).catch((error: unknown) => {
    throw toAskError(error, 'start', params.agent, parts.signal);
  });
  return {
    id: parts.id,
    agent: params.agent,
    prompt: params.prompt,
    context: params.context,
    caller: { kind: 'model', name: outer.agent },
    config,
    chain: parts.chain,
    depth,
    path: [...outer.path, outer.agent],
    cwd: outer.cwd,
    permissions: outer.permissions,
    grants: outer.grants,
    rules: outer.rules,
    liveYolo: outer.liveYolo,
    mustAsk: outer.mustAsk,
    above: parts.entries,
    askers: parts.askers,
    gate: { toolCallId: params.toolCallId },
    signal: parts.signal,
  };
}
