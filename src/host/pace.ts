import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/event';
import { Batch } from '../chat/batch';
import type { NodeId, Patch } from '../chat/nodes';

/** Milliseconds between two batches of patches; about 30 a second (design, section 11). */
const frame = 33;
/** A growing output above this many characters is sent only every `largePause` milliseconds. */
const largeOutput = 16_000;
const largePause = 250;

/**
 * The pace at which changes leave a conversation: words are gathered for a frame, what a person waits for (a question, the end of a
 * turn, their own words) goes at once and takes along what was gathered before it.
 */
export class Pace implements Disposable {
  readonly #batch = new Batch();
  readonly #patches = new Emitter<Patch[]>();
  readonly #state = new Emitter<void>();
  readonly onPatches: Event<Patch[]> = this.#patches.event;
  readonly onState: Event<void> = this.#state.event;
  readonly #largeSent = new Map<NodeId, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = 0;
  #stateDue = false;
  #urgent = false;
  #disposed = false;

  add(patch: Patch): void {
    if (this.#disposed) return;
    this.#batch.add(patch);
    this.#schedule(isUrgent(patch));
  }

  /** The page's state has changed; told with the next batch. */
  state(): void {
    if (this.#disposed) return;
    this.#stateDue = true;
    this.#schedule(false);
  }

  /** Sends what has gathered now. */
  flush(all = true): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#urgent = false;
    this.#sent = performance.now();
    const patches = this.#batch.drain(all ? undefined : (patch) => this.#hold(patch));
    if (patches.length > 0) this.#patches.fire(patches);
    if (this.#stateDue) {
      this.#stateDue = false;
      this.#state.fire();
    }
    if (!this.#batch.empty && !this.#disposed) this.#timer ??= setTimeout(() => this.flush(false), largePause);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#patches.dispose();
    this.#state.dispose();
  }

  #schedule(urgent: boolean): void {
    if (urgent && !this.#urgent) {
      // At the end of the present task: what belongs together is still written by it.
      this.#urgent = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.flush(false), 0);
      return;
    }
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, frame - (performance.now() - this.#sent));
    this.#timer = setTimeout(() => this.flush(false), wait);
  }

  /** A large output that grows is not sent whole with every update. Its first state and its last one are never held back. */
  #hold(patch: Patch): boolean {
    if (patch.op !== 'put' || patch.node.kind !== 'tool') return false;
    const { id, state, output } = patch.node;
    if (output.length < largeOutput || (state !== 'running' && state !== 'waiting')) {
      this.#largeSent.delete(id);
      return false;
    }
    const now = performance.now();
    const last = this.#largeSent.get(id);
    if (last !== undefined && now - last < largePause) return true;
    this.#largeSent.set(id, now);
    return false;
  }
}

function isUrgent(patch: Patch): boolean {
  if (patch.op !== 'put') return false;
  const { node } = patch;
  switch (node.kind) {
    case 'user':
    case 'permission':
    case 'notice':
      return true;
    case 'turn':
    case 'ask':
      return node.state === 'done' || node.state === 'starting';
    default:
      return false;
  }
}
