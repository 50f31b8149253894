import { shellText } from './shell-words';

/** What decides whether a rule holds: whose call of which tool, where, and the words of one simple command. */
export interface CommandCall {
  /** Name of the conversation's home agent, in whose name everybody else is asked. */
  home: string;
  /** Whose call it is, the nearest to home first; `[]` is the home agent's own. */
  path: readonly string[];
  tool: string;
  /** Absolute path of the folder in which it runs. */
  folder: string;
  words: readonly string[];
}

/** "Commands like this one": what a person has allowed in a folder until they take it back. Never wider than its `patternText`. */
export interface CommandRule extends CommandCall {
  id: string;
  /** When it was made, milliseconds since the epoch. */
  at: number;
  /** Further words may follow; see `isFreeWord`. Without it the words are the whole command. */
  more: boolean;
}

export type Pattern = Pick<CommandRule, 'words' | 'more'>;

/** A rule's pattern as it is shown: `npm test`, or `npm test …`. */
export function patternText({ words, more }: Pattern): string {
  return more ? `${shellText(words)} …` : shellText(words);
}

export function ruleHolds(rule: CommandRule, call: CommandCall): boolean {
  if (rule.home !== call.home || rule.tool !== call.tool || rule.folder !== call.folder) return false;
  if (!same(rule.path, call.path)) return false;
  const { words } = rule;
  if (!rule.more) return same(words, call.words);
  const further = call.words.slice(words.length);
  return same(words, call.words.slice(0, words.length)) && further.every((word) => isFreeWord(word) && !isRunner(word));
}

/**
 * A word that may stand for `…`: a name or a path within the folder. Never an option, an assignment, an address, a file of arguments or a
 * way out of the folder, since those can make a harmless command do something else.
 */
export function isFreeWord(word: string): boolean {
  return /^[A-Za-z0-9_.][A-Za-z0-9_.\-/@+,]*$/.test(word) && !word.split('/').includes('..');
}

/**
 * The patterns that can be made of a command: itself, and with `…` its beginnings of two or more words, the longest first. None with `…` where
 * a further word could be a program (`sh x`, `sudo x`, `npm exec x`) or the value of an option: those are allowed word for word only.
 */
export function patternsOf(words: readonly string[]): Pattern[] {
  const exact: Pattern = { words: [...words], more: false };
  return [
    exact,
    ...openBeginnings(words)
      .slice(0, 3)
      .map((beginning): Pattern => ({ words: beginning, more: true })),
  ];
}

/** Whether a pattern is one that `patternsOf` could have made; what is stored is believed only then. */
export function isSafePattern({ words, more }: Pattern): boolean {
  return words.length > 0 && (!more || openBeginnings(words).some((beginning) => same(beginning, words)));
}

function openBeginnings(words: readonly string[]): string[][] {
  if (runsOthers(words[0] ?? '')) return [];
  const firstOdd = words.findIndex((w, i) => i > 0 && (!isFreeWord(w) || isRunner(w)));
  const plainWords = firstOdd < 0 ? words.length : firstOdd;
  const beginnings: string[][] = [];
  for (let length = plainWords; length >= 2; length--) beginnings.push(words.slice(0, length));
  return beginnings;
}

/** Programs that run what their further words name, or read them as code. */
const wrappers = new Set(
  `sh bash dash zsh ash ksh mksh csh tcsh fish elvish nu xonsh pwsh powershell cmd busybox toybox env sudo doas su pkexec runuser nice ionice
   chrt taskset nohup time timeout stdbuf unbuffer setsid setpriv flock xargs parallel find fd rg watch entr script expect strace ltrace gdb lldb
   valgrind perf npx pnpx bunx uvx pipx uv poetry pipenv conda docker podman nerdctl kubectl oc helm vagrant ssh mosh scp sftp rsync chroot
   unshare nsenter bwrap firejail systemd-run at batch crontab tmux screen awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs nano less more man
   osascript tclsh wish sqlite3 psql mysql jq yq m4 dc bc gnuplot octave julia rscript r scala java javac groovy kotlin dotnet mono wine
   make gmake cmake ninja just task rake ant mvn gradle sbt bazel buck terraform ansible ansible-playbook open xdg-open start explorer tar zip
   7z curl wget nc ncat socat telnet dd mkfs xvfb-run corepack nyc c8 caffeinate fakeroot dotenv dotenvx direnv hyperfine nodemon
   concurrently cross-env mise asdf nvm fnm volta proxychains proxychains4 pm2 forever pdm hatch rye pixi`.split(/\s+/),
);
const interpreters =
  /^(python|pypy|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|perl|php|lua|luajit|guile|racket|sbcl|clisp|ghc|runghc|ocaml|swift|go|cargo|erl|elixir|iex)[\d.]*$/;
/** Words that make a program run what follows them: `npm exec`, `yarn dlx`, `npm run`, and `npm install` with its scripts. */
const runners = new Set(
  'run exec x dlx eval shell sh bisect config alias submodule foreach install i add create init'.split(' '),
);

function isRunner(word: string): boolean {
  return runners.has(word.toLowerCase());
}

function runsOthers(program: string): boolean {
  const name = (program.split('/').at(-1) ?? '').toLowerCase().replace(/\.(exe|cmd|bat)$/, '');
  return wrappers.has(name) || interpreters.test(name);
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}
