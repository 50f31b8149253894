import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from '../base/errors';

/** What the keeper needs of a proxy; `ProxyClient` fits. */
export interface KeptProxy {
  /** Whether it is up, and whether its registry can be written. */
  readiness(signal?: AbortSignal): Promise<{ database: boolean }>;
  /** The list that callers see; it forgets. */
  agents(signal?: AbortSignal): Promise<readonly { id: string; name: string; fromFile: boolean }[]>;
  /** What the database knows of an id: 'there', or 'gone' where the row is no more. */
  look(id: string, signal?: AbortSignal): Promise<'there' | 'gone'>;
  /** The smallest repair: a PATCH with nothing but the name, after which the list has the agent again (facts, 1.10). */
  touch(id: string, name: string, signal?: AbortSignal): Promise<void>;
}

/** An agent that the list once had. */
export interface Remembered {
  id: string;
  name: string;
  /** It stands in the proxy's config.yaml: it comes back by itself or not at all. */
  fromFile: boolean;
}

/** What is kept between rounds, and between starts. */
export interface KeeperMemory {
  load(): Promise<readonly Remembered[]>;
  save(agents: readonly Remembered[]): Promise<void>;
}

export type Finding =
  /** The proxy had forgotten it; now its list has it again. */
  | { kind: 'repaired'; name: string; id: string }
  /** The proxy has forgotten it, and it could not be brought back. */
  | { kind: 'forgotten'; name: string; id: string; error: unknown }
  /** Some of the proxy's workers forget it again: each has a list of its own. */
  | { kind: 'unsteady'; name: string; id: string }
  /** Somebody deleted it. It is not brought back. */
  | { kind: 'deleted'; name: string; id: string }
  /** It stood in the proxy's config.yaml and does so no more, or this key may no longer see it. */
  | { kind: 'missing'; name: string; id: string };

export interface Round {
  findings: Finding[];
  /** The proxy is well and its list is empty although there were agents: an alarm, not a success. */
  empty: boolean;
  /** Agents were forgotten: `store_model_in_db: true` in the proxy's settings would cure it. */
  cure: boolean;
  /** Without a database nothing can be asked for by its id, and nothing repaired. */
  database: boolean;
}

export interface KeeperOptions {
  proxy: KeptProxy;
  memory: KeeperMemory;
  /** How often the list is read again after a repair: with several workers one PATCH mends only one of them (facts, 1.10). */
  rechecks?: number;
  /** Milliseconds between two of these. */
  pause?: number;
}

/**
 * Watches one proxy's list of agents (design, section 9). A round compares it with what was there before: what the proxy has forgotten
 * is brought back by the smallest change that there is, what somebody has deleted stays deleted.
 */
export class Keeper {
  readonly #proxy: KeptProxy;
  readonly #memory: KeeperMemory;
  readonly #rechecks: number;
  readonly #pause: number;
  #round: Promise<Round> | undefined;

  constructor(o: KeeperOptions) {
    this.#proxy = o.proxy;
    this.#memory = o.memory;
    this.#rechecks = o.rechecks ?? 4;
    this.#pause = o.pause ?? 500;
  }

  /** One round; a second call meanwhile gets the same one. Rejects when the proxy does not answer: then nothing is known, and nothing changed. */
  round(signal?: AbortSignal): Promise<Round> {
    this.#round ??= this.#run(signal).finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #run(signal: AbortSignal | undefined): Promise<Round> {
    const { database } = await this.#proxy.readiness(signal);
    const [known, listed] = await Promise.all([this.#memory.load(), this.#proxy.agents(signal)]);
    const findings: Finding[] = [];
    const kept: Remembered[] = [];
    const repaired: Remembered[] = [];
    for (const agent of known.filter((k) => !isListed(listed, k))) {
      const finding = await this.#missing(agent, database, signal);
      findings.push(finding);
      if (finding.kind === 'repaired') repaired.push(agent);
      // what is gone for good is not looked for again
      if (finding.kind !== 'deleted' && finding.kind !== 'missing') kept.push(agent);
    }
    for (const agent of await this.#unsteady(repaired, signal)) {
      const at = findings.findIndex((f) => f.id === agent.id);
      findings[at] = { kind: 'unsteady', name: agent.name, id: agent.id };
    }
    const seen = listed.map(({ id, name, fromFile }): Remembered => ({ id, name, fromFile }));
    await this.#memory.save([...seen, ...kept]);
    return {
      findings,
      empty: listed.length === 0 && known.length > 0,
      cure: findings.some(({ kind }) => kind === 'repaired' || kind === 'forgotten' || kind === 'unsteady'),
      database,
    };
  }

  async #missing(agent: Remembered, database: boolean, signal: AbortSignal | undefined): Promise<Finding> {
    const { id, name } = agent;
    if (!database || agent.fromFile) return { kind: 'missing', name, id };
    try {
      if ((await this.#proxy.look(id, signal)) === 'gone') return { kind: 'deleted', name, id };
      await this.#proxy.touch(id, name, signal);
      return { kind: 'repaired', name, id };
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      return { kind: 'forgotten', name, id, error };
    }
  }

  /** Reads the list some more times, mends again what is missing again, and gives what was still missing at the last time. */
  async #unsteady(repaired: readonly Remembered[], signal: AbortSignal | undefined): Promise<Remembered[]> {
    let missing: Remembered[] = [];
    if (repaired.length === 0) return missing;
    for (let time = 0; time < this.#rechecks; time++) {
      await delay(this.#pause, undefined, { signal });
      const listed = await this.#proxy.agents(signal);
      missing = repaired.filter((agent) => !isListed(listed, agent));
      for (const { id, name } of missing) await this.#proxy.touch(id, name, signal);
    }
    return missing;
  }
}

/** By id; or by name, where it was made anew under another id. */
function isListed(listed: readonly { id: string; name: string }[], agent: Remembered): boolean {
  return listed.some(({ id, name }) => id === agent.id || name === agent.name);
}
