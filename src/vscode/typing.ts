import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable';

/** How long nothing must have been typed before a dialog may take the keys. Milliseconds (design, section 8). */
export const typingPause = 1_000;

/**
 * Knows when the person pressed keys last, in the composer (the page reports) or in an editor, so that an Enter meant for
 * a text approves nothing. Keys in a terminal cannot be seen by an extension.
 */
export class Typing implements Disposable {
  readonly #store = new DisposableStore();
  #last = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument((event) => {
        // a file that an agent wrote is read again and is not dirty; an output channel is no file
        const { document } = event;
        if (event.contentChanges.length === 0 || !document.isDirty) return;
        if (vscode.window.activeTextEditor?.document === document) this.typed();
      }),
    );
    this.#store.add(
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.kind === vscode.TextEditorSelectionChangeKind.Keyboard) this.typed();
      }),
    );
  }

  typed(): void {
    this.#last = this.now();
  }

  /** Milliseconds until a dialog may open; 0 when it may now. */
  get wait(): number {
    return Math.max(0, this.#last + typingPause - this.now());
  }

  dispose(): void {
    this.#store.dispose();
  }
}
