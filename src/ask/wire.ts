import type { AskResult } from '../acp/meta';
import { RpcError } from '../acp/peer';
import { ErrorCode } from '../acp/types';
import { type AskError, toAskError } from './errors';
import type { Answer, AskFailure } from './types';

/** `data` of the error that answers `_mm/ask`. */
export interface AskErrorData {
  failure: AskFailure;
}

/** An answer as `_mm/ask` carries it: what is kept, not what came (rule 6). */
export function resultOf(answer: Answer): AskResult {
  const { kept, agent, title, provider, model, stopReason, usage, truncated } = answer;
  return { text: kept, agent, title, provider, model, stopReason, usage, truncated };
}

/** The error that answers `_mm/ask`: its message is the text for the model that asked. */
export function rpcErrorOf(error: unknown, agent: string): RpcError {
  const ask: AskError = toAskError(error, 'agent-error', agent);
  const code = ask.failure === 'cancelled' ? ErrorCode.cancelled : ErrorCode.internal;
  const data: AskErrorData = { failure: ask.failure };
  return new RpcError(code, ask.forModel, data);
}
