import type { Frame } from '../base/frame';
import { t } from '../base/l10n';
import { CodeBlock } from './code';
import { morphChildren } from './morph';
import { sanitized } from './sanitize';
import { type Block, Segmenter } from './segmenter';

/** After a parse of the open rest, the next one waits this many times as long as it took: a long block cannot eat the frames. */
const rests = 3;
/** More blocks than this, and those out of sight are not laid out. */
const manyBlocks = 60;
/** What is complete when it is first shown and not longer than this is drawn at once, else in slices. */
const atOnce = 6_000;

/**
 * Markdown in the page that grows. Closed blocks are drawn once and never touched again; only the open rest is parsed and drawn anew, at most
 * once per frame and within a budget. An open fence is not parsed at all: its lines are added as text (faults F059).
 */
export class MarkdownView {
  #segmenter = new Segmenter();
  /** First node of the open rest; closed blocks stand before it. */
  #open: ChildNode | undefined;
  #code: CodeBlock | undefined;
  #caret: HTMLElement | undefined;
  /** What came, as it came. */
  #raw = '';
  #done = false;
  #again = false;
  #openStale = false;
  #nextAt = 0;
  readonly #work = (deadline: number) => this.#run(deadline);

  constructor(
    private readonly host: Element,
    private readonly frame: Frame,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Shows this text: adds what is new where it goes on from what is here, else draws it from its beginning. */
  sync(text: string, done: boolean): void {
    if (this.#raw === '' || !text.startsWith(this.#raw)) this.#set(text, done);
    else if (text.length > this.#raw.length) this.push(text.slice(this.#raw.length));
    if (done) this.finish();
  }

  #set(text: string, done: boolean): void {
    this.#segmenter = new Segmenter();
    this.#open = undefined;
    this.#code = undefined;
    this.#caret = undefined;
    this.#done = done;
    this.#again = false;
    this.#nextAt = 0;
    this.#raw = text;
    this.host.replaceChildren();
    this.#segmenter.push(text);
    if (done) this.#segmenter.finish();
    this.#openStale = true;
    // a long one is drawn in slices, so that no frame is long
    if (this.#run(text.length <= atOnce ? Number.POSITIVE_INFINITY : this.now())) this.frame.work(this.#work);
  }

  push(text: string): void {
    this.#raw += text;
    this.#segmenter.push(text);
    this.#openStale = true;
    this.frame.work(this.#work);
  }

  /** No more words come. */
  finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#segmenter.finish();
    this.#openStale = true;
    this.frame.work(this.#work);
  }

  dispose(): void {
    this.frame.drop(this.#work);
  }

  #run(deadline: number): boolean {
    if (deadline !== Number.POSITIVE_INFINITY && !this.#done && this.now() < this.#nextAt) return true;
    const begun = this.now();
    for (;;) {
      const { closed, more } = this.#segmenter.step();
      if (closed.length > 0) this.#close(closed);
      if (!more) break;
      // what was closed has to be laid out and painted in this frame too, which takes longer than to parse it
      if (deadline !== Number.POSITIVE_INFINITY && (closed.length > 0 || this.now() >= deadline)) return true;
    }
    if (this.#done) {
      this.#dropOpen();
      if (!this.#again && this.#segmenter.hasReferences) {
        // an address given at the end may belong to a link at the beginning: once more, with all of them known
        this.#again = true;
        this.#segmenter = this.#segmenter.again();
        this.host.replaceChildren();
        return true;
      }
      return false;
    }
    if (this.#openStale) {
      this.#openStale = false;
      this.#drawOpen();
    }
    this.#nextAt = this.now() + rests * (this.now() - begun);
    return false;
  }

  #dropOpen(): void {
    this.#caret?.remove();
    this.#caret = undefined;
    const open = this.#open;
    this.#open = undefined;
    // from the end: with a sibling behind it, what goes would make the browser work out the styles of all blocks again
    while (open?.parentNode === this.host && this.host.lastChild) {
      const last: ChildNode = this.host.lastChild;
      last.remove();
      if (last === open) break;
    }
    this.#code = undefined;
  }

  #close(blocks: readonly Block[]): void {
    const fragment = document.createDocumentFragment();
    let html = '';
    const flush = () => {
      if (html !== '') fragment.append(...finished(sanitized(html)).childNodes);
      html = '';
    };
    let code = this.#code;
    // a fence that was open is all that was open
    if (code) this.#open = undefined;
    for (const block of blocks) {
      if (block.kind === 'html') {
        html += block.html;
        continue;
      }
      flush();
      // the fence that was open is the first one to be closed, and keeps its place
      const view = code ?? new CodeBlock(block.info);
      code = undefined;
      view.close(block.code, block.info);
      fragment.append(view.element);
    }
    flush();
    this.#dropOpen();
    this.host.append(...fragment.childNodes);
    this.#head();
  }

  /** A text that begins with a heading stands further from what is above it, and one of many blocks is laid out only where it is seen. */
  #head(): void {
    const tag = this.host.firstElementChild?.tagName;
    this.host.classList.toggle('headed', tag === 'H2' || tag === 'H3');
    this.host.classList.toggle('long', this.host.childElementCount > manyBlocks);
  }

  #drawOpen(): void {
    const open = this.#segmenter.open();
    this.#caret?.remove();
    if (open.kind === 'fence') {
      if (!this.#code) {
        this.#dropOpen();
        this.#code = new CodeBlock(open.info);
        this.host.append(this.#code.element);
        this.#open = this.#code.element;
      }
      this.#code.add(this.#segmenter.takeFenceWords());
      this.#code.rest(this.#segmenter.fenceRest());
      return;
    }
    if (open.kind === 'nothing') {
      this.#dropOpen();
      return;
    }
    const nodes: ChildNode[] = [];
    for (const block of open.blocks) {
      if (block.kind === 'html') nodes.push(...finished(sanitized(block.html)).childNodes);
      else {
        const view = new CodeBlock(block.info);
        view.add(block.code);
        nodes.push(view.element);
      }
    }
    const before = this.#open ? this.#open.previousSibling : this.host.lastChild;
    morphChildren(this.host, nodes, this.#open ?? null);
    this.#open = (before ? before.nextSibling : this.host.firstChild) ?? undefined;
    this.#head();
    this.#caret ??= caret();
    place(this.#caret, this.host.lastElementChild);
  }
}

/** What only the page adds: tables that scroll by themselves. White space between blocks goes, so that it is nobody's sibling. */
function finished(fragment: DocumentFragment): DocumentFragment {
  for (const table of fragment.querySelectorAll('table')) {
    const box = document.createElement('div');
    box.className = 'table';
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    const heads = [...table.querySelectorAll('th')].map((th) => th.textContent?.trim()).filter(Boolean);
    box.setAttribute('aria-label', heads.length > 0 ? t('Table: {0}', heads.join(', ').slice(0, 80)) : t('Table'));
    for (const th of table.querySelectorAll('th')) th.setAttribute('scope', 'col');
    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of fragment.querySelectorAll('pre')) {
    // a fence inside of a list or a quotation
    const view = new CodeBlock(pre.getAttribute('data-info') ?? '');
    view.close(pre.textContent ?? '', pre.getAttribute('data-info') ?? '');
    pre.replaceWith(view.element);
  }
  for (const node of [...fragment.childNodes]) if (node.nodeType === 3 && node.nodeValue?.trim() === '') node.remove();
  return fragment;
}

function caret(): HTMLElement {
  const element = document.createElement('span');
  element.className = 'caret';
  element.setAttribute('aria-hidden', 'true');
  return element;
}

const holders = new Set(['P', 'LI', 'UL', 'OL', 'H2', 'H3', 'H4', 'BLOCKQUOTE']);

/** Puts the caret behind the last word, inside of the block in which that word stands. */
function place(element: HTMLElement, last: Element | null): void {
  let at = last;
  while (at?.lastElementChild && holders.has(at.lastElementChild.tagName) && isLast(at.lastElementChild)) {
    at = at.lastElementChild;
  }
  if (at && holders.has(at.tagName) && at.tagName !== 'UL' && at.tagName !== 'OL') at.append(element);
}

/** Nothing but white space stands behind it. */
function isLast(element: Element): boolean {
  for (let node = element.nextSibling; node; node = node.nextSibling) if (node.textContent?.trim() !== '') return false;
  return true;
}
