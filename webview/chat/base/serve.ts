import { sprite } from './icons';
import { useStrings } from './l10n';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** What a page keeps over its own end; the editor may throw it away while nobody sees it. */
export interface Kept<Memory> {
  stored: Memory;
  store(memory: Memory): void;
}

interface Init {
  type: 'init';
  strings: Record<string, string>;
  locale: string;
}

/** Runs a page of one element: makes it, tells the extension that it is there, and hands it what comes. */
export function servePage<From, To extends { type: string }, Memory extends object, View extends { draw(): void }>(o: {
  className: string;
  make(main: HTMLElement, post: (message: From | { type: 'ready' }) => void, kept: Kept<Memory>): View;
  /** Any message but `init`. */
  on(view: View, message: To): void;
}): void {
  const code = acquireVsCodeApi();
  const post = (message: From | { type: 'ready' }) => code.postMessage(message);
  const main = document.createElement('main');
  main.className = o.className;
  document.body.append(main, sprite());
  const stored = code.getState();
  const view = o.make(main, post, {
    stored: (typeof stored === 'object' && stored !== null ? stored : {}) as Memory,
    store: (memory) => code.setState(memory),
  });
  view.draw();
  window.addEventListener('message', (event: MessageEvent<To | Init>) => {
    const message = event.data;
    if (message?.type !== 'init') {
      if (message) o.on(view, message as To);
      return;
    }
    const { strings, locale } = message as Init;
    useStrings(strings, locale);
    document.documentElement.lang = locale;
    view.draw();
  });
  post({ type: 'ready' });
}
