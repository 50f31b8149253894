import { createInterface } from 'node:readline';
import type { SelfLaunch } from '../ask/launch';
import { UserError } from '../base/errors';
import { Emitter } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { describeExit } from '../children/exit';
import { ChildProcess, type Graces, hurriedGraces } from '../children/process';
import type { Reaper } from '../children/reaper';
import { shieldedEnv } from '../children/shield';

/** A local agent that others can ask now. */
export interface Offer {
  /** Its name in `mmConfigs`. */
  name: string;
  /** Where it is asked. */
  url: string;
}

export interface OfferRequest {
  name: string;
  /** The file that names it. */
  config: string;
  /** Folder in which it works for callers. */
  cwd: string;
  /** The bearer key of callers; it reaches the bridge by its environment only. */
  key: string;
  /** 0 takes a free one. */
  port: number;
  /** File of its tasks. */
  tasks: string;
}

export interface OffersOptions {
  self: SelfLaunch;
  parentEnv: NodeJS.ProcessEnv;
  reaper: Reaper;
  log: Log;
}

/** A bridge that is told to stop gives running tasks 10 s (`cli/serve.ts`). */
const graces: Graces = { stdin: 0, term: 11_000 };
/** Milliseconds until it has said where it listens. */
const startDeadline = 30_000;

/** The bridges of this window: one `mm --serve` for each offered agent, ended with the window. */
export class Offers {
  readonly #o: OffersOptions;
  readonly #running = new Map<string, { offer: Offer; child: ChildProcess; stopping: boolean }>();
  readonly #changed = new Emitter<void>();
  readonly #lost = new Emitter<{ name: string; words: string }>();
  readonly onDidChange = this.#changed.event;
  /** One ended that nobody had stopped. */
  readonly onDidLose = this.#lost.event;

  constructor(options: OffersOptions) {
    this.#o = options;
  }

  list(): Offer[] {
    return [...this.#running.values()].map(({ offer }) => offer);
  }

  get(name: string): Offer | undefined {
    return this.#running.get(name)?.offer;
  }

  /** @throws UserError with the end of what the bridge said, where it does not come up */
  async start(request: OfferRequest): Promise<Offer> {
    const known = this.get(request.name);
    if (known) return known;
    const { self, parentEnv, reaper, log } = this.#o;
    const { name, config, cwd, key, port, tasks } = request;
    const args = [...self.args, '--serve', name, '--port', String(port), '--tasks', tasks, '-config', config];
    const env = {
      ...shieldedEnv({ parent: parentEnv, role: 'home', entryEnv: {}, depth: 0, electronMm: self.electron }),
      MM_SERVE_KEY: key,
    };
    const spec = {
      key: '',
      name: `mm --serve ${name}`,
      role: 'home' as const,
      command: self.command,
      args,
      cwd,
      env,
      hub: false,
    };
    const child = ChildProcess.spawn(spec, reaper, log);
    const offer = await this.#listening(child, name);
    const running = { offer, child, stopping: false };
    this.#running.set(name, running);
    child.exited.then((exit) => {
      if (this.#running.get(name) === running) this.#running.delete(name);
      this.#changed.fire();
      if (!running.stopping) this.#lost.fire({ name, words: describeExit(l10n.t('The bridge of {0}', name), exit) });
    });
    this.#changed.fire();
    return offer;
  }

  /** What runs has 10 s to end; resolves when nothing of it is left. */
  async stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running) return;
    running.stopping = true;
    await running.child.stop(graces);
  }

  /** With the window. */
  async end(): Promise<void> {
    await Promise.all(
      [...this.#running.values()].map((running) => {
        running.stopping = true;
        return running.child.stop(hurriedGraces);
      }),
    );
    this.#changed.dispose();
    this.#lost.dispose();
  }

  /** Its first line says where it is. */
  async #listening(child: ChildProcess, name: string): Promise<Offer> {
    const lines = createInterface({ input: child.stdout });
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Offer>((resolve, reject) => {
        lines.once('line', (line) => {
          const url = line.split(' ')[1];
          if (url && URL.canParse(url)) resolve({ name, url });
          else reject(new UserError(l10n.t('The bridge of {0} said something else than its address.', name)));
        });
        timer = setTimeout(
          () =>
            reject(new UserError(l10n.t('The bridge of {0} did not start within {1} s.', name, startDeadline / 1000))),
          startDeadline,
        );
        child.exited.then((exit) => {
          const detail = exit.stderrTail || child.stderrTail();
          reject(
            new UserError(l10n.t('{0} could not be offered: {1}', name, describeExit(l10n.t('the bridge'), exit)), {
              detail,
              hint: detail.split('\n').filter(Boolean).at(-1),
            }),
          );
        });
      });
    } catch (error) {
      await child.stop(hurriedGraces);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
