import type { PermissionOption, ToolCallUpdate } from '../acp/types';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { shellCommandOf } from './command';
import { type Decision, decide, type EntryYolos } from './decide';
import { touchesKeyFile } from './keyfiles';
import { canAllow, cleanOptions } from './options';
import { linkedStop } from './stop';
import { joinedName, toolName } from './toolname';
import type {
  AskEvent,
  Grants,
  PermissionAnswer,
  PermissionAsker,
  PermissionDecision,
  PermissionQuestion,
  Rules,
} from './types';

/** Questions of one gate that may wait at the same time; an agent that asks more is refused. */
const mostWaiting = 200;

/** What a request for permission is made of. `toolCall`, `options` and `program` are the agent's own. */
export interface QuestionParts {
  id: string;
  path: string[];
  toolCall: ToolCallUpdate;
  options: PermissionOption[];
  program?: string;
  /** The session's folder; a folder that the call names stands instead. */
  cwd: string;
  /** Names from "You" to the agent that wants to call. */
  chain: string[];
  mustAsk?: boolean;
}

export function questionOf(parts: QuestionParts): PermissionQuestion {
  const { id, path, toolCall, program, chain, mustAsk } = parts;
  const options = cleanOptions(parts.options);
  const tool = toolName(toolCall, program);
  const cwd = folderOf(toolCall) ?? parts.cwd;
  return {
    id,
    path,
    tool,
    name: joinedName(path, tool, l10n.t('unnamed tool')),
    toolCall,
    options,
    cwd,
    chain,
    keyFile: touchesKeyFile(toolCall),
    cannotAllow: !canAllow(options),
    command: shellCommandOf(toolCall, tool, cwd),
    mustAsk,
  };
}

/** A question with all that its decision needs. */
export interface GateCall {
  question: PermissionQuestion;
  /** The yolo of each entry from the one that home asked down to the agent that wants to call; `[]` for home itself. */
  entries: EntryYolos;
  liveYolo: boolean;
  grants: Grants;
  rules?: Rules;
  permissions: PermissionAsker;
  /** See `DecideQuestion`. */
  foreignHome?: boolean;
  /** Fires when the question is moot. */
  signal: AbortSignal;
  emit(event: AskEvent): void;
}

interface Waiting {
  call: GateCall;
  /** Settles it without the person, by what they have said elsewhere. */
  settleBy(word: 'grant' | 'command-rule'): void;
}

/**
 * Where questions become decisions: `decide` first, the person where it says so, and what the person says now also settles
 * what waits and is covered by it (F048). One per relay; the host uses it for the home agent's own calls too. It fails closed:
 * whatever goes wrong, nothing is allowed.
 */
export class PermissionGate {
  readonly #waiting = new Map<Grants, Set<Waiting>>();

  constructor(private readonly log: Log) {}

  async settle(call: GateCall): Promise<PermissionDecision> {
    const decision = await this.#decide(call);
    call.emit({ type: 'permission', question: call.question, state: 'settled', decision });
    call.permissions.settled?.(call.question, decision);
    return decision;
  }

  /** A grant or a rule has come: what waits and is covered by it is settled (F048). */
  reconsider(): void {
    for (const waiting of [...this.#waiting.values()].flatMap((all) => [...all])) {
      const { outcome, by } = decideNow(waiting.call);
      if (outcome === 'allow' && (by === 'grant' || by === 'command-rule')) waiting.settleBy(by);
    }
  }

  async #decide(call: GateCall): Promise<PermissionDecision> {
    if (call.signal.aborted) return { outcome: 'cancelled', by: 'stop' };
    const first = decideNow(call);
    if (first.outcome === 'allow') return { outcome: 'allowed', by: first.by };
    if (first.outcome === 'refuse') return { outcome: 'rejected', by: first.by, why: first.why };
    return this.#askPerson(call);
  }

  async #askPerson(call: GateCall): Promise<PermissionDecision> {
    const { question, grants } = call;
    const others = this.#waiting.get(grants) ?? new Set<Waiting>();
    if (others.size >= mostWaiting) {
      return { outcome: 'rejected', by: 'rule', why: l10n.t('Too many questions are waiting.') };
    }
    this.#waiting.set(grants, others);
    const moot = linkedStop(call.signal);
    let by: 'grant' | 'command-rule' | undefined;
    const waiting: Waiting = {
      call,
      settleBy(word) {
        by = word;
        moot.controller.abort();
      },
    };
    others.add(waiting);
    call.emit({ type: 'permission', question, state: 'waiting' });
    try {
      const answer = await this.#answer(call, moot.signal);
      if (answer === 'cancelled') {
        // what the person says to this very question, or a stop, holds before what they say elsewhere at the same time
        return by && !call.signal.aborted ? settledBy(by) : { outcome: 'cancelled', by: 'stop' };
      }
      if (answer === 'reject') return { outcome: 'rejected', by: 'person' };
      if (question.cannotAllow) return { outcome: 'rejected', by: 'rule' };
      const remembered = answer === 'allow_conversation' && question.tool !== undefined && !question.keyFile;
      if (remembered) {
        grants.add(question.path, question.tool!);
        others.delete(waiting);
        this.reconsider();
      }
      return remembered ? { outcome: 'allowed', by: 'person', remembered } : { outcome: 'allowed', by: 'person' };
    } finally {
      moot.dispose();
      others.delete(waiting);
      if (others.size === 0) this.#waiting.delete(grants);
    }
  }

  /** The asker's answer, or `cancelled` as soon as the question is moot, whether or not the asker notices. */
  async #answer(call: GateCall, moot: AbortSignal): Promise<PermissionAnswer> {
    let onAbort: () => void = () => undefined;
    const cancelled = new Promise<'cancelled'>((resolve) => {
      onAbort = () => resolve('cancelled');
      moot.addEventListener('abort', onAbort, { once: true });
    });
    try {
      const answer = await Promise.race([call.permissions.ask(call.question, moot), cancelled]);
      return known.has(answer) ? answer : 'cancelled';
    } catch (error) {
      this.log.warn(`The question ${call.question.name} could not be asked: ${describe(error)}`);
      return 'cancelled';
    } finally {
      moot.removeEventListener('abort', onAbort);
    }
  }
}

function settledBy(by: 'grant' | 'command-rule'): PermissionDecision {
  if (by === 'grant') return { outcome: 'allowed', by };
  return { outcome: 'allowed', by, why: l10n.t('A rule of this folder allows this command') };
}

function decideNow(call: GateCall): Decision {
  const { question } = call;
  return decide(
    {
      path: question.path,
      tool: question.tool,
      keyFile: question.keyFile,
      command: question.command,
      mustAsk: question.mustAsk === true,
      cannotAllow: question.cannotAllow,
      canAnswer: call.permissions.canAnswer,
      foreignHome: call.foreignHome,
    },
    question.chain,
    call.entries,
    call.liveYolo,
    call.grants,
    call.rules,
  );
}

const known = new Set<PermissionAnswer>(['allow_once', 'allow_conversation', 'reject', 'cancelled']);

/** Some agents say in which folder a command would run (codex). */
function folderOf(toolCall: ToolCallUpdate): string | undefined {
  const cwd = (toolCall?.rawInput as { cwd?: unknown } | null | undefined)?.cwd;
  return typeof cwd === 'string' && cwd.trim() !== '' && cwd.length < 4096 ? cwd : undefined;
}
