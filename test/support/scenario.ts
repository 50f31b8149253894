import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Any JSON value; frames in scenarios are hostile on purpose, so nothing narrower fits. */
// biome-ignore lint/suspicious/noExplicitAny: scenarios describe broken frames too
type Json = any;

/** One step of test/agents/scripted-agent.mjs; the header of that file says what each does. */
export type Step =
  | { text: string }
  | { thought: string }
  | { update: Json }
  | { send: Json }
  | { together: Json[] }
  | { answer: Json }
  | { error: Json }
  | { noAnswer: true }
  | { request: { method: string; params?: Json; id?: string | number }; wait?: false }
  | { permission: { toolCall?: Json; options?: Json; _meta?: Json }; wait?: false }
  | { if: { path: string; is: Json }; then: Step[]; else?: Step[] }
  | { byPrompt: Record<string, Step[]> }
  | { raw: string; split?: number }
  | { bytes: string; split?: number }
  | { delay: number }
  | { waitFor: string; count?: number }
  | { repeat: number; steps: Step[] }
  | { output: { toolCallId: string; lines: number; every: number } }
  | { stderr: string }
  | { exit: number }
  | { signal: NodeJS.Signals }
  | { grandchild: { ignoreTerm?: boolean; ownGroup?: boolean; seconds?: number } }
  | { ignoreTerm: boolean }
  | { ignoreStdinEnd: boolean }
  | { closeStdout: true }
  | { closeStdin: true }
  | { block: number }
  | { hang: true }
  | { finish: string; answer: Json };

export type Steps = Step[] | Step[][];

export interface Scenario {
  record?: string;
  ignoreTerm?: boolean;
  ignoreStdinEnd?: boolean;
  stringIds?: boolean;
  sessionIds?: string[];
  on?: Record<string, Steps>;
}

/** The scripted agent's file. */
export const scriptedAgentPath = fileURLToPath(new URL('../agents/scripted-agent.mjs', import.meta.url));

/** What a scripted agent noted: lines that came in, and events of its life. */
export interface RecordEntry {
  in?: string;
  event?: string;
  pid?: number;
  ppid?: number;
}

/** A scenario on disk, with the command that plays it. */
export interface WrittenScenario {
  /** Holds the scenario and the record. */
  folder: string;
  file: string;
  command: string;
  args: string[];
  /** What the agent recorded so far. */
  records(): RecordEntry[];
  /** The frames that came in, parsed; only those of `method` when given. */
  received(method?: string): Json[];
  /** Removes the folder. */
  dispose(): void;
}

/** Writes a scenario into a new temporary folder; what comes in is recorded there unless the scenario says where. */
export function writeScenario(scenario: Scenario): WrittenScenario {
  const folder = mkdtempSync(join(tmpdir(), 'mm-scenario-'));
  const file = join(folder, 'scenario.json');
  const record = scenario.record ?? join(folder, 'record.jsonl');
  writeFileSync(file, JSON.stringify({ ...scenario, record }));
  const records = (): RecordEntry[] => {
    if (!existsSync(record)) return [];
    const lines = readFileSync(record, 'utf8').split('\n');
    lines.pop(); // the end of the last whole line, or a line that is still being written
    return lines.map((text) => JSON.parse(text) as RecordEntry);
  };
  return {
    folder,
    file,
    command: process.execPath,
    args: [scriptedAgentPath, file],
    records,
    received(method) {
      const frames = records().flatMap((r) => (r.in === undefined ? [] : [JSON.parse(r.in)]));
      return method === undefined ? frames : frames.filter((frame) => frame.method === method);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A text update as a frame. */
export function textFrame(sessionId: string, text: string, messageId?: string): Json {
  const update: Json = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  if (messageId !== undefined) update.messageId = messageId;
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
}
