import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import type { Log } from '../base/log';
import { Batch } from '../chat/batch';
import type { Patch } from '../chat/nodes';
import { Follower } from './follow';
import { type FileLock, isUnlocked, takeLock } from './lock';
import { type Header, type Loaded, type Record, readConversation, readHeader, readTitle } from './records';

/** A conversation in the list. */
export interface Summary {
  id: string;
  cwd: string;
  home: string;
  /** The first words of the person; absent while nothing was said. */
  title: string | undefined;
  created: number;
  /** When it changed last, milliseconds since the epoch. */
  changed: number;
}

/** Milliseconds for which changes are gathered before they are written: what a crash can lose. */
const gather = 200;
/** The growing output of a running call above this many characters is written only every `outputPause` milliseconds. */
const largeOutput = 4_000;
const outputPause = 5_000;
/** Bytes of a file that are enough for its header and title. */
const headBytes = 16_384;

const lockOf = (file: string) => `${file.slice(0, -'.jsonl'.length)}.lock`;

const idPattern = /^[0-9a-zA-Z-]{8,64}$/;

/** The conversations on disk: one file each, only ever appended to (design, section 8). */
export class Store {
  constructor(
    readonly dir: string,
    private readonly log: Log,
  ) {}

  /** All conversations, or those of some folders, the one that changed last first. */
  async list(folders?: readonly string[]): Promise<Summary[]> {
    const found: Summary[] = [];
    for (const name of await this.#names()) {
      const summary = await this.#summary(name);
      if (summary && (folders === undefined || folders.includes(summary.cwd))) found.push(summary);
    }
    return found.sort((a, b) => b.changed - a.changed);
  }

  /** A conversation by its id; undefined when there is none or its file cannot be read as one. */
  async load(id: string): Promise<Loaded | undefined> {
    let content: string;
    try {
      content = await readFile(this.#path(id), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const loaded = readConversation(content);
    if (!loaded || loaded.header.id !== id) {
      this.log.warn(`The conversation ${id} cannot be read: its file does not begin as one.`);
      return undefined;
    }
    if (loaded.unreadable > 0) this.log.warn(`${loaded.unreadable} lines of the conversation ${id} were not readable.`);
    return loaded;
  }

  /**
   * The writer of a conversation; undefined while another window writes it. Nothing is on disk before something is written. `loaded`:
   * the file is there already, and ends as it says.
   */
  writer(header: Header, loaded?: { torn: boolean }): ConversationFile | undefined {
    const path = this.#path(header.id);
    const lock = (onLost: () => void) => {
      mkdirSync(this.dir, { recursive: true, mode: 0o700 });
      return takeLock(lockOf(path), onLost);
    };
    const file = new ConversationFile(path, header, loaded && { torn: loaded.torn }, lock, this.log);
    return !loaded || file.take() ? file : undefined;
  }

  /**
   * Follows a conversation that another window writes. `onFree`: told whether its writer has gone, whenever that changes.
   */
  follow(
    loaded: Pick<Loaded, 'header' | 'read'>,
    o: { onLine(line: string): void; onFree(free: boolean): void },
  ): Disposable {
    const file = this.#path(loaded.header.id);
    let free = false;
    const onLooked = () => {
      const now = isUnlocked(lockOf(file));
      if (now === free) return;
      free = now;
      o.onFree(now);
    };
    return new Follower({ file, from: loaded.read, log: this.log, onLine: o.onLine, onLooked });
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.dir)).filter((name) => name.endsWith('.jsonl'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #summary(name: string): Promise<Summary | undefined> {
    const path = join(this.dir, name);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'r');
      const { mtimeMs } = await stat(path);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      const head = buffer.toString('utf8', 0, bytesRead);
      const header = readHeader(head.split('\n', 1)[0]!);
      if (!header || `${header.id}.jsonl` !== name) return undefined;
      const { id, cwd, home, created } = header;
      return { id, cwd, home, created, title: readTitle(head), changed: mtimeMs };
    } catch (error) {
      this.log.warn(`The conversation ${name} cannot be read: ${describe(error)}`);
      return undefined;
    } finally {
      await handle?.close();
    }
  }

  #path(id: string): string {
    if (!idPattern.test(id)) throw new Error(`not the id of a conversation: ${id.slice(0, 80)}`);
    return join(this.dir, `${id}.jsonl`);
  }
}

/** Characters that are kept for a disk that takes nothing; what comes behind them is not written. */
const mostOwed = 16_000_000;

/**
 * Appends to one conversation's file. Patches are merged for a fraction of a second and then written in their order; a process that is
 * killed loses that fraction and nothing before it.
 */
