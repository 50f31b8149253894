import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import type { Diagnostic } from './types';

/** One remark as compilers write it, so that terminals and editors make a link of it: `file:line:column: message`. */
export function formatDiagnostic(d: Diagnostic): string {
  return `${d.file}:${d.line}:${d.column}: ${d.message}`;
}

/** A configuration that cannot be used. `mm` ends with exit code 2 for it (design, section 7). */
export class ConfigError extends UserError {
  readonly diagnostics: Diagnostic[];

  constructor(diagnostics: Diagnostic[]) {
    const errors = diagnostics.filter((d) => d.severity === 'error');
    const first = errors[0] ?? diagnostics[0];
    super(first ? formatDiagnostic(first) : l10n.t('The configuration cannot be used.'), {
      exitCode: ExitCode.usage,
      hint: l10n.t('Mend the file and try again.'),
      detail: errors.slice(1).map(formatDiagnostic).join('\n') || undefined,
    });
    this.name = 'ConfigError';
    this.diagnostics = diagnostics;
  }
}

/** What stood in the file, in words, for "expected …, found …". `secret` keeps the value itself out of the message. */
export function foundInWords(value: unknown, secret = false): string {
  if (value === null || value === undefined) return l10n.t('nothing');
  if (Array.isArray(value)) return l10n.t('a list');
  if (typeof value === 'object') return l10n.t('a group of keys');
  if (typeof value === 'boolean') return secret ? l10n.t('true or false') : String(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    return secret ? l10n.t('a number') : l10n.t('the number {0}', String(value));
  }
  if (secret) return l10n.t('a text');
  const text = visible(String(value)).replace(/\s+/g, ' ');
  return l10n.t('the text "{0}"', text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
