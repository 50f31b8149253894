import * as vscode from 'vscode';
import { addressOf } from '../a2a/fields';
import type { Registry } from '../a2a/registry';
import type { AgentAction } from '../a2a/view';
import { CancelledError, describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import type { ProxyEntry } from '../config/types';

/** What only somebody with the proxy's admin key can do with an agent. */
export const adminActions = ['register', 'edit-limits', 'make-public', 'create-key', 'delete'] as const;
export type AdminAction = (typeof adminActions)[number];

export function isAdminAction(action: AgentAction): action is AdminAction {
  return (adminActions as readonly string[]).includes(action);
}

type Behind = NonNullable<ReturnType<Registry['behind']>>;

/**
 * "mm: Create an Agent at the Proxy…": from the card at its address, under a name of the person's choice.
 * @param proxies those that may be chosen: with an admin key
 * @param known a bridge of ours, and its key, which the proxy then sends along
 */
export async function createAgent(
  proxies: readonly ProxyEntry[],
  registry: Registry,
  known?: { url: string; key: string },
): Promise<void> {
  const title = l10n.t('Create an Agent at the Proxy');
  const proxy = await proxyFor(proxies, title);
  const address =
    known?.url ??
    (await vscode.window.showInputBox({
      title,
      prompt: l10n.t('Where the agent is reached by the proxy: its address, or that of its card'),
      placeHolder: 'http://127.0.0.1:41250/bob',
      validateInput: (text) =>
        addressOf(text.trim())
          ? undefined
          : l10n.t('An address starts with http:// or https://, and holds no password.'),
    }));
  const url = address === undefined ? undefined : addressOf(address.trim());
  if (url === undefined) throw new CancelledError();
  const card = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t('Fetching the card of {0}…', url) },
    () => registry.cardAt(url),
  );
  const name = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('The name under which it is asked there'),
    value: card.name
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^-+|-+$/g, ''),
    validateInput: (text) => (agentName.test(text.trim()) ? undefined : l10n.t('Letters, digits, “-”, “_” and “.”.')),
  });
  if (name === undefined || !agentName.test(name.trim())) throw new CancelledError();
  const skills = card.skills.map((skill) => visible(skill.name)).join(', ');
  const detail = [
    visible(card.description),
    l10n.t('Address: {0}', url),
    ...(skills ? [l10n.t('Skills: {0}', skills)] : []),
    l10n.t('Whoever may ask agents there can ask it then.'),
  ];
  await confirm(
    l10n.t('Create {0} at the proxy {1}?', name.trim(), proxy.name),
    detail.filter(Boolean).join('\n').slice(0, 1_000),
    l10n.t('Create'),
  );
  // the proxy looks for the card below this address before each call (facts, 1.5)
  const upstream = url.replace(/\/\.well-known\/agent(-card)?\.json$/i, '');
  await registry.clientOf(proxy).create({
    name: name.trim(),
    card: { ...card.raw, url: upstream },
    ...(known ? { staticHeaders: { Authorization: `Bearer ${known.key}` } } : {}),
  });
  await registry.look();
}

const agentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

async function proxyFor(proxies: readonly ProxyEntry[], title: string): Promise<ProxyEntry> {
  const [only, ...others] = proxies;
  if (!only) {
    throw new UserError(l10n.t('No proxy of mm.yaml has an admin key.'), {
      hint: l10n.t('Write `adminKey: "{0}"` at the proxy, and set that secret.', '${secret:admin}'),
    });
  }
  if (others.length === 0) return only;
  const rows = proxies.map((proxy) => ({ label: proxy.name, description: proxy.url, proxy }));
  const chosen = await vscode.window.showQuickPick(rows, { title, placeHolder: l10n.t('At which proxy?') });
  if (!chosen) throw new CancelledError();
  return chosen.proxy;
}

/** Each says what it will do before it does it; a closed question changes nothing. */
export async function doAdminAction(action: AdminAction, id: string, registry: Registry): Promise<void> {
  const behind = registry.behind(id);
  if (!behind) throw new UserError(l10n.t('This agent is no longer there.'));
  const { client, agent } = behind;
  switch (action) {
    case 'register':
      await client.touch(agent.id, agent.name);
      break;
    case 'edit-limits':
      await editLimits(behind);
      break;
    case 'make-public':
      await makePublic(behind);
      break;
    case 'create-key':
      await createKey(behind);
      break;
    case 'delete':
      await deleteAgent(behind);
  }
  await registry.refresh();
}

const limitNames = ['rpm', 'tpm', 'sessionRpm', 'sessionTpm'] as const;

