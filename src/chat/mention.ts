import { parseSlash } from './slash';

/** What a line written to `@mm` in the editor's own chat asks for. */
export type Mention =
  | { kind: 'ask'; agent: string; prompt: string; withContext: boolean }
  /** An agent, and nothing to ask it. */
  | { kind: 'no-prompt'; agent: string; withContext: boolean }
  /** A name was clearly meant, and nobody has it. `prompt`: what stands behind it. */
  | { kind: 'unknown-agent'; agent: string; prompt: string }
  /** No agent is named. `prompt`: all the words. */
  | { kind: 'no-agent'; prompt: string };

const withContextCommand = 'ask-with-context';
const commands: ReadonlySet<string> = new Set(['ask', withContextCommand]);

/**
 * Reads what a person wrote behind `@mm`. The editor knows the commands `ask` and `ask-with-context`, behind which the agent's name is
 * the first word; it passes everything else on as it was typed, so that `/bob`, `/ask-bob` and `/ask-with-context-bob` are read here.
 * `/ask-…` means what it means in our own view; without any command the first word counts only where it names an agent. Never throws.
 * @param command as the editor has read it, without its slash.
 */
export function parseMention(command: string | undefined, text: string, agents: Iterable<string>): Mention {
  const known = new Set(agents);
  if (command !== undefined && commands.has(command)) return named(command === withContextCommand, text, known);
  const typed = /^\s*\/(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  if (!typed) {
    const [agent] = firstWord(text, known);
    return agent !== undefined && known.has(agent)
      ? named(false, text, known)
      : { kind: 'no-agent', prompt: text.trim() };
  }
  const word = typed[1]!;
  const rest = (typed[2] ?? '').trim();
  const slash = parseSlash(text, known);
  if (slash.kind === 'ask') return slash;
  if (slash.kind === 'no-prompt') return { ...slash, withContext: !known.has(word.slice('ask-'.length)) };
  if (commands.has(word) && !known.has(word)) return named(word === withContextCommand, rest, known);
  const [agent] = firstWord(word, known);
  if (agent !== undefined && known.has(agent)) return asked(agent, rest, false);
  return { kind: 'unknown-agent', agent: slash.kind === 'unknown-agent' ? slash.agent : word, prompt: rest };
}

/** `bob is this safe?`, behind a command. */
function named(withContext: boolean, text: string, known: ReadonlySet<string>): Mention {
  const [agent, prompt] = firstWord(text, known);
  if (agent === undefined) return { kind: 'no-agent', prompt: '' };
  return known.has(agent) ? asked(agent, prompt, withContext) : { kind: 'unknown-agent', agent, prompt };
}

function asked(agent: string, prompt: string, withContext: boolean): Mention {
  return prompt === '' ? { kind: 'no-prompt', agent, withContext } : { kind: 'ask', agent, prompt, withContext };
}

/** The first word as a name, without the `@` before it or the comma behind it that people write, and what follows. */
function firstWord(text: string, known: ReadonlySet<string>): [word: string | undefined, rest: string] {
  const match = /^\s*(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  if (!match) return [undefined, ''];
  const word = match[1]!;
  const bare = word.replace(/^@/, '').replace(/[,:]$/, '');
  return [!known.has(word) && known.has(bare) ? bare : word, (match[2] ?? '').trim()];
}
