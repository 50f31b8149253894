import * as vscode from 'vscode';
import { inOneLine, visible } from '../base/text';

/**
 * Markdown that an agent wrote: no links to commands, no HTML, no icons, whatever it says. Remote pictures the editor's chat itself
 * does not load.
 */
export function untrusted(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text, false);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}

/** Words that mean only themselves, in one line, where the editor reads Markdown. */
export function literal(text: string): string {
  return inOneLine(visible(text)).replace(/[\\`*_{}[\]()<>#+\-!|~$&:@]/g, (character) => `\\${character}`);
}

/** A text as it stands, hidden characters made visible, in a block that nothing in it can end. */
export function fenced(text: string): string {
  const shown = visible(text);
  let longest = 2;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}
