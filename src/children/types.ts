import type { AgentConnection } from '../acp/client';
import type { InitializeResponse } from '../acp/types';
import type { Patience } from '../base/patience';

/** What to start and how it is known to the pool. Made by `ask/launch.ts` from a config entry. */
export interface ChildSpec {
  /** The pool's key (rule 1): file and content, or command line and folder; env; role. Never a name. */
  key: string;
  /** How a person knows it, for messages: `bob`. */
  name: string;
  role: 'home' | 'asked';
  command: string;
  args: string[];
  /** The process's own folder: that of the first session. */
  cwd: string;
  /**
   * The child may ask others through us, where we are a hub: our own `mm`, which is described by a file that can be looked up. For any
   * other program there is no caller's file.
   */
  hub: boolean;
  /** The whole environment of the child, already shielded (rule 3). */
  env: Record<string, string>;
}

/** How a process ended. Exactly one of `code`, `signal` and `spawnError` is set. */
export interface ExitInfo {
  code?: number;
  signal?: string;
  spawnError?: NodeJS.ErrnoException;
  /** The last lines of stderr, at most 4 kB, control characters made harmless. */
  stderrTail: string;
}

/** A started child whose `initialize` has been answered. Shared by all who acquired it. */
export interface PooledChild {
  readonly spec: ChildSpec;
  readonly pid: number;
  readonly connection: AgentConnection;
  readonly info: InitializeResponse;
  /** Settles when the process has ended; never rejects. */
  readonly exited: Promise<ExitInfo>;
}

/** A hold on a child. While one is held the child is not ended, also when its key is gone. */
export interface Lease {
  readonly child: PooledChild;
  release(): void;
  /** It does not react: nobody gets this child any more, and it ends with the last hold on it (faults F051, F067). */
  abandon(): void;
  /** Ends the child now, whoever else uses it. Resolves when it is gone; never rejects. */
  end(): Promise<void>;
}

/** How a child is asked for. */
export interface AcquireOptions {
  signal: AbortSignal;
  /** May lengthen the start's deadline, for all who wait for it. */
  patience?: Patience;
  /** A person wants it: the back-off, which is there for models, does not hold. */
  eager?: boolean;
  onState?(state: 'starting' | 'ready'): void;
}

export type ChildState = 'starting' | 'ready' | 'ended';

/** What the pool says of one child, for views and tests. */
export interface ChildStatus {
  /** For `restart`: that of its spec, except for a child that was abandoned. */
  key: string;
  name: string;
  role: 'home' | 'asked';
  state: ChildState;
  pid?: number;
  exit?: ExitInfo;
}
