import { randomBytes } from 'node:crypto';

/** What the page of a view is made of; addresses come from `webview.asWebviewUri`. */
export interface PageParts {
  cspSource: string;
  script: string;
  styles: string[];
  /** Language of the interface, for screen readers: `en`. */
  language: string;
  /** Name of the document inside the frame, for screen readers. */
  title: string;
}

/** A value that nobody can guess, so that only our own script runs in the page. */
export function makeNonce(): string {
  return randomBytes(18).toString('base64url');
}

function attribute(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}

/**
 * The document of a webview. Nothing is loaded from outside, no script runs but ours, and no form sends anything
 * (facts: webview policy, remote images in what a model wrote would carry data away).
 */
export function pageHtml(parts: PageParts, nonce: string): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${parts.cspSource}`,
    `font-src ${parts.cspSource}`,
    `img-src ${parts.cspSource} data:`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!DOCTYPE html>',
    `<html lang="${attribute(parts.language)}">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${attribute(parts.title)}</title>`,
    ...parts.styles.map((style) => `<link rel="stylesheet" href="${attribute(style)}">`),
    '</head>',
    '<body>',
    `<script nonce="${nonce}" src="${attribute(parts.script)}"></script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
