import type { FromAgentsPage, ToAgentsPage } from '../../src/a2a/view';
import { sprite } from '../chat/base/icons';
import { useStrings } from '../chat/base/l10n';
import { AgentTreeView, type Memory } from './tree';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** The page of the view "Agents". It keeps what is closed, hidden and selected; all else comes from the extension. */
function start(): void {
  const code = acquireVsCodeApi();
  const post = (message: FromAgentsPage) => code.postMessage(message);
  const main = document.createElement('main');
  main.className = 'agents-page';
  document.body.append(main, sprite());
  const stored = code.getState();
  const tree = new AgentTreeView(main, post, {
    stored: typeof stored === 'object' && stored !== null ? (stored as Memory) : {},
    store: (memory) => code.setState(memory),
  });
  tree.draw();
  window.addEventListener('message', (event: MessageEvent<ToAgentsPage>) => {
    const message = event.data;
    switch (message?.type) {
      case 'init':
        useStrings(message.strings, message.locale);
        document.documentElement.lang = message.locale;
        tree.draw();
        return;
      case 'agents':
        tree.show(message.groups);
        return;
      case 'rows':
        tree.change(message.rows);
        return;
      case 'reveal':
        tree.reveal(message.id);
        return;
      case 'search':
        tree.search();
    }
  });
  post({ type: 'ready' });
}

start();
