import { AgentConnection } from '../acp/client';
import { RpcError } from '../acp/peer';
import type { Implementation, InitializeResponse } from '../acp/types';
import type { Disposable } from '../base/disposable';
import { CancelledError, describe, isCancelled, UserError } from '../base/errors';
import { Emitter, type Event } from '../base/event';
import { l10n } from '../base/l10n';
import { type Log, namedLog } from '../base/log';
import { Patience } from '../base/patience';
import { cap, visible } from '../base/text';
import { BackOff, WaitingError } from './back-off';
import { describeExit, exitHint, isMissing } from './exit';
import { joinPaths, loginPath } from './login-path';
import { ChildProcess, calmGraces, type Graces, hurriedGraces } from './process';
import { Reaper } from './reaper';
import { strangerInWords } from './stranger';
import { within } from './time';
import type { AcquireOptions, ChildSpec, ChildState, ChildStatus, ExitInfo, Lease, PooledChild } from './types';

/** What a connection is made from. */
export interface ConnectOptions {
  spec: ChildSpec;
  process: ChildProcess;
  log: Log;
  /** Why the connection ended, in words; asked when the child's stdout has ended. */
  endReason(): Promise<Error>;
}

export interface PoolOptions {
  log: Log;
  /** We carry asks (`_mm/ask`) for those of our children that are a `mm`. */
  hub: boolean;
  clientInfo: Implementation;
  /** Milliseconds that a child may take to answer `initialize`; 30 s, since a first start of some agents takes ten (faults F006). */
  initializeDeadline?: number;
  /** The host's reaper; without one the pool makes its own with the first child. */
  reaper?: Reaper;
  /** The PATH of the person's login shell, for a program that was not found (faults F005); `loginPath` when nothing is said. */
  loginPath?(): Promise<string | undefined>;
  /** The clock of the back-off, milliseconds; for tests. */
  now?(): number;
  /** For tests. */
  connect?(o: ConnectOptions): AgentConnection;
}

/** A child is over, and with it whatever was pending on it; the message says how, the detail has the tail of its stderr. */
export class ChildEndedError extends UserError {
  readonly exit: ExitInfo | undefined;

  constructor(message: string, o: { exit?: ExitInfo; detail?: string; hint?: string } = {}) {
    super(message, { detail: o.detail || undefined, hint: o.hint });
    this.name = 'ChildEndedError';
    this.exit = o.exit;
  }
}

/** Why we ended a child ourselves. */
type Ending = 'restart' | 'replaced' | 'unwanted' | 'host' | 'closed' | 'failed';

interface Entry {
  readonly spec: ChildSpec;
  /** Where it stands: under its spec's key, until it is abandoned. */
  key: string;
  abandoned: boolean;
  state: ChildState;
  process?: ChildProcess;
  connection?: AgentConnection;
  info?: InitializeResponse;
  exit?: ExitInfo;
  /** Leases that are held. */
  leases: number;
  /** Who waits for the start. */
  waiters: number;
  ready: Promise<void>;
  readonly start: AbortController;
  /** Of all who wait for the start. */
  readonly patience: Patience;
  ending?: Ending;
  /** Lines that were no messages, before it was ready; the first few. */
  readonly words: string[];
  /** It is started once more, with the PATH of the login shell. */
  again?: Promise<string | undefined>;
  tried?: boolean;
}

/** Lines of a program that is no agent which are kept for its sentence. */
const mostWords = 20;

/**
 * The children of one host, each started once and shared (rule 1). Its key decides what is the same child; a child that died is
 * replaced by the next `acquire`, a start that failed is not remembered.
 */
