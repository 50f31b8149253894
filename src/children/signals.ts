import type { Readable } from 'node:stream';
import { type Disposable, toDisposable } from '../base/disposable';
import type { ChildPool } from './pool';
import { hurriedGraces } from './process';

/** What ended the host. */
export type HostEnd = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent' | 'stdin';

export interface EndWithHostOptions {
  /** Ends the host when it ends: the stdin of `mm -acp`, whose client has gone. */
  stdin?: Readable;
  /**
   * Runs before anything ends, for as long as it takes, where a signal ends the host: what works may come to its end. A second signal does
   * not wait for it.
   */
  before?(why: HostEnd): Promise<void>;
  /** Runs first; the children end while it runs. What it throws changes nothing. */
  onEnd?(why: HostEnd): void | Promise<void>;
  /** `process.exit` when not given. */
  exit?(code: number): void;
  /** The parent as it was when the process began: one that goes before this is called is noticed too. */
  parent?: number;
  /** How often the parent is looked for, in milliseconds. */
  pollEvery?: number;
}

/** 130 is "cancelled" (design, section 7); the others are what a shell says of a process that ended by that signal. */
const exitCodes: Record<HostEnd, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, parent: 129, stdin: 0 };
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends all children of a pool, and then the host, when the host is told to end, its parent has gone, or its stdin has ended (design,
 * section 11). All levels end at the same time: each child hears its own stdin end at once. A second signal ends everything now.
 */
export function endWithHost(pool: Pick<ChildPool, 'end' | 'killNow'>, o: EndWithHostOptions = {}): Disposable {
  const exit = o.exit ?? ((code: number) => process.exit(code));
  let ending = false;
  const end = (why: HostEnd) => {
    if (ending) {
      if (why === 'parent' || why === 'stdin') return;
      pool.killNow();
      exit(exitCodes[why]);
      return;
    }
    ending = true;
    const waits = why === 'parent' || why === 'stdin' ? undefined : o.before?.(why).catch(() => {});
    const go = () => {
      const own = Promise.resolve().then(() => o.onEnd?.(why));
      void Promise.allSettled([pool.end(hurriedGraces), settled(own)]).then(() => exit(exitCodes[why]));
    };
    if (waits) void waits.then(go);
    else go();
  };
  const onSignal = (signal: NodeJS.Signals) => end(signal as HostEnd);
  for (const signal of signals) process.on(signal, onSignal);
  const onStdin = () => end('stdin');
  o.stdin?.once('end', onStdin);
  o.stdin?.once('close', onStdin);
  // On Linux and macOS an orphan gets another parent; on Windows the number stays, and the end of stdin has to do.
  const parent = o.parent ?? process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end('parent');
  }, o.pollEvery ?? 1000);
  timer.unref();
  // However else the process comes to its end: nothing can be waited for any more.
  const onExit = () => pool.killNow();
  process.on('exit', onExit);
  return toDisposable(() => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, onSignal);
    process.off('exit', onExit);
    o.stdin?.off('end', onStdin);
    o.stdin?.off('close', onStdin);
  });
}

/** At most a second for the host's own farewell, so that no bug there keeps the process alive. */
function settled(promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000);
    void promise
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}
