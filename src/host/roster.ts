import type { HomeEntry } from '../ask/identity';
import { realPath } from '../ask/identity';
import { type SelfLaunch, specFor } from '../ask/launch';
import { describe } from '../base/errors';
import type { Log } from '../base/log';
import type { Face } from '../chat/nodes';
import type { AskableAgent } from '../chat/page';
import type { ChildSpec, ChildStatus } from '../children/types';
import { applyOverrides } from '../config/load';
import { loadAgent } from '../config/pins';
import type { LoadResult, LocalEntry, MmConfig, PathEntry } from '../config/types';

/** An agent that can be the home agent of a conversation. */
export interface HomeAgent {
  name: string;
  entry: LocalEntry | HomeEntry;
  face: Face;
  /** The caller's file for what it and the person beside it ask: its own, or the window's where it has none. */
  config: MmConfig;
  /** It is a `mm`, so its file's `yolo` is its live yolo to begin with. */
  own: boolean;
}

export interface RosterDeps {
  log: Log;
  self: SelfLaunch;
  /** The host's environment; `AGENT_*` in it is meant for home agents. */
  parentEnv: NodeJS.ProcessEnv;
  loadConfig(file: string): Promise<LoadResult>;
}

interface Askable {
  name: string;
  description: string;
  model?: string;
  /** Keys of the children that serve it, one for each folder where that matters; undefined for one that lives elsewhere. */
  keys: string[] | undefined;
}

/** How deep the files of agents are followed for the keys of their children: home asks bob, bob asks riker. */
const deepest = 2;

/**
 * Who can be talked to and asked by one `mm.yaml`: names, faces, descriptions, and the keys of the children that serve them. Made anew
 * for every version of the file.
 */
export class Roster {
  readonly homes: HomeAgent[] = [];
  readonly #asked: Askable[] = [];
  readonly #keys = new Set<string>();

  private constructor(
    readonly config: MmConfig,
    /** The workspace's folders: a command line is another child in each (rule 1). */
    private readonly folders: readonly string[],
    private readonly deps: RosterDeps,
  ) {}

  /** Reads the files of the agents that the config names; one that cannot be read is listed all the same, its ask will say why. */
  static async of(config: MmConfig, folders: readonly string[], deps: RosterDeps): Promise<Roster> {
    const roster = new Roster(config, folders, deps);
    await roster.#fill();
    return roster;
  }

  home(name: string): HomeAgent | undefined {
    return this.homes.find((h) => h.name === name);
  }

  /** Names that `/ask-…` knows. For a home agent with its own file, its own entries. */
  agentsOf(home: HomeAgent | undefined): string[] {
    return [...(home?.config ?? this.config).mmConfigs.keys()];
  }

  /** A child of these keys still serves somebody; any other ends with its last session (rule 1). */
  isCurrent(spec: ChildSpec): boolean {
    return this.#keys.has(spec.key);
  }

  spec(home: HomeAgent, cwd: string): Promise<ChildSpec> {
    const { self, parentEnv } = this.deps;
    return specFor({ name: home.name, entry: home.entry, role: 'home', cwd, depth: 0, self, parentEnv });
  }

  /** For the `/` menu: the entries of the home agent's file with the state of their children. */
  async askable(home: HomeAgent | undefined): Promise<Askable[]> {
    const config = home?.config ?? this.config;
    if (config.file === this.config.file) return this.#asked;
    return this.#describe(config, 1);
  }

  static withStates(agents: readonly Askable[], statuses: readonly ChildStatus[]): AskableAgent[] {
    return agents.map(({ name, description, model, keys }) => ({
      name,
      description,
      ...(model === undefined ? {} : { model }),
      state: keys ? stateOf(keys, statuses) : 'elsewhere',
    }));
  }

