/** What a line of the composer asks for. */
export type Slash =
  /** No `/ask-…` line: words for the home agent. */
  | { kind: 'text'; text: string }
  | { kind: 'ask'; agent: string; prompt: string; withContext: boolean }
  /** `/ask-bob` and nothing behind it. */
  | { kind: 'no-prompt'; agent: string }
  /** Looks like an ask, but nobody has this name. */
  | { kind: 'unknown-agent'; agent: string };

/**
 * Reads `/ask-bob prompt` and `/ask-with-context-bob prompt`. Names may hold whatever `mmConfigs` allows, also `with-context-x`:
 * the longest reading that names a known agent wins, so an agent called `with-context-x` can be asked too.
 */
export function parseSlash(line: string, agents: Iterable<string>): Slash {
  const match = /^\s*\/ask-(\S+)(?:\s+([\s\S]*))?$/.exec(line);
  if (!match) return { kind: 'text', text: line };
  const word = match[1]!;
  const prompt = (match[2] ?? '').trim();
  const known = new Set(agents);
  const context = 'with-context-';
  const plain = known.has(word);
  const agent = plain || !word.startsWith(context) ? word : word.slice(context.length);
  const withContext = !plain && word.startsWith(context);
  if (!known.has(agent)) return { kind: 'unknown-agent', agent };
  if (prompt === '') return { kind: 'no-prompt', agent };
  return { kind: 'ask', agent, prompt, withContext };
}
