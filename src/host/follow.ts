import { type FSWatcher, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import type { Log } from '../base/log';

/** Where a system tells nothing of changes (a network's folder, say), and for what it forgets to tell. Milliseconds. */
const pollEvery = 1_000;
/** Bytes of one read. */
const piece = 256 * 1024;
/** Bytes of one line; a longer one is no line of ours and is left out. */
const maxLine = 64 * 1024 * 1024;

export interface FollowOptions {
  file: string;
  /** Bytes that are known already. */
  from: number;
  log: Log;
  /** One whole line that was added. */
  onLine(line: string): void;
  /** After each look at the file, also when nothing was added. */
  onLooked?(): void;
}

/** Follows a file that another window appends to: only what was added is read, and nothing is ever written. */
export class Follower implements Disposable {
  readonly #o: FollowOptions;
  readonly #poll: ReturnType<typeof setInterval>;
  #watcher: FSWatcher | undefined;
  #at: number;
  #rest: Buffer[] = [];
  #restSize = 0;
  #looking = false;
  #again = false;
  #failed = false;
  #disposed = false;

  constructor(options: FollowOptions) {
    this.#o = options;
    this.#at = options.from;
    try {
      this.#watcher = watch(options.file, { persistent: false }, () => this.#due());
      // the poll goes on without it
      this.#watcher.on('error', (error) => this.#unwatched(error));
    } catch (error) {
      this.#unwatched(error);
    }
    this.#poll = setInterval(() => this.#due(), pollEvery);
    this.#poll.unref();
    this.#due();
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
    clearInterval(this.#poll);
  }

  #unwatched(error: unknown): void {
    this.#o.log.debug(`${this.#o.file} is looked at every second: ${describe(error)}`);
  }

  #due(): void {
    if (this.#disposed) return;
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    void this.#look().finally(() => {
      this.#looking = false;
    });
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#disposed) {
      this.#again = false;
      try {
        await this.#read();
        this.#failed = false;
      } catch (error) {
        // once, however often the poll finds it so: the file was removed, or its folder is away for a while
        if (!this.#failed) this.#o.log.warn(`${this.#o.file} cannot be read further: ${describe(error)}`);
        this.#failed = true;
      }
      if (!this.#disposed) this.#o.onLooked?.();
    }
  }

  async #read(): Promise<void> {
    const handle = await open(this.#o.file, 'r');
    try {
      const buffer = Buffer.allocUnsafe(piece);
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, piece, this.#at);
        if (bytesRead === 0 || this.#disposed) return;
        this.#at += bytesRead;
        this.#take(Buffer.from(buffer.subarray(0, bytesRead)));
      }
    } finally {
      await handle.close();
    }
  }

  /** Lines are parted as bytes, so that no character is torn where two reads meet. */
  #take(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      start = end + 1;
      const whole = this.#restSize <= maxLine;
      const line = whole ? Buffer.concat(this.#rest).toString('utf8') : '';
      this.#rest = [];
      this.#restSize = 0;
      if (line !== '' && !this.#disposed) this.#o.onLine(line);
    }
    this.#keep(bytes.subarray(start));
  }

  #keep(bytes: Buffer): void {
    this.#restSize += bytes.length;
    if (bytes.length > 0 && this.#restSize <= maxLine) this.#rest.push(bytes);
  }
}
