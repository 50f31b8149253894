/** What a prompt of a home session asks for. */
export type Slash =
  | { kind: 'text' }
  | { kind: 'ask'; agent: string; prompt: string; withContext: boolean }
  /** `/ask-bob` and nothing behind it. */
  | { kind: 'no-prompt'; agent: string }
  | { kind: 'unknown-agent'; agent: string };

const context = 'with-context-';

/** Reads `/ask-bob prompt` and `/ask-with-context-bob prompt`; an agent that is itself called `with-context-x` is found first. */
export function parseSlash(text: string, agents: ReadonlyMap<string, unknown>): Slash {
  const match = /^\s*\/ask-(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  if (!match) return { kind: 'text' };
  const word = match[1]!;
  const prompt = (match[2] ?? '').trim();
  const plain = agents.has(word) || !word.startsWith(context);
  const agent = plain ? word : word.slice(context.length);
  if (!agents.has(agent)) return { kind: 'unknown-agent', agent };
  return prompt ? { kind: 'ask', agent, prompt, withContext: !plain } : { kind: 'no-prompt', agent };
}
