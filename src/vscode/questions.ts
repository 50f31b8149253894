import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import type { Event } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { WaitingQuestion } from '../host/permissions';
import { type DialogDeps, type DialogQueue, PermissionDialogs } from './dialogs';
import { Commands, StatusItems } from './ids';
import { QuestionTabs } from './questionTabs';
import type { Typing } from './typing';

/** The window's queue of questions; `host/permissions.ts` fits. */
export interface QuestionQueue extends DialogQueue {
  readonly size: number;
  readonly waiting: readonly WaitingQuestion[];
  after(id: string | undefined): WaitingQuestion | undefined;
  readonly onDidChange: Event<void>;
}

export interface QuestionDeps {
  queue: QuestionQueue;
  typing: Pick<Typing, 'wait' | 'typed'>;
  view: DialogDeps['view'] & {
    /** Shows how many questions wait. */
    setBadge(count: number): void;
  };
  /** Brings a question's place in its conversation to the front. */
  reveal(question: WaitingQuestion): Promise<void>;
  report(error: unknown): void;
  log: Log;
}

/** What waits for the person, wherever it shows: dialogs, the number on the view, the status bar, and the way from one to the next. */
export class Questions implements Disposable {
  readonly #store = new DisposableStore();
  readonly #deps: QuestionDeps;
  readonly #item: vscode.StatusBarItem;
  readonly #tabs: QuestionTabs;
  /** The question that was shown last. */
  #last: string | undefined;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    const { queue, typing, view, log } = deps;
    const revealCard = (id: string) => {
      const question = queue.waiting.find((q) => q.id === id);
      if (question) this.#reveal(question).catch(deps.report);
    };
    this.#item = vscode.window.createStatusBarItem(StatusItems.questions, vscode.StatusBarAlignment.Left, 0);
    this.#item.name = l10n.t('mm: Waiting Questions');
    this.#item.command = Commands.nextQuestion;
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#store.add({ dispose: () => this.#item.dispose() });
    this.#tabs = this.#store.add(new QuestionTabs(queue, log));
    this.#store.add(new PermissionDialogs({ queue, typing, view, revealCard, log }));
    this.#store.add(queue.onDidChange(() => this.#count()));
    this.#count();
  }

  /** Shows the next question that waits, also of another conversation: its card, or the place over which its dialog opens. */
  async next(): Promise<void> {
    const question = this.#deps.queue.after(this.#last);
    if (question) await this.#reveal(question);
    else await vscode.window.showInformationMessage(l10n.t('No question waits for you.'));
  }

  dispose(): void {
    this.#store.dispose();
    this.#deps.view.setBadge(0);
  }

  async #reveal(question: WaitingQuestion): Promise<void> {
    this.#last = question.id;
    if (!question.outside) await this.#deps.reveal(question);
    // before it is a card its dialog is open, or comes by itself
    else if (question.card) await this.#tabs.show(question);
  }

  #count(): void {
    const { size } = this.#deps.queue;
    this.#deps.view.setBadge(size);
    if (size === 0) {
      this.#item.hide();
      return;
    }
    const text = size === 1 ? l10n.t('mm: 1 question waits') : l10n.t('mm: {0} questions wait', size);
    this.#item.text = `$(shield) ${text}`;
    this.#item.accessibilityInformation = { label: text, role: 'button' };
    this.#item.tooltip = l10n.t('Show the next question');
    this.#item.show();
  }
}
