import * as path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { CancelledError, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { AskableAgent } from '../chat/page';
import type { ConfigState } from './config';
import { type ErrorDeps, reportError } from './errors';
import { type CommandId, Commands } from './ids';
import { showFile } from './opener';
import { type PermissionsDeps, showPermissions } from './permissions';

/** A child of the window as the commands see it; the pool's statuses fit. */
export interface ChildRow {
  key: string;
  name: string;
  role: 'home' | 'asked';
  state: 'starting' | 'ready' | 'ended';
  pid?: number;
}

/** What the commands act on; `extension.ts` gives the real ones. */
export interface CommandDeps extends ErrorDeps {
  /** The window's `mm.yaml`, read at least once. */
  config(): Promise<ConfigState>;
  userFile(): string;
  writeStarter(file: string): Promise<boolean>;
  /** Who can be asked from the conversation that the window shows. */
  agents(): Promise<readonly AskableAgent[]>;
  /** Shows the view with a question to this agent begun in its composer. */
  compose(agent: string): Promise<void>;
  newConversation(): Promise<void>;
  nextQuestion(): Promise<void>;
  permissions(): Promise<PermissionsDeps>;
  children(): readonly ChildRow[];
  restart(key: string): Promise<void>;
  /** The view "Agents". */
  registries: { refresh(): Promise<void>; addRegistry(): Promise<void>; createAgent(): Promise<void> };
  /** Turns the keeper of the registries on or off. */
  watchRegistry(): Promise<void>;
  /** Asks for a secret that `mm.yaml` names, and keeps it. */
  setSecret(): Promise<void>;
}

/** One function for every command of `ids.ts`; one that is missing here does not compile. */
export function createCommands(deps: CommandDeps): Record<CommandId, () => unknown> {
  return {
    [Commands.addRegistry]: () => deps.registries.addRegistry(),
    [Commands.askAgent]: () => askAgent(deps),
    [Commands.createAgent]: () => deps.registries.createAgent(),
    [Commands.newConversation]: () => deps.newConversation(),
    [Commands.nextQuestion]: () => deps.nextQuestion(),
    [Commands.openConfiguration]: () => openConfiguration(deps),
    [Commands.permissions]: async () => showPermissions(await deps.permissions()),
    [Commands.refreshAgents]: () => deps.registries.refresh(),
    [Commands.restartAgent]: () => restartAgent(deps),
    [Commands.setSecret]: () => deps.setSecret(),
    [Commands.showLog]: () => deps.log.show(),
    [Commands.watchRegistry]: () => deps.watchRegistry(),
  };
}

/** Registers a table of commands; whatever one throws is told to the person, once, in words. */
export function registerCommands(table: Record<CommandId, () => unknown>, deps: ErrorDeps): Disposable {
  const store = new DisposableStore();
  for (const [id, run] of Object.entries(table)) {
    store.add(
      vscode.commands.registerCommand(id, async () => {
        try {
          await run();
        } catch (error) {
          reportError(error, deps);
        }
      }),
    );
  }
  return store;
}

/** The configuration, or why there is none to work with. */
async function readyConfig(deps: CommandDeps): Promise<Extract<ConfigState, { kind: 'ready' }>> {
  const state = await deps.config();
  switch (state.kind) {
    case 'ready':
      return state;
    case 'untrusted':
      throw new UserError(l10n.t('This workspace is not trusted, so no agent is started.'), {
        hint: l10n.t('The command “Manage Workspace Trust” changes that.'),
      });
    case 'approval':
      throw new UserError(l10n.t('This folder’s mm.yaml waits for your approval.'), {
        hint: l10n.t('The view “mm” shows what it names.'),
      });
    case 'invalid':
      throw new UserError(
        l10n.t('{0} has an error in line {1}.', path.basename(state.file), state.errors[0]?.line ?? 1),
        { hint: l10n.t('“mm: Open Configuration” leads there.') },
      );
    default:
      throw new UserError(l10n.t('The configuration is still being read.'), { hint: l10n.t('Try again in a moment.') });
  }
}

/** Chooses whom to ask; what to ask is written in the composer, which has room for more than a line. */
async function askAgent(deps: CommandDeps): Promise<void> {
  await readyConfig(deps);
  const agents = await deps.agents();
  if (agents.length === 0) {
    throw new UserError(l10n.t('There is no agent that can be asked from this conversation.'), {
      hint: l10n.t('Add one under mmConfigs; “mm: Open Configuration” opens the file.'),
    });
  }
  const items = agents.map(({ name, description, model }) => ({
    label: name,
    description: model,
    detail: description,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: l10n.t('Ask an Agent'),
    placeHolder: l10n.t('Whom do you want to ask?'),
    matchOnDetail: true,
  });
  if (!chosen) throw new CancelledError();
  await deps.compose(chosen.label);
}

async function restartAgent(deps: CommandDeps): Promise<void> {
  const running = deps.children().filter((child) => child.state !== 'ended');
  if (running.length === 0) {
    throw new UserError(l10n.t('No agent is running.'), { hint: l10n.t('An agent starts with its first question.') });
  }
  const chosen = await vscode.window.showQuickPick(
    running.map((child) => ({
      label: child.name,
      description: child.pid === undefined ? l10n.t('starting') : l10n.t('process {0}', child.pid),
      detail: child.role === 'home' ? l10n.t('the agent that you talk to') : l10n.t('an agent that is asked'),
      key: child.key,
    })),
    { title: l10n.t('Restart Agent'), placeHolder: l10n.t('What it is working on ends.') },
  );
  if (!chosen) throw new CancelledError();
  await deps.restart(chosen.key);
}

/** Shows the `mm.yaml` in use, at its first error. With the demo's, offers to write one of the person's own. */
async function openConfiguration(deps: CommandDeps): Promise<void> {
  const state = await deps.config();
  if (state.kind === 'untrusted' || state.kind === 'loading') {
    await readyConfig(deps);
    return;
  }
  const error = state.kind === 'invalid' ? state.errors[0] : undefined;
  await showFile(error?.file ?? state.file, error);
  if (state.kind !== 'ready' || state.source !== 'demo') return;
  const mine = deps.userFile();
  const create = l10n.t('Create My mm.yaml');
  const chosen = await vscode.window.showInformationMessage(
    l10n.t('This is the demo’s file; no model is behind its agents. Your own would be {0}.', mine),
    create,
  );
  if (chosen !== create) return;
  await deps.writeStarter(mine);
  await showFile(mine);
}
