import * as vscode from 'vscode';
import { DisposableStore } from './base/disposable';
import { describe } from './base/errors';
import { useListenerErrors } from './base/event';
import { l10n, useTranslator } from './base/l10n';
import type { Host } from './host/host';
import type { WaitingQuestion } from './host/permissions';
import { Agents } from './vscode/agents';
import { AsksView } from './vscode/asksView';
import { Chat } from './vscode/chat';
import { ChatView } from './vscode/chatView';
import { watchChildren } from './vscode/children';
import { createCommands, registerCommands } from './vscode/commands';
import { ConfigService } from './vscode/config';
import { configDeps, selfLaunch, userFile } from './vscode/configDeps';
import { showDiagnostics } from './vscode/diagnostics';
import { editorChatSurfaces } from './vscode/editorChat';
import { reportError } from './vscode/errors';
import { Commands, NoticeCommands, Views } from './vscode/ids';
import { openLink, pickFolder, showFile, showFiles, workspaceFolders } from './vscode/opener';
import { Questions } from './vscode/questions';
import { refreshSurfaces } from './vscode/refreshes';
import { setSecret } from './vscode/secrets';
import { writeStarter } from './vscode/starter';
import { registerSurfaces, type Surface } from './vscode/surfaces';
import { Typing } from './vscode/typing';
import { toggleWatch } from './vscode/watchRegistry';
import { WindowHost } from './vscode/windowHost';

let end: (() => Promise<void>) | undefined;

/** Builds and registers; starts no process, reads no file and no secret (design, section 11). */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('mm', { log: true });
  context.subscriptions.push(log);
  useListenerErrors((error) => log.error(error instanceof Error && error.stack ? error.stack : describe(error)));
  useTranslator((message, ...args) =>
    typeof args[0] === 'object' ? vscode.l10n.t(message, args[0]) : vscode.l10n.t(message, ...(args as string[])),
  );
  try {
    build(context, log);
  } catch (error) {
    // the editor itself says nothing of a failed activation
    log.error(error instanceof Error && error.stack ? error.stack : describe(error));
    const message = l10n.t('mm could not start: {0}. The output channel “mm” has the details.', describe(error));
    void vscode.window.showErrorMessage(message);
    throw error;
  }
}

/** The editor waits for this, though not for long: all children end at the same time. */
export async function deactivate(): Promise<void> {
  await end?.();
  end = undefined;
}

function build(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): void {
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const report = (error: unknown) => reportError(error, { log });
  const editor = (command: string, ...args: unknown[]) =>
    Promise.resolve(vscode.commands.executeCommand(command, ...args));

  const config = store.add(new ConfigService(configDeps(context, log)));
  const typing = store.add(new Typing());
  const page = store.add(new ChatView(context.extensionUri, log));
  const windowHost = new WindowHost({ context, log, config, self: selfLaunch(context), onStart, report });
  end = () => windowHost.end();
  const host = () => windowHost.get();
  const chat = store.add(
    new Chat({
      page,
      config,
      conversations: {
        latest: async () => (await host()).latest(),
        create: async (home) => (await host()).create(home),
        close: async (id) => windowHost.live?.close(id),
        reopen: async (id) => (await host()).reopen(id),
      },
      pickFolder,
      answer: (id, answer) => void windowHost.live?.queue.answerCard(id, answer),
      typed: () => typing.typed(),
      openLink,
      showFile,
      showFiles,
      showLog: () => log.show(),
      openConfiguration: () => editor(Commands.openConfiguration),
      editor: (name) => editor(NoticeCommands[name]),
      report,
    }),
  );

  const asks = store.add(new AsksView(context.extensionUri, { log, live: () => windowHost.live, chat, report }));

  const agents = store.add(new Agents({ context, log, config, host, chat, report }));

  let questions: Questions | undefined;
  /** What lives as long as the host: questions to the person, what menus know. */
  function onStart(started: Host): DisposableStore {
    const live = new DisposableStore();
    const { queue, pool } = started;
    const reveal = (q: WaitingQuestion) => chat.reveal(started.get(q.conversation ?? ''), q.id);
    live.add(asks.attach(started));
    live.add(agents.attach());
    questions = live.add(new Questions({ queue, typing, view: page, reveal, report, log }));
    live.add(watchChildren(pool, report));
    return live;
  }

  const refresh = () => void windowHost.refresh().catch(report);
  const surfaces: Surface[] = [
    ['view', () => vscode.window.registerWebviewViewProvider(Views.chat, page)],
    ['asks', () => vscode.window.registerWebviewViewProvider(Views.asks, asks)],
    [
      'commands',
      () =>
        registerCommands(
          createCommands({
            log,
            config: async () => {
              await host();
              return config.state;
            },
            userFile,
            writeStarter,
            agents: () => chat.agents(),
            compose: (agent) => chat.compose(agent),
            newConversation: () => chat.newConversation(),
            nextQuestion: () => host().then(() => questions?.next()),
            permissions: async () => ({ ...(await host()).permissions, grants: (await chat.open()).grants }),
            children: () => windowHost.live?.pool.statuses() ?? [],
            restart: async (key) => windowHost.live?.pool.restart(key),
            registries: agents,
            watchRegistry: toggleWatch,
            setSecret: () => setSecret(context.secrets, config),
          }),
          { log },
        ),
    ],
    ...agents.surfaces,
    ...editorChatSurfaces({ host, folders: workspaceFolders, pickFolder, log }),
    ['problems', () => showDiagnostics(config)],
    ...refreshSurfaces(refresh),
  ];
  registerSurfaces(surfaces, store, log);
}
