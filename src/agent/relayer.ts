import type { AskMeta, AskResult, ChainLink } from '../acp/meta';
import type { ToolCallContent } from '../acp/types';
import type { Grants } from '../ask/types';

/** The session that asks, as far as an ask depends on it. */
export interface AskingSession {
  readonly id: string;
  readonly cwd: string;
  readonly depth: number;
  readonly chain: ChainLink[];
  readonly grants: Grants;
  yolo(): boolean;
}

export interface AskOrder {
  session: AskingSession;
  /** The call that this ask is the work of; the id of what shows it. */
  toolCallId: string;
  caller: 'person' | 'model';
  agent: string;
  prompt: string;
  context?: string;
  signal: AbortSignal;
  /** Shows the asked agent's words so far in the call, and whose they are. Only from a `mm` that relays by itself. */
  show?(content: ToolCallContent[], ask: AskMeta): Promise<void>;
  /** A piece of the asked agent's answer, as it came. */
  onText?(text: string): Promise<void>;
}

/** What came back, with the pair that it leaves (rule 6); no pair under a hub, which keeps its own. */
export interface AskOutcome {
  result: AskResult;
  pair?: { user: string; assistant: string };
  /** Calls that were refused on the way, by name. */
  refused: string[];
}

/** Carries an ask: to the hub (`hub.ts`), or by this process's own relay (`own-relay.ts`). Rejects with an error whose words a model can use. */
export interface AskRelayer {
  /** Whether an ask is gated here; under a hub the hub does that (design, section 4). */
  readonly gated: boolean;
  ask(order: AskOrder): Promise<AskOutcome>;
}

/** The words of a failed ask for the model that asked. */
export function wordsForModel(error: unknown, describe: (error: unknown) => string): string {
  const forModel = (error as { forModel?: unknown } | null)?.forModel;
  return typeof forModel === 'string' ? forModel : describe(error);
}
