import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import { pinned } from '../config/pins';
import type { Diagnostic, MmConfig, Pins } from '../config/types';

/** Where the file in use was found; `config/find.ts` knows the order. */
export type ConfigSource = 'flag' | 'env' | 'setting' | 'workspace' | 'user' | 'demo';

/** What the window knows of its `mm.yaml`. */
export type ConfigState =
  | { kind: 'loading' }
  /** The workspace is not trusted: nothing was read. */
  | { kind: 'untrusted' }
  /**
   * The folder's own file waits for a person. `hash` is the version that is shown, `files` are all that it covers; `again`: another
   * version was shown before it.
   */
  | {
      kind: 'approval';
      file: string;
      hash: string;
      files: string[];
      programs: string[];
      facts: string[];
      seen: boolean;
      again: boolean;
    }
  | { kind: 'invalid'; file: string; source: ConfigSource; errors: Diagnostic[]; warnings: Diagnostic[] }
  | { kind: 'ready'; file: string; source: ConfigSource; config: MmConfig; warnings: Diagnostic[] };

/** The config room and the editor, as this class sees them; `configDeps.ts` gives the real ones. */
export interface ConfigDeps {
  log: Log;
  trusted(): boolean;
  /** The file that holds, when the folder's own may (or may not) be looked at. */
  find(withWorkspace: boolean): Promise<{ file: string; source: ConfigSource } | undefined>;
  load(
    file: string,
  ): Promise<
    | { ok: true; config: MmConfig; warnings: Diagnostic[] }
    | { ok: false; file: string; errors: Diagnostic[]; warnings: Diagnostic[] }
  >;
  /** Content hash of a file and of all that it names, and what they can start (design, section 10). */
  approvalOf(file: string): Promise<{ hash: string; files: string[]; programs: string[]; facts: string[]; pins: Pins }>;
  approved(hash: string): boolean;
  approve(hash: string): Promise<void>;
  /** Places where a file may appear that would hold instead of the present one. */
  candidates(): string[];
  watch(files: readonly string[], changed: () => void): Disposable;
}

/** How long changes are collected before the file is read again; editors write in several steps. Milliseconds. */
const settle = 60;

/**
 * Finds, reads and watches the window's `mm.yaml`. A folder's own file is read only in a trusted workspace and after
 * its very content was allowed; a change of a letter asks again.
 */
export class ConfigService implements Disposable {
  readonly #deps: ConfigDeps;
  readonly #changed = new Emitter<ConfigState>();
  readonly onDidChange = this.#changed.event;
  #state: ConfigState = { kind: 'loading' };
  #declined = new Set<string>();
  #seen = new Set<string>();
  #watching: { key: string; stop: Disposable } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #run: Promise<void> | undefined;
  #again = false;
  #endPause: (() => void) | undefined;
  /** The version that the state speaks of. */
  #read = '';
  #disposed = false;

  constructor(deps: ConfigDeps) {
    this.#deps = deps;
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** Reads everything again; calls that come while it reads are answered by one more round. */
  refresh(): Promise<void> {
    if (this.#run) {
      this.#again = true;
      return this.#run;
    }
    this.#run = this.#rounds().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  /**
   * A person has allowed the version that a card showed. Nothing but that version: where the card that stands there now is another
   * one, it says so and asks again.
   */
  async allow(shown: string): Promise<void> {
    if (!this.#isShown(shown)) return;
    await this.#deps.approve(shown);
    await this.refresh();
  }

  /** A person does not want the version that a card showed in this window; the next place holds. */
  async notNow(shown: string): Promise<void> {
    if (!this.#isShown(shown)) return;
    this.#declined.add(shown);
    await this.refresh();
  }

  /** The files of the version that a card showed were opened. */
  markSeen(shown: string): void {
    const state = this.#state;
    if (!this.#isShown(shown) || state.kind !== 'approval' || state.seen) return;
    this.#seen.add(shown);
    this.#set({ ...state, seen: true });
  }

  /** Whether what was shown is what waits; another version that waits is said to be another one. */
  #isShown(shown: string): boolean {
    const state = this.#state;
    if (state.kind !== 'approval') return false;
    if (state.hash === shown) return true;
    this.#set({ ...state, again: true });
    return false;
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#endPause?.();
    this.#watching?.stop.dispose();
    this.#changed.dispose();
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        // Who writes the file again and again must not keep the window busy.
        while (!(await this.#look()) && !this.#disposed) await this.#pause();
      } catch (error) {
        this.#deps.log.error(`mm.yaml: ${describe(error)}`);
        throw error;
      }
    } while (this.#again && !this.#disposed);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, settle);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** @returns false where the file was written while it was read, so that nothing is known. */
  async #look(): Promise<boolean> {
    const deps = this.#deps;
    if (!deps.trusted()) {
      this.#watch([]);
      this.#set({ kind: 'untrusted' });
      return true;
    }
    let found = await this.#find(true);
    if (found.source === 'workspace' && !deps.approved(found.hash)) {
      if (!this.#declined.has(found.hash)) {
        const { file, hash, files, programs, facts } = found;
        this.#watch([...files, ...deps.candidates()]);
        const before = this.#state.kind === 'approval' && this.#state.file === file ? this.#state : undefined;
        const again = before !== undefined && (before.again || before.hash !== hash);
        this.#set({ kind: 'approval', file, hash, files, programs, facts, seen: this.#seen.has(hash), again });
        return true;
      }
      found = await this.#find(false);
    }
    const { file, source, hash, files, pins } = found;
    this.#watch([...files, ...deps.candidates()]);
    // the window came to the front, say: nobody has to begin anew for that
    if (this.#read === `${source} ${file} ${hash}` && this.#holds) return true;
    const result = await deps.load(file);
    if (source === 'workspace' && (await deps.approvalOf(file)).hash !== hash) return false;
    if (result.ok) {
      // What a person named holds as it is; a folder's file only as it was allowed, also later, when it is used.
      if (source === 'workspace' && !pins.allows(file, result.config.hash)) return false;
      const config = source === 'workspace' ? pinned(result.config, pins) : result.config;
      this.#set({ kind: 'ready', file, source, config, warnings: result.warnings });
    } else this.#set({ kind: 'invalid', file, source, errors: result.errors, warnings: result.warnings });
    this.#read = `${source} ${file} ${hash}`;
    return true;
  }

  /** The file that holds, with the hash of all that it names. */
  async #find(withWorkspace: boolean) {
    const found = await this.#deps.find(withWorkspace);
    if (!found) throw new Error('no mm.yaml was found, not even the demo that comes with the extension');
    return { ...found, ...(await this.#deps.approvalOf(found.file)) };
  }

  get #holds(): boolean {
    return this.#state.kind === 'ready' || this.#state.kind === 'invalid';
  }

  #set(state: ConfigState): void {
    if (this.#disposed) return;
    this.#state = state;
    this.#changed.fire(state);
  }

  #watch(files: readonly string[]): void {
    const unique = [...new Set(files)].sort();
    const key = unique.join('\0');
    if (this.#disposed || this.#watching?.key === key) return;
    const before = this.#watching;
    const stop = this.#deps.watch(unique, () => {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.refresh().catch((error) => this.#deps.log.error(describe(error)));
      }, settle);
    });
    this.#watching = { key, stop };
    before?.stop.dispose();
  }
}
