import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptAskMeta } from '../acp/meta';
import { cap, firstLine } from '../base/text';

/** The variable that tells `mm --ask` in a command where its tool looks for the asks of scripts. */
export const scriptLogVariable = 'MM_ASK_LOG';

/** Bytes of a log that are read, and asks that are shown: whoever writes more wants something else than to be seen. */
const maxBytes = 64 * 1024;
const maxAsks = 50;
const maxWhat = 200;

/** One ask of a script, as `mm --ask` writes it down. */
export type ScriptLine =
  | { id: string; agent: string; what: string; at: number }
  | { id: string; end: 'done' | 'failed' | 'cancelled'; why?: string; at: number };

export const beginLine = (id: string, agent: string, prompt: string): ScriptLine => ({
  id,
  agent,
  what: firstLine(prompt.trimStart(), maxWhat),
  at: Date.now(),
});

/**
 * Adds a line to the log of the command that runs this process. The file is the tool's: it is neither made here nor followed through a
 * symbolic link.
 */
export async function writeScriptLine(file: string, line: ScriptLine): Promise<void> {
  const handle = await open(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file} is no file`);
    await handle.appendFile(`${JSON.stringify(line)}\n`);
  } finally {
    await handle.close();
  }
}

/**
 * What the scripts of one command ask, as they write it down while it runs. A private file: others read nothing of it, and a script that
 * writes something else into it can at most show a line too many. Nothing in it allows anything.
 */
export class ScriptLog {
  readonly file: string;
  readonly #folder: string;
  readonly #asks = new Map<string, ScriptAskMeta>();
  #read = 0;
  #rest = '';

  private constructor(folder: string) {
    this.#folder = folder;
    this.file = join(folder, 'asks.jsonl');
  }

  static async make(): Promise<ScriptLog> {
    const log = new ScriptLog(await mkdtemp(join(tmpdir(), 'mm-asks-')));
    const handle = await open(log.file, 'wx', 0o600);
    await handle.close();
    return log;
  }

  get asks(): ScriptAskMeta[] {
    return [...this.#asks.values()];
  }

  /** Reads what was added. @returns whether there is something new to show. */
  async look(): Promise<boolean> {
    const room = maxBytes - this.#read;
    if (room <= 0) return false;
    const handle = await open(this.file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | constants.O_NONBLOCK);
    let text: string;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(room, 16_384)), { position: this.#read });
      this.#read += bytesRead;
      text = this.#rest + buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
    const lines = text.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => this.#take(line)).some(Boolean);
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A line in bytes: it is decoded whole, so that no character is torn where two reads meet. */
  #take(bytes: string): boolean {
    let line: Record<string, unknown>;
    try {
      const value: unknown = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
      if (typeof value !== 'object' || value === null) return false;
      line = value as Record<string, unknown>;
    } catch {
      // not ours: some script wrote it, and that is its own affair
      return false;
    }
    const { id, at } = line;
    if (typeof id !== 'string' || id === '' || id.length > 100 || typeof at !== 'number') return false;
    const known = this.#asks.get(id);
    if (!known) {
      if (typeof line.agent !== 'string' || line.agent === '' || this.#asks.size >= maxAsks) return false;
      const what = typeof line.what === 'string' ? firstLine(line.what, maxWhat) : '';
      this.#asks.set(id, { id, agent: cap(line.agent, 100).text, what, state: 'running', at });
      return true;
    }
    const end = ends.find((e) => e === line.end);
    if (!end || known.state !== 'running') return false;
    const why = typeof line.why === 'string' ? { why: firstLine(line.why, maxWhat) } : {};
    this.#asks.set(id, { ...known, state: end, ...why, endedAt: at });
    return true;
  }
}

const ends = ['done', 'failed', 'cancelled'] as const;