export class ChildPool implements Disposable {
  readonly #options: PoolOptions;
  readonly #entries = new Map<string, Entry>();
  /** No longer to be had, and not gone yet. */
  readonly #leaving = new Map<Entry, Promise<void>>();
  /** The last unexpected end under a key, until it is replaced. */
  readonly #dead = new Map<string, { spec: ChildSpec; status: ChildStatus }>();
  readonly #changed = new Emitter<void>();
  #reaper: Reaper | undefined;
  #isCurrent: (spec: ChildSpec) => boolean = () => true;
  readonly #backOff: BackOff;
  #closing = false;
  #abandoned = 0;

  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#reaper = options.reaper;
    this.#backOff = new BackOff(options.now);
  }

  /**
   * A hold on the child of `spec.key`, which is started when there is none. Rejects with a UserError in words when it cannot be
   * started, and with CancelledError when `signal` fires first. The start goes on as long as anybody waits for it.
   */
  async acquire(spec: ChildSpec, o: AcquireOptions): Promise<Lease> {
    if (o.signal.aborted || this.#closing) throw new CancelledError();
    const entry = this.#entries.get(spec.key) ?? this.#start(spec, o.eager === true);
    if (entry.state === 'starting') o.onState?.('starting');
    const waits = o.patience?.join(entry.patience);
    entry.waiters++;
    try {
      await untilAborted(entry.ready, o.signal);
      if (entry.state !== 'ready') throw this.#endError(entry);
      entry.leases++;
    } finally {
      waits?.dispose();
      entry.waiters--;
      if (entry.state === 'starting' && entry.waiters === 0) void this.#end(entry, 'unwanted', hurriedGraces);
    }
    o.onState?.('ready');
    return this.#lease(entry);
  }

  /**
   * Says which children are still current, for now and for later: one that is not ends when its last lease is released (rule 1).
   */
  retain(isCurrent: (spec: ChildSpec) => boolean): void {
    this.#isCurrent = isCurrent;
    for (const [key, { spec }] of this.#dead) if (!isCurrent(spec)) this.#dead.delete(key);
    for (const entry of [...this.#entries.values()]) this.#endIfUnused(entry);
    this.#changed.fire();
  }

  /** Ends the child of this key, whoever uses it; the next `acquire` starts a new one. Resolves when the old one is gone. */
  async restart(key: string): Promise<void> {
    this.#dead.delete(key);
    this.#backOff.forget(key);
    const entry = this.#entries.get(key);
    if (entry) await this.#end(entry, 'restart', calmGraces);
  }

  /** Living children, and those that ended by themselves and were not replaced yet. */
  statuses(): ChildStatus[] {
    return [...[...this.#entries.values()].map(statusOf), ...[...this.#dead.values()].map(({ status }) => status)];
  }

  /** Ends all children at the same time and takes no new ones. Resolves when they are gone. */
  async end(graces: Graces = hurriedGraces): Promise<void> {
    this.#closing = true;
    // Those that were leaving calmly are hurried too.
    for (const [entry, left] of [...this.#leaving]) {
      const hurried = entry.process?.stop(graces) ?? Promise.resolve();
      this.#leave(
        entry,
        Promise.all([left, hurried]).then(() => {}),
      );
    }
    for (const entry of [...this.#entries.values()]) void this.#end(entry, 'host', graces);
    await Promise.all([...this.#leaving.values()]);
    if (!this.#options.reaper) this.#reaper?.dispose();
  }

  /** KILL to everything, now: for a host that has no time left. */
  killNow(): void {
    this.#closing = true;
    for (const entry of [...this.#entries.values(), ...this.#leaving.keys()]) entry.process?.killNow();
  }

  dispose(): void {
    this.end()
      .catch((error: unknown) => this.#options.log.error(`Not all agents could be ended: ${describe(error)}`))
      .finally(() => this.#changed.dispose());
  }

  #start(spec: ChildSpec, eager: boolean): Entry {
    const entry: Entry = {
      spec,
      key: spec.key,
      abandoned: false,
      state: 'starting',
      leases: 0,
      waiters: 0,
      ready: Promise.resolve(),
      start: new AbortController(),
      patience: new Patience(),
      words: [],
    };
    this.#entries.set(spec.key, entry);
    this.#dead.delete(spec.key);
    entry.ready = this.#bringUp(entry, eager);
    // Whoever waits hears of it; when nobody waits any more it is no unhandled rejection.
    entry.ready.catch(() => {});
    this.#changed.fire();
    return entry;
  }

  async #bringUp(entry: Entry, eager: boolean): Promise<void> {
    const { log, hub, clientInfo, initializeDeadline = 30_000 } = this.#options;
    const { spec } = entry;
    // One tick later, so that whoever asked is counted before anything can fail.
    await Promise.resolve();
    try {
      if (entry.ending) throw this.#endError(entry);
      if (!eager) this.#backOff.refuse(spec);
      this.#reaper ??= Reaper.start(log);
      const begin = (env: Record<string, string>) => {
        const child = ChildProcess.spawn({ ...spec, env }, this.#reaper, log);
        entry.process = child;
        const died = child.exited.then((info) => this.#exited(entry, info));
        const connection = this.#connect(entry, child);
        entry.connection = connection;
        connection.onNoise(({ text }) => {
          if (!entry.info && entry.words.length < mostWords) entry.words.push(text);
        });
        connection.closed
          .then(() => {
            connection.dispose();
            return entry.connection === connection && !entry.again
              ? this.#end(entry, 'closed', hurriedGraces)
              : undefined;
          })
          .catch((error: unknown) => this.#options.log.error(`${spec.name}: ${describe(error)}`));
        const answer = connection.initialize({
          clientInfo,
          hub: hub && spec.hub,
          deadline: initializeDeadline,
          patience: entry.patience,
          signal: entry.start.signal,
        });
        return Promise.race([answer, died.then(() => undefined)]);
      };
      let info = await begin(spec.env).catch((error: unknown) => {
        if (!entry.again) throw error;
        return undefined;
      });
      if (!info && entry.again) {
        const path = await entry.again;
        entry.again = undefined;
        if (path !== undefined && !entry.ending) {
          log.info(`${spec.name}: started again with the PATH of the login shell`);
          entry.exit = undefined;
          entry.words.length = 0;
          info = await begin({ ...spec.env, PATH: path });
        } else if (entry.exit) this.#exited(entry, entry.exit);
      }
      if (!info || entry.state === 'ended') throw this.#endError(entry);
      this.#backOff.forget(spec.key);
      entry.info = info;
      entry.state = 'ready';
      entry.process!.started = true;
      log.info(`${spec.name}: process ${entry.process?.pid} is ready`);
      this.#changed.fire();
    } catch (error) {
      const said = await this.#startError(entry, error);
      if (!isCancelled(said) && !(said instanceof WaitingError)) this.#backOff.failed(spec.key);
      throw said;
    }
  }

  /** A program that was not found may stand on the PATH of the login shell, once. */
  #elsewhere(entry: Entry, info: ExitInfo): Promise<string | undefined> | undefined {
    if (entry.info || entry.ending || entry.tried || !isMissing(info)) return undefined;
    entry.tried = true;
    const { loginPath: asked = loginPath } = this.#options;
    return asked().then((path) => (path === undefined ? undefined : joinPaths(entry.spec.env.PATH ?? '', path)));
  }

  #connect(entry: Entry, process: ChildProcess): AgentConnection {
    const { spec } = entry;
    const endReason = async () => {
      await within(process.exited, 700);
      return this.#endError(entry);
    };
    const log = namedLog(this.#options.log, spec.name);
    if (this.#options.connect) return this.#options.connect({ spec, process, log, endReason });
    return new AgentConnection({ input: process.stdout, output: process.stdin, log, endReason });
  }

  /** What is no agent says something else than why it ended; one that failed in words of its own is an agent all the same. */
  #stranger(entry: Entry, error: unknown): UserError | undefined {
    const { exit, info, words, spec } = entry;
    const echoed = entry.connection?.echoed ?? false;
    const own = exit !== undefined && (exit.code === undefined || exit.code === 127);
    if (info || own || isCancelled(error) || entry.ending === 'restart') return undefined;
    if (error instanceof RpcError && !echoed) return undefined;
    const stderr = entry.process?.stderrTail() ?? '';
    const said = strangerInWords(spec.name, { lines: words, echoed, stderr, failed: (exit?.code ?? 0) !== 0 });
    if (!said) return undefined;
    const lines = words.slice(0, 5).map((line) => visible(cap(line, 300).text));
    const detail = [...lines, stderr].filter(Boolean).join('\n');
    return new UserError(l10n.t('{0} could not be started: {1}', spec.name, said.message), { hint: said.hint, detail });
  }

  #exited(entry: Entry, info: ExitInfo): void {
    entry.exit = info;
    entry.again = this.#elsewhere(entry, info);
    if (entry.again) return;
    const { key } = entry;
    const expected = entry.ending !== undefined && entry.ending !== 'closed';
    if (!expected) {
      this.#options.log.warn([describeExit(entry.spec.name, info), info.stderrTail].filter(Boolean).join('\n'));
      const replaced = entry.abandoned || (this.#entries.has(key) && this.#entries.get(key) !== entry);
      if (entry.info && !replaced)
        this.#dead.set(key, { spec: entry.spec, status: { ...statusOf(entry), state: 'ended' } });
    }
    if (this.#entries.get(key) === entry) {
      this.#entries.delete(key);
      // What is left of its group is still being ended.
      this.#leave(entry, entry.process?.gone ?? Promise.resolve());
    }
    entry.state = 'ended';
    this.#changed.fire();
  }

  #end(entry: Entry, why: Ending, graces: Graces): Promise<void> {
    if (this.#entries.get(entry.key) !== entry) return this.#leaving.get(entry) ?? Promise.resolve();
    entry.ending = why;
    this.#entries.delete(entry.key);
    entry.state = 'ended';
    entry.start.abort();
    const gone = this.#leave(entry, entry.process?.stop(graces) ?? Promise.resolve());
    this.#changed.fire();
    return gone;
  }

  /** Notes that it goes. Never rejects: what could not be ended is said, and nobody waits for it. */
  #leave(entry: Entry, gone: Promise<void>): Promise<void> {
    // The connection ends by itself, when its reader has taken what was written before the end.
    const left = gone
      .catch((error: unknown) => this.#options.log.error(`${entry.spec.name} could not be ended: ${describe(error)}`))
      .then(() => void this.#leaving.delete(entry));
    this.#leaving.set(entry, left);
    return left;
  }

  #endIfUnused(entry: Entry): void {
    if (entry.leases > 0 || entry.waiters > 0) return;
    if (entry.abandoned) void this.#end(entry, 'replaced', hurriedGraces);
    else if (!this.#isCurrent(entry.spec)) void this.#end(entry, 'replaced', calmGraces);
  }

  /** Makes room under its key for a child that reacts. */
  #abandon(entry: Entry): void {
    if (entry.abandoned || this.#entries.get(entry.key) !== entry) return;
    this.#options.log.warn(`${entry.spec.name} does not react; the next ask starts another process`);
    this.#entries.delete(entry.key);
    entry.abandoned = true;
    entry.key = `${entry.spec.key} ${++this.#abandoned}`;
    this.#entries.set(entry.key, entry);
    this.#changed.fire();
  }

  #lease(entry: Entry): Lease {
    let held = true;
    const child: PooledChild = {
      spec: entry.spec,
      pid: entry.process!.pid!,
      connection: entry.connection!,
      info: entry.info!,
      exited: entry.process!.exited,
    };
    return {
      child,
      release: () => {
        if (!held) return;
        held = false;
        entry.leases--;
        this.#endIfUnused(entry);
      },
      abandon: () => this.#abandon(entry),
      end: () => this.#end(entry, 'restart', hurriedGraces),
    };
  }

  /** Why the connection to this child is over, for whoever had something pending on it. */
  #endError(entry: Entry): Error {
    const { name } = entry.spec;
    if (entry.ending === 'restart') return new ChildEndedError(l10n.t('{0} was restarted', name));
    if (entry.ending === 'host' || entry.ending === 'unwanted' || entry.ending === 'replaced')
      return new CancelledError();
    const { exit } = entry;
    if (exit)
      return new ChildEndedError(describeExit(name, exit), { exit, detail: exit.stderrTail, hint: exitHint(exit) });
    return new ChildEndedError(l10n.t('{0} closed its output while it was still running', name), {
      detail: entry.process?.stderrTail(),
    });
  }

  /** What to say of a start that failed; ends what came up of it. */
  async #startError(entry: Entry, error: unknown): Promise<Error> {
    const { name } = entry.spec;
    const own = entry.ending;
    // An agent that answers with an error and exits says more in its answer; one that only exits, in its exit.
    if (entry.process && !isCancelled(error)) await within(entry.process.exited, 300);
    void this.#end(entry, 'failed', hurriedGraces);
    if (error instanceof WaitingError) return error;
    const stranger = this.#stranger(entry, error);
    if (stranger) return stranger;
    if ((own && own !== 'closed') || entry.exit?.spawnError) return this.#endError(entry);
    if (error instanceof ChildEndedError) return error;
    const detail = entry.process?.stderrTail() || undefined;
    const hint = error instanceof UserError ? error.hint : undefined;
    return new UserError(l10n.t('{0} could not be started: {1}', name, describe(error)), {
      detail,
      hint,
      cause: error,
    });
  }
}

function statusOf(entry: Entry): ChildStatus {
  const { spec, key, state, exit } = entry;
  return { key, name: spec.name, role: spec.role, state, pid: entry.process?.pid, exit };
}

/** A promise, or the end of this one wait for it. */
function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new CancelledError());
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
