import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '../base/errors';
import type { Log } from '../base/log';

/**
 * Every child carries the id of its launch in this variable, and whatever it starts inherits it: so what has left its process group
 * (`setsid`) is still known as ours. The id is random; nobody else's process has it.
 */
export const launchVariable = 'MM_LAUNCH';

/**
 * Ends the processes that carry a launch's mark, wherever they went: KILL, since they have had their grace with their group. Looks
 * twice, for what was forked meanwhile. Only Linux shows the environment of processes; elsewhere nothing is found.
 * @param mark the whole value, or the start of it up to a dot
 * @returns how many were ended
 */
export async function endMarked(mark: string): Promise<number> {
  // by id: one that is still dying is found again
  const ended = new Set<number>();
  for (let round = 0; round < 2; round++) {
    const found = await marked(mark);
    if (found.length === 0) break;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
        ended.add(pid);
      } catch {
        // It ended by itself between the look and the signal.
      }
    }
  }
  return ended.size;
}

async function marked(mark: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const names = await readdir('/proc').catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // Other people's processes cannot be read, and are not ours.
    const env = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (carries(env, mark)) found.push(Number(name));
  }
  return found;
}

/** Whether an environment, its entries parted by NUL, has the mark or one below it. */
export function carries(environ: string, mark: string): boolean {
  const at = `\0${environ}`.indexOf(`\0${launchVariable}=${mark}`);
  if (at < 0) return false;
  const next = environ.charAt(at + launchVariable.length + 1 + mark.length);
  return next === '' || next === '\0' || next === '.';
}

interface LaunchRecord {
  /** Of the host. A process id alone may be somebody else's by now. */
  pid: number;
  start: string;
}

/**
 * When a process was started, in the system's own terms; the same id with another start is another process. Undefined when there is no
 * such process, or no way to know.
 */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
      // pid (comm) state ppid …; field 22 is the start in ticks since boot
      return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
    }
    if (process.platform === 'win32') return undefined;
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000 }).trim() || undefined
    );
  } catch {
    return undefined;
  }
}

/** Notes that this host has children under `id`. @returns the file, or undefined where it could not be written. */
export function writeRecord(folder: string, id: string, log: Log): string | undefined {
  const start = startOf(process.pid);
  if (start === undefined) return undefined;
  const file = join(folder, `${id}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ pid: process.pid, start } satisfies LaunchRecord)}\n`, { mode: 0o600 });
    return file;
  } catch (error) {
    log.warn(`The launch record could not be written: ${describe(error)}`);
    return undefined;
  }
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true });
}

const recordName = /^([0-9a-f]{32})\.json$/;

/**
 * Ends what hosts left behind that were killed together with their reaper, and forgets their records. A host that lives keeps its
 * children: its id and its start are still those of the record.
 * @returns how many processes were ended
 */
export async function endOrphans(folder: string, log: Log): Promise<number> {
  let ended = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const id = recordName.exec(name)?.[1];
    if (id === undefined) continue;
    const file = join(folder, name);
    const record = read(await readFile(file, 'utf8').catch(() => ''));
    if (record ? startOf(record.pid) === record.start : await isFresh(file)) continue;
    const count = await endMarked(id);
    if (count > 0) log.info(`${count} processes of a host that had been killed were ended`);
    ended += count;
    await rm(file, { force: true }).catch((error: unknown) => log.warn(describe(error)));
  }
  return ended;
}

/** A record that cannot be read may be one that a living host is just writing; after a minute it is nobody's. */
async function isFresh(file: string): Promise<boolean> {
  const written = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined, // Its host has ended and taken it along.
  );
  return written === undefined || Date.now() - written < 60_000;
}

/** Undefined for what is no record, or not yet one. */
function read(text: string): LaunchRecord | undefined {
  try {
    const { pid, start } = JSON.parse(text) as Partial<LaunchRecord>;
    return typeof pid === 'number' && pid > 1 && typeof start === 'string' ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}
