import { type ChildProcess as NodeChild, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import crossSpawn from 'cross-spawn';
import type { Log } from '../base/log';
import { secretsOf } from '../base/secrets';
import type { SpawnFailure } from './exit';
import { groupAlive, signalGroup, taskkill } from './group';
import { endMarked, launchVariable } from './launches';
import type { Reaper } from './reaper';
import { StderrLines, StderrTail } from './stderr';
import { within } from './time';
import type { ChildSpec, ExitInfo } from './types';

/** How long the end of a child waits, in milliseconds: first after its stdin has ended, then after TERM. */
export interface Graces {
  stdin: number;
  term: number;
}

/** For one child of a host that lives on (design, section 11). */
export const calmGraces: Graces = { stdin: 2000, term: 2000 };
/** When the host itself ends. */
export const hurriedGraces: Graces = { stdin: 500, term: 500 };

/** What is left of a group whose leader ended by itself gets this long after TERM. */
const remainderGrace = 500;
const pollEvery = 25;
const windows = process.platform === 'win32';

/**
 * One child process with its whole group: started, watched, ended (design, sections 4.3 and 11; faults F001, F002, F004–F007, F012).
 * On POSIX it leads a process group of its own, so that a signal reaches what a wrapper started. No group is signalled after its
 * last process has ended, so that an id that the system gave to somebody else is never hit.
 */
export class ChildProcess {
  /** Absent when the process could not be started at all. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process itself has ended, or could not be started; never rejects. */
  readonly exited: Promise<ExitInfo>;
  /** Settles when nothing of its group is alive any more; never rejects. */
  readonly gone: Promise<void>;
  readonly #spec: ChildSpec;
  readonly #reaper: Reaper | undefined;
  readonly #tail: StderrTail;
  /** Stands in its environment, and in that of all that it starts. */
  readonly #mark: string | undefined;
  #resolveExited!: (info: ExitInfo) => void;
  #resolveGone!: () => void;
  #hasExited = false;
  #isGone = false;
  #graces: Graces | undefined;

  static spawn(spec: ChildSpec, reaper: Reaper | undefined, log: Log): ChildProcess {
    reaper?.prepare();
    return new ChildProcess(spec, reaper, log);
  }

  private constructor(spec: ChildSpec, reaper: Reaper | undefined, log: Log) {
    this.#spec = spec;
    this.#reaper = reaper;
    this.#tail = new StderrTail(secretsOf(spec.env));
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
    this.#mark = windows ? undefined : reaper?.mark();
    const child = start(spec, this.#mark);
    if (!(child instanceof Error) && child.pid !== undefined) {
      this.pid = child.pid;
      // In the same tick as the spawn: a host that is killed from here on leaves nothing behind.
      if (!windows) reaper?.add(child.pid);
    }
    this.stdin = (child instanceof Error ? undefined : child.stdin) ?? new PassThrough().resume();
    this.stdout = (child instanceof Error ? undefined : child.stdout) ?? new PassThrough().end();
    // A child that ended takes its pipes along; the exit says so in better words.
    this.stdin.on('error', () => {});
    this.stdout.on('error', () => {});
    if (child instanceof Error) queueMicrotask(() => this.#failed(child));
    else this.#watch(child, log);
  }

  /** It has answered: until then its stderr is what a person looks for in the log (faults F006). */
  started = false;

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** The last lines of stderr, at most 4 kB, harmless to show. */
  stderrTail(): string {
    return this.#tail.text();
  }

  /**
   * Ends the process and all of its group: stdin ends, a grace, TERM, a grace, KILL. Resolves when nothing of it is left. May be
   * called again, also with shorter graces while a longer call runs.
   */
  async stop(graces: Graces = calmGraces): Promise<void> {
    if (this.#isGone) return;
    this.#graces = graces;
    this.stdin.end();
    await within(this.exited, graces.stdin);
    await this.#terminate(graces.term);
  }

  /** KILL to the group, now. For the last moment of a host, where nothing can be waited for. */
  killNow(): void {
    if (this.#isGone || this.pid === undefined) return;
    if (windows) void taskkill(this.pid);
    else signalGroup(this.pid, 'SIGKILL');
  }

  async #terminate(grace: number): Promise<void> {
    if (this.#isGone || this.pid === undefined) return;
    if (windows) {
      // There is no TERM. Once the process has ended its tree cannot be found any more.
      if (!this.#hasExited) await taskkill(this.pid);
      await within(this.gone, 2000);
      return;
    }
    signalGroup(this.pid, 'SIGTERM');
    // A stopped process (Ctrl-Z in its group) takes TERM only when it goes on.
    signalGroup(this.pid, 'SIGCONT');
    if (await within(this.gone, grace)) return;
    this.killNow();
    await within(this.gone, 2000);
  }

  #watch(child: NodeChild, log: Log): void {
    const { name } = this.#spec;
    const lines = new StderrLines((line) => {
      const words = `${name}: ${this.#tail.mask(line)}`;
      if (this.started) log.debug(words);
      else log.info(words);
    });
    let stderrClosed: Promise<unknown> = Promise.resolve();
    if (child.stderr) {
      const { stderr } = child;
      stderr.on('data', (chunk: Buffer) => {
        this.#tail.push(chunk);
        lines.push(chunk);
      });
      stderr.on('error', () => {});
      stderr.on('end', () => lines.finish());
      stderrClosed = new Promise((resolve) => stderr.once('close', resolve));
    }
    child.on('error', (error) => {
      if (!this.#hasExited) this.#failed(error);
    });
    child.once('exit', (code, signal) => {
      if (this.#hasExited) return;
      this.#hasExited = true;
      // What was written before the end may still be in the pipe; a descendant may hold it open for ever.
      void within(stderrClosed, 150).then(() => {
        const info: ExitInfo = { stderrTail: this.stderrTail() };
        if (signal) info.signal = signal;
        else info.code = code ?? 0;
        this.#resolveExited(info);
      });
      void this.#endRemainder(child);
    });
  }

  /** The leader has ended; wrappers leave the real agent behind (F001, F002). */
  async #endRemainder(child: NodeChild): Promise<void> {
    const pid = this.pid;
    if (pid !== undefined && !windows && groupAlive(pid)) {
      signalGroup(pid, 'SIGTERM');
      const start = Date.now();
      let killed: number | undefined;
      while (groupAlive(pid)) {
        const now = Date.now();
        if (killed === undefined && now - start >= (this.#graces?.term ?? remainderGrace)) {
          signalGroup(pid, 'SIGKILL');
          killed = now;
        }
        // What outlives KILL hangs in the kernel; it stays on the reaper's list.
        if (killed !== undefined && now - killed > 5000) {
          this.#settleGone();
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, pollEvery));
      }
    }
    // what has left the group (`setsid`)
    if (this.#mark !== undefined) await endMarked(this.#mark);
    if (pid !== undefined) this.#reaper?.remove(pid);
    this.#settleGone();
    if (child.stdout) await letGo(child.stdout as Socket);
    if (child.stderr) await letGo(child.stderr as Socket);
  }

  #settleGone(): void {
    this.#isGone = true;
    this.#resolveGone();
  }

  #failed(error: NodeJS.ErrnoException): void {
    this.#hasExited = true;
    if (this.pid !== undefined) this.#reaper?.remove(this.pid);
    this.#resolveExited({ spawnError: explain(error, this.#spec), stderrTail: this.stderrTail() });
    this.#settleGone();
    // There is nobody at the other end; whoever reads is told so.
    this.stdout.destroy();
  }
}

function start(spec: ChildSpec, mark: string | undefined): NodeChild | NodeJS.ErrnoException {
  const options: SpawnOptions = {
    cwd: spec.cwd,
    env: mark === undefined ? spec.env : { ...spec.env, [launchVariable]: mark },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: !windows,
    windowsHide: true,
    shell: false,
  };
  try {
    // cross-spawn finds `.cmd` shims on Windows and quotes for them (F007); elsewhere it adds nothing.
    return windows ? crossSpawn(spec.command, spec.args, options) : spawn(spec.command, spec.args, options);
  } catch (error) {
    // Arguments or a system that spawn refuses at once (E2BIG, a NUL character).
    return error as NodeJS.ErrnoException;
  }
}

/**
 * Closes a pipe that a descendant outside the group holds open, so that nobody waits for its end for ever. Not while its reader has
 * paused it, or while something still comes: the last answer may be in it.
 */
async function letGo(stream: Socket): Promise<void> {
  let seen = -1;
  while (!stream.readableEnded && !stream.destroyed) {
    const idle = stream.bytesRead === seen && stream.readableFlowing !== false && stream.readableLength === 0;
    if (idle) {
      stream.destroy();
      return;
    }
    seen = stream.bytesRead;
    await new Promise((resolve) => setTimeout(resolve, 200).unref());
  }
}

/** `spawn` says ENOENT for three things: no such program, no such interpreter, no such folder. */
function explain(error: SpawnFailure, spec: ChildSpec): SpawnFailure {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') {
    error.path ??= spec.command;
    return error;
  }
  if (!existsSync(spec.cwd)) return Object.assign(error, { syscall: 'chdir', path: spec.cwd });
  const program = findProgram(spec);
  error.path = program ?? spec.command;
  const interpreter = program === undefined ? undefined : interpreterOf(program);
  if (interpreter) error.interpreter = interpreter;
  else if (!/[\\/]/.test(spec.command)) error.searched = spec.env.PATH ?? spec.env.Path ?? '';
  return error;
}

function findProgram(spec: ChildSpec): string | undefined {
  if (/[\\/]/.test(spec.command)) return existsSync(spec.command) ? spec.command : undefined;
  const folders = (spec.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, spec.command)).find((file) => existsSync(file));
}

/** What the first line of a script asks for: `#!/usr/bin/python9` → `/usr/bin/python9`. */
function interpreterOf(file: string): string | undefined {
  const head = Buffer.alloc(256);
  try {
    const fd = openSync(file, 'r');
    try {
      const length = readSync(fd, head, 0, head.length, 0);
      return /^#!\s*(\S+)/.exec(head.toString('utf8', 0, length))?.[1];
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not readable: then the plain words of the error are all that can be said.
    return undefined;
  }
}
