import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import type { Event } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { type DialogQuestion, dialogText } from './dialogText';

/** A question of the window's queue, ready to be shown. */
export interface OpenQuestion {
  id: string;
  /** It is answered in the view, as a card; no dialog opens. */
  card: boolean;
  /** It belongs to no conversation: what is too long for a dialog is shown in a tab. */
  outside?: boolean;
  shown: DialogQuestion;
}

/** The window's queue of questions, as the dialogs see it. */
export interface DialogQueue {
  /** The question whose turn it is. */
  readonly current: OpenQuestion | undefined;
  readonly onDidChange: Event<void>;
  /** False when the question had already left the queue: the answer changed nothing. */
  answer(id: string, answer: 'allow_once' | 'allow_conversation' | 'reject'): boolean;
  /** From now on the question stands in the view as a card. */
  showAsCard(id: string): void;
}

export interface DialogDeps {
  queue: DialogQueue;
  typing: {
    /** Milliseconds until a dialog may take the keyboard. */
    readonly wait: number;
    /** Keys were pressed now. */
    typed(): void;
  };
  /** The view with the composer: VS Code gives the keyboard back to the frame around its page and not to the page (F045). */
  view: {
    readonly focused: boolean;
    focusComposer(): Promise<void>;
  };
  /** Brings the card of a question to the front: in the view, or in a tab. */
  revealCard(questionId: string): void;
  log: Log;
}

/**
 * Asks the person with the editor's own dialogs: one at a time, never into somebody's typing. VS Code cannot close a
 * modal from code, so the answer of one whose question has left the queue is dropped, and a notice says so (faults F043, F044).
 */
export class PermissionDialogs implements Disposable {
  readonly #store = new DisposableStore();
  readonly #deps: DialogDeps;
  #open = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: DialogDeps) {
    this.#deps = deps;
    this.#store.add(deps.queue.onDidChange(() => this.#next()));
    this.#next();
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#store.dispose();
  }

  #next(): void {
    if (this.#open || this.#timer || this.#store.disposed) return;
    const question = this.#deps.queue.current;
    if (!question || question.card) return;
    const wait = this.#deps.typing.wait;
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#next();
      }, wait);
      return;
    }
    this.#open = true;
    this.#show(question)
      .catch((error) => {
        // a dialog that cannot be shown must not lose the question
        this.#deps.log.error(`dialog ${question.shown.name}: ${describe(error)}`);
        this.#deps.queue.showAsCard(question.id);
      })
      .finally(() => {
        this.#open = false;
        // the key that answered may be held, or pressed twice: the next dialog keeps the same pause as after typing
        this.#deps.typing.typed();
        this.#next();
      });
  }

  async #show(question: OpenQuestion): Promise<void> {
    const { queue, log } = this.#deps;
    const text = dialogText(question.shown, question.outside);
    const labels = {
      allow_once: l10n.t('Allow Once'),
      allow_conversation: l10n.t('Allow for This Conversation'),
      show: question.outside ? l10n.t('Show in Editor') : l10n.t('Show in View'),
      reject: l10n.t('Reject'),
    };
    const items = text.buttons.map((button) => ({
      title: labels[button],
      button,
      isCloseAffordance: button === 'reject',
    }));
    const { focused } = this.#deps.view;
    const chosen = await vscode.window.showWarningMessage(text.title, { modal: true, detail: text.detail }, ...items);
    if (this.#store.disposed) return;
    if (focused) this.#deps.view.focusComposer().then(undefined, (error) => this.#deps.log.warn(describe(error)));
    const button = chosen?.button ?? 'reject';
    if (button === 'show') {
      if (queue.current?.id !== question.id) return sayTooLate(text.title, log);
      queue.showAsCard(question.id);
      this.#deps.revealCard(question.id);
      return;
    }
    if (!queue.answer(question.id, button)) sayTooLate(text.title, log);
  }
}

/** An answer came when its question was gone (faults F043, F044). */
export function sayTooLate(name: string, log: Log): void {
  log.info(`${name}: answered after it was withdrawn`);
  vscode.window
    .showInformationMessage(l10n.t('The question of {0} had been withdrawn before. Your answer changed nothing.', name))
    .then(undefined, (error) => log.error(describe(error)));
}
