/** Composition root of the command line: what a mode needs is built here, each part when it is first used. */
import { fileURLToPath } from 'node:url';
import { version } from '../package.json';
import type { ChildPool } from './children/pool';
import type { Reaper } from './children/reaper';
import { parseArgs } from './cli/args';
import { report, stderrLog } from './cli/notes';
import type { Services } from './cli/services';

// Meant for this process alone: neither a command nor another agent may run under it (design, rule 3; faults F010).
const electron = 'electron' in process.versions;
delete process.env.ELECTRON_RUN_AS_NODE;
delete process.env.ELECTRON_NO_ASAR;

const file = fileURLToPath(import.meta.url);

function compose(): Services {
  const { env } = process;
  const log = stderrLog(env);
  const self = { command: process.execPath, args: [file], electron };
  let pool: ChildPool | undefined;
  let reaper: Promise<Reaper> | undefined;
  let relay: ReturnType<Services['relay']> | undefined;
  let host: Promise<void> | undefined;

  const groups = () => {
    reaper ??= import('./children/reaper').then(({ Reaper }) => Reaper.start(log));
    return reaper;
  };
  const makeRelay = async () => {
    const [{ ChildPool }, { LocalTarget }, { Relay }, { loadConfig, ConfigError }] = await Promise.all([
      import('./children/pool'),
      import('./ask/local'),
      import('./ask/relay'),
      import('./config/load'),
    ]);
    // how a child ended is told by the ask that it was for
    const quiet = { ...log, warn: log.info };
    pool = new ChildPool({
      log: quiet,
      hub: false,
      clientInfo: { name: 'mm', title: 'mm', version },
      reaper: await groups(),
    });
    const local = new LocalTarget({ pool, self, parentEnv: env, log });
    return new Relay({
      targets: [local],
      log,
      hub: false,
      async loadConfigOf(entry) {
        const loaded = await loadConfig(entry.path, env);
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
        endWithHost({ end: async (graces) => pool?.end(graces), killNow: () => pool?.killNow() }, options);
      });
      return host;
    },
    end: async () => pool?.end(),
  };
}

/** Runs what the arguments say; gives the exit code. */
async function main(argv: string[]): Promise<number> {
  try {
    const command = parseArgs(argv);
    const services = compose();
    switch (command.mode) {
      case 'acp':
        return await (await import('./cli/acp')).acpMode(command, services).finally(services.end);
      case 'ask':
        return await (await import('./cli/ask')).askMode(command, services).finally(services.end);
      case 'print':
        return await (await import('./cli/print')).printMode(command, services).finally(services.end);
      case 'help':
        process.stdout.write((await import('./cli/help')).helpText());
        return 0;
      case 'version':
        process.stdout.write(`mm ${version}\n`);
        return 0;
    }
  } catch (error) {
    return report(error);
  }
}

process.exit(await main(process.argv.slice(2)));
