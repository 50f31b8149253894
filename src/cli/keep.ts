import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Keeper } from '../a2a/keeper';
import { fileMemory, keptProxy, memoryFile } from '../a2a/keeper-proxy';
import { roundWords } from '../a2a/keeper-words';
import { keysOfShell } from '../a2a/keys';
import { clientFor } from '../a2a/open-registry';
import { describe, ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import { ownConfig } from './config';
import { note } from './notes';
import type { Services } from './services';
import { stateFolder } from './state-folder';

/** Seconds between two rounds. */
const usualPause = 60;

/**
 * `mm --keep`: watches the lists of the file's proxies, brings back what they have forgotten, and says on stdout what it found, a line
 * each. With `once` one round; its exit code is 1 where a proxy could not be asked, or something could not be brought back.
 */
export async function keepMode(command: { config?: string; once: boolean }, services: Services): Promise<ExitCode> {
  const { env, log, demo } = services;
  const config = await ownConfig({ flag: command.config, env, demo, mayAsk: true });
  const proxies = [...(config.proxies?.values() ?? [])];
  if (proxies.length === 0) {
    throw new UserError(l10n.t('{0} names no proxy.', config.file), {
      hint: l10n.t('Add one: `proxies: {team: {url: ADDRESS, key: "{0}"}}`.', '${secret:team}'),
      exitCode: ExitCode.usage,
    });
  }
  const stop = new AbortController();
  await services.endWithHost({ onEnd: () => stop.abort() });
  const folder = join(stateFolder(env, process.platform), 'registry');
  const key = keysOfShell(env);
  const keepers = proxies.map((proxy) => ({
    name: proxy.name,
    keeper: new Keeper({
      proxy: keptProxy(clientFor(proxy, key, log)),
      memory: fileMemory(join(folder, memoryFile(proxy.url)), log),
    }),
  }));
  if (!command.once) note(l10n.t('Watching {0}. Ctrl-C stops it.', proxies.map(({ name }) => name).join(', ')));
  const said = new Map<string, string>();
  for (;;) {
    let failed = false;
    for (const { name, keeper } of keepers) {
      try {
        const round = await keeper.round(stop.signal);
        const words = roundWords(round, name);
        failed ||= round.findings.some(({ kind }) => kind === 'forgotten' || kind === 'unsteady');
        tell(name, words, said);
      } catch (error) {
        if (stop.signal.aborted) return ExitCode.cancelled;
        failed = true;
        const hint = error instanceof UserError ? error.hint : undefined;
        tell(name, [`${describe(error)}${hint ? ` ${hint}` : ''}`], said);
      }
    }
    if (command.once) return failed ? ExitCode.failed : ExitCode.done;
    try {
      await delay(usualPause * 1_000, undefined, { signal: stop.signal });
    } catch {
      return ExitCode.cancelled;
    }
  }
}

/** What is the same as in the round before is not said again. */
function tell(proxy: string, words: readonly string[], said: Map<string, string>): void {
  const all = words.join('\n');
  if (said.get(proxy) === all) return;
  said.set(proxy, all);
  for (const line of words) process.stdout.write(`${new Date().toISOString()} ${visible(line)}\n`);
}
