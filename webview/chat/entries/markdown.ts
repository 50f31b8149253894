import { noChange, nothing } from 'lit';
import { AsyncDirective } from 'lit/async-directive.js';
import { directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { MarkdownView } from '../markdown/view';

class Words extends AsyncDirective {
  #view: MarkdownView | undefined;
  #entry: Entry | undefined;
  readonly #listener = (added: string) => this.#view?.push(added);

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('words() belongs on an element');
  }

  render(_page: Page, _entry: Entry, _done: boolean): unknown {
    return nothing;
  }

  override update(part: ElementPart, [page, entry, done]: [Page, Entry, boolean]): unknown {
    if (this.#entry !== entry || !this.#view) {
      this.#release();
      this.#entry = entry;
      this.#view = new MarkdownView(part.element, page.frame);
    }
    this.#view.sync(textOf(entry), done);
    entry.words = this.#listener;
    return noChange;
  }

  protected override disconnected(): void {
    this.#release();
  }

  protected override reconnected(): void {
    if (!this.#entry) return;
    this.#entry.words = this.#listener;
    this.#view?.sync(textOf(this.#entry), false);
  }

  #release(): void {
    if (this.#entry?.words === this.#listener) this.#entry.words = undefined;
    this.#view?.dispose();
  }
}

function textOf(entry: Entry): string {
  return entry.node.kind === 'text' || entry.node.kind === 'thought' ? entry.node.text : '';
}

/** The Markdown of a text or thought as the content of an element; grows with its entry and draws nothing else. */
export const words = directive(Words);
