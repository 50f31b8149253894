import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildSpec } from '../../src/children/types';

/** Marks every process of one test in its environment, so that what is left of it can be found, whoever its parent is now. */
export const markName = 'CHILDREN_TEST_MARK';

/** A folder, small agents in it, and a mark for their processes. */
export class Nest {
  readonly folder = mkdtempSync(join(tmpdir(), 'mm-children-'));
  readonly mark = `${process.pid}-${Math.random().toString(36).slice(2)}`;

  file(name: string, text: string, mode = 0o644): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return { PATH: process.env.PATH ?? '/usr/bin:/bin', [markName]: this.mark, ...more };
  }

  spec(command: string, args: string[] = [], more: Partial<ChildSpec> = {}): ChildSpec {
    return {
      key: 'k',
      name: 'bob',
      role: 'asked',
      command,
      args,
      cwd: this.folder,
      env: this.env(),
      hub: false,
      ...more,
    };
  }

  /** Living processes of this test, by their environment. */
  pids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && alive(pid) && this.#marked(pid));
  }

  #marked(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${this.mark}`);
    } catch {
      return false;
    }
  }

  /** Waits until nothing of this test lives; the pids that are left when the time is over. */
  async left(ms: number): Promise<number[]> {
    await until(() => this.pids().length === 0, ms);
    return this.pids();
  }

  dispose(): void {
    for (const pid of this.pids()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended in between.
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether a process runs; a zombie does not. */
export function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !'ZX'.includes(stat.slice(stat.lastIndexOf(')') + 2)[0]!);
  } catch {
    return false;
  }
}

/** Looks every 20 ms; false when it did not become true in time. */
export async function until(check: () => boolean, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (!check()) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** An agent of a few lines: answers `initialize` and `session/new`, ends with its stdin. `extra` runs first. */
export function tinyAgent(extra = ''): string {
  return `${extra}
const say = (o) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...o }) + '\\n');
let rest = '';
process.stdin.on('data', (d) => {
  rest += d;
  const lines = rest.split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const m = JSON.parse(line);
    if (m.method === 'initialize') say({ id: m.id, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'tiny', version: '1' } } });
    else if (m.method === 'session/new') say({ id: m.id, result: { sessionId: 's' } });
    else if (m.method === 'session/prompt') globalThis.prompted?.(m, say);
    else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: 'no' } });
  }
});
`;
}

/** Ignores everything that can be ignored. */
export const stubborn = `
for (const s of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(s, () => {});
setInterval(() => {}, 1000);
`;
