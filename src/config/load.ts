import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import { sha256Hex } from '../base/sha256';
import { check } from './check';
import { YamlFile } from './document';
import { homeOf } from './paths';
import type { Diagnostic, LoadResult } from './types';

export { ConfigError, formatDiagnostic } from './diagnostics';
export { applyOverrides, isTrue } from './overrides';

/** A configuration is a page or two; what is larger was named by mistake. */
const mostBytes = 1_048_576;

/**
 * Reads and checks one `mm.yaml` (design, section 6). Never throws for what is in the file or missing from the disk:
 * all errors come back with their places, warnings beside them.
 * @param env where `${env:NAME}` is looked up
 */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadResult> {
  const absolute = resolve(file);
  const fail = (message: string): LoadResult => ({
    ok: false,
    file: absolute,
    errors: [{ severity: 'error', file: absolute, line: 1, column: 1, message }],
    warnings: [],
  });
  let bytes: Buffer;
  try {
    const info = await stat(absolute);
    if (!info.isFile()) return fail(l10n.t('this is not a file'));
    if (info.size > mostBytes)
      return fail(l10n.t('the file is larger than {0} bytes; this cannot be a configuration', mostBytes));
    bytes = await readFile(absolute);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail(l10n.t('there is no such file'));
    if (code === 'EACCES' || code === 'EPERM') return fail(l10n.t('the file may not be read'));
    return fail(l10n.t('the file cannot be read: {0}', describe(error)));
  }
  return parseConfig(absolute, bytes, env);
}

/** The same for content that is at hand already, such as an unsaved editor. `file` is absolute. */
export function parseConfig(file: string, content: string | Buffer, env: NodeJS.ProcessEnv): LoadResult {
  const hash = sha256Hex(content);
  const yaml = new YamlFile(file, content.toString());
  if (yaml.unreadable) return { ok: false, file, errors: yaml.errors, warnings: [] };
  const { config, diagnostics } = check(yaml, { env, home: homeOf(env, homedir) });
  const all = [...yaml.errors, ...diagnostics].sort((a, b) => a.line - b.line || a.column - b.column);
  const of = (severity: Diagnostic['severity']) => all.filter((d) => d.severity === severity);
  const errors = of('error');
  const warnings = of('warning');
  return errors.length > 0
    ? { ok: false, file, errors, warnings }
    : { ok: true, config: { file, hash, ...config }, warnings };
}
