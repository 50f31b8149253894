import { l10n } from '../base/l10n';
import type { ShellCommand } from './command';
import type { DecidedBy, Grants, Rules } from './types';

/** All of a question that its decision depends on. */
export interface DecideQuestion {
  /** Whose call it is, the nearest to home first; `[]` is the home agent's own. */
  path: readonly string[];
  /** Undefined is an unnamed tool. */
  tool?: string;
  /** It touches a key file: no grant and no rule answers it. */
  keyFile: boolean;
  /** See `PermissionQuestion`. */
  command?: ShellCommand;
  /** Some entry on the way says `yolo: false`, as the agent's own `mm` reports it: no yolo answers it. */
  mustAsk: boolean;
  /** The agent offers no `allow_once`: it can only be refused. */
  cannotAllow: boolean;
  /** Somebody is there to answer. */
  canAnswer: boolean;
  /** The call of a home agent that is not `mm`: no yolo answers it, whatever an entry says. */
  foreignHome?: boolean;
}

export interface Decision {
  outcome: 'allow' | 'ask' | 'refuse';
  /** For `ask`: who will answer. */
  by: Exclude<DecidedBy, 'stop'>;
  /** Why, in words, where it is not plain. */
  why?: string;
}

/** The yolo of each entry from the one that home asked down to the agent that wants to call. */
export type EntryYolos = readonly (boolean | undefined)[];

/**
 * The yolo of an ask (rule 4). The first entry's word holds, `true` and `false`, else the caller's live yolo. Deeper, an
 * explicit `false` takes it away; `true` or nothing gives what the asking ask has, never more.
 */
export function yoloOf(entries: EntryYolos, liveYolo: boolean): boolean {
  const [first, ...deeper] = entries;
  return (first ?? liveYolo) && !deeper.includes(false);
}

/**
 * Decides a permission for the caller (rule 4): yolo, else a grant for that very `[path…, tool]`, else a rule for such a command, else the
 * person, else, where nobody can answer, no. A rule is the person's own word, as a grant is, and answers what a grant would answer.
 * Pure: the yolo of the asked agent's own file is nowhere in it.
 * @param chain names from the one who asked first to the agent that wants to call, for the words.
 */
export function decide(
  question: DecideQuestion,
  chain: readonly string[],
  entries: EntryYolos,
  liveYolo: boolean,
  grants: Grants,
  rules: Rules | undefined,
): Decision {
  const yolo = !question.mustAsk && !question.foreignHome && yoloOf(entries, liveYolo);
  const word = yolo ? undefined : personsWord(question, grants, rules);
  const asker = chain.at(-1) ?? '';
  if (question.cannotAllow && (yolo || word)) {
    return {
      outcome: 'refuse',
      by: 'rule',
      why: l10n.t('{0} offers no way to allow a single call, so it can only be refused.', asker),
    };
  }
  if (yolo) return { outcome: 'allow', by: 'yolo' };
  if (word) return { outcome: 'allow', by: word };
  if (question.canAnswer) return { outcome: 'ask', by: 'person' };
  return { outcome: 'refuse', by: 'nobody', why: l10n.t('Nobody is here to allow what {0} wants to do.', asker) };
}

/** What a person has said before that answers this question. */
function personsWord(
  { path, tool, keyFile, command }: DecideQuestion,
  grants: Grants,
  rules: Rules | undefined,
): 'grant' | 'command-rule' | undefined {
  if (tool === undefined || keyFile) return undefined;
  if (grants.has(path, tool)) return 'grant';
  return command && rules?.cover(path, tool, command) ? 'command-rule' : undefined;
}
