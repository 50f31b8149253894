import { CancelledError } from '../base/errors';
import type { Log } from '../base/log';
import { ChildProcess } from '../children/process';
import type { Reaper } from '../children/reaper';
import type { ChildSpec, ExitInfo } from '../children/types';

/** Bytes that a hook may print: more than any answer that it could give back. */
export const mostOutput = 64 * 1_048_576;
/** A hook that has to end gets no time for its stdin, whose end it has seen, and this long after TERM. Milliseconds. */
const graces = { stdin: 0, term: 500 };

/** How a hook's process ended; not yet what that means. */
export type HookEnd = { how: 'exit'; exit: ExitInfo; stdout: string } | { how: 'timeout' } | { how: 'too-much' };

export interface HookProcess {
  label: string;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** What it reads. */
  input: string;
  /** Seconds. */
  timeout: number;
  log: Log;
  /** Ends its group when this process goes away, however it goes. */
  reaper: Reaper | undefined;
  signal: AbortSignal;
}

/**
 * Runs one hook to its end, in a process group of its own and by no shell. When this settles nothing of the group is left, also of what
 * the hook had left in the background.
 * @throws CancelledError when the signal fired; the process has ended then.
 */
export async function runHookProcess(o: HookProcess): Promise<HookEnd> {
  if (o.signal.aborted) throw new CancelledError();
  const child = ChildProcess.spawn(specOf(o), o.reaper, o.log);
  const output: Buffer[] = [];
  let size = 0;
  let ended: 'timeout' | 'too-much' | 'stop' | undefined;
  const end = (why: NonNullable<typeof ended>) => {
    if (ended) return;
    ended = why;
    void child.stop(graces);
  };
  const timer = setTimeout(() => end('timeout'), o.timeout * 1000);
  const stop = () => end('stop');
  o.signal.addEventListener('abort', stop, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= mostOutput) output.push(chunk);
    else end('too-much');
  });
  const printed = new Promise((resolve) => child.stdout.once('close', resolve));
  child.stdin.end(o.input);
  try {
    const [exit] = await Promise.all([child.exited, child.gone, printed]);
    if (ended === 'stop') throw new CancelledError();
    return ended ? { how: ended } : { how: 'exit', exit, stdout: Buffer.concat(output).toString() };
  } finally {
    clearTimeout(timer);
    o.signal.removeEventListener('abort', stop);
  }
}

function specOf({ label, command, args, cwd, env }: HookProcess): ChildSpec {
  return { key: '', name: label, role: 'asked', command, args: [...args], cwd, env, hub: false };
}
