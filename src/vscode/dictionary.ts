import * as vscode from 'vscode';

/** The dictionary of the person's language for a page, English text → text; empty for English. */
export function strings(): Record<string, string> {
  const bundle: unknown = vscode.l10n.bundle;
  if (typeof bundle !== 'object' || bundle === null) return {};
  return Object.fromEntries(
    Object.entries(bundle).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
