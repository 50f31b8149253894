import * as vscode from 'vscode';
import type { AgentDetails, ToDetailsPage } from '../a2a/view';
import type { Disposable } from '../base/disposable';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { visible } from '../base/text';
import { type AgentActionDeps, copy, doAction, doGroupAction } from './agentActions';
import { Panels } from './ids';
import { parseFromDetailsPage } from './messages';
import { Page } from './page';

export interface AgentPanelsDeps extends AgentActionDeps {
  extension: vscode.Uri;
  log: Log;
  report(error: unknown): void;
}

/** The pages of single agents, each in a tab of the editor; one for each agent. */
export class AgentPanels implements Disposable {
  readonly #deps: AgentPanelsDeps;
  readonly #open = new Map<string, { panel: vscode.WebviewPanel; refresh(): Promise<void> }>();

  constructor(deps: AgentPanelsDeps) {
    this.#deps = deps;
  }

  show(id: string): void {
    const known = this.#open.get(id);
    if (known) known.panel.reveal();
    else this.#make(id);
  }

  /** What is shown may have changed. */
  refresh(): void {
    for (const { refresh } of this.#open.values()) refresh().catch(this.#deps.report);
  }

  dispose(): void {
    for (const { panel } of [...this.#open.values()]) panel.dispose();
  }

  #make(id: string): void {
    const { extension, log, report, registry } = this.#deps;
    const name = visible(registry().row(id)?.name ?? l10n.t('Agent'));
    const panel = vscode.window.createWebviewPanel(Panels.agent, name, vscode.ViewColumn.Active, {
      retainContextWhenHidden: false,
    });
    let latest: AgentDetails | undefined;
    const refresh = async () => {
      const details = await registry().details(id);
      latest = details ?? latest;
      page.post(
        details ? { type: 'details', details } : { type: 'gone', sentence: l10n.t('This agent is no longer there.') },
      );
    };
    const page = new Page<ToDetailsPage>(extension, {
      name: 'agent',
      script: 'details.js',
      styles: ['chat.css', 'agents.css'],
      title: name,
      log,
      onReady: refresh,
      onMessage: async (raw) => {
        const message = parseFromDetailsPage(raw);
        switch (message?.type) {
          case 'do':
            await doAction(message.action, id, this.#deps);
            return refresh();
          case 'group':
            await doGroupAction(message.action, registry().row(id)?.group, this.#deps);
            return refresh();
          case 'ask':
            return doAction('ask', id, this.#deps, message.prompt);
          case 'copy':
            return copy(textOf(message.what, latest));
          default:
            page.unknown();
        }
      },
      report,
    });
    page.show(panel);
    panel.onDidDispose(() => {
      this.#open.delete(id);
      page.dispose();
    });
    this.#open.set(id, { panel, refresh });
  }
}

function textOf(what: 'address' | 'announced' | 'json', details: AgentDetails | undefined): string {
  if (what === 'json') return details?.raw?.text ?? '';
  return (what === 'address' ? details?.access?.address : details?.access?.announced?.url) ?? '';
}
