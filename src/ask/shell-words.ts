import { hiddenCharacters } from '../base/text';

/** More than a person reads of a command that they allow for good; longer ones are asked each time. */
const longestText = 1_000;
const mostWords = 100;
const mostCommands = 10;

/** What a word may be made of outside of quotes, so that every shell leaves it as it is: no glob, brace, tilde, escape or expansion. */
const plain = /[A-Za-z0-9_\-./:,@%+=]/;
/** What no quotes make harmless: a backslash, which fish reads inside of them, and everything that is no line of text. */
const unquotable = /[\\\p{C}\p{Zl}\p{Zp}]/u;
/** What double quotes leave alive in some shell. */
const expands = /[$`!]/;

/** The first word of a command: a program's name or path, which cannot be taken for an option, a job or an assignment. */
const program = /^[A-Za-z0-9_./][A-Za-z0-9_.\-+@/]*$/;

/** Words that make a program of their own out of what follows. */
const reserved = words(
  'if then else elif fi for foreach while until repeat do done case esac select in switch begin end and or not function coproc time nocorrect noglob',
);

/**
 * Commands that change the shell itself, so that later words no longer mean what they say: the folder, variables, options, what a name
 * stands for. Some agents keep their shell from one call to the next.
 */
const stateful = words(
  `. source eval exec builtin command cd chdir pushd popd dirs export declare typeset local readonly integer float set unset setopt
   unsetopt shopt emulate alias unalias abbr hash unhash rehash enable disable trap umask ulimit limit read mapfile readarray getopts
   shift let autoload zmodload bindkey bind fc history exit return logout suspend disown bg fg wait`,
);

/**
 * The simple commands of a command line, each as its words, in their order. Undefined for everything that is more than plain words: what
 * is not understood whole cannot be taken for anything that a person has allowed. Commands may be separated by `&&`, `||`, `;` and line
 * breaks, which only run one after the other; pipes, background, redirections, here-documents, substitutions, variables, globs,
 * braces, escapes, subshells, comments, assignments and reserved words are not read. Every text that is read means the same in sh,
 * bash, zsh and fish.
 */
export function simpleCommands(text: string): string[][] | undefined {
  if (text.length > longestText) return undefined;
  const source = text.replace(/^[ \n]+|[ \n]+$/g, '');
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  for (let at = 0; at < source.length; at++) {
    const c = source[at]!;
    if (plain.test(c)) {
      word = (word ?? '') + c;
    } else if (c === ' ' || c === '\t') {
      endWord();
    } else if (c === "'" || c === '"') {
      const end = source.indexOf(c, at + 1);
      const quoted = source.slice(at + 1, end);
      if (end < 0 || !isQuotable(quoted) || (c === '"' && expands.test(quoted))) return undefined;
      word = (word ?? '') + quoted;
      at = end;
    } else {
      const twice = c === '&' || c === '|';
      if (twice ? source[at + 1] !== c : c !== ';' && c !== '\n') return undefined;
      endWord();
      if (twice) at++;
      commands.push([]);
    }
  }
  endWord();
  return commands.length <= mostCommands && commands.every(isSimple) ? commands : undefined;
}

/** A command as it can be read back: words that are not plain stand in quotes. */
export function shellText(command: readonly string[]): string {
  return command.map((w) => (w !== '' && [...w].every((c) => plain.test(c)) ? w : quoted(w))).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}

function isQuotable(text: string): boolean {
  return !unquotable.test(text) && !text.match(hiddenCharacters);
}

function isSimple(command: readonly string[]): boolean {
  const [first] = command;
  return (
    first !== undefined &&
    command.length <= mostWords &&
    program.test(first) &&
    !reserved.has(first) &&
    !stateful.has(first) &&
    // zsh replaces `=name` by the path of a program
    !command.some((w) => w.startsWith('='))
  );
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
