import { l10n } from '../base/l10n';
import { hiddenCharacters } from '../base/text';
import { foundInWords } from './diagnostics';
import { nearest } from './keys';
import { entryName, type fileSchema, limits } from './schema';

/** What the schema says of one value. */
export type Issue = NonNullable<ReturnType<typeof fileSchema.safeParse>['error']>['issues'][number] & {
  expected?: string;
  minimum?: unknown;
  maximum?: unknown;
};

/** The warning for a key that the schema does not have. */
export function unknownKey(key: string, label: string, known: readonly string[]): string {
  if (!key) return l10n.t('this key is no text and has no effect');
  const near = nearest(key, known);
  return near
    ? l10n.t('`{0}` is not known and has no effect; did you mean `{1}`?', label, near)
    : l10n.t('`{0}` is not known and has no effect; known are {1}', label, known.join(', '));
}

/** Why a name cannot be an entry's, or undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (!entryName.test(name)) {
    return l10n.t(
      '`mmConfigs`: expected a name of 1 to 64 letters (a–z), digits, `-`, `_` and `.` that starts with a letter or a digit, so that it fits `/ask-NAME`, found {0}',
      foundInWords(name),
    );
  }
  // `/ask-with-context-bob` would be two commands.
  if (/^with-context-/i.test(name))
    return l10n.t('`mmConfigs`: a name cannot start with `with-context-`, found {0}', foundInWords(name));
  if (isReserved(name)) {
    return l10n.t('`mmConfigs`: {0} stands for the person; an agent needs another name', foundInWords(name));
  }
  return undefined;
}

/** The error for a name that cannot be a proxy's. */
export function proxyNameProblem(name: string): string {
  return l10n.t(
    '`proxies`: expected a name of 1 to 64 letters (a–z), digits, `-`, `_` and `.` that starts with a letter or a digit, found {0}',
    foundInWords(name),
  );
}

/**
 * Whether a name is how the view calls the person, in English or in the language in use: an agent of that name would seem to be the
 * person ("bob, asked by You"). Spelled with any case, width, spaces or characters that nobody sees.
 */
export function isReserved(name: string): boolean {
  const bare = (text: string) =>
    text
      .normalize('NFKC')
      .replace(hiddenCharacters, '')
      .replace(/\s+|^\p{P}+|\p{P}+$/gu, '')
      .toLowerCase();
  const own = bare(name);
  return own === 'you' || (own !== '' && own === bare(l10n.t('You')));
}

export function reservedTitle(title: string): string {
  return l10n.t('`acp.title`: {0} stands for the person; an agent needs another title', foundInWords(title));
}

/** What the schema wanted, for "expected …, found …". */
export function expectedInWords(issue: Issue, path: readonly PropertyKey[]): string {
  const inHooks = path[0] === 'hooks';
  const limit =
    path.length === 1
      ? limits[String(path[0]) as keyof typeof limits]
      : inHooks && path.at(-1) === 'timeout'
        ? limits.hookTimeout
        : undefined;
  if (limit) {
    return path[0] === 'maxOutput'
      ? l10n.t('a whole number of characters from {0} to {1}', limit.least, limit.most)
      : l10n.t('a number of seconds from {0} to {1}', limit.least, limit.most);
  }
  switch (issue.expected) {
    case 'boolean':
      return l10n.t('true or false');
    case 'array':
      if (inHooks && path.length === 2) return l10n.t('a list of hooks, such as [{command: ./hooks/redact.sh}]');
      return l10n.t('a list of texts, such as [--acp]');
    case 'record':
    case 'object':
      return l10n.t('a group of keys');
    case 'string':
      return l10n.t('a text');
    default:
      return issue.code === 'too_small' ? l10n.t('a text that is not empty') : l10n.t('another value');
  }
}
