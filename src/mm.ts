/** Composition root of the command line: what a mode needs is built here, each part when it is first used. */
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../package.json';
import { cacheFolder } from './agent/cache-folder';
import type { Log } from './base/log';
import type { ChildPool } from './children/pool';
import type { Reaper } from './children/reaper';
import type { Services } from './cli/services';

// Meant for this process alone: neither a command nor another agent may run under it (design, rule 3; faults F010).
const electron = 'electron' in process.versions;
delete process.env.ELECTRON_RUN_AS_NODE;
delete process.env.ELECTRON_NO_ASAR;

const parent = process.ppid;
const file = fileURLToPath(import.meta.url);

// What is compiled once need not be compiled at the next start; an agent is started often. Node 20 cannot do that and starts without.
(module as { enableCompileCache?(folder: string): unknown }).enableCompileCache?.(
  process.env.NODE_COMPILE_CACHE ?? join(cacheFolder(process.env, process.platform), 'compiled'),
);

function compose(log: Log): Services {
  const { env } = process;
  const self = { command: process.execPath, args: [file], electron };
  let pool: ChildPool | undefined;
  let reaper: Promise<Reaper> | undefined;
  let relay: ReturnType<Services['relay']> | undefined;
  let host: Promise<void> | undefined;

  const groups = () => {
    reaper ??= import('./children/reaper').then(({ Reaper }) =>
      Reaper.start(log, join(cacheFolder(env, process.platform), 'launches')),
    );
    return reaper;
  };
  const makeRelay = async () => {
    const [{ ChildPool }, { LocalTarget }, { remoteTarget }, { Relay }, { loadConfig, ConfigError }, { loadAgent }] =
      await Promise.all([
        import('./children/pool'),
        import('./ask/local'),
        import('./a2a/lazy'),
        import('./ask/relay'),
        import('./config/load'),
        import('./config/pins'),
      ]);
    // how a child ended is told by the ask that it was for
    const quiet = { ...log, warn: log.info };
    const orphans = await groups();
    pool = new ChildPool({
      log: quiet,
      hub: false,
      clientInfo: { name: 'mm', title: 'mm', version },
      reaper: orphans,
    });
    const local = new LocalTarget({ pool, self, parentEnv: env, log });
    const elsewhere = remoteTarget(async () => {
      const [{ RemoteTarget }, { keysOfShell }] = await Promise.all([import('./a2a/remote'), import('./a2a/keys')]);
      return new RemoteTarget({ key: keysOfShell(env), log });
    });
    return new Relay({
      targets: [local, elsewhere],
      log,
      hub: false,
      hooks: { parentEnv: env, reaper: () => orphans },
      async loadConfigOf(entry) {
        const loaded = await loadAgent(entry, (file) => loadConfig(file, env));
        if (!loaded.ok) throw new ConfigError(loaded.errors);
        return loaded.config;
      },
    });
  };
  return {
    env,
    self,
    version,
    log,
    demo: fileURLToPath(new URL('../media/demo/mm.yaml', import.meta.url)),
    groups,
    relay() {
      relay ??= makeRelay();
      return relay;
    },
    endWithHost(options) {
      host ??= import('./children/signals').then(({ endWithHost }) => {
        endWithHost(
          { end: async (graces) => pool?.end(graces), killNow: () => pool?.killNow() },
          { ...options, parent },
        );
      });
      return host;
    },
    end: async () => pool?.end(),
  };
}

const { main, stderrLog } = await import('./cli/main');
process.exit(await main(process.argv.slice(2), compose(stderrLog(process.env))));
