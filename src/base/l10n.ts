/** Values for the placeholders `{0}`, `{1}` or `{name}` of a message. */
export type L10nArgs = (string | number | boolean)[] | [Record<string, string | number | boolean>];

type Translate = (message: string, ...args: L10nArgs) => string;

/** Fills the placeholders of a message; a placeholder without a value stays as it stands. */
export function format(message: string, ...args: L10nArgs): string {
  const named = typeof args[0] === 'object' ? args[0] : undefined;
  return message.replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = named ? named[key] : (args as unknown[])[Number(key)];
    return value === undefined ? whole : String(value);
  });
}

let translate: Translate = format;

/**
 * Every string that a person sees goes through here, in the form of `vscode.l10n`, so that the rooms need not know the editor.
 * The extension's composition root plugs in `vscode.l10n.t`; in a shell the English text itself is used.
 */
export const l10n = {
  t: (message: string, ...args: L10nArgs): string => translate(message, ...args),
};

export function useTranslator(translator: Translate): void {
  translate = translator;
}
