import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { addressProblem } from './address';
import { nearest } from './keys';
import { presetOf, presets } from './presets';
import type { MmConfig } from './types';

/** How `AGENT_YOLO` says yes. Anything else, also a misspelling, is no. */
export function isTrue(value: string | undefined): boolean {
  return /^(true|1|on|yes)$/i.test(value?.trim() ?? '');
}

/**
 * What the environment says over the process's own file: `AGENT_PROVIDER`, `AGENT_MODEL`, `AGENT_BASE_URL`, `AGENT_API_KEY`,
 * `AGENT_YOLO` (design, section 6). Empty means not set. Another provider takes neither the file's address nor its key along,
 * another host not its key: a key goes only to where it was written for. The `mmConfigs` are untouched.
 * `warn` hears of a key that another host does not get.
 */
export function applyOverrides(
  config: MmConfig,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void = () => undefined,
): MmConfig {
  const result: MmConfig = { ...config };
  const provider = env.AGENT_PROVIDER || undefined;
  if (provider && provider !== config.provider) {
    const preset = presetOf(provider);
    if (!preset) {
      const near = nearest(provider, Object.keys(presets));
      throw new UserError(
        l10n.t('AGENT_PROVIDER: expected one of {0}, found "{1}"', Object.keys(presets).join(', '), provider),
        {
          exitCode: ExitCode.usage,
          hint: near ? l10n.t('Did you mean `{0}`?', near) : undefined,
        },
      );
    }
    result.provider = provider;
    result.model = preset.model ?? config.model;
    result.baseUrl = preset.baseUrl;
    result.apiKey = undefined;
  }
  if (env.AGENT_MODEL) result.model = env.AGENT_MODEL;
  if (env.AGENT_BASE_URL && result.provider !== 'demo') {
    const problem = addressProblem('AGENT_BASE_URL', env.AGENT_BASE_URL);
    if (problem) throw new UserError(problem, { exitCode: ExitCode.usage });
    result.baseUrl = env.AGENT_BASE_URL.replace(/\/+$/, '');
    if (result.apiKey && originOf(result.baseUrl) !== originOf(config.baseUrl)) {
      result.apiKey = undefined;
      if (!env.AGENT_API_KEY)
        warn(
          l10n.t(
            'AGENT_BASE_URL names another server than {0}, so the key of that file is not sent to it. Set AGENT_API_KEY if it needs one.',
            config.file,
          ),
        );
    }
    result.provider ||= 'openai';
  }
  if (env.AGENT_API_KEY) result.apiKey = env.AGENT_API_KEY;
  if (env.AGENT_YOLO) result.yolo = isTrue(env.AGENT_YOLO);
  return result;
}

/** Why the file's own agent cannot be talked to, or undefined when it can: a file may also only name agents to ask. */
export function missingModel(config: MmConfig): UserError | undefined {
  if (config.provider && config.model) return undefined;
  const message = config.provider
    ? l10n.t('{0} names no `model`.', config.file)
    : l10n.t('{0} names no `provider` and no `model`, so this agent can only pass questions on.', config.file);
  return new UserError(message, {
    exitCode: ExitCode.usage,
    hint: l10n.t('Add `provider:` and `model:` to the file.'),
  });
}

function originOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}
