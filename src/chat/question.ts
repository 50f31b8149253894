import { cap, hiddenCharacters, visible } from '../base/text';
import { readDiff } from './diff';
import type { DiffView, Face, PermissionNode } from './nodes';
import { arr, json, obj, type Raw, str } from './raw';
import { commandOf } from './tool';

/** A permission question, as far as a view needs it; `ask/types.ts`' `PermissionQuestion` fits. */
export interface ChatQuestion {
  id: string;
  path: string[];
  tool?: string;
  name: string;
  /** The agent's own data, untrusted. */
  toolCall: object;
  cwd: string;
  /** Names from "You" to the agent that wants to call. */
  chain: string[];
  keyFile: boolean;
  cannotAllow: boolean;
}

/** What a dialog or a card shows of a question. */
export type QuestionView = Pick<
  PermissionNode,
  'name' | 'verb' | 'command' | 'hidden' | 'cwd' | 'chain' | 'reason' | 'diffs' | 'canAllow' | 'canRemember'
>;

/** Far above what a person reads: a longer input is cut, says so, and can then only be rejected (faults F046). */
export const maxCommand = 100_000;

/** The whole command, prompt or input of a call, its changes, and what can be answered. Never throws, whatever the agent sent. */
export function questionView(q: ChatQuestion, faces: (name: string) => Face): QuestionView {
  const call = q.toolCall as Raw;
  const input = obj(call.rawInput);
  const kind = str(call.kind);
  const diffs: DiffView[] = [];
  for (const part of arr(call.content).slice(0, 200)) {
    const item = obj(part);
    const diff = item && readDiff(item);
    if (diff) diffs.push(diff);
  }
  const verb: PermissionNode['verb'] =
    q.tool === 'ask_agent'
      ? 'ask'
      : kind === 'execute' || q.tool === 'bash'
        ? 'run'
        : diffs.length > 0 || kind === 'edit' || kind === 'delete' || kind === 'move'
          ? 'change'
          : 'use';
  const whole = commandText(verb, call, input, diffs);
  const { text, cut } = cap(whole, maxCommand);
  const reason = input && (str(input.description) ?? str(input.justification) ?? str(input.reason));
  const canAllow = !q.cannotAllow && cut === 0;
  return {
    name: q.name,
    verb,
    command: visible(text),
    hidden: text.replace(/\r\n/g, '\n').match(hiddenCharacters)?.length ?? 0,
    cwd: q.cwd,
    chain: q.chain.map(faces),
    ...(reason === undefined ? {} : { reason: cap(reason, 500).text }),
    diffs,
    canAllow,
    canRemember: canAllow && q.tool !== undefined && !q.keyFile,
  };
}

function commandText(verb: PermissionNode['verb'], call: Raw, input: Raw | undefined, diffs: DiffView[]): string {
  const title = str(call.title) ?? '';
  if (verb === 'ask' && input) {
    const agent = str(input.agent);
    const parts = [str(input.context), str(input.prompt)].filter((p) => p !== undefined);
    if (parts.length > 0) return `${agent ? `${agent}: ` : ''}${parts.join('\n\n')}`;
  }
  if (verb === 'change' && diffs.length > 0) return diffs.map((d) => d.path).join('\n');
  if (!input) {
    if (typeof call.rawInput === 'string' && call.rawInput !== '') return call.rawInput;
    const path = str(obj(arr(call.locations)[0])?.path);
    return path && !title.includes(path) ? `${title}\n${path}`.trim() : title;
  }
  // Nothing of an input stays hidden because one of its fields looks like the whole: a second field is shown with it.
  const command = commandOf(input);
  const others = Object.keys(input).filter((k) => !quiet.has(k));
  if (command !== undefined && others.length === 0) return command;
  if (command !== undefined) return `${command}\n\n${json(pick(input, others), maxCommand + 1)}`;
  if (others.length === 1 && typeof input[others[0]!] === 'string') return input[others[0]!] as string;
  if (Object.keys(input).length === 0) return title;
  return json(input, maxCommand + 1);
}

/** Fields that are shown elsewhere (folder, reason) or only carry the agent's bookkeeping. */
const quiet = new Set([
  'command',
  'cwd',
  'workdir',
  'description',
  'justification',
  'reason',
  'timeout',
  'timeout_ms',
  'call_id',
  'process_id',
  'turn_id',
  'started_at_ms',
  'parsed_cmd',
  'source',
]);

function pick(input: Raw, keys: string[]): Raw {
  return Object.fromEntries(keys.map((k) => [k, input[k]]));
}
