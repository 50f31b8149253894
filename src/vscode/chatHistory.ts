import type * as vscode from 'vscode';
import { type TranscriptItem, transcript } from '../ask/transcript';
import { cap } from '../base/text';

/** What we note on an answer of `@mm`; the editor stores it with its chat and gives it back later. */
export interface ChatMeta {
  outcome: 'answered' | 'stopped' | 'failed' | 'help';
  /** Who was asked. */
  agent?: string;
  /** The question, for the buttons below the answer. */
  prompt?: string;
  /** The folder that the person chose, where there are several. */
  folder?: string;
}

const outcomes: ReadonlySet<unknown> = new Set(['answered', 'stopped', 'failed', 'help']);

/** Longest text of an attachment that is no file. */
const longestAttachment = 4_000;
const mostAttachments = 50;

/** Our note on a result, as far as it is one: what the editor stored may come from another version. */
export function metaOf(result: Pick<vscode.ChatResult, 'metadata'> | undefined): ChatMeta | undefined {
  const meta: unknown = result?.metadata?.mm;
  if (typeof meta !== 'object' || meta === null) return undefined;
  const { outcome, agent, prompt, folder } = meta as Record<string, unknown>;
  if (!outcomes.has(outcome)) return undefined;
  const found: ChatMeta = { outcome: outcome as ChatMeta['outcome'] };
  if (typeof agent === 'string') found.agent = agent;
  if (typeof prompt === 'string') found.prompt = prompt;
  if (typeof folder === 'string') found.folder = folder;
  return found;
}

/**
 * The chat's own history for an agent that does not know it (rule 7): questions and answers. The editor keeps no tool calls of ours, and
 * gives a participant only the turns that went to it.
 */
export function transcriptOfChat(history: vscode.ChatContext['history']): string {
  const items: TranscriptItem[] = [];
  for (const turn of history) {
    if ('prompt' in turn) {
      const { command, prompt } = turn;
      items.push({ kind: 'message', speaker: 'User', text: command === undefined ? prompt : `/${command} ${prompt}` });
      continue;
    }
    const meta = metaOf(turn.result);
    if (meta?.outcome === 'help') continue;
    items.push({ kind: 'message', speaker: meta?.agent ?? turn.participant, text: wordsOf(turn.response) });
  }
  return transcript(items);
}

function wordsOf(response: vscode.ChatResponseTurn['response']): string {
  const words: string[] = [];
  for (const part of response) {
    const value = (part as { value?: { value?: unknown } }).value?.value;
    if (typeof value === 'string') words.push(value);
  }
  return words.join('');
}

/** The newest folder that the person chose in this chat, where it is still one of the window's. */
export function folderOfChat(history: vscode.ChatContext['history'], folders: readonly string[]): string | undefined {
  for (const turn of history.toReversed()) {
    const folder = 'response' in turn ? metaOf(turn.result)?.folder : undefined;
    if (folder !== undefined && folders.includes(folder)) return folder;
  }
  return undefined;
}

/** What the person attached, as lines under the question: files by their place, so that the agent reads them itself. */
export function attachmentsOf(references: readonly vscode.ChatPromptReference[]): string {
  const lines = references.slice(0, mostAttachments).flatMap(lineOf);
  return lines.length === 0 ? '' : ['Attached to this question:', ...lines].join('\n');
}

function lineOf({ id, value }: vscode.ChatPromptReference): string[] {
  // the editor attaches prompt files and instructions, which are meant for its own models
  if (/^vscode\.(prompt|instructions|customizations)/.test(id)) return [];
  if (typeof value === 'string') return value.trim() === '' ? [] : [`- ${cap(value, longestAttachment).text}`];
  const location = value as Partial<vscode.Location> | undefined;
  const uri = location?.uri ?? (value as Partial<vscode.Uri> | undefined);
  if (uri?.scheme !== 'file' || typeof uri.fsPath !== 'string') return [];
  const range = location?.range;
  return [range ? `- ${uri.fsPath}, lines ${range.start.line + 1} to ${range.end.line + 1}` : `- ${uri.fsPath}`];
}
