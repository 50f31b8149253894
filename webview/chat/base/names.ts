import type { AskNode, Face, ToolNode, ToolState } from '../../../src/chat/nodes';
import { t } from './l10n';

const hues = ['blue', 'purple', 'green', 'orange', 'cyan', 'pink'] as const;

/** The accent of an agent, by its name: FNV-1a of its lower-case letters in UTF-8 (look, "Accent"). */
export function hue(name: string): (typeof hues)[number] {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name.toLowerCase())) {
    hash ^= byte;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hues[hash % hues.length]!;
}

/** The letter of a face. */
export function letter(name: string): string {
  const first = [...name.trim()][0];
  return first === undefined ? '?' : first.toUpperCase();
}

/** "openai/qwen3:8b", or what of it is known. */
export function modelOf(face: Face): string {
  return [face.provider, face.model].filter(Boolean).join('/');
}

/** "bob (openai/qwen3:8b)". */
export function withModel(face: Face): string {
  const model = modelOf(face);
  return model === '' ? face.name : `${face.name} (${model})`;
}

/** Accessible name of who works (design, section 8). */
export function workingName(face: Face, askedBy: string): string {
  return t('{0}, asked by {1}, is working', withModel(face), askedBy);
}

/** Accessible name of who waits for the person (design, section 8). */
export function waitingName(face: Face, askedBy: string): string {
  return t('{0}, asked by {1}, waits for you', withModel(face), askedBy);
}

/** Accessible name of an ask (design, section 8). */
export function askName(ask: Pick<AskNode, 'agent' | 'askedBy'>): string {
  return t('{0}, asked by {1}', ask.agent.name, ask.askedBy);
}

/** The state of a tool call in words (design, section 8). */
export function stateWord(state: ToolState): string {
  switch (state) {
    case 'running':
      return t('running');
    case 'waiting':
      return t('waiting for you');
    case 'done':
      return t('done');
    case 'failed':
      return t('failed');
    case 'cancelled':
      return t('cancelled');
    case 'rejected':
      return t('rejected by you');
    case 'no-result':
      return t('no result');
  }
}

/** The first line of a text that is not blank, at most `max` characters with the ellipsis. */
export function firstLine(text: string, max = 60): string {
  const line = text
    .trimStart()
    .split(/[\r\n\u0085\u2028\u2029]/, 1)[0]!
    .trimEnd();
  if (line.length <= max) return line;
  // by characters and not by UTF-16 units, so that no half of one is left
  const characters = [...line.slice(0, 2 * max + 2)];
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** Accessible name of a tool call: "Tool bob/bash: npm test, running" (design, section 8). */
export function toolLabel(tool: Pick<ToolNode, 'name' | 'title' | 'state' | 'what'>): string {
  const title = firstLine(tool.title) || firstLine(tool.what);
  return title === ''
    ? t('Tool {0}, {1}', tool.name, stateWord(tool.state))
    : t('Tool {0}: {1}, {2}', tool.name, title, stateWord(tool.state));
}

/** "640 tokens", "1.8k tokens". */
export function tokens(count: number): string {
  if (count < 1000) return t('{0} tokens', count);
  const k = count / 1000;
  return t('{0}k tokens', k < 99.95 ? k.toFixed(1).replace(/\.0$/, '') : Math.round(k));
}

/** "48 kB". */
export function bytes(count: number): string {
  if (count < 1000) return t('{0} B', count);
  if (count < 999_500) return t('{0} kB', Math.round(count / 1000));
  return t('{0} MB', (count / 1_000_000).toFixed(1));
}
