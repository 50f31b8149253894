/**
 * What agents that are not ours do in their own way, by `agentInfo.name`. Measured with claude-agent-acp 0.101.0,
 * qwen-code 0.24.4, codex-acp 0.16.0 and 2.6.0, kimi-code 2.1.0, gemini-cli 0.61.0 and pi-acp 0.0.34.
 */
export interface Quirk {
  /** Matched against `agentInfo.name`. */
  program: RegExp;
  /** The session mode in which it asks before it acts; set where the session offers it. */
  askingMode?: string;
  /** It has no permissions at all, by design. */
  neverAsks?: boolean;
  /** Names of tools by the call's kind, where the agent gives none. */
  toolByKind?: Record<string, string>;
  /** Its calls' titles are the names of its tools, and a permission request has no kind. */
  titleIsTool?: boolean;
}

const quirks: readonly Quirk[] = [
  // Starts in `auto`, where a model decides instead of the person.
  { program: /claude-(agent|code)-acp/i, askingMode: 'default' },
  { program: /qwen/i, askingMode: 'default' },
  { program: /^gemini/i, askingMode: 'default' },
  // 2.x: in `agent` a "Guardian Review" decides. 0.16 has no modes and asks by its own configuration.
  { program: /codex/i, askingMode: 'workspace-write', toolByKind: { execute: 'bash' } },
  { program: /^kimi/i, askingMode: 'default', titleIsTool: true },
  // Its modes are levels of thinking.
  { program: /^pi(-acp)?$/i, neverAsks: true },
];

export function quirkOf(program: string | undefined): Quirk | undefined {
  return program === undefined ? undefined : quirks.find((q) => q.program.test(program));
}
