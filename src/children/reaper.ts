import { type ChildProcess as NodeChild, spawn } from 'node:child_process';
import type { Disposable } from '../base/disposable';
import { type Log, silentLog } from '../base/log';

/**
 * The shell's whole work: keep a list of process groups that it is told on stdin, and KILL them when stdin closes, which also
 * happens when the host dies by `kill -9`. It ignores what a terminal or a session manager sends to everybody. A group that the
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
exit 0`;

const mostRestarts = 3;

/**
 * Ends the process groups of this host when the host is gone, however it went (design, section 11). One per host. The shell starts
 * with the first group that is added. On Windows, which has no process groups, it does nothing.
 */
export class Reaper implements Disposable {
  readonly #groups = new Set<number>();
  readonly #log: Log;
  #shell: NodeChild | undefined;
  #restarts = 0;
  #disposed = false;

  private constructor(log: Log) {
    this.#log = log;
  }

  static start(log: Log = silentLog): Reaper {
    return new Reaper(log);
  }

  /** The shell's process id, while it runs. For tests and for who lists processes. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** How many groups are on the list. */
  get size(): number {
    return this.#groups.size;
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
  }

  #start(): void {
    // Detached: a session of its own, so that neither Ctrl-C nor a signal to the host's group reaches it. Its folder is `/`, so
    // that it holds nobody's disk, and its environment is bare.
    const shell = spawn('/bin/sh', ['-c', loop], {
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
