/** One thing that the demo model does. Tools end a step list's part: the next part runs when the result is there. */
export type DemoStep =
  | { do: 'say'; text: string }
  | { do: 'think'; text: string }
  | { do: 'call'; tool: string; args: Record<string, unknown>; intro: string }
  | { do: 'fail'; words: string }
  | { do: 'stall'; seconds: number | undefined }
  | { do: 'slow'; words: number }
  | { do: 'long'; characters: number }
  | { do: 'end'; reason: 'length' | 'refusal' }
  | { do: 'exit'; code: number }
  | { do: 'crash' }
  | { do: 'recall'; agent: string | undefined };

const patterns: [RegExp, (match: RegExpMatchArray) => DemoStep][] = [
  [
    /^run:\s*(.+)$/i,
    (m) => ({ do: 'call', tool: 'bash', args: { command: m[1]!.trim() }, intro: 'I will run the command. ' }),
  ],
  [
    /^read:\s*(.+)$/i,
    (m) => ({ do: 'call', tool: 'read', args: { path: m[1]!.trim() }, intro: 'I will read the file. ' }),
  ],
  [
    /^write:\s*(\S+)\s?(.*)$/i,
    (m) => ({
      do: 'call',
      tool: 'write',
      args: { path: m[1]!, content: `${m[2]!}\n` },
      intro: 'I will write the file. ',
    }),
  ],
  [
    /^ask ([\w.@-]+):\s*(.+)$/i,
    (m) => ({
      do: 'call',
      tool: 'ask_agent',
      args: { agent: m[1]!, prompt: m[2]!.trim() },
      intro: `I will ask ${m[1]}. `,
    }),
  ],
  [/^say:\s*(.*)$/i, (m) => ({ do: 'say', text: m[1]! })],
  [/^think:\s*(.*)$/i, (m) => ({ do: 'think', text: m[1]! })],
  [/^fail:\s*(.*)$/i, (m) => ({ do: 'fail', words: m[1] || 'The demo fails on demand.' })],
  [
    /^stall(?::\s*(\d+(?:\.\d+)?))?$/i,
    (m) => ({ do: 'stall', seconds: m[1] === undefined ? undefined : Number(m[1]) }),
  ],
  [/^slow:\s*(\d+)$/i, (m) => ({ do: 'slow', words: Math.min(Number(m[1]), 100_000) })],
  [/^long:\s*(\d+)$/i, (m) => ({ do: 'long', characters: Math.min(Number(m[1]), 10_000_000) })],
  [/^end:\s*(length|refusal)$/i, (m) => ({ do: 'end', reason: m[1]!.toLowerCase() as 'length' | 'refusal' })],
  [/^exit:\s*(\d+)$/i, (m) => ({ do: 'exit', code: Number(m[1]) & 255 })],
  [/^crash$/i, () => ({ do: 'crash' })],
  [/^recall$/i, () => ({ do: 'recall', agent: undefined })],
  [/^what did ([\w.@-]+) (?:say|answer|reply)\b.*$/i, (m) => ({ do: 'recall', agent: m[1]! })],
];

/** The commands that stand in a prompt, one a line, in their order. Lines that are no command are left to the reader. */
export function parseDemoScript(prompt: string): DemoStep[] {
  const steps: DemoStep[] = [];
  for (const line of prompt.split(/\r\n|\n/)) {
    const text = line.trim();
    for (const [pattern, make] of patterns) {
      const match = pattern.exec(text);
      if (match) {
        steps.push(make(match));
        break;
      }
    }
  }
  return steps;
}

/** The steps that are still to be done when `results` tool calls of this turn have been answered. */
export function stepsAfter(steps: readonly DemoStep[], results: number): DemoStep[] {
  let done = 0;
  let at = 0;
  while (done < results && at < steps.length) if (steps[at++]!.do === 'call') done++;
  return steps.slice(at);
}
