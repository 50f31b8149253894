import type { ShellCommand } from '../ask/command';
import type { DecidedBy, PermissionDecision, PermissionQuestion } from '../ask/types';
import { cap } from '../base/text';

/** How one question was settled, as the list of the last decisions shows it. */
export interface DecisionRecord {
  /** Milliseconds since the epoch. */
  at: number;
  /** The conversation to which it belonged, and its home agent. */
  conversation: string | undefined;
  home: string;
  /** `bob/bash`. */
  name: string;
  path: readonly string[];
  tool?: string;
  /** Names from "You" to the agent that wanted to call. */
  chain: readonly string[];
  outcome: PermissionDecision['outcome'];
  by: DecidedBy;
  /** It was allowed for the whole conversation. */
  remembered: boolean;
  /** What was asked, as it was shown, up to a cap. */
  shown: string;
  /** What a rule can be made of; absent where no rule could answer such a question. */
  command?: ShellCommand;
}

/** Decisions that are kept; older ones are forgotten. */
const mostDecisions = 200;
/** Characters of a call that are kept. */
export const longestShown = 2_000;

/** The last decisions of a window, in memory only: they end with it. */
export class DecisionLog {
  readonly #records: DecisionRecord[] = [];

  /** @param shown what was asked, with hidden characters made visible. */
  add(
    about: { conversation: string | undefined; home: string; at: number; shown: string },
    question: PermissionQuestion,
    decision: PermissionDecision,
  ): void {
    const { name, path, tool, chain, command, keyFile, cannotAllow } = question;
    const { outcome, by, remembered = false } = decision;
    this.#records.push({
      ...about,
      shown: cap(about.shown, longestShown).text,
      name,
      path,
      tool,
      chain,
      outcome,
      by,
      remembered,
      ...(command && tool !== undefined && !keyFile && !cannotAllow ? { command } : {}),
    });
    if (this.#records.length > mostDecisions) this.#records.shift();
  }

  /** The newest first. */
  list(): DecisionRecord[] {
    return this.#records.toReversed();
  }
}
