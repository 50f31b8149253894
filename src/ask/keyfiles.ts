import type { ToolCallUpdate } from '../acp/types';

/**
 * Files that hold keys (rule 4): `.env`, `.ssh`, `*.pem` and their like. A call on one is never remembered and never
 * answered by a grant, and `mm` asks before it reads one. The lists err on the side of a question too many.
 */
const secretFolders = new Set(['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.password-store', 'gcloud', 'keychains']);

const secretNames = new Set([
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.vault-token',
  '.dockercfg',
  'credentials.json',
  'secrets.json',
  'secrets.yaml',
  'secrets.yml',
  'secrets.toml',
]);

const secretPatterns = [
  /^\.env/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx)$/,
];

/** Names against which a pattern of a shell is tried. */
const samples = [
  '.env',
  '.env.local',
  '.netrc',
  '.npmrc',
  '.ssh',
  '.aws',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
  'server.pem',
  'server.key',
];

/** Past this many characters a call is no longer searched and counts as touching a key file. */
const longestSearch = 100_000;

/** A path, POSIX or Windows, absolute or not, or a file URI, that names a key file or lies in a folder of keys. */
export function isKeyFile(path: string): boolean {
  const segments = plain(path).split(/[/\\]+/);
  if (segments.some((s) => secretFolders.has(s))) return true;
  const parent = segments.at(-2);
  // A colon parts a drive, a host (`host:.env`) or a stream of Windows (`.env:x`) from a name: each part may be one.
  return segments
    .at(-1)!
    .split(':')
    .some((part) => isKeyName(part.replace(/[. ]+$/, ''), parent, segments));
}

function isKeyName(name: string, parent: string | undefined, segments: string[]): boolean {
  if (secretNames.has(name) || secretPatterns.some((p) => p.test(name))) return true;
  if (parent === '.docker' && name === 'config.json') return true;
  if (parent === 'etc' && (name === 'shadow' || name === 'gshadow')) return true;
  // The environment of a process, with the keys in it.
  return name === 'environ' && segments.includes('proc');
}

/** The command of a shell names a key file: whole, quoted, escaped, as a pattern or behind `=`, `:` and `@`. */
export function namesKeyFile(command: string): boolean {
  if (command.length > longestSearch) return true;
  // Once as it stands (a backslash separates folders), once as a shell joins it (`.e"n"v`, `.e\nv`).
  const joined = command.replace(/["'\\]/g, '');
  const chosen = choices(joined);
  return !chosen || [command, joined, ...chosen].some((text) => wordsOf(text).some(suspicious));
}

/** Words in one brace of a command; with more the call counts as touching a key file. */
const mostChoices = 20;
const mostBraces = 1_000;

/** `.e{nv,x}` with the first, the second, … of each brace's words; undefined where there are too many to look at. */
function choices(command: string): string[] | undefined {
  // without a comma in the pattern: with one it would be tried at each comma of a brace that nobody closes
  const braces = [...command.matchAll(/\{([^{}]*)\}/g)].map(([, words]) => words!.split(','));
  const most = Math.max(1, ...braces.slice(0, mostBraces).map((words) => words.length));
  if (most > mostChoices || braces.length > mostBraces) return undefined;
  if (most === 1) return [];
  return Array.from({ length: most }, (_, i) =>
    command.replace(/\{([^{}]*)\}/g, (brace, words: string) =>
      words.includes(',') ? (words.split(',')[i] ?? '') : brace,
    ),
  );
}

/** A tool call of an agent touches a key file, by its locations, diffs, title or input. What the agent hides, nobody sees. */
export function touchesKeyFile(toolCall: ToolCallUpdate): boolean {
  const call = toolCall as unknown as Record<string, unknown> | null | undefined;
  if (!call || typeof call !== 'object') return false;
  const budget = { left: longestSearch };
  for (const holder of [...list(call.locations), ...list(call.content)]) {
    const path = (holder as { path?: unknown } | null)?.path;
    if (typeof path === 'string' && isKeyFile(path)) return true;
  }
  if (typeof call.title === 'string' && namesKeyFile(call.title)) return true;
  return search(call.rawInput, call.kind !== 'edit', budget, 0);
}

/** What goes into a file may speak of `.env`; the call does not touch it for that. Only where the call is an edit. */
const bodies = new Set(
  ['content', 'contents', 'newText', 'oldText', 'new_text', 'old_text', 'newString', 'oldString', 'new_string']
    .concat(['old_string', 'file_text', 'description', 'explanation'])
    .map((k) => k.toLowerCase()),
);

function search(value: unknown, everything: boolean, budget: { left: number }, level: number): boolean {
  if (typeof value === 'string') {
    budget.left -= value.length;
    return budget.left < 0 || isKeyFile(value) || namesKeyFile(value);
  }
  if (value === null || typeof value !== 'object') return false;
  // Deeper than any tool's input is: not searched, so taken for the worst.
  if (level > 8) return true;
  for (const [key, item] of Object.entries(value)) {
    if (--budget.left < 0) return true;
    if (!everything && bodies.has(key.toLowerCase())) continue;
    if (search(item, everything, budget, level + 1)) return true;
  }
  return false;
}

function wordsOf(text: string): string[] {
  return text.split(/[\s"'`|&;<>()=,:{}@$]+/).filter((w) => w !== '');
}

function suspicious(word: string): boolean {
  return isKeyFile(word) || matchesSample(word);
}

/** `.e*` or `id_*`: a pattern with at least two literal characters, or a leading dot, that a sample fits. */
function matchesSample(word: string): boolean {
  const parts = word.split(/[/\\]/).filter((part) => /[*?[]/.test(part));
  return parts.some((part) => {
    if (!part.startsWith('.') && part.replace(/[*?[\]]/g, '').length < 2) return false;
    const pattern = globToRegExp(part);
    return pattern !== undefined && samples.some((s) => pattern.test(s));
  });
}

function globToRegExp(glob: string): RegExp | undefined {
  // A run of stars is one star, and a name has few: no pattern can make the match slow.
  const calm = glob.toLowerCase().replace(/\*+/g, '*');
  if (calm.length > 60 || calm.split('*').length > 6) return undefined;
  const source = calm.replace(/\[[^\]]*\]|[^\w]/g, (c) => {
    if (c === '*') return '.*';
    if (c === '?' || c.length > 1) return '.';
    return `\\${c}`;
  });
  return new RegExp(`^${source}$`);
}

/** Lower case, because two of three systems do not tell apart; the path of a file URI. */
function plain(path: string): string {
  const text = path.trim();
  if (!/^file:/i.test(text)) return text.toLowerCase();
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase(); // No URI after all: it stands for itself.
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
