import type { SelfLaunch } from '../ask/launch';
import type { Log } from '../base/log';
import type { AgentEntry, MmConfig } from '../config/types';
import type { ModelClient } from './model/types';
import type { SessionOutput } from './output';
import type { AskRelayer } from './relayer';

/** Process groups that must not outlive this program; the reaper of `children` behind it (design, section 11). */
export interface Groups {
  /** Makes it ready; call it before the spawn. */
  prepare(): void;
  add(pgid: number): void;
  remove(pgid: number): void;
  /** An environment with a mark in it, so that what is started is known as ours wherever it goes. */
  marked(env: Record<string, string>): Record<string, string>;
}

/** What all sessions of one `mm` process share. */
export interface EngineDeps {
  config: MmConfig;
  output: SessionOutput;
  /** This process's environment, from which commands get theirs. */
  env: NodeJS.ProcessEnv;
  self: SelfLaunch;
  log: Log;
  model(): Promise<ModelClient>;
  relayer(): Promise<AskRelayer>;
  /** The client is a hub: asks go to it, and it has the `/ask-…` of its own. */
  hub: boolean;
  groups(): Promise<Groups>;
  /** `mmConfigs` with a description for each where one can be had. */
  agents(): Promise<ReadonlyMap<string, AgentEntry>>;
}
