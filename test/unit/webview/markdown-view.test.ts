// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import { Frame } from '../../../webview/chat/base/frame';
import { morphChildren } from '../../../webview/chat/markdown/morph';
import { MarkdownView } from '../../../webview/chat/markdown/view';

// DOMPurify does not work in this stand-in for a browser (it loses elements); the real one is tested in Chromium (chatpage)
vi.mock('../../../webview/chat/markdown/sanitize', () => ({
  sanitized: (html: string) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  },
}));

function stream(chunks: string[]): { host: HTMLElement; frame: Frame; view: MarkdownView } {
  const host = document.createElement('div');
  // a clock that stands still: every frame does all of its work
  const frame = new Frame(() => 0);
  const view = new MarkdownView(host, frame, () => 0);
  view.sync(chunks[0]!, false);
  for (const chunk of chunks.slice(1)) {
    view.push(chunk);
    frame.run();
  }
  return { host, frame, view };
}

describe('Markdown in the page', () => {
  it('never touches a closed block again', () => {
    const { host, frame, view } = stream(['# One\n\nfirst\n\nsec', 'ond\n']);
    const heading = host.querySelector('h2');
    const first = host.querySelectorAll('p')[0];
    view.push('and more\n\nthird');
    frame.run();
    view.finish();
    frame.run();
    expect(host.querySelector('h2')).toBe(heading);
    expect(host.querySelectorAll('p')[0]).toBe(first);
    expect([...host.children].map((e) => e.textContent)).toEqual(['One', 'first', 'second\nand more', 'third']);
  });

  it('F059 adds the words of an open fence as text, to the same code block', () => {
    const { host, frame, view } = stream(['```\nfirst\n', 'sec']);
    const code = host.querySelector('.code code');
    expect(code?.textContent).toBe('first\nsec');
    view.push('ond\nthird\n');
    frame.run();
    expect(host.querySelector('.code code')).toBe(code);
    expect(code?.textContent).toBe('first\nsecond\nthird\n');
    view.push('```\n\nafter\n\n');
    view.finish();
    frame.run();
    frame.run();
    expect(host.querySelector('.code code')).toBe(code);
    expect([...host.children].map((e) => e.tagName)).toEqual(['FIGURE', 'P']);
  });

  it('has the caret behind the last word while words come, and none at the end', () => {
    const { host, frame, view } = stream(['one\n\n- two']);
    expect(host.querySelector('li > .caret')).not.toBeNull();
    view.finish();
    frame.run();
    expect(host.querySelector('.caret')).toBeNull();
  });

  it('draws a text anew that is not the old one with more', () => {
    const { host, view } = stream(['one']);
    view.sync('another', true);
    expect(host.textContent).toBe('another');
  });

  it('draws a long text in several frames, so that none is long', () => {
    const host = document.createElement('div');
    const frame = new Frame(() => 0);
    const view = new MarkdownView(host, frame, () => 0);
    view.sync('a paragraph of some words\n\n'.repeat(2000), true);
    const first = host.childElementCount;
    expect(first).toBeLessThan(400);
    frame.run();
    expect(host.childElementCount).toBeGreaterThan(first);
    for (let i = 0; i < 50; i++) frame.run();
    expect(host.childElementCount).toBe(2000);
  });
});

describe('morph', () => {
  it('keeps what is the same and changes what is not', () => {
    const host = document.createElement('div');
    host.innerHTML = '<p>one <b>two</b></p><p>x</p>';
    const p = host.firstElementChild;
    const bold = host.querySelector('b');
    const next = document.createElement('div');
    next.innerHTML = '<p>one <b>two!</b> three</p><ul><li>y</li></ul><p>z</p>';
    morphChildren(host, [...next.childNodes]);
    expect(host.innerHTML).toBe('<p>one <b>two!</b> three</p><ul><li>y</li></ul><p>z</p>');
    expect(host.firstElementChild).toBe(p);
    expect(host.querySelector('b')).toBe(bold);
  });
});
