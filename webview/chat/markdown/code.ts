import { iconElement } from '../base/icons';
import { t } from '../base/l10n';
import { highlighted } from './highlight';
import { sanitized } from './sanitize';

/** Lines of one piece of a long code block: a piece that is complete is never laid out again. */
const pieceLines = 100;

/** A code block as it looks in the editor. While its fence is open, lines are added; when it closes, words get their colours. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  #text = '';
  #piece: HTMLElement | undefined;
  #lines = 0;
  /** The line that is not complete yet, shown at the end. */
  #rest: Text | undefined;

  constructor(info: string) {
    const label = info.slice(0, 120);
    this.element = document.createElement('figure');
    this.element.className = 'code';
    const head = document.createElement('figcaption');
    head.className = 'code-head';
    const name = document.createElement('span');
    name.className = 'cut';
    name.textContent = label === '' ? t('Code') : label;
    const buttons = document.createElement('span');
    buttons.className = 'btns';
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'btn btn-icon';
    copy.dataset.copy = 'code';
    copy.setAttribute('aria-label', t('Copy code'));
    copy.title = t('Copy');
    copy.append(iconElement('copy'));
    buttons.append(copy);
    head.append(name, buttons);
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    // a landmark would have to be unique, and there are many of these
    pre.setAttribute('role', 'group');
    pre.setAttribute('aria-label', label === '' ? t('Code') : t('Code, {0}', label));
    this.#code = document.createElement('code');
    pre.append(this.#code);
    this.element.append(head, pre);
  }

  get text(): string {
    return this.#text;
  }

  /** Adds complete lines. */
  add(lines: string): void {
    if (lines === '') return;
    this.#rest?.remove();
    this.#rest = undefined;
    this.#text += lines;
    for (let at = 0; at < lines.length; ) {
      if (!this.#piece || this.#lines >= pieceLines) {
        this.#piece = document.createElement('span');
        this.#piece.className = 'piece';
        this.#piece.append('');
        this.#code.append(this.#piece);
        this.#lines = 0;
      }
      let stop = at;
      while (stop < lines.length && this.#lines < pieceLines) {
        const newline = lines.indexOf('\n', stop);
        stop = newline < 0 ? lines.length : newline + 1;
        this.#lines++;
      }
      (this.#piece.firstChild as Text).appendData(lines.slice(at, stop));
      at = stop;
    }
  }

  /** Shows the unfinished line. */
  rest(line: string): void {
    if (line === '' && !this.#rest) return;
    if (!this.#rest) {
      this.#rest = document.createTextNode('');
      this.#code.append(this.#rest);
    }
    this.#rest.data = line;
  }

  /** All of it is here: colours, where they are known and not too costly. */
  close(text: string, info: string): void {
    this.#rest?.remove();
    this.#rest = undefined;
    const colours = highlighted(text, info);
    if (colours !== undefined) {
      this.#text = text;
      this.#code.replaceChildren(sanitized(colours));
    } else if (text !== this.#text) {
      this.#text = '';
      this.#piece = undefined;
      this.#code.replaceChildren();
      this.add(text);
    }
  }
}
