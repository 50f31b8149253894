import * as vscode from 'vscode';
import type { InputAsker, InputQuestion } from '../ask/types';
import { l10n } from '../base/l10n';
import { cap, firstLine } from '../base/text';
import { maxCharacters, maxLines, quoteMark } from './dialogText';

/** Characters of a question that an input box shows; the whole of it stands in the view. */
const longest = 300;

/**
 * What agents ask the person beside permissions, in an input box: one at a time, in the order in which they came. Escape is no answer, and
 * the ask ends with the question in its words.
 */
export class Inputs implements InputAsker {
  #last: Promise<unknown> = Promise.resolve();

  ask(question: InputQuestion, signal: AbortSignal): Promise<string | undefined> {
    const answer = this.#last.then(() => show(question, signal));
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}

async function show(question: InputQuestion, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  return question.leave ? leave(question, signal) : words(question, signal);
}

/** Never cut: what is too long for a dialog can only be rejected there (faults F046). */
async function leave({ path, text }: InputQuestion, signal: AbortSignal): Promise<string | undefined> {
  const fits = text.length <= maxCharacters && text.split('\n').length <= maxLines;
  const allow = { title: l10n.t('Allow Once') };
  const reject = { title: l10n.t('Reject'), isCloseAffordance: true };
  // all of it is the agent's: no line of it may look like one of ours
  const quoted = text.replace(/^/gm, quoteMark);
  const detail = fits ? quoted : l10n.t('It is too long to be shown as a whole, so it can only be rejected.');
  const title = l10n.t('{0} asks for your leave, for a call where it runs', path.join(' → '));
  const chosen = await vscode.window.showWarningMessage(
    title,
    { modal: true, detail },
    ...(fits ? [allow, reject] : [reject]),
  );
  if (signal.aborted) return undefined;
  return chosen === allow ? 'allow' : 'reject';
}

async function words({ path, text }: InputQuestion, signal: AbortSignal): Promise<string | undefined> {
  const moot = new vscode.CancellationTokenSource();
  const cancel = () => moot.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answer = await vscode.window.showInputBox(
      {
        title: l10n.t('{0} asks you', path.join(' → ')),
        prompt: firstLine(cap(text, longest * 2).text, longest),
        ignoreFocusOut: true,
      },
      moot.token,
    );
    return signal.aborted ? undefined : answer?.trim() || undefined;
  } finally {
    signal.removeEventListener('abort', cancel);
    moot.dispose();
  }
}
