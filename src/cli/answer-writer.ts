/**
 * Writes an answer to stdout as it comes, and at the end what is still missing of the whole text, so that stdout has exactly the answer
 * (design, rule 13). When the reader of stdout has gone, `gone` fires and nothing more is written.
 */
export class AnswerWriter {
  readonly #out: NodeJS.WritableStream;
  #written = '';
  #broken = false;

  constructor(out: NodeJS.WritableStream, gone: () => void) {
    this.#out = out;
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#broken) return;
      this.#broken = true;
      if (error.code !== 'EPIPE') process.exitCode = 1;
      gone();
    });
  }

  /** The answer so far; only what is new in it is written. Trailing space waits, because the end of the text may drop it. */
  async show(text: string): Promise<void> {
    const ready = text.trimEnd();
    if (ready.length > this.#written.length && ready.startsWith(this.#written)) await this.#write(ready);
  }

  /** The whole answer, and a line break where it has none. */
  async finish(text: string): Promise<void> {
    await this.#write(text);
    if (text && !text.endsWith('\n')) await this.#put('\n');
  }

  async #write(text: string): Promise<void> {
    const rest = text.startsWith(this.#written) ? text.slice(this.#written.length) : `\n\n${text}`;
    this.#written = text;
    await this.#put(rest);
  }

  #put(text: string): Promise<void> {
    if (this.#broken || !text) return Promise.resolve();
    return new Promise((resolve) => {
      this.#out.write(text, () => resolve());
    });
  }
}
