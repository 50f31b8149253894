import type { ClientSession, SessionHandlers } from '../acp/client';
import { mmMeta, type SessionMeta, type Usage } from '../acp/meta';
import { RpcError } from '../acp/peer';
import { ErrorCode, type RequestPermissionOutcome } from '../acp/types';
import { describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { masker, secretsOf } from '../base/secrets';
import { cap, firstLine, visible } from '../base/text';
import { ChildEndedError, type ChildPool } from '../children/pool';
import type { Lease, PooledChild } from '../children/types';
import { openOn } from '../children/warm';
import type { AgentEntry, LocalEntry } from '../config/types';
import { askingMode } from './asking';
import { AskError, cancelledAsk } from './errors';
import { type SelfLaunch, specFor } from './launch';
import type { AgentFace, AskTarget, TargetRequest, TargetSession } from './types';
import { rpcErrorOf } from './wire';

export interface LocalTargetOptions {
  pool: Pick<ChildPool, 'acquire'>;
  /** How to start `mm` for an entry with `path`. */
  self: SelfLaunch;
  /** The environment that the children's is made from; it is not written. */
  parentEnv: NodeJS.ProcessEnv;
  log: Log;
  /** Milliseconds for `session/new`, of which some agents need many; 30,000 when nothing is said. */
  sessionDeadline?: number;
}

/** Carries an ask to a child of the pool: a new session on a shared process (rules 1 and 2). */
export class LocalTarget implements AskTarget {
  constructor(private readonly o: LocalTargetOptions) {}

  serves(entry: AgentEntry): boolean {
    return isLocal(entry);
  }

  async open(request: TargetRequest): Promise<TargetSession> {
    const { name, entry, cwd, depth, signal } = request;
    if (!isLocal(entry)) throw new TypeError(`${name} does not run here`);
    const spec = await specFor({
      name,
      entry,
      role: 'asked',
      cwd,
      depth,
      self: this.o.self,
      parentEnv: this.o.parentEnv,
    });
    try {
      const how = { signal, patience: request.patience, eager: request.byPerson };
      return await openOn(this.o.pool, spec, how, (lease) => this.#session(request, lease));
    } catch (error) {
      throw failureOf(error, 'start', name, signal, maskOf(entry));
    }
  }

  /** A new session on a child, in a mode in which it asks. */
  async #session(request: TargetRequest, lease: Lease): Promise<TargetSession> {
    const { name, entry, cwd, depth, signal } = request;
    const { connection, info } = lease.child;
    let session: ClientSession | undefined;
    try {
      const program = textOf(info.agentInfo?.name);
      session = await connection.newSession({
        cwd,
        meta: { askDepth: depth, chain: request.chain } satisfies SessionMeta,
        handlers: handlersFor(request, program, () => session?.prompting === true),
        deadline: this.o.sessionDeadline ?? 30_000,
        patience: request.patience,
        signal,
      });
      const mode = askingMode({
        name,
        program,
        modes: session.response.modes,
        entryYolo: entry.yolo,
        yolo: request.yolo,
      });
      if (mode !== undefined) {
        this.o.log.info(`${name}: its mode is set to ${mode}, in which it asks`);
        await session.setMode(mode);
      }
      return new LocalSession(name, lease, session, signal, maskOf(entry));
    } catch (error) {
      session?.close();
      throw error;
    }
  }
}

function isLocal(entry: AgentEntry): entry is LocalEntry {
  return entry.kind === 'path' || entry.kind === 'command';
}

type Mask = (text: string) => string;

function maskOf(entry: AgentEntry): Mask {
  return masker(secretsOf(entry.env));
}

class LocalSession implements TargetSession {
  readonly face: AgentFace;
  #closed = false;

  constructor(
    private readonly name: string,
    private readonly lease: Lease,
    private readonly session: ClientSession,
    private readonly signal: AbortSignal,
    private readonly mask: Mask,
  ) {
    this.face = faceOf(name, lease.child);
  }

  get sessionId(): string {
    return this.session.id;
  }

  async prompt(text: string): Promise<{ stopReason: string; usage?: Usage }> {
    try {
      const response = await this.session.prompt([{ type: 'text', text }], { signal: this.signal });
      const { stopReason, usage } = response as { stopReason?: unknown; usage?: unknown };
      return { stopReason: typeof stopReason === 'string' ? stopReason : 'end_turn', usage: usageOf(usage) };
    } catch (error) {
      throw failureOf(error, 'agent-error', this.name, this.signal, this.mask);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.session.close();
    this.lease.release();
  }

  abandon(): void {
    this.lease.abandon();
  }

  force(): Promise<void> {
    return this.lease.end();
  }
}

/** `prompting`: outside of a turn nothing is part of an answer, such as the banner with which pi opens a session, and nothing is allowed. */
function handlersFor(request: TargetRequest, program: string | undefined, prompting: () => boolean): SessionHandlers {
  const { onAsk } = request;
  return {
    update: (update) => (prompting() ? request.onUpdate(update) : undefined),
    async permission(params, signal): Promise<RequestPermissionOutcome> {
      if (!prompting()) return { outcome: 'cancelled' };
      const optionId = await request.onPermission(
        { toolCall: params.toolCall, options: params.options, meta: mmMeta(params), program },
        signal,
      );
      return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
    },
    ask:
      onAsk &&
      (async ({ toolCallId, agent, prompt, context }, signal) => {
        try {
          return await onAsk({ toolCallId, agent, prompt, context }, signal);
        } catch (error) {
          throw rpcErrorOf(error, agent);
        }
      }),
  };
}

/** How an agent is shown: by what it says of itself, cleaned. */
export function faceOf(name: string, child: Pick<PooledChild, 'info' | 'connection'>): AgentFace {
  const { agentInfo } = child.info;
  const meta = child.connection.agentMeta;
  return {
    name,
    title: textOf(agentInfo?.title) ?? textOf(agentInfo?.name),
    provider: textOf(meta.provider),
    model: textOf(meta.model),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return firstLine(visible(cap(value, 1_000).text), 100) || undefined;
}

function usageOf(usage: unknown): Usage | undefined {
  if (usage === null || typeof usage !== 'object') return undefined;
  const { inputTokens, outputTokens, totalTokens } = usage as Record<string, unknown>;
  const read = { inputTokens: count(inputTokens), outputTokens: count(outputTokens), totalTokens: count(totalTokens) };
  return Object.values(read).some((n) => n !== undefined) ? read : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Why talking to a child failed: it died (then how), it answered with an error, or the ask was cancelled. */
function failureOf(
  error: unknown,
  failure: 'start' | 'agent-error',
  name: string,
  signal: AbortSignal,
  mask: Mask,
): AskError {
  if (signal.aborted || isCancelled(error)) return cancelledAsk(name, error);
  if (error instanceof AskError) return error;
  if (error instanceof RpcError) return saidBy(name, error, failure, mask);
  const { hint, detail } = error instanceof UserError ? error : { hint: undefined, detail: undefined };
  if (error instanceof ChildEndedError && !error.exit?.spawnError) {
    return new AskError('died', describe(error), {
      detail,
      hint: hint ?? l10n.t('The next question starts it again.'),
      cause: error,
      forModel: `${name} could not answer: its program ended. You may ask once more; it is started anew.`,
    });
  }
  const forModel =
    failure === 'start'
      ? `${name} could not be started, so it did not answer. Go on without it.`
      : `${name} could not answer: ${describe(error)}`;
  return new AskError(failure, describe(error), { hint, detail, cause: error, forModel });
}

function saidBy(name: string, error: RpcError, failure: 'start' | 'agent-error', mask: Mask): AskError {
  // what the agent says of its error may quote a key that the entry gave it
  const words = cap(visible(mask(error.message)), 2_000).text;
  if (error.code === ErrorCode.authRequired) {
    return new AskError(failure, l10n.t('{0} wants a sign-in first: {1}', name, words), {
      hint: l10n.t('Start its program in a terminal, sign in there, and ask again.'),
      forModel: `${name} could not answer: a person has to sign in to it first.`,
    });
  }
  return new AskError(failure, l10n.t('{0} answered with an error: {1}', name, words), {
    forModel: `${name} answered with an error: ${words}`,
  });
}
