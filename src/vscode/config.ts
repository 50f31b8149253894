import type { Disposable } from '../base/disposable';
import { describe } from '../base/errors';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import type { Diagnostic, MmConfig } from '../config/types';

/** Where the file in use was found; `config/find.ts` knows the order. */
export type ConfigSource = 'flag' | 'env' | 'setting' | 'workspace' | 'user' | 'demo';

/** What the window knows of its `mm.yaml`. */
export type ConfigState =
  | { kind: 'loading' }
  /** The workspace is not trusted: nothing was read. */
  | { kind: 'untrusted' }
  /** The folder's own file waits for a person. `hash` is the version that was shown. */
  | { kind: 'approval'; file: string; hash: string; programs: string[]; seen: boolean }
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
  /** Content hash of a file and of all that it names, and the command lines in it (design, section 10). */
  approvalOf(file: string): Promise<{ hash: string; files: string[]; programs: string[] }>;
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

  /** A person has allowed the version whose hash the card showed; a file that has changed since then is asked about again. */
  async allow(): Promise<void> {
    if (this.#state.kind !== 'approval') return;
    await this.#deps.approve(this.#state.hash);
    await this.refresh();
  }

  /** A person does not want this version in this window; the next place holds. */
  async notNow(): Promise<void> {
    if (this.#state.kind !== 'approval') return;
    this.#declined.add(this.#state.hash);
    await this.refresh();
  }

  /** The file that waits was shown. */
  markSeen(): void {
    if (this.#state.kind !== 'approval' || this.#state.seen) return;
    this.#seen.add(this.#state.hash);
    this.#set({ ...this.#state, seen: true });
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#watching?.stop.dispose();
    this.#changed.dispose();
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#look();
      } catch (error) {
        this.#deps.log.error(`mm.yaml: ${describe(error)}`);
        throw error;
      }
    } while (this.#again && !this.#disposed);
  }

  async #look(): Promise<void> {
    const deps = this.#deps;
    if (!deps.trusted()) {
      this.#watch([]);
      this.#set({ kind: 'untrusted' });
      return;
    }
    let found = await this.#find(true);
    if (found.source === 'workspace' && !deps.approved(found.hash)) {
      if (!this.#declined.has(found.hash)) {
        const { file, hash, programs } = found;
        this.#watch([...found.files, ...deps.candidates()]);
        this.#set({ kind: 'approval', file, hash, programs, seen: this.#seen.has(hash) });
        return;
      }
      found = await this.#find(false);
    }
    const { file, source, hash, files } = found;
    this.#watch([...files, ...deps.candidates()]);
    // the window came to the front, say: nobody has to begin anew for that
    if (this.#read === `${source} ${file} ${hash}` && this.#holds) return;
    const result = await deps.load(file);
    if (source === 'workspace' && !deps.approved((await deps.approvalOf(file)).hash)) {
      // the file was written between the look at its hash and the reading
      this.#again = true;
      return;
    }
    this.#set(
      result.ok
        ? { kind: 'ready', file, source, config: result.config, warnings: result.warnings }
        : { kind: 'invalid', file, source, errors: result.errors, warnings: result.warnings },
    );
    this.#read = `${source} ${file} ${hash}`;
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
