import { realpath } from 'node:fs/promises';
import { type BridgeOptions, startBridge } from '../a2a/bridge/bridge';
import { describe, ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { loadConfig } from '../config/load';
import { loadAgent } from '../config/pins';
import type { LocalEntry } from '../config/types';
import type { ServeCommand } from './args';
import { ownConfig } from './config';
import { note } from './notes';
import { openTasks } from './serve-tasks';
import type { Services } from './services';

/** Where the bridge listens when nothing is said. */
export const usualPort = 41250;
const usualHost = '127.0.0.1';
const usualKey = 'MM_SERVE_KEY';

/** Milliseconds that running tasks have to end by themselves once the bridge is told to stop. */
const grace = 10_000;

/**
 * `mm --serve [AGENT…]`: offers agents over A2A until a signal ends it. On stdout one line for each agent, its name and its address; all
 * else on stderr.
 */
export async function serveMode(command: ServeCommand, services: Services): Promise<ExitCode> {
  const { env, version, log } = services;
  const config = await ownConfig({ flag: command.config, env, demo: services.demo, mayAsk: true });
  const key = takeKey(command.keyEnv, env);
  const store = openTasks({ named: command.tasks, config: await realpath(config.file), env, note });
  const options: BridgeOptions = {
    config,
    agents: command.agents,
    relay: await services.relay(),
    store,
    host: command.host ?? usualHost,
    port: command.port ?? usualPort,
    key,
    url: command.url,
    version,
    face: (name, entry) => faceOf(name, entry, env),
    cwd: process.cwd(),
    log,
  };
  let bridge: Awaited<ReturnType<typeof startBridge>>;
  try {
    bridge = await startBridge(options);
  } catch (error) {
    store.close();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  const stop = (patience: number) => {
    stopped ??= bridge.close(patience);
    return stopped;
  };
  await services.endWithHost({
    before: () => {
      note(l10n.t('Stopping: running tasks have {0} s to end. Once more to stop at once.', grace / 1000));
      return stop(grace);
    },
    onEnd: () => stop(0),
    // a service manager ends it so, and that is no failure
    exit: (code) => process.exit(code === 143 ? ExitCode.done : code),
  });
  // who read the addresses may go; that ends no server
  process.stdout.on('error', () => undefined);
  for (const { name, url } of bridge.served) process.stdout.write(`${name} ${url}\n`);
  tell(options, bridge);
  // the server keeps the process; a signal ends it
  return await new Promise<never>(() => {});
}

/** What is served, to whom, and how it ends. */
function tell({ config, key }: BridgeOptions, { served, lost }: Awaited<ReturnType<typeof startBridge>>): void {
  note(l10n.t('Serving {0} over A2A, 0.3 and 1.0. Ctrl-C stops it.', served.map(({ name }) => name).join(', ')));
  note(
    key === undefined
      ? l10n.t('No key is set: every program on this machine may call.')
      : l10n.t('Callers need the bearer key.'),
  );
  note(
    config.serve?.yolo === true
      ? l10n.t('`serve: {yolo: true}` in {0}: what callers set off runs without a question.', config.file)
      : l10n.t('What would ask for permission is refused, unless the caller can answer.'),
  );
  if (lost > 0) note(l10n.t('{0} tasks of an earlier run were not finished; they are marked as failed.', lost));
}

/** The key, out of the environment: the agents that are started here must not find it there. */
function takeKey(named: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const name = named ?? usualKey;
  const key = env[name];
  delete env[name];
  if (key) return key;
  if (named === undefined && key === undefined) return undefined;
  throw new UserError(l10n.t('The variable {0} holds no key.', name), { exitCode: ExitCode.usage });
}

/** What an agent's own file says of it. One that cannot be read is served all the same: each of its tasks says what is wrong. */
async function faceOf(name: string, entry: LocalEntry, env: NodeJS.ProcessEnv) {
  if (entry.kind !== 'path') return undefined;
  try {
    const loaded = await loadAgent(entry, (file) => loadConfig(file, env));
    if (loaded.ok) return loaded.config.acp;
    note(
      l10n.t('{0} is served, but its file {1} cannot be used: {2}', name, entry.path, loaded.errors[0]?.message ?? ''),
    );
  } catch (error) {
    note(l10n.t('{0} is served, but its file {1} cannot be used: {2}', name, entry.path, describe(error)));
  }
  return undefined;
}
