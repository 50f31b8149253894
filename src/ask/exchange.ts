import { cap } from '../base/text';
import type { AgentFace, Answer } from './types';

/** The pair that an ask leaves in the home agent's history (rule 6). For a model: never translated. */
export interface Exchange {
  user: string;
  assistant: string;
}

/** What is kept of a text, and how many characters were left out. */
export interface Kept {
  kept: string;
  truncated: number;
}

/** The first `maxOutput` characters, a line that says how much was cut, and a line that says why the agent stopped early. */
export function keep(text: string, maxOutput: number, stopReason = 'end_turn'): Kept {
  const { text: head, cut } = cap(text, maxOutput);
  const lines = [head];
  if (cut > 0) lines.push(`[${cut} more ${cut === 1 ? 'character was' : 'characters were'} cut]`);
  const note = endNote(stopReason);
  if (note) lines.push(note);
  return { kept: lines.join('\n'), truncated: cut };
}

/** The last line of an answer that is not whole, or nothing. */
export function endNote(stopReason: string): string | undefined {
  if (stopReason === 'max_tokens') return '[The answer ends here: the limit of tokens was reached.]';
  if (stopReason === 'max_turn_requests')
    return '[The answer ends here: the limit of model requests in one turn was reached.]';
  return undefined;
}

/** The pair of an ask that ended in an answer, with the prompt as it went out. */
export function exchangeOf(answer: Answer): Exchange {
  return pair(answer.agentFace, answer.prompt, answer.kept);
}

/** The pair of "Keep what came": an ask that left none by itself. Nothing where nothing came. */
export function exchangeOfPart(face: AgentFace, prompt: string, text: string, maxOutput: number): Exchange | undefined {
  if (text.trim() === '') return undefined;
  const { kept } = keep(text, maxOutput);
  return pair(face, prompt, `${kept}\n[The answer was not finished.]`);
}

function pair(face: AgentFace, prompt: string, text: string): Exchange {
  const who = faceLabel(face);
  return {
    user: `[asked ${face.name}${who ? ` (${who})` : ''}: ${prompt}]`,
    assistant: `[${face.name}'s answer]\n${text}`,
  };
}

/** `openai/qwen3:8b`; for an agent whose provider and model are not known its title, else nothing. */
export function faceLabel(face: AgentFace): string | undefined {
  if (face.provider && face.model) return `${face.provider}/${face.model}`;
  return face.title || face.model || undefined;
}
