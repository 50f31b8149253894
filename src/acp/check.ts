import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { firstLine } from '../base/text';
import type { AskParams, AskResult, ExchangeParams } from './meta';
import { RpcError } from './rpc';
import {
  type ContentBlock,
  ErrorCode,
  type Implementation,
  type InitializeResponse,
  type NewSessionResponse,
  type PermissionOption,
  type PromptResponse,
  protocolVersion,
  type RequestPermissionRequest,
  type SessionUpdate,
  type UnknownUpdate,
} from './types';

/** The trust boundary: what came over the wire, checked as far as the code behind relies on it. Everything else stays as hostile as its sender. */

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function invalidParams(method: string, what: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params of ${method}: ${what}`);
}

/** Params as an object, or -32602. */
export function paramsOf(method: string, params: unknown): Fields {
  if (!isObject(params)) throw invalidParams(method, 'an object is expected');
  return params;
}

/** A text that must be there, or -32602. */
export function stringOf(method: string, params: Fields, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(method, `"${name}" must be a string`);
  return value;
}

const knownUpdates: ReadonlySet<string> = new Set<SessionUpdate['sessionUpdate']>([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);
const knownBlocks: ReadonlySet<unknown> = new Set<ContentBlock['type']>([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
]);

/** The kind of an update, or the type of its block, that this build does not know (faults F020). */
export function unknownPart({ sessionUpdate, content }: UnknownUpdate): string | undefined {
  if (!knownUpdates.has(sessionUpdate)) return sessionUpdate;
  if (!isObject(content) || knownBlocks.has(content.type)) return undefined;
  return typeof content.type === 'string' ? content.type : undefined;
}

export function readPermissionRequest(params: unknown): RequestPermissionRequest {
  const method = 'session/request_permission';
  const fields = paramsOf(method, params);
  stringOf(method, fields, 'sessionId');
  if (!isObject(fields.toolCall) || typeof fields.toolCall.toolCallId !== 'string')
    throw invalidParams(method, '"toolCall" must be an object with a "toolCallId"');
  if (!Array.isArray(fields.options)) throw invalidParams(method, '"options" must be a list');
  const options = fields.options.filter(
    (option): option is PermissionOption =>
      isObject(option) && typeof option.optionId === 'string' && typeof option.kind === 'string',
  );
  return { ...fields, options } as unknown as RequestPermissionRequest;
}

export function readAskParams(method: string, params: unknown): AskParams {
  const fields = paramsOf(method, params);
  const { context } = fields;
  const result: AskParams = {
    sessionId: stringOf(method, fields, 'sessionId'),
    toolCallId: stringOf(method, fields, 'toolCallId'),
    agent: stringOf(method, fields, 'agent'),
    prompt: stringOf(method, fields, 'prompt'),
  };
  if (typeof context === 'string') result.context = context;
  else if (context !== undefined && context !== null) throw invalidParams(method, '"context" must be a string');
  return result;
}

export function readExchange(method: string, params: unknown): ExchangeParams {
  const fields = paramsOf(method, params);
  return {
    sessionId: stringOf(method, fields, 'sessionId'),
    id: stringOf(method, fields, 'id'),
    user: stringOf(method, fields, 'user'),
    assistant: stringOf(method, fields, 'assistant'),
  };
}

export function readAskResult(result: unknown): AskResult {
  if (!isObject(result) || typeof result.text !== 'string')
    throw new UserError(l10n.t('The editor gave no answer of the asked agent.'));
  const text = (name: string) => (typeof result[name] === 'string' ? (result[name] as string) : undefined);
  return {
    text: result.text,
    agent: text('agent') ?? '',
    title: text('title'),
    provider: text('provider'),
    model: text('model'),
    stopReason: text('stopReason') ?? 'end_turn',
    usage: isObject(result.usage) ? (result.usage as AskResult['usage']) : undefined,
    truncated: typeof result.truncated === 'number' ? result.truncated : 0,
  };
}

/** The answer to `initialize`, with a name and title that fit on one line. Throws in words when we cannot talk to this agent. */
export function readInitialize(result: unknown): InitializeResponse {
  if (!isObject(result) || result.protocolVersion === undefined)
    throw new UserError(l10n.t('The agent gave an answer to initialize that is none of the Agent Client Protocol.'), {
      hint: l10n.t('Check that its command starts an agent in ACP mode.'),
    });
  if (result.protocolVersion !== protocolVersion)
    throw new UserError(
      l10n.t(
        'The agent speaks version {0} of the Agent Client Protocol; version {1} is needed.',
        firstLine(String(result.protocolVersion), 20),
        protocolVersion,
      ),
      { hint: l10n.t('Look for another release of the agent.') },
    );
  return {
    ...result,
    protocolVersion,
    agentCapabilities: isObject(result.agentCapabilities)
      ? (result.agentCapabilities as InitializeResponse['agentCapabilities'])
      : {},
    authMethods: Array.isArray(result.authMethods)
      ? result.authMethods.filter((m) => isObject(m) && typeof m.id === 'string')
      : [],
    agentInfo: readImplementation(result.agentInfo),
  };
}

/** Name, title and version as one short line each; undefined when there is no name. */
export function readImplementation(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const title = typeof value.title === 'string' ? firstLine(value.title, 100) : '';
  const info: Implementation = {
    name: firstLine(value.name, 100),
    version: typeof value.version === 'string' ? firstLine(value.version, 50) : '',
  };
  if (title) info.title = title;
  return info;
}

export function readNewSession(result: unknown): NewSessionResponse {
  if (!isObject(result) || typeof result.sessionId !== 'string' || result.sessionId === '')
    throw new UserError(l10n.t('The agent opened no session: its answer has no session id.'));
  return result as unknown as NewSessionResponse;
}

export function readPrompt(result: unknown): PromptResponse {
  if (!isObject(result) || typeof result.stopReason !== 'string')
    throw new UserError(l10n.t('The agent ended its turn without saying why.'));
  return result as unknown as PromptResponse;
}
