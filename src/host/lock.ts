import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Disposable } from '../base/disposable';
import { obj } from '../chat/raw';

/** How often a holder shows that it lives, and after how much silence one of another machine counts as gone. Milliseconds. */
const beat = 5_000;
const silence = 20_000;
/** Slack between clocks when the time of a lock is compared with the start of the machine. Milliseconds. */
const slack = 60_000;

/** Makes this process the one that writes a file, until it is disposed or lost. */
export interface FileLock extends Disposable {
  /** Looks at the disk: nobody else has taken it. Once false, always false. */
  held(): boolean;
}

/** What stands in a lock. */
interface Holder {
  pid: number;
  host: string;
  /** Of this very taking, so that a lock is told from a later one of the same process. */
  token: string;
  /** When its process began, in the system's own count, where that can be told: process ids are used again. */
  start?: string;
}

/**
 * Makes one window the writer of a file. The holder stands in the lock. On this machine it is free when its process has ended, and
 * never by silence: a window that sleeps wakes up as the holder. Of another machine nothing but silence can be told.
 * @param onLost told once when the lock turns out to be somebody else's: nothing may be written any more.
 * @returns undefined while another window holds it.
 */
export function takeLock(file: string, onLost: () => void = () => undefined): FileLock | undefined {
  const mine: Holder = { pid: process.pid, host: hostname(), token: randomUUID() };
  const start = startOf(process.pid);
  if (start !== undefined) mine.start = start;
  const content = JSON.stringify(mine);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(file, content)) return new Held(file, content, onLost);
    const found = look(file);
    if (found === undefined) continue;
    if (!isFree(found)) return undefined;
    breakLock(file, found.content, mine.token);
  }
  return undefined;
}

/** Whether nobody holds the lock; whoever wants it takes it. */
export function isUnlocked(file: string): boolean {
  const found = look(file);
  return found === undefined || isFree(found);
}

/** Locks that this process holds, by what stands in them. */
const own = new Set<string>();

class Held implements FileLock {
  readonly #timer: ReturnType<typeof setInterval>;
  #state: 'held' | 'lost' | 'released' = 'held';

  constructor(
    private readonly file: string,
    private readonly content: string,
    private readonly onLost: () => void,
  ) {
    own.add(content);
    this.#timer = setInterval(() => this.#beat(), beat);
    this.#timer.unref();
  }

  held(): boolean {
    if (this.#state !== 'held') return false;
    try {
      const found = look(this.file);
      // Somebody has removed it, or is just putting it back: it is taken again, if nobody was faster.
      if (found ? found.content === this.content : create(this.file, this.content)) return true;
      if (look(this.file)?.content === this.content) return true;
    } catch {
      // The folder is gone or not readable: the writes themselves say so to the person.
      return true;
    }
    this.#end('lost');
    this.onLost();
    return false;
  }

  dispose(): void {
    if (this.#state !== 'held') return;
    const mine = this.held();
    this.#end('released');
    if (mine) rmSync(this.file, { force: true });
  }

  #beat(): void {
    if (!this.held()) return;
    const now = new Date();
    try {
      utimesSync(this.file, now, now);
    } catch {
      // As above.
    }
  }

  #end(state: 'lost' | 'released'): void {
    if (this.#state === 'held') this.#state = state;
    own.delete(this.content);
    clearInterval(this.#timer);
  }
}

/** Puts the lock there with its content, at once and as a whole; false when there is one. */
function create(file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600 });
    linkSync(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === undefined || !withoutLinks.has(code)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** What a file system says that has no second names for a file. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

interface Found {
  content: string;
  /** When it was touched last, milliseconds since the epoch. */
  at: number;
}

function look(file: string): Found | undefined {
  try {
    return { content: readFileSync(file, 'utf8'), at: statSync(file).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isFree({ content, at }: Found): boolean {
  const holder = readHolder(content);
  // Being written, or of nobody that we know.
  if (!holder || holder.host !== hostname()) return Date.now() - at > silence;
  if (holder.pid === process.pid && holder.start === startOf(process.pid)) return !own.has(content);
  if (at < Date.now() - uptime() * 1000 - slack) return true; // from before this machine was started
  if (!alive(holder.pid)) return true;
  return holder.start !== undefined && holder.start !== startOf(holder.pid);
}

/**
 * Takes a free lock away. The rename is what only one of several can do; where it has caught the lock of somebody who was faster, that
 * one is put back.
 */
function breakLock(file: string, content: string, token: string): void {
  const aside = `${file}.${token}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== content) putBack(aside, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else has broken it, or has taken it since.
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function putBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (!withoutLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    renameSync(aside, file);
  }
}

function readHolder(content: string): Holder | undefined {
  try {
    const { pid, host, token, start } = obj(JSON.parse(content)) ?? {};
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof host !== 'string' || typeof token !== 'string') return undefined;
    return { pid, host, token, ...(typeof start === 'string' ? { start } : {}) };
  } catch {
    return undefined; // not one of ours
  }
}

/** Linux tells when a process began, in ticks since the start of the machine; elsewhere undefined. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // ended, or not ours to see
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
