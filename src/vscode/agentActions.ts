import * as vscode from 'vscode';
import type { Registry } from '../a2a/registry';
import type { AgentAction, AgentRow, GroupAction } from '../a2a/view';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { entryName } from '../config/schema';
import type { MmConfig } from '../config/types';
import { createAgent, doAdminAction, isAdminAction } from './agentAdmin';
import { editFile } from './fileEdits';
import { Commands } from './ids';

export interface AgentActionDeps {
  registry(): Registry;
  config(): MmConfig | undefined;
  /** Shows the view of the chat with `/ask-…` and the words behind it. */
  chat: { compose(agent: string, words?: string): Promise<void> };
  details(id: string): void;
  offer(name: string): Promise<void>;
  withdraw(name: string): Promise<void>;
}

/** What can be done with an agent, from the tree and from its page. */
export async function doAction(action: AgentAction, id: string, deps: AgentActionDeps, words?: string): Promise<void> {
  const registry = deps.registry();
  const row = registry.row(id);
  if (!row?.actions.includes(action)) throw new UserError(l10n.t('This cannot be done with this agent now.'));
  if (isAdminAction(action)) return doAdminAction(action, id, registry);
  switch (action) {
    case 'ask':
      return deps.chat.compose(await nameToAsk(row, registry), words);
    case 'ask-with-context':
      return deps.chat.compose(`with-context-${await nameToAsk(row, registry)}`, words);
    case 'details':
      return deps.details(id);
    case 'probe':
      return registry.probe(id);
    case 'copy-model':
      return copy(`a2a/${row.name}`);
    case 'copy-curl':
      return copy(curlFor(registry.address(id) ?? '', row.a2a?.versions[0] === '1.0'));
    case 'open-card':
      return openJson(await registry.rawCard(id));
    case 'offer':
      return deps.offer(row.name);
    case 'withdraw':
      return deps.withdraw(row.name);
    case 'add-to-file':
      return addEntry(row, registry.reference(id) ?? '', deps);
    case 'open-file':
      await vscode.commands.executeCommand(Commands.openConfiguration);
      return;
    default:
      throw new UserError(l10n.t('This is not possible yet.'));
  }
}

/** What can be done with a group. */
export async function doGroupAction(
  action: GroupAction,
  group: string | undefined,
  deps: AgentActionDeps,
): Promise<void> {
  const registry = deps.registry();
  const proxy = deps.config()?.proxies?.get(group?.replace(/^proxy:/, '') ?? '');
  switch (action) {
    case 'refresh':
      return registry.look();
    case 'enter-key':
      await vscode.commands.executeCommand(Commands.setSecret);
      return registry.look();
    case 'open-file':
      await vscode.commands.executeCommand(Commands.openConfiguration);
      return;
    case 'open-address':
      if (proxy) await vscode.env.openExternal(vscode.Uri.parse(proxy.url, true));
      return;
    case 'add-registry':
      return addRegistry(deps);
    case 'create': {
      const all = [...(deps.config()?.proxies?.values() ?? [])].filter(({ adminKey }) => adminKey !== undefined);
      return createAgent(proxy ? [proxy] : all, registry);
    }
    default:
      throw new UserError(l10n.t('This is not possible yet.'));
  }
}

export async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(l10n.t('$(check) Copied'), 3_000);
}

/** Several entries may name the same agent. */
async function nameToAsk(row: AgentRow, registry: Registry): Promise<string> {
  const names = row.group === 'window' ? [row.name] : registry.askedAs(row.id);
  const name = names.length > 1 ? await vscode.window.showQuickPick(names, { title: l10n.t('Ask as') }) : names[0];
  if (name === undefined) throw new CancelledError();
  return name;
}

async function openJson(value: unknown): Promise<void> {
  const content = `${JSON.stringify(value, null, 2)}\n`;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content }));
}

/** An ask by hand; the key is the caller's to fill in. */
export function curlFor(url: string, v1: boolean): string {
  const message = v1
    ? { role: 'ROLE_USER', messageId: '1', parts: [{ text: 'hello' }] }
    : { role: 'user', messageId: '1', parts: [{ kind: 'text', text: 'hello' }] };
  const body = { jsonrpc: '2.0', id: '1', method: v1 ? 'SendMessage' : 'message/send', params: { message } };
  const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;
  return [
    `curl -s ${quoted(url)}`,
    `-H "Authorization: Bearer $KEY"`,
    `-H 'Content-Type: application/json'`,
    ...(v1 ? [`-H 'A2A-Version: 1.0'`] : []),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** A name that fits `/ask-NAME` and is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60);
  const base = entryName.test(plain) ? plain : 'agent';
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? base : `${base}-${i}`;
    if (!taken.has(candidate)) return candidate;
  }
}

async function addEntry(row: AgentRow, reference: string, deps: AgentActionDeps): Promise<void> {
  const config = ownFile(deps);
  const name = freeName(row.name, new Set(config.mmConfigs.keys()));
  const entry = {
    a2a: reference,
    ...(row.description ? { description: row.description.split('\n')[0]!.slice(0, 200) } : {}),
  };
  await editFile(config.file, (document) => document.setIn(['mmConfigs', name], document.createNode(entry)));
}

async function addRegistry(deps: AgentActionDeps): Promise<void> {
  const config = ownFile(deps);
  const url = await vscode.window.showInputBox({
    title: l10n.t('Add a Registry'),
    prompt: l10n.t('The address of your team’s LLM proxy'),
    placeHolder: 'http://localhost:4000',
    validateInput: (text) =>
      /^https?:\/\/[^\s/@]+/i.test(text) ? undefined : l10n.t('An address starts with http:// or https://'),
  });
  if (!url) throw new CancelledError();
  const name = freeName('team', new Set(config.proxies?.keys() ?? []));
  const entry = { url: url.replace(/\/+$/, ''), key: `\${secret:${name}}` };
  await editFile(config.file, (document) => document.setIn(['proxies', name], document.createNode(entry)));
  const set = l10n.t('Set a Secret…');
  const chosen = await vscode.window.showInformationMessage(
    l10n.t('Save the file, then set the secret {0}: your key for the proxy.', name),
    set,
  );
  if (chosen === set) await vscode.commands.executeCommand(Commands.setSecret);
}

function ownFile(deps: AgentActionDeps): MmConfig {
  const config = deps.config();
  if (!config)
    throw new UserError(l10n.t('There is no mm.yaml that holds.'), {
      hint: l10n.t('“mm: Open Configuration” opens it.'),
    });
  return config;
}
