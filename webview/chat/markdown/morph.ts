/**
 * Makes `old` look like `next` with few changes, so that what did not change keeps its layout, its selection and its scroll position.
 * Both are trees that `sanitized` made. Children are compared in order; what differs in kind is replaced.
 */
export function morph(old: Element, next: Element): void {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  morphChildren(old, [...next.childNodes]);
}

/** The same for the children; `from` is the first old child that takes part. */
export function morphChildren(
  parent: Element,
  next: readonly ChildNode[],
  from: ChildNode | null = parent.firstChild,
): void {
  let current = from;
  for (const node of next) {
    // what differs in kind goes with all that follows, from the end: a change among siblings costs the styles of all of them
    if (current && (current.nodeType !== node.nodeType || current.nodeName !== node.nodeName)) {
      removeFrom(parent, current);
      current = null;
    }
    if (!current) {
      parent.append(node);
      continue;
    }
    const following: ChildNode | null = current.nextSibling;
    if (current instanceof Element && node instanceof Element) morph(current, node);
    else if (current.nodeValue !== node.nodeValue) current.nodeValue = node.nodeValue;
    current = following;
  }
  if (current) removeFrom(parent, current);
}

function removeFrom(parent: Element, first: ChildNode): void {
  for (let last = parent.lastChild; last; last = parent.lastChild) {
    last.remove();
    if (last === first) return;
  }
}
