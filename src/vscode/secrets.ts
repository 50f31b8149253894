import * as vscode from 'vscode';
import type { KeyReader } from '../a2a/keys';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { MmConfig } from '../config/types';
import type { ConfigService } from './config';

const storageKey = (name: string) => `mm.secret.${name}`;

/** Keys for a window: `${secret:NAME}` lies in the editor's SecretStorage, and is read when it is needed (design, section 10). */
export function keysOfWindow(secrets: vscode.SecretStorage): KeyReader {
  return async (ref) => {
    if (ref.kind === 'value') return ref.value;
    const value = await secrets.get(storageKey(ref.name));
    if (value) return value;
    throw new UserError(l10n.t('The secret {0} is not set.', ref.name), {
      hint: l10n.t('“mm: Set a Secret…” asks for it and keeps it in the editor’s secret storage.'),
    });
  };
}

/** The secrets that a file names, by name. */
export function secretNames(config: MmConfig | undefined): string[] {
  const refs = [...(config?.proxies?.values() ?? [])].flatMap(({ key, adminKey }) => [key, adminKey]);
  for (const entry of config?.mmConfigs.values() ?? []) {
    if (entry.kind === 'a2a' && entry.at.kind === 'card') refs.push(entry.at.key);
  }
  return [...new Set(refs.flatMap((ref) => (ref?.kind === 'secret' ? [ref.name] : [])))];
}

/** "mm: Set a Secret…": one that the configuration names; an empty value takes it away. */
export async function setSecret(
  secrets: vscode.SecretStorage,
  configs: Pick<ConfigService, 'refresh' | 'state'>,
): Promise<void> {
  await configs.refresh();
  const { state } = configs;
  const names = secretNames(state.kind === 'ready' ? state.config : undefined);
  if (names.length === 0) {
    throw new UserError(l10n.t('No secret is named in mm.yaml.'), {
      hint: l10n.t('Write `key: "{0}"` where a key is needed; then it can be set here.', '${secret:proxy}'),
    });
  }
  const rows = await Promise.all(
    names.map(async (label) => ({
      label,
      description: (await secrets.get(storageKey(label))) ? l10n.t('set') : l10n.t('not set'),
    })),
  );
  const title = l10n.t('Set a Secret');
  const chosen =
    rows.length === 1
      ? rows[0]
      : await vscode.window.showQuickPick(rows, { title, placeHolder: l10n.t('Which one? mm.yaml names these.') });
  if (!chosen) throw new CancelledError();
  const value = await vscode.window.showInputBox({
    title: l10n.t('Secret {0}', chosen.label),
    prompt: l10n.t('Kept in the editor’s secret storage. Empty: forget it.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (value === undefined) throw new CancelledError();
  if (value.trim() === '') await secrets.delete(storageKey(chosen.label));
  else await secrets.store(storageKey(chosen.label), value.trim());
}
