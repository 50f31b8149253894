import type { ScriptAskMeta, Usage } from '../acp/meta';
import type { SessionUpdate, StopReason, ToolCallContent } from '../acp/types';
import { CancelledError, describe, isCancelled } from '../base/errors';
import { isShallow } from '../base/json';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import { ChunkWriter } from './chunk-writer';
import { type Leave, passGate } from './gate';
import type { History } from './history';
import type { ModelClient, ModelEnd, ToolRequest } from './model/types';
import type { SessionOutput } from './output';
import {
  type PreparedCall,
  type Tool,
  type ToolContext,
  ToolInputError,
  type ToolResult,
  textContent,
} from './tools/types';

/** Requests to the model in one turn: a model that goes in circles ends there. */
export const maxRequests = 100;

/** What a turn works on. */
export interface TurnHost {
  readonly id: string;
  readonly history: History;
  readonly systemPrompt: string | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: ToolContext;
  readonly output: SessionOutput;
  readonly leave: Leave;
  newId(prefix: string): string;
}

export interface TurnEnd {
  stopReason: StopReason;
  usage?: Usage;
}

/**
 * One turn: model and tools alternate until the model asks for none. The prompt stands in the history already. Whatever way the turn
 * ends, what was said stays in the history and every update has gone out. Rejects with the model's error in words.
 */
export async function runTurn(host: TurnHost, model: ModelClient, signal: AbortSignal): Promise<TurnEnd> {
  const usage = new UsageSum();
  try {
    for (let request = 0; request < maxRequests; request++) {
      if (signal.aborted) throw new CancelledError();
      const { calls, reason } = await speak(host, model, usage, signal);
      if (calls.length === 0) {
        const stopReason = reason === 'length' ? 'max_tokens' : reason === 'refusal' ? 'refusal' : 'end_turn';
        return { stopReason, usage: usage.sum() };
      }
      for (const call of calls) host.history.result(call, await perform(host, call, signal));
    }
    return { stopReason: 'max_turn_requests', usage: usage.sum() };
  } catch (error) {
    if (signal.aborted && isCancelled(error)) return { stopReason: 'cancelled', usage: usage.sum() };
    throw error;
  }
}

/** One request to the model: its words go out as they come. */
async function speak(
  host: TurnHost,
  model: ModelClient,
  usage: UsageSum,
  signal: AbortSignal,
): Promise<{ calls: ToolRequest[]; reason: ModelEnd }> {
  const { history } = host;
  const writer = new ChunkWriter(
    (update) => host.output.update(host.id, update),
    () => host.newId('message'),
  );
  const words: string[] = [];
  const calls: ToolRequest[] = [];
  let reason: ModelEnd = 'stop';
  try {
    const messages = history.forModel(host.systemPrompt);
    const tools = [...host.tools.values()].map((tool) => tool.definition);
    for await (const event of model.stream({ messages, tools, signal })) {
      if (signal.aborted) throw new CancelledError();
      switch (event.type) {
        case 'text':
          words.push(event.text);
          await writer.push('text', event.text);
          break;
        case 'thought':
          await writer.push('thought', event.text);
          break;
        case 'call':
          calls.push(history.hasCall(event.call.id) ? { ...event.call, id: host.newId('call') } : event.call);
          break;
        case 'usage':
          usage.add(event.usage);
          break;
        case 'end':
          reason = event.reason;
      }
    }
    // calls that were cut off in the middle are not run
    if (reason === 'length') calls.length = 0;
  } catch (error) {
    calls.length = 0;
    throw error;
  } finally {
    await writer.end();
    history.assistant(words.join(''), calls);
  }
  return { calls, reason };
}

