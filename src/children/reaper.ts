import { type ChildProcess as NodeChild, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import { type Log, silentLog } from '../base/log';
import { endOrphans, launchVariable, removeRecord, writeRecord } from './launches';

/**
 * The shell's whole work: keep a list of process groups that it is told on stdin, and KILL them when stdin closes, which also
 * happens when the host dies by `kill -9`; then what carries the launch's mark and has left its group (`$1`; Linux shows it), and the
 * launch record (`$2`). It ignores what a terminal or a session manager sends to everybody. A group that the
 * kernel has meanwhile given to somebody else is not among them: hosts take a group off the list when its last process has ended.
 */
const loop = `trap '' INT TERM HUP QUIT PIPE
groups=' '
while read -r line; do
  id=\${line#?}
  case $id in ''|*[!0-9]*|0|1) continue;; esac
  rest=\${groups%%" $id "*}
  case $groups in *" $id "*) groups="$rest \${groups#*" $id "}";; esac
  case $line in +*) groups="$groups$id ";; esac
done
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
for round in 1 2; do
  for file in $(grep -alF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    id=\${file#/proc/}
    kill -s KILL "\${id%/environ}" 2>/dev/null
  done
done
[ -z "$2" ] || rm -f -- "$2"
exit 0`;

const mostRestarts = 3;

/**
 * Ends the process groups of this host when the host is gone, however it went (design, section 11). One per host. The shell starts
 * with the first group that is added. On Windows, which has no process groups, it does nothing.
 */
export class Reaper implements Disposable {
  readonly #groups = new Set<number>();
  readonly #log: Log;
  readonly #folder: string | undefined;
  /** Of this host's launches: what carries it in its environment is ours. */
  readonly id = randomBytes(16).toString('hex');
  #record: string | undefined;
  #launches = 0;
  #shell: NodeChild | undefined;
  #restarts = 0;
  #disposed = false;

  private constructor(log: Log, folder: string | undefined) {
    this.#log = log;
    this.#folder = folder;
  }

  /** @param folder for launch records, by which the next host finds what was left if host and reaper are killed together */
  static start(log: Log = silentLog, folder?: string): Reaper {
    return new Reaper(log, folder);
  }

  /** A mark for one launch, to stand in its environment under `launchVariable`. */
  mark(): string {
    return `${this.id}.${++this.#launches}`;
  }

  marked(env: Record<string, string>): Record<string, string> {
    return { ...env, [launchVariable]: this.mark() };
  }

  /** The shell's process id, while it runs. For tests and for who lists processes. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** How many groups are on the list. */
  get size(): number {
    return this.#groups.size;
  }

  /**
   * Starts the shell where it does not run yet; call it before the spawn. A shell that is only started for the first group comes too
   * late for a host that is killed in these milliseconds.
   */
  prepare(): void {
    if (process.platform !== 'win32' && !this.#disposed && !this.#shell) this.#start();
  }

  /** Puts a process group on the list; call it in the same tick as the spawn. */
  add(pgid: number): void {
    if (process.platform === 'win32' || this.#disposed || !isGroup(pgid)) return;
    this.#groups.add(pgid);
    if (this.#shell) this.#tell(`+${pgid}`);
    else this.#start();
  }

  /** Takes a group off the list: its processes have ended. */
  remove(pgid: number): void {
    if (this.#groups.delete(pgid)) this.#tell(`-${pgid}`);
  }

  /** Ends the shell, and with it every group that is still on the list. */
  dispose(): void {
    this.#disposed = true;
    this.#groups.clear();
    this.#shell?.stdin?.end();
    this.#shell = undefined;
    if (this.#record) removeRecord(this.#record);
  }

  #start(): void {
    // Detached: a session of its own, so that neither Ctrl-C nor a signal to the host's group reaches it. Its folder is `/`, so
    // that it holds nobody's disk, and its environment is bare.
    if (this.#folder && !this.#record) {
      this.#record = writeRecord(this.#folder, this.id, this.#log);
      endOrphans(this.#folder, this.#log).catch((error) => this.#log.warn(describe(error)));
    }
    const shell = spawn('/bin/sh', ['-c', loop, 'mm-reaper', `${launchVariable}=${this.id}`, this.#record ?? ''], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: {},
    });
    this.#shell = shell;
    shell.on('error', (error) => this.#gone(shell, error.message));
    shell.on('exit', (code, signal) => this.#gone(shell, `${signal ?? code}`));
    // A broken pipe is followed by `exit`.
    shell.stdin.on('error', () => {});
    // It must not keep the host alive: that the host ends is what it waits for.
    shell.unref();
    (shell.stdin as unknown as { unref?(): void }).unref?.();
    for (const pgid of this.#groups) this.#tell(`+${pgid}`);
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  /** Somebody killed the shell: a new one gets the list. */
  #gone(shell: NodeChild, why: string): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    this.#log.warn(`The process that ends orphans has ended (${why}).`);
    if (this.#groups.size > 0 && this.#restarts++ < mostRestarts) this.#start();
  }
}

function isGroup(pgid: number): boolean {
  return Number.isInteger(pgid) && pgid > 1;
}
