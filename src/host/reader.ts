import type { Disposable } from '../base/disposable';
import { l10n } from '../base/l10n';
import type { NoticeAction, NoticeNode, Patch } from '../chat/nodes';
import { changedElsewhere } from '../chat/settle';
import { type Loaded, readAdded } from './records';
import type { Store } from './store';

export interface ReaderOptions {
  store: Pick<Store, 'follow'>;
  onPatch(patch: Patch): void;
  onHead(head: { title?: string; home?: string }): void;
  changed(): void;
}

/** Shows in this window what another one writes into a conversation, as it comes, and notices when that window has gone. */
export class Reader implements Disposable {
  readonly #following: Disposable;
  #free = false;

  constructor(loaded: Loaded, o: ReaderOptions) {
    this.#following = o.store.follow(loaded, {
      onLine: (line) => {
        const added = readAdded(line);
        if (!added) return;
        if ('patch' in added) o.onPatch(changedElsewhere(added.patch));
        else {
          o.onHead(added);
          o.changed();
        }
      },
      onFree: (free) => {
        this.#free = free;
        o.changed();
      },
    });
  }

  /** Nobody writes the conversation any more. */
  get free(): boolean {
    return this.#free;
  }

  dispose(): void {
    this.#following.dispose();
  }
}

/** The line over the composer of a conversation that is only read. Without a reader another window took it from this one. */
export function readOnlyNotice(reader: Reader | undefined): NoticeNode {
  const title = reader?.free
    ? l10n.t('The other window has closed this conversation.')
    : l10n.t('Another window has this conversation open. Here it can only be read.');
  const actions: NoticeAction[] = [];
  if (reader?.free) actions.push({ id: 'take-over', label: l10n.t('Continue Here') });
  if (!reader) actions.push({ id: 'reload-window', label: l10n.t('Reload the Window') });
  return { kind: 'notice', id: 'conversation:read-only', at: 0, shape: 'line', level: 'warning', title, actions };
}