/** Makes one call, with all that is shown of it, and gives the words for the model. Throws only when the turn was stopped. */
async function perform(host: TurnHost, call: ToolRequest, signal: AbortSignal): Promise<string> {
  const toolCallId = host.newId('call');
  const { output, id: sessionId } = host;
  const tool = host.tools.get(call.name);
  const send = (update: SessionUpdate) => output.update(sessionId, update);
  const fail = async (title: string, rawInput: unknown, words: string) => {
    await send({
      sessionUpdate: 'tool_call',
      toolCallId,
      name: call.name,
      title: visible(title),
      kind: tool?.kind ?? 'other',
      status: 'failed',
      rawInput: rawInput as Record<string, unknown>,
      content: textContent(words),
    });
    return words;
  };

  if (!tool) {
    const known = [...host.tools.keys()].join(', ');
    return fail(call.name, { arguments: call.arguments }, `There is no tool "${call.name}". The tools are: ${known}.`);
  }
  const args = parseArguments(call.arguments);
  if (!args.ok) return fail(call.name, { arguments: call.arguments }, args.words);
  let prepared: PreparedCall;
  try {
    prepared = await tool.prepare(args.value, host.context);
  } catch (error) {
    if (error instanceof ToolInputError) return fail(call.name, args.value, error.message);
    return fail(call.name, args.value, l10n.t('The call could not be prepared: {0}', describe(error)));
  }

  const { rawInput, locations, content, keyFile } = prepared;
  // any client shows it as it is; what will run stands in the input, exactly
  const title = visible(prepared.title);
  const toolCall = {
    toolCallId,
    name: call.name,
    title,
    kind: tool.kind,
    status: 'pending' as const,
    rawInput,
    ...(locations ? { locations } : {}),
    ...(content ? { content } : {}),
  };
  await send({ sessionUpdate: 'tool_call', ...toolCall });
  const finish = async (status: 'completed' | 'failed', result: Pick<ToolResult, 'content' | 'rawOutput' | 'asks'>) => {
    await send({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
      ...(result.content ? { content: result.content } : {}),
      ...(result.rawOutput === undefined ? {} : { rawOutput: result.rawOutput as Record<string, unknown> }),
      ...asksMeta(result.asks),
    });
  };
  try {
    if (prepared.gate === 'ask') {
      const answer = await passGate({ sessionId, tool: call.name, toolCall, keyFile }, host.leave, output, signal);
      if (!answer.allowed) {
        await finish('failed', { content: [...(content ?? []), ...textContent(answer.why)] });
        return answer.why;
      }
    }
    if (signal.aborted) throw new CancelledError();
    await send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
    const result = await run(prepared, toolCallId, signal, send);
    await finish(result.ok ? 'completed' : 'failed', {
      ...result,
      content: result.content ?? textContent(result.text),
    });
    return result.text;
  } catch (error) {
    if (!signal.aborted && !isCancelled(error)) {
      const words = l10n.t('The call failed: {0}', describe(error));
      await finish('failed', { content: textContent(words) });
      return words;
    }
    await finish('failed', {});
    throw new CancelledError();
  }
}

async function run(
  prepared: PreparedCall,
  toolCallId: string,
  signal: AbortSignal,
  send: (update: SessionUpdate) => Promise<void>,
): Promise<ToolResult> {
  let over = false;
  try {
    return await prepared.run({
      signal,
      toolCallId,
      show: async (content: ToolCallContent[], asks?: ScriptAskMeta[]) => {
        // a late picture must not follow the end of its call
        if (!over) await send({ sessionUpdate: 'tool_call_update', toolCallId, content, ...asksMeta(asks) });
      },
    });
  } finally {
    over = true;
  }
}

function asksMeta(asks: ScriptAskMeta[] | undefined) {
  return asks && asks.length > 0 ? { _meta: { mm: { asks } } } : {};
}

type Parsed = { ok: true; value: Record<string, unknown> } | { ok: false; words: string };

/** Arguments as the model wrote them; what is wrong with them, in words that it can use. */
export function parseArguments(json: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(json);
    // some servers write the object as a text within the text
    if (typeof value === 'string') value = JSON.parse(value);
  } catch (error) {
    return {
      ok: false,
      words: `The arguments are no valid JSON (${describe(error)}). Send the call again with a JSON object.`,
    };
  }
  if (!value || typeof value !== 'object' || Array.isArray(value))
    return { ok: false, words: 'The arguments have to be a JSON object. Send the call again.' };
  if (!isShallow(value)) return { ok: false, words: 'The arguments are nested too deep. Send the call again.' };
  return { ok: true, value: value as Record<string, unknown> };
}

/** Token counts of a turn's requests, added; a count that no request gave stays absent. */
class UsageSum {
  #sum: Usage | undefined;

  add(usage: Usage): void {
    this.#sum ??= {};
    for (const key of ['inputTokens', 'outputTokens', 'totalTokens'] as const)
      if (usage[key] !== undefined) this.#sum[key] = (this.#sum[key] ?? 0) + usage[key];
  }

  sum(): Usage | undefined {
    return this.#sum;
  }
}
