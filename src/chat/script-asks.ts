import { cap, firstLine } from '../base/text';
import type { ScriptAsk } from './nodes';
import { num, obj, str } from './raw';

/** Asks of one command that are shown. */
const maxAsks = 50;
const maxId = 100;
const maxName = 100;
const maxWhat = 200;

/**
 * `_meta.mm.asks` of a tool call: what the scripts of its command asked, as its tool saw it. A script wrote it, so nothing of it is
 * believed but that it can be shown: known states, short words, times between the call's begin and now. It allows nothing.
 * @returns undefined where there is nothing of the kind.
 */
export function readScriptAsks(meta: unknown, from: number, now: number): ScriptAsk[] | undefined {
  const list = obj(obj(meta)?.mm)?.asks;
  if (!Array.isArray(list)) return undefined;
  const asks: ScriptAsk[] = [];
  const ids = new Set<string>();
  for (const item of list.slice(0, maxAsks)) {
    const raw = obj(item);
    const id = str(raw?.id);
    const agent = str(raw?.agent);
    const state = states.find((known) => known === raw?.state);
    if (!raw || !id || !agent || !state || id.length > maxId || ids.has(id)) continue;
    ids.add(id);
    const time = (value: unknown) => Math.min(now, Math.max(from, num(value) ?? now));
    const at = time(raw.at);
    const why = str(raw.why);
    asks.push({
      id,
      agent: cap(agent, maxName).text,
      what: firstLine(str(raw.what) ?? '', maxWhat),
      state,
      ...(why && state === 'failed' ? { why: firstLine(why, maxWhat) } : {}),
      at,
      ...(state === 'running' ? {} : { endedAt: Math.max(at, time(raw.endedAt)) }),
    });
  }
  return asks.length > 0 ? asks : undefined;
}

const states = ['running', 'done', 'failed', 'cancelled'] as const;

/** The command has ended, and what it had started with it. */
export function endScriptAsks(asks: readonly ScriptAsk[], at: number): ScriptAsk[] {
  return asks.map((ask) => (ask.state === 'running' ? { ...ask, state: 'cancelled', endedAt: at } : ask));
}
