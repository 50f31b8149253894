import type { Readable, Writable } from 'node:stream';
import { ClientConnection } from '../acp/agent';
import type { SelfLaunch } from '../ask/launch';
import type { Log } from '../base/log';
import type { AgentEntry, MmConfig } from '../config/types';
import type { EngineDeps, Groups } from './deps';
import { Engine } from './engine';
import type { SessionOutput } from './output';
import type { RelayLike } from './own-relay';
import type { AskRelayer } from './relayer';

/** What the process gives its engine; each part is made when it is first needed. */
export interface EngineServices {
  env: NodeJS.ProcessEnv;
  self: SelfLaunch;
  version: string;
  log: Log;
  relay(): Promise<RelayLike>;
  groups(): Promise<Groups>;
}

/** One process as an ACP agent on two streams. */
export interface StdioAgent {
  /** Settles when the client has gone. */
  readonly closed: Promise<Error>;
  /** Ends every turn; resolves when their commands have ended. */
  end(): Promise<void>;
}

export interface StdioOptions {
  input: Readable;
  output: Writable;
  services: EngineServices;
  config(): Promise<MmConfig>;
}

/** `mm -acp`: speaks ACP on stdin and stdout. What a start does not need is loaded when it is used first. */
export function serveStdio({ input, output, services, config }: StdioOptions): StdioAgent {
  const engine: Engine = new Engine({
    version: services.version,
    env: services.env,
    config,
    deps: (loaded) => {
      const client: SessionOutput = connection;
      const hub = connection.clientMeta.ask === true;
      return engineDeps(services, loaded, client, {
        hub,
        relayer: async () => {
          if (hub) return new (await import('./hub')).HubRelayer(connection);
          const { OwnRelayer } = await import('./own-relay');
          return new OwnRelayer({ relay: services.relay, config: loaded, output: client, canAnswer: true });
        },
      });
    },
  });
  const connection = new ClientConnection({ input, output, handlers: engine, log: services.log });
  return { closed: connection.closed, end: () => engine.end() };
}

/** The parts that every engine of this process has in common. */
export function engineDeps(
  services: EngineServices,
  config: MmConfig,
  output: SessionOutput,
  asks: { hub: boolean; relayer(): Promise<AskRelayer> },
): EngineDeps {
  const { env, self, log, groups } = services;
  return {
    config,
    output,
    env,
    self,
    log,
    groups,
    hub: asks.hub,
    relayer: once(asks.relayer),
    model: once(async () => (await import('./model/client')).modelFor(config)),
    agents: once(async () => describeAgents(config, env)),
  };
}

/** Entries without a `description` get the title of their own file, where there is one (rule 8). */
async function describeAgents(config: MmConfig, env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, AgentEntry>> {
  const [{ loadConfig }, { loadAgent }] = await Promise.all([import('../config/load'), import('../config/pins')]);
  const entries = [...config.mmConfigs].map(async ([name, entry]): Promise<[string, AgentEntry]> => {
    if (entry.description || entry.kind !== 'path') return [name, entry];
    // one that cannot be used says so when it is asked
    const loaded = await loadAgent(entry, (file) => loadConfig(file, env)).catch(() => undefined);
    const title = loaded?.ok ? loaded.config.acp.title : undefined;
    return [name, title ? { ...entry, description: title } : entry];
  });
  return new Map(await Promise.all(entries));
}

/** Makes the value once; a failure is not remembered. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    if (!made) {
      made = make();
      made.catch(() => {
        made = undefined;
      });
    }
    return made;
  };
}
