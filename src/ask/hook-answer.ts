import { l10n } from '../base/l10n';
import { firstLine, visible } from '../base/text';
import type { HookPoint, MmConfig } from '../config/types';
import type { HookEvent } from './types';

/** What a hook changes; a key that is not there stays as it was. */
export interface HookChange {
  /** preAsk: goes out instead. */
  prompt?: string;
  /** preAsk: goes out instead; an empty one takes it away. */
  context?: string;
  /** postAsk: comes back instead. */
  text?: string;
}

export type HookAnswer = { ok: true; change: HookChange } | { ok: false; words: string };

/** What a hook can change, and what it was told besides: it may hand that back as it came (`jq '.prompt |= …'`). */
const keys: Record<HookPoint, { change: readonly (keyof HookChange)[]; told: readonly string[] }> = {
  preAsk: { change: ['prompt', 'context'], told: ['event', 'agent', 'caller', 'chain', 'depth', 'cwd'] },
  postAsk: {
    change: ['text'],
    told: [
      'event',
      'agent',
      'caller',
      'chain',
      'depth',
      'cwd',
      'prompt',
      'context',
      'title',
      'provider',
      'model',
      'stopReason',
    ],
  },
};

/**
 * Reads what a hook printed. Nothing at all means no change. Everything that is not what the contract says is an error, also a key that is
 * not known: a hook that meant something else must not let through what it wanted to stop.
 */
export function readHookAnswer(point: HookPoint, stdout: string): HookAnswer {
  const wrong = (words: string): HookAnswer => ({ ok: false, words });
  const printed = stdout.replace(/^\ufeff/, '').trim();
  if (printed === '') return { ok: true, change: {} };
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch {
    return wrong(l10n.t('it is no JSON: {0}', firstLine(visible(printed), 80)));
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return wrong(l10n.t('it is no JSON object: {0}', firstLine(visible(printed), 80)));
  const { change: changes, told } = keys[point];
  const change: HookChange = {};
  for (const [key, content] of Object.entries(value)) {
    const name = changes.find((known) => known === key);
    if (name === undefined) {
      if (told.includes(key)) continue;
      return wrong(l10n.t('the key `{0}` is not known; expected {1}', firstLine(visible(key), 40), inWords(changes)));
    }
    // `jq '{prompt, context}'` says null where there was none.
    const text = name === 'context' && content === null ? '' : content;
    if (typeof text !== 'string') return wrong(l10n.t('`{0}` is no text', name));
    if (name !== 'context' && text.trim() === '') return wrong(l10n.t('`{0}` is empty', name));
    change[name] = text;
  }
  return { ok: true, change };
}

function inWords(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Whether what comes is not yet the answer: a hook may replace it, or keep it back. */
export function holdsBack(config: Pick<MmConfig, 'hooks'>): boolean {
  return (config.hooks?.postAsk.length ?? 0) > 0;
}

/** What hooks did, a sentence each without its end; nothing of what is only held back. */
export function hookWords(event: Omit<HookEvent, 'type' | 'point'>): string[] {
  const hook = event.hook ?? '';
  const words: string[] = [];
  if (event.prompt !== undefined) words.push(l10n.t('The hook {0} rewrote the question', hook));
  if (event.context) words.push(l10n.t('The hook {0} changed the conversation that goes along', hook));
  if (event.text !== undefined) words.push(l10n.t('The hook {0} replaced this answer', hook));
  return words;
}
