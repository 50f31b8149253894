import type { TranscriptItem } from '../ask/transcript';
import type { Message } from './model/types';

/** A history as a transcript has it (rule 7): questions, answers, one line per call; no tool output, no system prompt, no thought. */
export function transcriptItems(messages: readonly Message[], self: string): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  for (const message of messages) {
    if (message.role === 'user') items.push({ kind: 'message', speaker: 'User', text: message.text });
    if (message.role !== 'assistant') continue;
    if (message.text.trim()) items.push({ kind: 'message', speaker: self, text: message.text });
    for (const call of message.calls)
      items.push({ kind: 'tool', speaker: self, tool: call.name, what: whatOf(call.arguments) });
  }
  return items;
}

function whatOf(json: string): string {
  try {
    const args = JSON.parse(json) as Record<string, unknown> | null;
    const what = args?.command ?? args?.path ?? args?.prompt;
    return typeof what === 'string' ? what : '';
  } catch {
    return '';
  }
}
