import * as vscode from 'vscode';
import { openRegistry } from '../a2a/open-registry';
import type { Registry } from '../a2a/registry';
import type { AgentRow, ToAgentsPage } from '../a2a/view';
import { type Disposable, DisposableStore } from '../base/disposable';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { AskableAgent } from '../chat/page';
import type { MmConfig } from '../config/types';
import type { Host } from '../host/host';
import { type AgentActionDeps, doAction, doGroupAction } from './agentActions';
import { createAgent } from './agentAdmin';
import { AgentPanels } from './agentDetails';
import type { ConfigService } from './config';
import { Views } from './ids';
import { parseFromAgentsPage } from './messages';
import { type OfferDeps, offerAgent, withdrawAgent } from './offer';
import { pickFolder, workspaceFolders } from './opener';
import { Page } from './page';
import { keysOfWindow } from './secrets';
import type { Surface } from './surfaces';
import { RegistryWatch } from './watchRegistry';

export interface AgentsDeps {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  config: ConfigService;
  host(): Promise<Host>;
  chat: AgentActionDeps['chat'];
  report(error: unknown): void;
}

/** Milliseconds between two pictures of the tree. */
const pause = 100;
/** Milliseconds after which what is shown is asked for again when the view comes back. */
const stale = 60_000;

/** The view "Agents": who can be asked, here and behind each proxy, and the pages of single agents. Nothing is asked before it is first seen. */
export class Agents implements vscode.WebviewViewProvider, Disposable {
  readonly #deps: AgentsDeps;
  readonly #store = new DisposableStore();
  readonly #page: Page<ToAgentsPage>;
  readonly #actions: AgentActionDeps;
  readonly #panels: AgentPanels;
  #registry: Registry | undefined;
  #host: Host | undefined;
  #local: AgentRow[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askedAt = 0;

