import { once } from 'node:events';
import { join } from 'node:path';
import { fileMemory, memoryFile } from '../a2a/keeper-proxy';
import { keysOfShell } from '../a2a/keys';
import { clientFor } from '../a2a/open-registry';
import { Watcher } from '../a2a/watcher';
import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import { ownConfig } from './config';
import { note } from './notes';
import type { Services } from './services';
import { stateFolder } from './state-folder';

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
  const watcher = new Watcher({
    proxies: () => proxies,
    client: (proxy) => clientFor(proxy, key, log),
    memory: (proxy) => fileMemory(join(folder, memoryFile(proxy.url)), log),
    log: { ...log, info: log.debug },
  });
  let failed = false;
  watcher.onNews(({ round, words }) => {
    failed ||= !round || round.findings.some(({ kind }) => kind === 'forgotten' || kind === 'unsteady');
    for (const line of words) process.stdout.write(`${new Date().toISOString()} ${visible(line)}\n`);
  });
  try {
    if (command.once) {
      await watcher.round();
      if (stop.signal.aborted) return ExitCode.cancelled;
      return failed ? ExitCode.failed : ExitCode.done;
    }
    note(l10n.t('Watching {0}. Ctrl-C stops it.', proxies.map(({ name }) => name).join(', ')));
    watcher.start();
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    return ExitCode.cancelled;
  } finally {
    watcher.dispose();
  }
}
