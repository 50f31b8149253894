import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ShellCommand } from '../ask/command';
import { type CommandCall, type CommandRule, isSafePattern, type Pattern, ruleHolds } from '../ask/rules';
import type { Rules } from '../ask/types';
import type { Disposable } from '../base/disposable';
import { describe, UserError } from '../base/errors';
import { Emitter } from '../base/event';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';

/** Rules of one workspace; more than a person ever reads. */
const mostRules = 200;
const mostBytes = 1_000_000;

/**
 * The rules that a person has made of decisions about commands, in a file of the editor's own storage and not in the workspace, which
 * others write. The file is read for every question that a rule could answer, so that one that is taken back holds no longer in any
 * window. A file that cannot be read holds no rule.
 */
export class RuleBook implements Disposable {
  readonly #changed = new Emitter<void>();
  /** A rule was made or taken back in this window. */
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly file: string,
    private readonly log: Log,
    /** Whether any rule holds now: not in a workspace that is not trusted, nor without a configuration that holds. */
    private readonly holds: () => boolean,
  ) {}

  /** All rules of this window's workspace, the oldest first. */
  list(): CommandRule[] {
    return this.#read();
  }

  /** The rules as the asks and turns of one home agent see them. */
  of(home: string): Rules {
    return { cover: (path, tool, command) => this.#cover({ home, path, tool }, command) };
  }

  /** Makes a rule of each pattern; one that is there already is not made twice. @throws UserError when it cannot be written. */
  add(about: Omit<CommandCall, 'words'>, patterns: readonly Pattern[], at = Date.now()): void {
    const rules = this.#read();
    for (const { words, more } of patterns) {
      if (!isSafePattern({ words, more })) throw new UserError(l10n.t('No rule can be made of this command.'));
      const { home, path, tool, folder } = about;
      const rule = { id: randomUUID(), at, home, path: [...path], tool, folder, words: [...words], more };
      if (!rules.some((known) => contentOf(known) === contentOf(rule))) rules.push(rule);
    }
    if (rules.length > mostRules) {
      throw new UserError(l10n.t('There are {0} rules already.', mostRules), {
        hint: l10n.t('Revoke some that are no longer needed.'),
      });
    }
    this.#write(rules);
  }

  /** Takes a rule back; the next such command is asked again. @throws UserError when that cannot be written. */
  remove(id: string): void {
    this.#write(this.#read().filter((rule) => rule.id !== id));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #cover(who: Pick<CommandCall, 'home' | 'path' | 'tool'>, { folder, commands }: ShellCommand): boolean {
    if (!this.holds() || commands.length === 0) return false;
    const rules = this.#read();
    return commands.every((words) => rules.some((rule) => ruleHolds(rule, { ...who, folder, words })));
  }

  #read(): CommandRule[] {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.log.warn(`The rules could not be read, so none holds: ${describe(error)}`);
      }
      return [];
    }
    return parseRules(text);
  }

  #write(rules: readonly CommandRule[]): void {
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      const next = `${this.file}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify({ v: 1, rules }, null, 1)}\n`, { mode: 0o600 });
      renameSync(next, this.file);
    } catch (cause) {
      throw new UserError(l10n.t('The rules could not be saved: {0}', describe(cause)), { cause });
    }
    this.#changed.fire();
  }
}

function contentOf({ home, path, tool, folder, words, more }: CommandRule): string {
  return JSON.stringify([home, path, tool, folder, words, more]);
}

/** What is stored, as far as every field is what it should be. */
export function parseRules(text: string): CommandRule[] {
  if (text.length > mostBytes) return [];
  try {
    const { v, rules } = JSON.parse(text) as { v?: unknown; rules?: unknown };
    return v === 1 && Array.isArray(rules) ? rules.flatMap(ruleIn) : [];
  } catch {
    return []; // half a file holds no rule
  }
}

function ruleIn(value: unknown): CommandRule[] {
  const { id, at, home, path, tool, folder, words, more } = (value ?? {}) as Record<string, unknown>;
  const texts = [id, home, tool, folder].every((text) => typeof text === 'string');
  if (!texts || typeof at !== 'number' || !isList(path) || !isList(words) || typeof more !== 'boolean') return [];
  if (!isSafePattern({ words, more })) return [];
  return [{ id, at, home, path, tool, folder, words, more } as CommandRule];
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
