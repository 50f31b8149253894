import type { ScriptAskMeta } from '../../acp/meta';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '../../acp/types';
import type { ToolDefinition } from '../model/types';

/** What every tool knows of the session that it works for. */
export interface ToolContext {
  /** Absolute folder of the session. */
  cwd: string;
  /** Characters of one output. */
  maxOutput: number;
}

/** What a running call can tell on the way. */
export interface RunContext {
  signal: AbortSignal;
  toolCallId: string;
  /** Replaces the content that the call shows; awaited for backpressure. */
  show(content: ToolCallContent[], asks?: ScriptAskMeta[]): Promise<void>;
}

export interface ToolResult {
  ok: boolean;
  /** For the model. */
  text: string;
  /** For the person; the text itself when absent. */
  content?: ToolCallContent[];
  rawOutput?: unknown;
  /** What scripts of the call have asked. */
  asks?: ScriptAskMeta[];
}

/** A call whose arguments were understood. */
export interface PreparedCall {
  title: string;
  rawInput: Record<string, unknown>;
  locations?: ToolCallLocation[];
  /** What the person sees before the call runs, in the question too: a diff, a prompt. */
  content?: ToolCallContent[];
  /** Whether it needs leave when yolo is off (rule 4). */
  gate: 'free' | 'ask';
  /** It touches a key file: leave is for this once. */
  keyFile: boolean;
  run(context: RunContext): Promise<ToolResult>;
}

export interface Tool {
  readonly definition: ToolDefinition;
  readonly kind: ToolKind;
  /** Throws a `ToolInputError` when the arguments are not what the definition says. */
  prepare(args: Record<string, unknown>, context: ToolContext): Promise<PreparedCall>;
}

/** What is wrong with the arguments of a call, in words for the model. */
export class ToolInputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolInputError';
  }
}

/** A required text argument. */
export function textArgument(args: Record<string, unknown>, name: string, allowEmpty = false): string {
  const value = args[name];
  if (typeof value !== 'string' || (!allowEmpty && !value.trim()))
    throw new ToolInputError(`The argument "${name}" has to be a ${allowEmpty ? '' : 'non-empty '}text.`);
  return value;
}

/** An optional whole number from 1; texts that are numbers are taken too, as small models write them. */
export function countArgument(args: Record<string, unknown>, name: string): number | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'number' ? value : Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new ToolInputError(`The argument "${name}" has to be a whole number from 1.`);
  return number;
}

export function textContent(text: string): ToolCallContent[] {
  return [{ type: 'content', content: { type: 'text', text } }];
}
