import type { PageState, ToPage } from '../../src/chat/page';
import { Announcer } from './announce';
import { editorApi } from './base/api';
import { Frame } from './base/frame';
import { sprite } from './base/icons';
import { t, useStrings } from './base/l10n';
import { Page } from './base/page';
import { Store } from './base/store';
import { Cards } from './cards';
import { listenToClicks } from './clicks';
import { Dock } from './dock/dock';
import { answerCard, waitingCard } from './entries/permission';
import { Log } from './log';

const nobody: PageState = {
  conversationId: '',
  home: { name: '' },
  homes: [],
  agents: [],
  busy: false,
  running: [],
  starting: false,
  notices: [],
  waiting: 0,
  demo: false,
};

/** The page of the view "mm": a picture of a conversation that belongs to the extension. */
function start(): void {
  const api = editorApi();
  const frame = new Frame();
  const page = new Page(api, frame, new Store([], () => {}), nobody);
  const announcer = new Announcer();

  const main = document.createElement('main');
  main.className = 'chat';
  main.setAttribute('aria-label', 'mm');
  const logElement = document.createElement('div');
  logElement.className = 'log';
  logElement.setAttribute('role', 'log');
  // the announcer speaks; a log that speaks by itself would read every word as it comes (faults F063)
  logElement.setAttribute('aria-live', 'off');
  logElement.tabIndex = 0;
  const dockElement = document.createElement('footer');
  dockElement.className = 'dock';
  main.append(logElement, dockElement);
  document.body.append(main, announcer.element, sprite());

  const dock: Dock = new Dock(page, dockElement, () => log.toEnd());
  const log: Log = new Log(page, logElement, (count, cut) => dock.setBelow(count, cut));
  const flush = () => page.store.flush();
  const cards = new Cards(page, () => dock.focus());
  page.stateChanged.subscribe(() => dock.draw());
  listenToClicks(page, (text) => announcer.say(text));
  listenToKeys(page, dock, log);

  window.addEventListener('message', (event: MessageEvent<ToPage>) => {
    const message = event.data;
    switch (message?.type) {
      case 'init':
        useStrings(message.strings, message.locale);
        document.documentElement.lang = message.locale;
        logElement.setAttribute('aria-label', t('Conversation'));
        return;
      case 'snapshot': {
        const store = new Store(message.nodes, () => frame.draw(flush));
        const memory = api.memory();
        const same = memory.conversationId === message.state.conversationId;
        page.store = store;
        page.state = message.state;
        announcer.skip(message.nodes);
        logElement.setAttribute('aria-label', t('Conversation'));
        cards.changed();
        dock.draw();
        log.open(same ? memory.scroll : undefined);
        dock.restore((same ? memory.draft : undefined) ?? message.draft ?? '');
        api.remember({ conversationId: message.state.conversationId });
        return;
      }
      case 'patches':
        page.store.apply(message.patches);
        announcer.patches(message.patches);
        // the dock says too that a card waits and which command runs
        if (message.patches.some((p) => p.op === 'put' && (p.node.kind === 'permission' || p.node.kind === 'tool'))) {
          frame.draw(drawDock);
          frame.draw(drawKeys);
        }
        return;
      case 'state':
        page.state = message.state;
        frame.draw(drawState);
        return;
      case 'compose':
        dock.compose(message.text);
        return;
      case 'reveal':
        log.goTo(message.id);
        return;
      case 'focus':
        // the editor may have the frame around the page focused, and not the page
        window.focus();
        dock.focus();
        return;
    }
  });
  const drawState = () => page.stateChanged.fire();
  const drawDock = () => dock.draw();
  const drawKeys = () => cards.changed();
  page.post({ type: 'ready' });
  const focused = (on: boolean) => page.post({ type: 'focused', on });
  window.addEventListener('focus', () => focused(true));
  window.addEventListener('blur', () => focused(false));
  if (document.hasFocus()) focused(true);
}

/** The keys of a waiting card, which never takes the focus from the text, and Escape (design, section 8). */
function listenToKeys(page: Page, dock: Dock, log: Log): void {
  window.addEventListener('keydown', (event) => {
    if (event.isComposing || event.repeat) return;
    if (event.key === 'Escape') {
      if (dock.closeMenu()) {
        event.preventDefault();
        return;
      }
      const card = waitingCard(page);
      if (card) answerCard(page, card, 'reject');
      else if (page.state.busy || page.state.running.length > 0) page.post({ type: 'stop' });
      else return;
      event.preventDefault();
      return;
    }
    if (event.key !== 'Enter' || !event.altKey || event.ctrlKey || event.metaKey) return;
    const card = waitingCard(page);
    if (!card?.canAllow || (event.shiftKey && !card.canRemember)) return;
    event.preventDefault();
    // nothing is allowed that the person does not see
    if (!log.sees(card.id)) {
      log.reveal(card.id);
      return;
    }
    answerCard(page, card, event.shiftKey ? 'allow_conversation' : 'allow_once');
  });
}

start();
