import { basename, resolve } from 'node:path';
import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { LoadResult, MmConfig, PathEntry, Pins } from './types';

/** The files of an approval with the SHA-256 of what was in them; undefined for one that was not there. */
export function pinsOf(contents: ReadonlyMap<string, string | undefined>): Pins {
  return { allows: (file, hash) => contents.get(resolve(file)) === hash };
}

/**
 * Refuses a file that is not what the person allowed, right before it is used: an agent with one allowed `bash` could have
 * written it meanwhile (design, section 10). Without pins everything is allowed.
 * @param file as the configuration names it
 * @param hash SHA-256, hex, of the content that is going to be used; undefined where there is no such file
 */
export function refuseChanged(pins: Pins | undefined, file: string, hash: string | undefined): void {
  if (!pins || pins.allows(file, hash)) return;
  throw new UserError(l10n.t('{0} has changed since you allowed this folder’s mm.yaml.', basename(file)), {
    hint: l10n.t('Allow the new version to go on.'),
    exitCode: ExitCode.usage,
  });
}

/** The configuration with what was allowed noted on it and on every entry, so that each use can be held against it. */
export function pinned(config: MmConfig, pins: Pins): MmConfig {
  refuseChanged(pins, config.file, config.hash);
  const mmConfigs = new Map(
    [...config.mmConfigs].map(([name, entry]) => [name, entry.kind === 'path' ? { ...entry, pins } : entry]),
  );
  return { ...config, pins, mmConfigs };
}

/**
 * The own file of an agent that another file names; what was allowed there holds for it, and for what it names.
 * @throws UserError where it has changed since.
 */
export async function loadAgent(entry: PathEntry, load: (file: string) => Promise<LoadResult>): Promise<LoadResult> {
  const result = await load(entry.path);
  return result.ok && entry.pins ? { ...result, config: pinned(result.config, entry.pins) } : result;
}