  async #fill(): Promise<void> {
    const { config } = this;
    const title = config.acp.title ?? 'mm';
    const own: HomeEntry = { kind: 'home', file: config.file, pins: config.pins };
    this.#addHome({
      name: title,
      entry: own,
      face: faceOf(title, config),
      config: this.#overridden(config),
      own: true,
    });
    this.#asked.push(...(await this.#describe(config, 1)));
    for (const [name, entry] of config.mmConfigs) {
      // one that lives elsewhere is asked, and no home agent: its memory is not ours to carry
      if (entry.kind === 'a2a') continue;
      if (entry.kind === 'command') {
        this.#addHome({ name, entry, face: { name }, config, own: false });
        continue;
      }
      const loaded = await this.#load(entry);
      if (!loaded) continue;
      const agent = this.#overridden(loaded);
      this.#addHome({
        name,
        entry,
        face: { ...faceOf(name, agent), title: loaded.acp.title },
        config: agent,
        own: true,
      });
    }
    for (const home of this.homes) await this.#addKeys((cwd) => this.spec(home, cwd));
  }

  #addHome(home: HomeAgent): void {
    // The title of the file may be the name of an entry; the file itself comes first.
    if (!this.homes.some((h) => h.name === home.name)) this.homes.push(home);
  }

  async #describe(config: MmConfig, depth: number, seen = new Set<string>()): Promise<Askable[]> {
    const { self, parentEnv } = this.deps;
    const found: Askable[] = [];
    for (const [name, entry] of config.mmConfigs) {
      if (entry.kind === 'a2a') {
        const { at } = entry;
        const where = at.kind === 'proxy' ? at.proxy.name : new URL(at.url).host;
        found.push({ name, description: entry.description ?? '', model: where, keys: undefined });
        continue;
      }
      const keys = await this.#addKeys((cwd) => specFor({ name, entry, role: 'asked', cwd, depth, self, parentEnv }));
      const own = entry.kind === 'path' ? await this.#load(entry) : undefined;
      found.push({
        name,
        description: entry.description ?? own?.acp.description ?? own?.acp.title ?? '',
        model: own?.model ?? (entry.kind === 'command' ? entry.command.split(/[/\\]/).at(-1) : undefined),
        keys,
      });
      if (!own || depth >= deepest) continue;
      const file = await realPath(own.file);
      if (seen.has(file)) continue;
      seen.add(file);
      await this.#describe(own, depth + 1, seen);
    }
    return found;
  }

  async #addKeys(make: (cwd: string) => Promise<ChildSpec>): Promise<string[]> {
    const keys = new Set<string>();
    for (const cwd of this.folders) {
      try {
        keys.add((await make(cwd)).key);
      } catch (error) {
        // The ask itself will say it to the person; here it only means that no child of this key can be running.
        this.deps.log.debug(describe(error));
      }
    }
    for (const key of keys) this.#keys.add(key);
    return [...keys];
  }

  async #load(entry: PathEntry): Promise<MmConfig | undefined> {
    try {
      const result = await loadAgent(entry, (file) => this.deps.loadConfig(file));
      if (result.ok) return result.config;
      this.deps.log.warn(`${entry.path}: ${result.errors[0]?.message ?? 'not readable'}`);
    } catch (error) {
      // It is not what was allowed: its ask will say so.
      this.deps.log.warn(describe(error));
    }
    return undefined;
  }

  #overridden(config: MmConfig): MmConfig {
    try {
      return applyOverrides(config, this.deps.parentEnv);
    } catch (error) {
      // A wrong AGENT_* variable: the child says so when it is started. Here the file holds.
      this.deps.log.warn(describe(error));
      return config;
    }
  }
}

function faceOf(name: string, config: MmConfig): Face {
  return { name, provider: config.provider, model: config.model };
}

function stateOf(keys: readonly string[], statuses: readonly ChildStatus[]): AskableAgent['state'] {
  const status = statuses.findLast((s) => keys.includes(s.key));
  if (!status) return 'asleep';
  if (status.state === 'starting') return 'starting';
  if (status.state === 'ready') return 'ready';
  const { exit } = status;
  return exit?.spawnError || (exit?.code !== undefined && exit.code !== 0) ? 'failing' : 'asleep';
}
