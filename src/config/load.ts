import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import { sha256Hex } from '../base/sha256';
import { check } from './check';
import { mostBytes, YamlFile } from './document';
import { homeOf } from './paths';
import type { Diagnostic, LoadResult } from './types';

export { ConfigError, formatDiagnostic } from './diagnostics';
export { applyOverrides, isTrue } from './overrides';

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
  const text = typeof content === 'string' ? content : textOf(content);
  if (text === undefined) {
    const message = l10n.t('the file is not UTF-8 text; save it as UTF-8');
    return { ok: false, file, errors: [{ severity: 'error', file, line: 1, column: 1, message }], warnings: [] };
  }
  const yaml = new YamlFile(file, text);
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

/** Undefined for bytes that are no UTF-8: a replacement character in a prompt would be nobody's word. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
