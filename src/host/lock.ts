import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { Disposable } from '../base/disposable';

/** How often a holder shows that it lives, and after how much silence it counts as gone. Milliseconds. */
const beat = 5_000;
const silence = 20_000;

/**
 * Makes one window the writer of a file. The holder's process id stands in the lock, and its time of change is a sign of life: a lock
 * whose process has ended, or that was not touched for 20 s (another machine, a process id used again), is free.
 * @returns undefined while another window holds it.
 */
export function takeLock(file: string): Disposable | undefined {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return held(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (heldByOther(file)) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

/** Locks that this process holds: two of its conversations do not share one file either. */
const own = new Set<string>();

function held(file: string): Disposable {
  own.add(file);
  const timer = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // The folder is gone or not writable: the writes themselves say so to the person.
    }
  }, beat);
  timer.unref();
  return {
    dispose() {
      if (!own.delete(file)) return;
      clearInterval(timer);
      rmSync(file, { force: true });
    },
  };
}

function heldByOther(file: string): boolean {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    if (pid === process.pid) return own.has(file);
    if (Date.now() - statSync(file).mtimeMs > silence) return false;
    return Number.isSafeInteger(pid) && pid > 0 && alive(pid);
  } catch (error) {
    // Released between our try and our look.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
