/**
 * Whether a link of an answer may be one: web addresses, and paths of files. Everything else (`command:`, `javascript:`, `data:`, …) stays
 * plain text (faults F062). The extension checks again before it opens anything.
 */
export function isLink(href: string): boolean {
  const target = href.trim();
  if (target === '' || target.length > 4096 || /[\u0000-\u001f\u007f]|%(?:[01][0-9a-f]|7f)/i.test(target)) return false;
  if (isWeb(target)) return true;
  if (/^file:\/\/\//i.test(target)) return true;
  if (/^[#?]/.test(target) || target.startsWith('//') || target.startsWith('\\\\')) return false;
  // `page.ts:12` has the form of a scheme, and is a place in a file
  if (/^[\w.-]+\.[\w-]+:\d+(?::\d+)?$/.test(target)) return true;
  // one letter is a drive of Windows
  return !/^[a-z][a-z0-9+.-]+:/i.test(target);
}

export function isWeb(href: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(href);
}
