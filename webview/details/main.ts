import type { FromDetailsPage, ToDetailsPage } from '../../src/a2a/view';
import { sprite } from '../chat/base/icons';
import { useStrings } from '../chat/base/l10n';
import { type DetailsMemory, DetailsPage } from './page';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** The page of one agent, in an editor tab. */
function start(): void {
  const code = acquireVsCodeApi();
  const post = (message: FromDetailsPage) => code.postMessage(message);
  const main = document.createElement('main');
  main.className = 'agent-page';
  document.body.append(main, sprite());
  const stored = code.getState();
  const page = new DetailsPage(main, post, {
    stored: typeof stored === 'object' && stored !== null ? (stored as DetailsMemory) : {},
    store: (memory) => code.setState(memory),
  });
  page.draw();
  window.addEventListener('message', (event: MessageEvent<ToDetailsPage>) => {
    const message = event.data;
    switch (message?.type) {
      case 'init':
        useStrings(message.strings, message.locale);
        document.documentElement.lang = message.locale;
        page.draw();
        return;
      case 'details':
        page.show(message.details);
        return;
      case 'show':
        page.open(message.tab);
        return;
      case 'gone':
        page.gone(message.sentence);
    }
  });
  post({ type: 'ready' });
}

start();
