import { describe, expect, it } from 'vitest';
import { makeNonce, pageHtml } from '../../../src/vscode/html';

const parts = {
  cspSource: "'self' https://*.example",
  script: 'https://host/chat.js',
  styles: ['https://host/chat.css?a="b"'],
  language: 'en',
  title: 'mm',
};

describe('the document of a webview', () => {
  it('allows our own script and style sheets and nothing else', () => {
    const nonce = makeNonce();
    const html = pageHtml(parts, nonce);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'nonce-${nonce}';`);
    expect(policy).not.toMatch(/unsafe|connect-src|frame-src|\*(?!\.example)/);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/\sstyle=|\son\w+=/);
  });

  it('quotes what it is given', () => {
    expect(pageHtml(parts, 'n')).toContain('href="https://host/chat.css?a=&quot;b&quot;"');
  });

  it('no nonce comes twice', () => {
    expect(new Set(Array.from({ length: 100 }, makeNonce)).size).toBe(100);
    expect(makeNonce()).toMatch(/^[\w-]{24}$/);
  });
});
