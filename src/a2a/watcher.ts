import type { Disposable } from '../base/disposable';
import { describe, UserError } from '../base/errors';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import type { ProxyEntry } from '../config/types';
import { Keeper, type KeeperMemory, type Round } from './keeper';
import { keptProxy } from './keeper-proxy';
import { roundWords } from './keeper-words';
import type { ProxyClient } from './proxy';

export interface WatcherOptions {
  /** Those that are watched now. */
  proxies(): readonly ProxyEntry[];
  client(proxy: ProxyEntry): ProxyClient;
  memory(proxy: ProxyEntry): KeeperMemory;
  log: Log;
  /** Milliseconds between two rounds; a minute when nothing is said. */
  pause?: number;
}

/** What a round found at one proxy, and what there is to be said that was not said in the round before. */
export interface WatcherNews {
  proxy: string;
  /** Absent when the proxy did not answer. */
  round?: Round;
  words: string[];
}

/** Rounds of the keeper for each proxy, as long as it lives. What stays the same is told once. */
export class Watcher implements Disposable {
  readonly #o: WatcherOptions;
  readonly #keepers = new Map<string, Keeper>();
  readonly #said = new Map<string, string>();
  readonly #news = new Emitter<WatcherNews>();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly onNews = this.#news.event;

  constructor(options: WatcherOptions) {
    this.#o = options;
  }

  /** Begins, with a round at once. */
  start(): void {
    if (this.#timer || this.#end.signal.aborted) return;
    this.#timer = setInterval(() => void this.round(), this.#o.pause ?? 60_000);
    this.#timer.unref();
    void this.round();
  }

  /** One round of every proxy. Never rejects: what goes wrong is news. */
  async round(): Promise<void> {
    await Promise.all(this.#o.proxies().map((proxy) => this.#one(proxy)));
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#end.abort();
  }

  async #one(proxy: ProxyEntry): Promise<void> {
    const { signal } = this.#end;
    let round: Round | undefined;
    let words: string[];
    try {
      round = await this.#keeper(proxy).round(signal);
      words = roundWords(round, proxy.name);
    } catch (error) {
      if (signal.aborted) return;
      const hint = error instanceof UserError && error.hint ? ` ${error.hint}` : '';
      words = [`${describe(error)}${hint}`];
    }
    const all = words.join('\n');
    const known = this.#said.get(proxy.name) ?? '';
    this.#said.set(proxy.name, all);
    if (signal.aborted || all === known) return;
    for (const line of words) this.#o.log.info(`${proxy.name}: ${line}`);
    this.#news.fire({ proxy: proxy.name, words, ...(round ? { round } : {}) });
  }

  #keeper(proxy: ProxyEntry): Keeper {
    const key = `${proxy.name}\n${proxy.url}`;
    let keeper = this.#keepers.get(key);
    if (!keeper) {
      keeper = new Keeper({ proxy: keptProxy(this.#o.client(proxy)), memory: this.#o.memory(proxy) });
      this.#keepers.set(key, keeper);
    }
    return keeper;
  }
}
