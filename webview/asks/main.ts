import type { FromAsksPage, ToAsksPage } from '../../src/chat/asks';
import { sprite } from '../chat/base/icons';
import { useStrings } from '../chat/base/l10n';
import { AskTreeView } from './tree';

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

/** The page of the view "Asks". It keeps nothing but what is closed and selected; all else comes from the extension. */
function start(): void {
  const code = acquireVsCodeApi();
  const post = (message: FromAsksPage) => code.postMessage(message);
  const main = document.createElement('main');
  main.className = 'tree-page';
  document.body.append(main, sprite());
  const tree = new AskTreeView(main, post);
  tree.draw();
  window.addEventListener('message', (event: MessageEvent<ToAsksPage>) => {
    const message = event.data;
    switch (message?.type) {
      case 'init':
        useStrings(message.strings, message.locale);
        document.documentElement.lang = message.locale;
        tree.draw();
        return;
      case 'asks':
        tree.show(message.groups);
    }
  });
  post({ type: 'ready' });
}

start();
