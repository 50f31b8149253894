import type { SessionUpdate } from '../acp/types';

/** Milliseconds for which text is collected after a piece was sent: below what an eye sees, well above what a frame costs. */
const interval = 20;

/**
 * Sends a model's text and thoughts as chunks: the first at once, what follows collected for some milliseconds. Every switch between text
 * and thought begins a new message id (faults F033). Awaiting `push` gives the pipe's backpressure to the model's stream.
 */
export class ChunkWriter {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #newId: () => string;
  #kind: 'text' | 'thought' | undefined;
  #messageId = '';
  #parts: string[] = [];
  #lastSent = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #error: unknown;

  constructor(send: (update: SessionUpdate) => Promise<void>, newId: () => string) {
    this.#send = send;
    this.#newId = newId;
  }

  async push(kind: 'text' | 'thought', text: string): Promise<void> {
    if (this.#error) throw this.#error;
    if (!text) return;
    if (kind !== this.#kind) {
      await this.flush();
      this.#kind = kind;
      this.#messageId = this.#newId();
    }
    this.#parts.push(text);
    const wait = this.#lastSent + interval - performance.now();
    if (wait <= 0) await this.flush();
    else if (!this.#timer)
      this.#timer = setTimeout(() => {
        this.flush().catch((error: unknown) => {
          this.#error = error;
        });
      }, wait);
  }

  /** Sends what is waiting, and resolves when the pipe has taken it and everything before. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#parts.length > 0) {
      const text = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('');
      this.#parts = [];
      this.#lastSent = performance.now();
      const update: SessionUpdate = {
        sessionUpdate: this.#kind === 'thought' ? 'agent_thought_chunk' : 'agent_message_chunk',
        messageId: this.#messageId,
        content: { type: 'text', text },
      };
      this.#sending = this.#sending.then(() => this.#send(update));
    }
    await this.#sending;
  }

  /** The next text begins a new message. */
  async end(): Promise<void> {
    await this.flush();
    this.#kind = undefined;
  }
}
