import { describe, ExitCode } from '../base/errors';
import { l10n } from '../base/l10n';
import { harmless } from '../base/text';
import { note } from './notes';

/**
 * Writes an answer to stdout as it comes, and at the end what is still missing of the whole text, so that stdout has exactly the answer
 * (design, rule 13). On a terminal nothing of it acts on the terminal. When stdout takes nothing more, `gone` fires once and nothing
 * more is written.
 */
export class AnswerWriter {
  readonly #out: NodeJS.WritableStream & { isTTY?: boolean };
  readonly #gone: () => void;
  #written = '';
  #ended: ExitCode | undefined;

  constructor(out: NodeJS.WritableStream & { isTTY?: boolean }, gone: () => void = () => undefined) {
    this.#out = out;
    this.#gone = gone;
    out.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
  }

  /** With what `mm` exits since stdout takes nothing more: who closed it has what it wanted; a full disk is a failure. */
  get ended(): ExitCode | undefined {
    return this.#ended;
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
    await this.#put(this.#out.isTTY ? harmless(rest) : rest);
  }

  #put(text: string): Promise<void> {
    if (this.#ended !== undefined || !text) return Promise.resolve();
    return new Promise((resolve) => {
      this.#out.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#ended !== undefined) return;
    this.#ended = error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed;
    if (this.#ended === ExitCode.failed) note(l10n.t('The answer could not be written: {0}', describe(error)));
    this.#gone();
  }
}
