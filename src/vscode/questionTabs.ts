import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { type DialogQueue, type OpenQuestion, sayTooLate } from './dialogs';
import { wholeText } from './dialogText';
import { EditorCommands, Schemes } from './ids';

/**
 * Questions that are too long for a dialog and belong to no conversation, so that the view has no place for their card: the whole text
 * stands in a tab that nobody can change, and a message beside it takes the answer. Closing the message answers nothing; the status bar
 * leads back to it.
 */
export class QuestionTabs implements Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  /** Questions whose message has not been answered. */
  readonly #asking = new Set<string>();
  #registered = false;

  constructor(
    private readonly queue: Pick<DialogQueue, 'answer' | 'onDidChange'> & {
      readonly waiting: readonly { id: string }[];
    },
    private readonly log: Log,
  ) {
    this.#store.add(queue.onDidChange(() => this.#forget()));
  }

  async show(question: OpenQuestion): Promise<void> {
    const { id, shown } = question;
    this.#register();
    this.#texts.set(id, wholeText(shown));
    // the name is the tab's title
    const path = `/${shown.name.replaceAll('/', '∕')}`;
    const uri = vscode.Uri.from({ scheme: Schemes.question, path, query: id });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
    if (this.#asking.has(id)) await vscode.commands.executeCommand(EditorCommands.showNotifications);
    else this.#ask(id, shown.name).catch((error: unknown) => this.log.error(describe(error)));
  }

  dispose(): void {
    this.#store.dispose();
    this.#texts.clear();
  }

  async #ask(id: string, name: string): Promise<void> {
    const allow = l10n.t('Allow Once');
    const reject = l10n.t('Reject');
    this.#asking.add(id);
    try {
      const chosen = await vscode.window.showWarningMessage(
        l10n.t('{0}: the whole call stands in the tab. May it run?', name),
        allow,
        reject,
      );
      if (chosen === undefined || this.#store.disposed) return;
      if (!this.queue.answer(id, chosen === allow ? 'allow_once' : 'reject')) sayTooLate(name, this.log);
    } finally {
      this.#asking.delete(id);
    }
  }

  #register(): void {
    if (this.#registered) return;
    this.#registered = true;
    const texts = this.#texts;
    const gone = () => l10n.t('This question waits no longer.');
    const provider = {
      provideTextDocumentContent: (uri: vscode.Uri) => texts.get(uri.query) ?? gone(),
    };
    const registered = vscode.workspace.registerTextDocumentContentProvider(Schemes.question, provider);
    this.#store.add({ dispose: () => void registered.dispose() });
  }

  #forget(): void {
    const waiting = new Set(this.queue.waiting.map(({ id }) => id));
    for (const id of this.#texts.keys()) if (!waiting.has(id)) this.#texts.delete(id);
  }
}
