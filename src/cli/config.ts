import { homedir } from 'node:os';
import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { type FoundConfig, findConfig } from '../config/find';
import { applyOverrides, ConfigError, formatDiagnostic, loadConfig } from '../config/load';
import { pinned } from '../config/pins';
import type { MmConfig } from '../config/types';
import { note } from './notes';

export interface ConfigOptions {
  /** The value of `-config`. */
  flag?: string;
  env: NodeJS.ProcessEnv;
  demo: string;
  /** A person at a terminal may be asked whether a workspace's file is to be used. */
  mayAsk: boolean;
}

/**
 * The process's own configuration, found, approved where it came with the folder (design, section 10), read, and overridden by `AGENT_*`.
 * Warnings go to stderr. Throws a `UserError` with exit code 2.
 */
export async function ownConfig(options: ConfigOptions): Promise<MmConfig> {
  const { env } = options;
  const found = findConfig({
    flag: options.flag,
    env,
    workspace: process.cwd(),
    home: homedir(),
    platform: process.platform,
    demo: options.demo,
  });
  if (!found)
    throw new UserError(l10n.t('There is no mm.yaml.'), {
      exitCode: ExitCode.usage,
      hint: l10n.t('Write one, and name it with -config FILE.'),
    });
  if (found.source !== 'workspace') return load(found, env);
  const [{ approve }, { openTerminal }] = await Promise.all([import('./approve'), import('./terminal')]);
  const approval = await approve(found.file, env, () => (options.mayAsk ? openTerminal() : undefined));
  // what is used, now and later, is what was allowed
  return pinned(await load(found, env), approval.pins);
}

async function load({ file }: FoundConfig, env: NodeJS.ProcessEnv): Promise<MmConfig> {
  const result = await loadConfig(file, env);
  for (const warning of result.warnings) note(formatDiagnostic(warning));
  if (!result.ok) throw new ConfigError(result.errors);
  return applyOverrides(result.config, env, note);
}
