import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { KeyRef } from '../config/types';

/**
 * Looks a key up, each time that one is needed: what it gives is kept nowhere (design, section 10).
 * @param url where it will be sent
 */
export type KeyReader = (ref: KeyRef, url: string) => Promise<string>;

/**
 * Keys for a shell: `${secret:NAME}` is the variable `MM_SECRET_NAME` (design, section 6), spelled as it is or in capitals with
 * `_` for what a variable's name cannot hold.
 * @throws UserError where it is not set; the words name the variable.
 */
export function keysOfShell(env: NodeJS.ProcessEnv): KeyReader {
  return async (ref) => {
    if (ref.kind === 'value') return ref.value;
    const names = [`MM_SECRET_${ref.name}`, `MM_SECRET_${ref.name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`];
    const value = names.map((name) => env[name]).find(Boolean);
    if (value) return value;
    throw new UserError(l10n.t('The secret {0} is not set.', ref.name), {
      hint: l10n.t('Give it to mm by the environment variable {0}.', names.at(-1)!),
      exitCode: ExitCode.usage,
    });
  };
}