  constructor(deps: AgentsDeps) {
    this.#deps = deps;
    const { context, log, report } = deps;
    this.#page = new Page(context.extensionUri, {
      name: 'agents',
      script: 'agents.js',
      styles: ['chat.css', 'agents.css'],
      title: l10n.t('Agents'),
      log,
      onReady: () => this.#start(),
      onMessage: (raw) => this.#receive(raw),
      report,
    });
    this.#actions = {
      registry: () => this.#open(),
      config: () => this.#config,
      chat: deps.chat,
      details: (id) => this.#panels.show(id),
      offer: (name) => offerAgent(name, this.#offering()),
      withdraw: (name) => withdrawAgent(name, this.#offering()),
    };
    this.#panels = this.#store.add(new AgentPanels({ ...this.#actions, extension: context.extensionUri, log, report }));
  }

  /** With the host: what runs in the background, also where the view is not seen. */
  attach(): Disposable {
    const { context, log, report } = this.#deps;
    return new RegistryWatch({
      storage: context.globalStorageUri,
      log,
      key: keysOfWindow(context.secrets),
      config: () => this.#config,
      changed: () => void this.#registry?.look(),
      report,
    });
  }

  /** For `extension.ts`: what it puts into the editor. */
  get surfaces(): Surface[] {
    return [['agents', () => vscode.window.registerWebviewViewProvider(Views.agents, this)]];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#page.show(view);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#registry?.dispose();
    this.#page.dispose();
    this.#store.dispose();
  }

  get #config(): MmConfig | undefined {
    const { state } = this.#deps.config;
    return state.kind === 'ready' ? state.config : undefined;
  }

  #offering(): OfferDeps {
    const { context, host } = this.#deps;
    const admins = [...(this.#config?.proxies?.values() ?? [])].filter(({ adminKey }) => adminKey !== undefined);
    return {
      context,
      host,
      config: () => this.#config,
      async folder() {
        const folders = workspaceFolders();
        return folders.length > 1 ? pickFolder() : folders[0];
      },
      ...(admins.length > 0 ? { register: (url, key) => createAgent(admins, this.#open(), { url, key }) } : {}),
    };
  }

  #open(): Registry {
    if (this.#registry) return this.#registry;
    const { context, log } = this.#deps;
    const registry = openRegistry({
      source: () => {
        const config = this.#config;
        return config && { config, local: () => this.#local };
      },
      key: keysOfWindow(context.secrets),
      log,
    });
    this.#store.add(registry.onDidChange(() => this.#later()));
    this.#registry = registry;
    return registry;
  }

  /** The page is there: shows what is known, and asks for the rest. */
  async #start(): Promise<void> {
    const registry = this.#open();
    const first = this.#host === undefined;
    const host = await this.#deps.host();
    this.#host = host;
    if (first) {
      this.#store.add(host.pool.onDidChange(() => void this.#fill().catch(this.#deps.report)));
      this.#store.add(host.offers.onDidChange(() => void this.#fill().catch(this.#deps.report)));
      this.#store.add(host.offers.onDidLose(({ words }) => this.#deps.report(new UserError(words))));
      this.#store.add(host.onDidChangeConfig(() => void this.#again().catch(this.#deps.report)));
      this.#store.add(this.#deps.context.secrets.onDidChange(() => void registry.look()));
    }
    await this.#fill();
    this.#show();
    // who comes back later wants to see what is now
    if (first || Date.now() - this.#askedAt > stale) await this.#ask();
  }

  /** Asks every proxy again, and shows who answers. */
  refresh(): Promise<void> {
    return doGroupAction('refresh', undefined, this.#actions);
  }

  createAgent(): Promise<void> {
    return doGroupAction('create', undefined, this.#actions);
  }

  addRegistry(): Promise<void> {
    return doGroupAction('add-registry', undefined, this.#actions);
  }

  async #again(): Promise<void> {
    await this.#fill();
    await this.#ask();
  }

  async #ask(): Promise<void> {
    this.#askedAt = Date.now();
    await this.#open().look();
    this.#panels.refresh();
  }

  /** The agents of this window, with the state of their children. */
  async #fill(): Promise<void> {
    const config = this.#config;
    const agents = (await this.#host?.askable()) ?? [];
    this.#local = config ? [homeRow(config, this.#host), ...agents.flatMap((agent) => rowOf(agent, this.#host))] : [];
    this.#later();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = parseFromAgentsPage(raw);
    switch (message?.type) {
      case 'opened':
        if (this.#open().address(message.id) !== undefined) await this.#open().probe(message.id);
        return;
      case 'do':
        return doAction(message.action, message.id, this.#actions);
      case 'group':
        return doGroupAction(message.action, message.group, this.#actions);
      default:
        this.#page.unknown();
    }
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, pause);
  }

  #show(): void {
    this.#page.post({ type: 'agents', groups: this.#registry?.groups() ?? [] });
  }
}

function homeRow({ acp, model, provider }: MmConfig, host: Host | undefined): AgentRow {
  const running = host?.pool.statuses().some((child) => child.role === 'home' && child.state === 'ready') ?? false;
  return {
    id: 'window/',
    group: 'window',
    name: acp.title ?? 'mm',
    model: model || provider,
    ...(acp.description ? { description: acp.description } : {}),
    state: running ? 'ready' : 'asleep',
    actions: ['open-file'],
  };
}

/** One that lives elsewhere stands in the group of its proxy. */
function rowOf({ name, description, model, state }: AskableAgent, host: Host | undefined): AgentRow[] {
  if (state === 'elsewhere') return [];
  const offered = host?.offers.get(name) !== undefined;
  return [
    {
      id: `window/${name}`,
      group: 'window',
      name,
      ...(model === undefined ? {} : { model }),
      ...(description ? { description } : {}),
      state,
      ...(offered ? { offered: true as const } : {}),
      actions: ['ask', 'ask-with-context', 'open-file', offered ? 'withdraw' : 'offer'],
    },
  ];
}
