import { isAbsolute } from 'node:path';
import type { ToolCallUpdate } from '../acp/types';
import { simpleCommands } from './shell-words';

/** A call that does nothing but run a command, understood whole: what a rule can be about. */
export interface ShellCommand {
  /** Absolute path of the folder in which it runs. */
  folder: string;
  /** Its simple commands in their order, each as its words. */
  commands: string[][];
}

/** Fields of an input that say nothing of what runs, with the kinds of value that they have. */
const beside: Record<string, string> = {
  description: 'string',
  reason: 'string',
  justification: 'string',
  timeout: 'number',
  timeout_ms: 'number',
};
/** What codex notes of a call in its input, which then carries the call's own id as well. */
const bookkeeping = new Set([
  'call_id',
  'turn_id',
  'process_id',
  'started_at_ms',
  'source',
  'parsed_cmd',
  'available_decisions',
  'proposed_execpolicy_amendment',
]);

/**
 * What a call runs, where that is all it does and all of it is understood; undefined otherwise. An input with a field that is not known
 * here, or with another folder than the question's, is not understood: what it does was not shown as words of a command.
 * @param cwd the question's folder.
 * @param platform on Windows nobody knows which shell reads the command, unless the call itself names one.
 */
export function shellCommandOf(
  toolCall: ToolCallUpdate,
  tool: string | undefined,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): ShellCommand | undefined {
  const call = toolCall as { kind?: unknown; rawInput?: unknown; toolCallId?: unknown; content?: unknown };
  if (tool !== 'bash' || (call.kind !== undefined && call.kind !== null && call.kind !== 'execute')) return undefined;
  const input = call.rawInput;
  if (typeof input !== 'object' || input === null || Array.isArray(input) || !isAbsolute(cwd)) return undefined;
  const { command, ...rest } = input as Record<string, unknown>;
  const codex = typeof rest.call_id === 'string' && rest.call_id === call.toolCallId;
  for (const [field, value] of Object.entries(rest)) {
    if (field === 'cwd' || field === 'workdir' ? value === cwd : typeof value === beside[field]) continue;
    if (!(codex && bookkeeping.has(field))) return undefined;
  }
  const text = typeof command === 'string' ? (platform === 'win32' ? undefined : command) : scriptOf(command);
  const commands = text === undefined ? undefined : simpleCommands(text);
  return commands && { folder: cwd, commands };
}

/**
 * `["/bin/bash", "-lc", "npm test"]`, as codex has it. Only a shell of the system's own folders, or by its name alone: another
 * file of such a name may be a program that an agent has written, and a rule shows the script only.
 */
function scriptOf(command: unknown): string | undefined {
  if (!Array.isArray(command) || command.length !== 3) return undefined;
  const [shell, flag, script] = command as unknown[];
  if (typeof shell !== 'string' || !/^((\/usr)?\/bin\/)?(ba|z|da)?sh$/.test(shell)) return undefined;
  return (flag === '-c' || flag === '-lc') && typeof script === 'string' ? script : undefined;
}
