/**
 * The text of the composer: an element whose content is plain text only, so that input methods, undo, paste and drop are the browser's own,
 * and whose `/ask-…` is coloured without a change of the content (CSS Custom Highlight).
 */
export class Field {
  #highlight: Highlight | undefined;

  constructor(readonly element: HTMLElement) {
    if (typeof Highlight === 'function' && CSS.highlights) {
      this.#highlight = new Highlight();
      CSS.highlights.set('slash', this.#highlight);
    }
  }

  get text(): string {
    const text = contents(this.element);
    // the browser keeps a last line break so that an empty line can be seen
    return text === '\n' ? '' : text;
  }

  set text(text: string) {
    this.element.textContent = text;
    this.caretToEnd();
  }

  /** What stands in front of the caret, or undefined when the caret is elsewhere or something is selected. */
  get beforeCaret(): string | undefined {
    const selection = document.getSelection();
    if (!selection?.isCollapsed || !selection.anchorNode || !this.element.contains(selection.anchorNode))
      return undefined;
    const range = document.createRange();
    range.selectNodeContents(this.element);
    range.setEnd(selection.anchorNode, selection.anchorOffset);
    return range.toString();
  }

  /** Replaces the first `count` characters, in a way that can be undone. */
  replaceStart(count: number, text: string): void {
    const range = rangeOf(this.element, 0, count);
    const selection = document.getSelection();
    if (range && selection) {
      selection.removeAllRanges();
      selection.addRange(range);
      // the one way to change the content that the person's undo knows
      if (document.execCommand?.('insertText', false, text)) return;
    }
    this.text = text + this.text.slice(count);
  }

  caretToEnd(): void {
    const selection = document.getSelection();
    if (!selection) return;
    const range = document.createRange();
    range.selectNodeContents(this.element);
    range.collapse(false);
    selection.removeAllRanges();
    selection.addRange(range);
  }

  /** Colours the first `count` characters. */
  mark(count: number): void {
    this.#highlight?.clear();
    if (count === 0) return;
    const range = rangeOf(this.element, 0, count);
    if (range) this.#highlight?.add(range);
  }
}

function contents(node: Node): string {
  if (node.nodeType === 3) return (node as Text).data;
  let text = '';
  for (const child of node.childNodes) {
    if (child.nodeName === 'BR') text += '\n';
    else {
      // only a foreign hand makes blocks in here
      if (child.nodeName === 'DIV' && text !== '' && !text.endsWith('\n')) text += '\n';
      text += contents(child);
    }
  }
  return text;
}

function rangeOf(root: Node, start: number, end: number): Range | undefined {
  const range = document.createRange();
  let at = 0;
  let begun = false;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const next = at + node.data.length;
    if (!begun && start <= next) {
      range.setStart(node, start - at);
      begun = true;
    }
    if (begun && end <= next) {
      range.setEnd(node, end - at);
      return range;
    }
    at = next;
  }
  return undefined;
}