function limitLabel(name: (typeof limitNames)[number]): string {
  switch (name) {
    case 'rpm':
      return l10n.t('Asks a minute');
    case 'tpm':
      return l10n.t('Tokens a minute');
    case 'sessionRpm':
      return l10n.t('Asks a session');
    case 'sessionTpm':
      return l10n.t('Tokens a session');
  }
}

async function editLimits({ client, agent }: Behind): Promise<void> {
  const title = l10n.t('Limits of {0}', visible(agent.name));
  const rows = limitNames.map((name) => ({
    name,
    label: limitLabel(name),
    description: agent.limits[name] === undefined ? l10n.t('no limit') : String(agent.limits[name]),
  }));
  const chosen = await vscode.window.showQuickPick(rows, { title, placeHolder: l10n.t('Which limit?') });
  if (!chosen) throw new CancelledError();
  const text = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('{0}. Empty: no limit.', chosen.label),
    value: String(agent.limits[chosen.name] ?? ''),
    validateInput: (value) =>
      limitOf(value) === undefined ? l10n.t('A whole number from 0 up, or nothing.') : undefined,
  });
  const limit = text === undefined ? undefined : limitOf(text);
  if (limit === undefined) throw new CancelledError();
  await client.patch(agent.id, { limits: { [chosen.name]: limit } });
}

/** A number, null for none, undefined for what is neither. */
function limitOf(text: string): number | null | undefined {
  const bare = text.trim();
  if (bare === '') return null;
  return /^\d{1,9}$/.test(bare) ? Number(bare) : undefined;
}

async function makePublic({ client, agent }: Behind): Promise<void> {
  const detail = l10n.t(
    'Everybody who reaches the proxy can see its card then. A proxy without `store_model_in_db: true` rewrites its config.yaml for this, and loses the comments in it.',
  );
  await confirm(l10n.t('Make {0} public?', visible(agent.name)), detail, l10n.t('Make Public'));
  await client.makePublic(agent.id);
}

async function createKey({ client, agent }: Behind): Promise<void> {
  const title = l10n.t('Key for {0}', visible(agent.name));
  const alias = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('A name for the key, by which the proxy lists it'),
    value: `agent-${agent.name}`,
  });
  if (!alias?.trim()) throw new CancelledError();
  const budget = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('What it may spend in 30 days, in US dollars. Empty: no limit.'),
    validateInput: (value) => (budgetOf(value) === undefined ? l10n.t('A number, or nothing.') : undefined),
  });
  const most = budget === undefined ? undefined : budgetOf(budget);
  if (most === undefined) throw new CancelledError();
  const { key } = await client.generateKey({
    alias: alias.trim(),
    agentId: agent.id,
    ...(most === null ? {} : { maxBudget: most, budgetDuration: '30d' }),
  });
  // shown never, so that it stands in no picture and no log
  await vscode.env.clipboard.writeText(key);
  vscode.window.showInformationMessage(
    l10n.t('The key {0} is in the clipboard. The proxy does not show it again.', alias.trim()),
  );
}

function budgetOf(text: string): number | null | undefined {
  const bare = text.trim().replace(',', '.');
  if (bare === '') return null;
  return /^\d{1,7}(\.\d{1,4})?$/.test(bare) ? Number(bare) : undefined;
}

async function deleteAgent({ client, agent }: Behind): Promise<void> {
  const { keys } = agent;
  const detail = [
    l10n.t('It is removed from the proxy, for everybody. This cannot be taken back.'),
    ...(keys.length === 0
      ? []
      : keys.length === 1
        ? [l10n.t('Its key is deleted too; otherwise it would stay valid.')]
        : [l10n.t('Its {0} keys are deleted too; otherwise they would stay valid.', keys.length)]),
  ].join('\n');
  await confirm(l10n.t('Delete {0} at the proxy?', visible(agent.name)), detail, l10n.t('Delete'));
  await client.remove(agent.id);
  const failed: string[] = [];
  for (const { token, alias } of keys) {
    try {
      await client.deleteKey(token);
    } catch (error) {
      failed.push(`${alias ?? l10n.t('a key without a name')}: ${describe(error)}`);
    }
  }
  if (failed.length > 0) {
    throw new UserError(l10n.t('{0} was deleted, but not all of its keys.', visible(agent.name)), {
      detail: failed.join('\n'),
      hint: l10n.t('They stay valid. Delete them at the proxy: {0}', failed.join('; ')),
    });
  }
}

async function confirm(message: string, detail: string, yes: string): Promise<void> {
  const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, yes);
  if (chosen !== yes) throw new CancelledError();
}
