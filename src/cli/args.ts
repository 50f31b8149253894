import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';

/** What a call of `mm` is to do. */
export type Command =
  | { mode: 'acp'; config?: string }
  | { mode: 'ask'; config?: string; agent: string; prompt?: string }
  | { mode: 'print'; config?: string; prompt?: string }
  | { mode: 'agents'; config?: string; json: boolean }
  | { mode: 'keep'; config?: string; once: boolean }
  | ServeCommand
  | { mode: 'help' }
  | { mode: 'version' };

/** `mm --serve`: which agents, and where. What is not said is decided there. */
export interface ServeCommand {
  mode: 'serve';
  config?: string;
  agents: string[];
  host?: string;
  port?: number;
  /** The variable that holds the key. */
  keyEnv?: string;
  url?: string;
  tasks?: string;
}

type Mode = Command['mode'];

const modes: Record<string, Mode> = {
  acp: 'acp',
  ask: 'ask',
  p: 'print',
  agents: 'agents',
  keep: 'keep',
  serve: 'serve',
  help: 'help',
  h: 'help',
  version: 'version',
};

/** Options with a value, and the one mode that they go with. */
const valued: Record<string, Mode> = { host: 'serve', port: 'serve', 'key-env': 'serve', url: 'serve', tasks: 'serve' };

/** Options without a value, and their mode. */
const flagged: Record<string, Mode> = { json: 'agents', once: 'keep' };

/** Reads the arguments of `mm`; `-name` and `--name` are the same (design, section 7). Throws a `UserError` with exit code 2. */
export function parseArgs(argv: readonly string[]): Command {
  let mode: Mode | undefined;
  let config: string | undefined;
  const words: string[] = [];
  const values = new Map<string, string>();
  const flags = new Set<string>();
  let options = true;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    const match = options ? /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word) : null;
    if (options && word === '--') {
      options = false;
      continue;
    }
    if (!match) {
      words.push(word);
      continue;
    }
    const [, name, value] = match;
    if (name === 'config') {
      config = value ?? argv[++i];
      if (!config) throw usage(l10n.t('-config needs the path of a file.'));
    } else if (name && Object.hasOwn(valued, name)) {
      const given = value ?? argv[++i];
      if (!given) throw usage(l10n.t('--{0} needs a value.', name));
      values.set(name, given);
    } else if (name && Object.hasOwn(flagged, name) && value === undefined) {
      flags.add(name);
    } else if (name && Object.hasOwn(modes, name)) {
      if (mode && mode !== modes[name])
        throw usage(l10n.t('{0} does not go together with what stands before it.', word));
      mode = modes[name];
      if (value !== undefined) words.push(value);
    } else throw usage(l10n.t('{0} is not known.', word));
  }
  for (const name of values.keys())
    if (valued[name] !== mode) throw usage(l10n.t('--{0} goes with --{1} only.', name, valued[name]!));
  for (const name of flags)
    if (flagged[name] !== mode) throw usage(l10n.t('--{0} goes with --{1} only.', name, flagged[name]!));
  return command(mode, config, words, values, flags);
}

function command(
  mode: Mode | undefined,
  config: string | undefined,
  words: string[],
  values: ReadonlyMap<string, string>,
  flags: ReadonlySet<string>,
): Command {
  const text = (from: number) => words.slice(from).join(' ') || undefined;
  switch (mode) {
    case 'help':
    case 'version':
      return { mode };
    case 'acp':
      if (words.length > 0) throw usage(l10n.t('-acp takes no “{0}”.', words[0]!));
      return { mode, config };
    case 'ask':
      if (!words[0]) throw usage(l10n.t('--ask needs the name of an agent.'));
      return { mode, config, agent: words[0], prompt: text(1) };
    case 'agents':
      if (words.length > 0) throw usage(l10n.t('--agents takes no “{0}”.', words[0]!));
      return { mode, config, json: flags.has('json') };
    case 'keep':
      if (words.length > 0) throw usage(l10n.t('--keep takes no “{0}”.', words[0]!));
      return { mode, config, once: flags.has('once') };
    case 'serve':
      return {
        mode,
        config,
        agents: words,
        host: values.get('host'),
        port: portOf(values.get('port')),
        keyEnv: values.get('key-env'),
        url: values.get('url'),
        tasks: values.get('tasks'),
      };
    case 'print':
      return { mode, config, prompt: text(0) };
    case undefined:
      throw usage(words[0] ? l10n.t('“{0}” is not known.', words[0]) : l10n.t('Say what to do.'));
  }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw usage(l10n.t('--port needs a number from 0 to 65535.'));
  return port;
}

/** A wrong call, with the way to the help. */
export function usage(message: string): UserError {
  return new UserError(message, { exitCode: ExitCode.usage, hint: l10n.t('“mm --help” says what there is.') });
}
