import type { AskMeta } from '../acp/meta';
import { RpcError } from '../acp/rpc';
import { ErrorCode, type StopReason, type ToolCallContent } from '../acp/types';
import { transcript } from '../ask/transcript';
import { describe, isCancelled } from '../base/errors';
import { l10n } from '../base/l10n';
import { firstLine } from '../base/text';
import type { EngineDeps } from './deps';
import type { History, Pair } from './history';
import type { AskingSession } from './relayer';
import type { Slash } from './slash';
import { textContent } from './tools/types';
import { transcriptItems } from './transcript-items';
import type { TurnEnd, TurnHost } from './turn';

/**
 * `/ask-bob …` in a client that is no hub: bob's work is a call with `_meta.mm.ask`, bob's words are this turn's answer, and the pair goes
 * into the history (rules 6 and 7). The home model is not called.
 */
export async function askFromPrompt(
  slash: Exclude<Slash, { kind: 'text' }>,
  host: TurnHost,
  session: AskingSession & { readonly history: History; exchange(pair: Pair): void },
  deps: EngineDeps,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { agent } = slash;
  if (slash.kind === 'unknown-agent')
    throw new RpcError(
      ErrorCode.invalidParams,
      l10n.t(
        'There is no agent “{0}”. You can ask: {1}.',
        agent,
        [...deps.config.mmConfigs.keys()].join(', ') || l10n.t('nobody'),
      ),
    );
  if (slash.kind === 'no-prompt')
    throw new RpcError(ErrorCode.invalidParams, l10n.t('Write the question behind /ask-{0}.', agent));

  const { output, id: sessionId } = host;
  const toolCallId = host.newId('call');
  const first: AskMeta = { agent, askedBy: l10n.t('You'), depth: session.depth + 1 };
  await output.update(sessionId, {
    sessionUpdate: 'tool_call',
    toolCallId,
    name: 'ask_agent',
    title: l10n.t('{0}: {1}', agent, firstLine(slash.prompt, 80)),
    kind: 'other',
    status: 'in_progress',
    rawInput: { agent, prompt: slash.prompt },
    content: textContent(slash.prompt),
    _meta: { mm: { ask: first } },
  });
  const end = (status: 'completed' | 'failed', content?: ToolCallContent[]) =>
    output.update(sessionId, {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
      ...(content ? { content } : {}),
    });
  try {
    const relayer = await deps.relayer();
    const { ChunkWriter } = await import('./chunk-writer');
    const writer = new ChunkWriter(
      (update) => output.update(sessionId, update),
      () => host.newId('message'),
    );
    const { result, pair } = await relayer.ask({
      session,
      toolCallId,
      caller: 'person',
      agent,
      prompt: slash.prompt,
      context: slash.withContext
        ? transcript(transcriptItems(session.history.messages, deps.config.acp.title ?? 'mm'))
        : undefined,
      signal,
      show: (_content, ask) =>
        output.update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, _meta: { mm: { ask } } }),
      onText: async (text) => (text === '' ? writer.end() : writer.push('text', text)),
    });
    await writer.end();
    await end('completed');
    if (pair) session.exchange({ id: `${sessionId}/${toolCallId}`, ...pair });
    return { stopReason: stopReasonOf(result.stopReason), usage: result.usage };
  } catch (error) {
    const stopped = signal.aborted || isCancelled(error);
    await end('failed', stopped ? undefined : textContent(describe(error)));
    if (stopped) return { stopReason: 'cancelled' };
    throw error;
  }
}

function stopReasonOf(reason: string): StopReason {
  const known: StopReason[] = ['max_tokens', 'max_turn_requests', 'refusal'];
  return known.find((one) => one === reason) ?? 'end_turn';
}