export class ConversationFile {
  readonly #batch = new Batch();
  #lines: string[] = [];
  /** What the file lacks: the last write, and those of before that failed. */
  #owed = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #handle: FileHandle | undefined;
  #lock: FileLock | undefined;
  #begun: boolean;
  #closed = false;
  #failed = false;
  #lost = false;
  readonly #outputs = new Map<string, number>();
  /** Told once when the disk does not take what is written. */
  onFailure: (error: unknown) => void = () => undefined;
  /** Told once when another window has become the writer: nothing is written any more. */
  onLost: () => void = () => undefined;

  constructor(
    private readonly path: string,
    private readonly header: Header,
    private readonly resume: { torn: boolean } | undefined,
    private readonly lock: (onLost: () => void) => FileLock | undefined,
    private readonly log: Log,
  ) {
    this.#begun = resume !== undefined;
  }

  /** Becomes the writer; false while another window is it. A new conversation, whose id nobody else has, does so with its first write. */
  take(): boolean {
    this.#lock ??= this.lock(() => this.#giveUp());
    return this.#lock !== undefined;
  }

  /** Home agent and folder of a conversation to which nobody has said anything yet. */
  begin(o: { home: string; cwd: string }): void {
    if (!this.#begun) Object.assign(this.header, o);
    else if (o.home !== this.header.home) this.record({ home: o.home });
  }

  patch(patch: Patch): void {
    if (this.#closed || this.#lost) return;
    this.#batch.add(patch);
    this.#schedule();
  }

  /** A record that is no patch; it stands behind all patches of before. */
  record(record: Exclude<Record, { patch: Patch }>): void {
    if (this.#closed || this.#lost) return;
    this.#take(false);
    this.#lines.push(JSON.stringify(record));
    this.#schedule();
  }

  /** Everything so far is on its way to the disk; resolves when the system has it. */
  flush(): Promise<void> {
    this.#take(true);
    this.#write();
    return this.#writing;
  }

  /** Writes what is left and lets go of the file and its lock. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.flush();
    await this.#handle?.close();
    this.#handle = undefined;
    this.#lock?.dispose();
  }

  #giveUp(): void {
    this.#lost = true;
    this.#lines = [];
    this.#owed = '';
    this.log.warn(`Another window has become the writer of ${this.path}; nothing more is written to it.`);
    this.onLost();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#take(false);
      this.#write();
      // What was held back (a large output) is written later, also when nothing else happens.
      if (!this.#batch.empty) this.#schedule();
    }, gather);
  }

  #take(all: boolean): void {
    const now = Date.now();
    const hold = (patch: Patch): boolean => {
      if (all || patch.op !== 'put' || patch.node.kind !== 'tool') return false;
      const { id, state, output } = patch.node;
      if (output.length < largeOutput || (state !== 'running' && state !== 'waiting')) {
        this.#outputs.delete(id);
        return false;
      }
      const last = this.#outputs.get(id);
      if (last !== undefined && now - last < outputPause) return true;
      this.#outputs.set(id, now);
      // The first state of a node has to be written in its place in the order.
      return false;
    };
    for (const patch of this.#batch.drain(hold)) this.#lines.push(JSON.stringify({ patch }));
  }

  #write(): void {
    if (this.#lines.length > 0) {
      const begin = this.#begun ? (this.resume?.torn ? '\n' : '') : `${JSON.stringify(this.header)}\n`;
      if (this.resume) this.resume.torn = false;
      this.#begun = true;
      if (this.#owed.length < mostOwed) this.#owed += `${begin}${this.#lines.join('\n')}\n`;
      this.#lines = [];
    }
    if (this.#owed !== '') this.#writing = this.#writing.then(() => this.#append());
  }

  /** Writes what the file lacks. What the disk does not take is no longer in the file in part, and is written with what comes next. */
  async #append(): Promise<void> {
    const text = this.#owed;
    this.#owed = '';
    let size: number | undefined;
    try {
      // With each write it is looked again: two writers would tear the file.
      if (text === '' || this.#lost || !this.take() || !this.#lock!.held()) return;
      this.#handle ??= await open(this.path, 'a', 0o600);
      size = (await this.#handle.stat()).size;
      await this.#handle.appendFile(text);
      this.#failed = false;
    } catch (error) {
      const whole = size === undefined || (await this.#cutBack(size));
      if (!this.#lost) this.#owed = `${whole ? '' : '\n'}${text}${this.#owed}`;
      this.log.error(`The conversation could not be written to ${this.path}: ${describe(error)}`);
      if (!this.#failed) this.onFailure(error);
      this.#failed = true;
    }
  }

  /** Takes half a line away again; false where that fails too. */
  async #cutBack(size: number): Promise<boolean> {
    try {
      await this.#handle!.truncate(size);
      return true;
    } catch {
      return false; // the failure itself is told by the caller
    }
  }
}
