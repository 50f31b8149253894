import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { MmConfig } from '../config/types';
import type { Host } from '../host/host';
import { copy } from './agentActions';
import { StateKeys } from './ids';

export interface OfferDeps {
  context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState' | 'globalStorageUri'>;
  host(): Promise<Host>;
  config(): MmConfig | undefined;
  folder(): Promise<string | undefined>;
  /** Registers an address at a proxy; absent where no proxy has an admin key. */
  register?: (url: string, key: string) => Promise<void>;
}

/** The bearer key of this person's bridges, made once. */
async function keyOf(secrets: vscode.SecretStorage): Promise<string> {
  const known = await secrets.get(StateKeys.bridgeKey);
  if (known) return known;
  const key = randomBytes(32).toString('hex');
  await secrets.store(StateKeys.bridgeKey, key);
  return key;
}

/** "Offer to the Team…": says what callers may do, and serves the agent over A2A for as long as the window is open. */
export async function offerAgent(name: string, deps: OfferDeps): Promise<void> {
  const config = deps.config();
  const entry = config?.mmConfigs.get(name);
  if (!config || !entry || entry.kind === 'a2a') throw new UserError(l10n.t('{0} is no agent of this window.', name));
  if (config.pins) {
    throw new UserError(l10n.t('The mm.yaml of a folder offers no agents.'), {
      hint: l10n.t('Name {0} in your own mm.yaml: “mm: Open Configuration”.', name),
    });
  }
  const cwd = await deps.folder();
  if (cwd === undefined) throw new CancelledError();
  const yes = l10n.t('Offer on This Machine');
  const detail = [
    l10n.t('It is served over A2A on 127.0.0.1, with a bearer key, for as long as this window is open.'),
    l10n.t('It works for callers in {0}, with your rights.', cwd),
    config.serve?.yolo
      ? l10n.t('`serve: {yolo: true}` in {0}: whatever callers set off RUNS WITHOUT A QUESTION.', config.file)
      : l10n.t('What it would ask you about is refused, unless the caller has a person who answers.'),
  ].join('\n');
  const chosen = await vscode.window.showWarningMessage(
    l10n.t('Offer {0} to the team?', name),
    { modal: true, detail },
    yes,
  );
  if (chosen !== yes) throw new CancelledError();
  const { secrets, globalState, globalStorageUri } = deps.context;
  const key = await keyOf(secrets);
  const { offers } = await deps.host();
  const ports = globalState.get<Record<string, number>>(StateKeys.offeredPorts, {});
  const request = { name, config: config.file, cwd, key, tasks: tasksFile(globalStorageUri, name) };
  // its address stays the same where it can, so that a registration goes on to hold
  const offer = await offers.start({ ...request, port: ports[name] ?? 0 }).catch((error: unknown) => {
    if (ports[name] === undefined) throw error;
    return offers.start({ ...request, port: 0 });
  });
  await globalState.update(StateKeys.offeredPorts, { ...ports, [name]: Number(new URL(offer.url).port) });
  void told(offer.url, key, deps).catch(() => undefined);
}

async function told(url: string, key: string, deps: OfferDeps): Promise<void> {
  const address = l10n.t('Copy Address');
  const bearer = l10n.t('Copy Key');
  const register = l10n.t('Register at the Proxy…');
  const chosen = await vscode.window.showInformationMessage(
    l10n.t('It is asked at {0}.', url),
    address,
    bearer,
    ...(deps.register ? [register] : []),
  );
  if (chosen === address) await copy(url);
  if (chosen === bearer) await copy(key);
  if (chosen === register) await deps.register?.(url, key);
}

export async function withdrawAgent(name: string, deps: OfferDeps): Promise<void> {
  const { offers } = await deps.host();
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t('{0} ends what it works on for callers…', name) },
    () => offers.stop(name),
  );
}

function tasksFile(storage: vscode.Uri, name: string): string {
  return vscode.Uri.joinPath(storage, 'serve', `${name}.sqlite`).fsPath;
}
