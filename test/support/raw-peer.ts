import { PassThrough } from 'node:stream';

// biome-ignore lint/suspicious/noExplicitAny: frames of the other side, broken ones too
type Frame = any;

/** The other end of a connection in memory, written by hand: sends any bytes and waits for frames. */
export class RawPeer {
  /** What our side reads, and what it writes. */
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  /** Every frame that came, in order. */
  readonly frames: Frame[] = [];
  #taken = new Set<Frame>();
  #rest = '';
  #waiting: { match: (frame: Frame) => boolean; resolve: (frame: Frame) => void }[] = [];

  constructor() {
    this.output.setEncoding('utf8');
    this.output.on('data', (text: string) => {
      this.#rest += text;
      const lines = this.#rest.split('\n');
      this.#rest = lines.pop()!;
      for (const line of lines) {
        const frame = JSON.parse(line);
        this.frames.push(frame);
        const index = this.#waiting.findIndex((w) => w.match(frame));
        if (index >= 0) this.#waiting.splice(index, 1)[0]!.resolve(frame);
      }
    });
  }

  /** Sends frames in one write. */
  send(...frames: Frame[]): void {
    this.input.write(frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join(''));
  }

  raw(data: string | Buffer): void {
    this.input.write(data);
  }

  update(sessionId: string, update: Frame): void {
    this.send({ method: 'session/update', params: { sessionId, update } });
  }

  /** The first frame of that method (or that fits) that was not taken yet. */
  async next(what: string | ((frame: Frame) => boolean)): Promise<Frame> {
    const match = typeof what === 'string' ? (frame: Frame) => frame.method === what : what;
    const found = this.frames.find((frame) => !this.#taken.has(frame) && match(frame));
    const frame = found ?? (await new Promise<Frame>((resolve) => this.#waiting.push({ match, resolve })));
    this.#taken.add(frame);
    return frame;
  }

  /** The answer to a request that this side sent. */
  answerTo(id: unknown): Promise<Frame> {
    return this.next((frame) => frame.method === undefined && frame.id === id);
  }
}

/** A text chunk as `update`. */
export function chunk(text: string): Frame {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

/** All that was put off by streams and promises has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
