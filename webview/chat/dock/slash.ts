import type { AskableAgent } from '../../../src/chat/page';

/** One row of the menu "Commands". */
export type Row =
  | { kind: 'ask'; command: string; agent: AskableAgent }
  /** Stands for one row per agent: `/ask-with-context-…`. */
  | { kind: 'context'; command: '/ask-with-context-' };

const plain = '/ask-';
const withContext = '/ask-with-context-';

/**
 * The rows for what stands in front of the caret, or undefined when that is no command in the making. `/ask-with-context-…` is one row until it
 * is chosen or typed; then there is one per agent (look, "Slash menu").
 */
export function slashRows(beforeCaret: string, agents: readonly AskableAgent[]): Row[] | undefined {
  const match = /^\s*(\/\S*)$/.exec(beforeCaret);
  if (!match) return undefined;
  const typed = match[1]!.toLowerCase();
  const bare = typed.slice(1);
  const rows: Row[] = [];
  const inContext = typed.startsWith(withContext);
  for (const agent of agents) {
    const command = plain + agent.name;
    const name = agent.name.toLowerCase();
    if (command.toLowerCase().startsWith(typed) || (bare !== '' && name.startsWith(bare)))
      rows.push({ kind: 'ask', command, agent });
  }
  if (inContext) {
    for (const agent of agents) {
      const command = withContext + agent.name;
      if (command.toLowerCase().startsWith(typed)) rows.push({ kind: 'ask', command, agent });
    }
  } else if (agents.length > 0 && withContext.startsWith(typed)) rows.push({ kind: 'context', command: withContext });
  return rows;
}

/** What Enter would send. The extension reads the line again; this only keeps back what would come to nothing. */
export type Line =
  | { kind: 'text' }
  | { kind: 'ask' }
  | { kind: 'no-prompt'; agent: string }
  | { kind: 'unknown'; agent: string };

export function readLine(text: string, names: readonly string[]): Line {
  const match = /^\s*\/ask-(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  if (!match) return { kind: 'text' };
  const word = match[1]!;
  const agent = names.includes(word) || !word.startsWith('with-context-') ? word : word.slice('with-context-'.length);
  if (!names.includes(agent)) return { kind: 'unknown', agent };
  return (match[2] ?? '').trim() === '' ? { kind: 'no-prompt', agent } : { kind: 'ask' };
}

/** A text put into the composer where something may stand already: what the person wrote is never lost. */
export function composed(present: string, added: string): string {
  if (present.trim() === '') return added;
  if (/^\/ask-\S+\s*$/.test(added)) return `${added.trimEnd()} ${present.replace(/^\s*\/ask-\S*\s*/, '')}`;
  return `${present.trimEnd()}\n${added}`;
}
