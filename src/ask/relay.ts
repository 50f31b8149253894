import type { Log } from '../base/log';
import type { MmConfig, PathEntry } from '../config/types';
import { PermissionGate } from './gate';
import type { HookSurroundings } from './hooks';
import { EventQueue } from './queue';
import { AskRun, type RunParts } from './run';
import { linkedStop } from './stop';
import type { AskEvent, AskRequest, AskTarget, InputAsker } from './types';
import type { Ticker } from './watchdog';

export interface RelayOptions {
  /** Asked in order; the first that serves an entry carries the ask. */
  targets: AskTarget[];
  log: Log;
  /** The agents that are asked send `_mm/ask` here. Needs `loadConfigOf`. */
  hub: boolean;
  /** Loads an asked agent's own file, which is the caller's file of what that agent asks. */
  loadConfigOf?(entry: PathEntry): Promise<MmConfig>;
  /** Milliseconds that a cancelled agent has to end its turn before the ask ends without it; 5,000 when nothing is said. */
  cancelGrace?: number;
  /** What hooks need; without it an ask whose file has hooks is refused. */
  hooks?: HookSurroundings;
  /** Answers what agents ask back (A2A's `input-required`), where a request itself names nobody. */
  input?: InputAsker;
  /** For tests: the watchdogs' clock. */
  every?: Ticker;
}

/**
 * Carries questions to agents and answers back (design, section 4). There is one in a process; `/ask-bob`, `ask_agent` and
 * `mm --ask` all call it, and differ in who the caller is and who answers a permission.
 */
export class Relay {
  /** Where permissions are decided; the host settles the home agent's own calls here too. */
  readonly gate: PermissionGate;
  readonly #parts: RunParts;
  readonly #running = new Map<string, { run: AskRun; stop: AbortController }>();

  constructor(options: RelayOptions) {
    this.gate = new PermissionGate(options.log);
    this.#parts = {
      targets: options.targets,
      log: options.log,
      gate: this.gate,
      hub: options.hub,
      loadConfigOf: options.loadConfigOf,
      cancelGrace: options.cancelGrace ?? 5_000,
      hooks: options.hooks,
      input: options.input,
      every: options.every,
      ask: (request) => this.ask(request),
    };
  }

  /**
   * Stops one ask and what it asked, and nothing above it: by the id of its request, or of a `nested` event. Whoever asked hears that it
   * was stopped. False when no such ask runs.
   */
  stop(askId: string): boolean {
    const running = this.#running.get(askId);
    running?.stop.abort();
    return running !== undefined;
  }

  /** The ask's agent is being started, and the person would rather wait than see it given up (faults F006). */
  wait(askId: string): void {
    this.#running.get(askId)?.run.wait();
  }

  /** Ends the process of an agent that was stopped and goes on all the same, without its grace (faults F051). */
  force(askId: string): void {
    this.#running.get(askId)?.run.force();
  }

  /**
   * One ask, started by the first `next`, for one consumer. Yields what happens in its order, at last `end` with the
   * answer. While the consumer is behind, the agent is held back. Leaving the loop early cancels the ask.
   * @throws AskError out of the iteration when the ask ends without an answer.
   */
  async *ask(request: AskRequest): AsyncGenerator<AskEvent, void, undefined> {
    const queue = new EventQueue<AskEvent>();
    const stop = linkedStop(request.signal);
    const run = new AskRun(this.#parts, request, stop.signal, (event) => queue.push(event));
    const running = { run, stop: stop.controller };
    this.#running.set(request.id, running);
    const done = run.run().then(
      (answer) => {
        void queue.push({ type: 'end', answer });
        queue.end();
      },
      (error: unknown) => queue.fail(error),
    );
    try {
      for (let next = await queue.next(); next; next = await queue.next()) yield next.value;
    } finally {
      queue.close();
      if (this.#running.get(request.id) === running) this.#running.delete(request.id);
      stop.controller.abort();
      stop.dispose();
      await done;
    }
  }
}
