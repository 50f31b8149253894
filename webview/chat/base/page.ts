import type { FromPage, PageState } from '../../../src/chat/page';
import type { Api } from './api';
import type { Frame } from './frame';
import type { Entry, Store } from './store';
import { Signal } from './store';

/** What the parts of the page share: the conversation, what else is shown, and what the person has opened. */
export class Page {
  readonly stateChanged = new Signal();
  /** What the person opened (true) or closed (false) by hand; everything else opens as its state says. */
  readonly #opened = new Map<string, boolean>();
  /** Puts a text into the composer; set by the composer. */
  compose: (text: string) => void = () => {};
  /** The card to which the person has gone. */
  card: string | undefined;
  /** The card that the keys answer, and that shows them. */
  keysAt: string | undefined;
  /** The question that was answered last, and when, by `performance.now()`. */
  answered: { questionId: string; at: number } | undefined;
  /** Brings an entry into view, and the focus to it where it is a card; set by the log. */
  reveal: (id: string) => void = () => {};

  constructor(
    readonly api: Api,
    readonly frame: Frame,
    public store: Store,
    public state: PageState,
  ) {}

  post(message: FromPage): void {
    this.api.post(message);
  }

  isOpen(key: string, otherwise: boolean): boolean {
    return this.#opened.get(key) ?? otherwise;
  }

  setOpen(key: string, open: boolean): void {
    this.#opened.set(key, open);
  }

  /** Draws an entry anew because the person opened or closed something in it. */
  redraw(entry: Entry): void {
    entry.self.fire();
    entry.kids.fire();
    this.frame.touch();
  }
}

/** An ask or a turn that works or waits. */
export function isLive(entry: Entry | undefined): boolean {
  const node = entry?.node;
  return (node?.kind === 'turn' || node?.kind === 'ask') && node.state !== 'done';
}
