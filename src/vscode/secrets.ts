import * as vscode from 'vscode';
import type { KeyReader } from '../a2a/keys';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { KeyRef, MmConfig } from '../config/types';
import type { ConfigService } from './config';

/** A secret is one name at one server: another file that gives the name another address does not get it. */
interface NamedSecret {
  name: string;
  origin: string;
}

const storageKey = ({ name, origin }: NamedSecret) => `mm.secret.${name}@${origin}`;

/** Keys for a window: `${secret:NAME}` lies in the editor's SecretStorage, and is read when it is needed (design, section 10). */
export function keysOfWindow(secrets: vscode.SecretStorage): KeyReader {
  return async (ref, url) => {
    if (ref.kind === 'value') return ref.value;
    const { origin } = new URL(url);
    const value = await secrets.get(storageKey({ name: ref.name, origin }));
    if (value) return value;
    throw new UserError(l10n.t('The secret {0} is not set for {1}.', ref.name, origin), {
      hint: l10n.t('“mm: Set a Secret…” asks for it and keeps it in the editor’s secret storage.'),
    });
  };
}

/** The secrets that a file names, each with the server that would get it. */
export function secretsOf(config: MmConfig | undefined): NamedSecret[] {
  const found = new Map<string, NamedSecret>();
  const add = (ref: KeyRef | undefined, url: string) => {
    if (ref?.kind !== 'secret') return;
    const secret = { name: ref.name, origin: new URL(url).origin };
    found.set(storageKey(secret), secret);
  };
  for (const { url, key, adminKey } of config?.proxies?.values() ?? []) {
    add(key, url);
    add(adminKey, url);
  }
  for (const entry of config?.mmConfigs.values() ?? [])
    if (entry.kind === 'a2a' && entry.at.kind === 'card') add(entry.at.key, entry.at.url);
  return [...found.values()];
}

/** "mm: Set a Secret…": one that the configuration names; an empty value takes it away. */
export async function setSecret(
  secrets: vscode.SecretStorage,
  configs: Pick<ConfigService, 'refresh' | 'state'>,
): Promise<void> {
  await configs.refresh();
  const { state } = configs;
  const named = secretsOf(state.kind === 'ready' ? state.config : undefined);
  if (named.length === 0) {
    throw new UserError(l10n.t('No secret is named in mm.yaml.'), {
      hint: l10n.t('Write `key: "{0}"` where a key is needed; then it can be set here.', '${secret:proxy}'),
    });
  }
  const rows = await Promise.all(
    named.map(async (secret) => ({
      secret,
      label: secret.name,
      description: secret.origin,
      detail: (await secrets.get(storageKey(secret))) ? l10n.t('set') : l10n.t('not set'),
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
    prompt: l10n.t('For {0}. Kept in the editor’s secret storage. Empty: forget it.', chosen.secret.origin),
    password: true,
    ignoreFocusOut: true,
  });
  if (value === undefined) throw new CancelledError();
  if (value.trim() === '') await secrets.delete(storageKey(chosen.secret));
  else await secrets.store(storageKey(chosen.secret), value.trim());
}
