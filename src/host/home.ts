import type { ClientSession, SessionHandlers } from '../acp/client';
import type { ChainLink } from '../acp/meta';
import type { AnyUpdate, PromptResponse } from '../acp/types';
import { askingMode } from '../ask/asking';
import { AskError } from '../ask/errors';
import { orStopped } from '../ask/stop';
import type { Disposable } from '../base/disposable';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { Patience } from '../base/patience';
import type { Face } from '../chat/nodes';
import { obj } from '../chat/raw';
import type { ChildPool } from '../children/pool';
import type { ChildSpec, Lease, PooledChild } from '../children/types';
import { openOn } from '../children/warm';

/** Milliseconds that an agent may take to open a session; the first start of some takes ten seconds (facts: agents, 3). */
const sessionDeadline = 30_000;

export interface HomeStart {
  spec: ChildSpec;
  link: ChainLink;
  cwd: string;
  /** Name and what the configuration says; the agent's own word wins where it gives one. */
  face: Face;
  handlers: SessionHandlers;
  /** May lengthen what the start may take. */
  patience: Patience;
}

/** An open session of the home agent. */
export interface OpenHome {
  readonly session: ClientSession;
  readonly child: PooledChild;
  readonly face: Face;
  /** The agent takes `_mm/exchange`. */
  readonly takesExchanges: boolean;
}

/**
 * The home agent's session of one conversation: opened with the first prompt, kept while its child lives, lost with it. A lease holds
 * the child, also when its file has changed since.
 */
export class HomeSession implements Disposable {
  #open: { home: OpenHome; lease: Lease } | undefined;
  #disposed = false;

  constructor(
    private readonly pool: Pick<ChildPool, 'acquire'>,
    private readonly log: Log,
    /** The child ended, and with it what the agent remembered. */
    private readonly onLost: () => void,
  ) {}

  get current(): OpenHome | undefined {
    return this.#open?.home;
  }

  async open(start: HomeStart, signal: AbortSignal): Promise<OpenHome> {
    if (this.#open) return this.#open.home;
    const how = { signal, patience: start.patience, eager: true };
    return openOn(this.pool, start.spec, how, (lease) => this.#openOn(lease, start, signal));
  }

  async #openOn(lease: Lease, start: HomeStart, signal: AbortSignal): Promise<OpenHome> {
    const { child } = lease;
    let session: ClientSession | undefined;
    try {
      session = await child.connection.newSession({
        cwd: start.cwd,
        meta: { askDepth: 0, chain: [start.link] },
        handlers: start.handlers,
        deadline: sessionDeadline,
        patience: start.patience,
        signal,
      });
      const mode = homeMode(start.face.name, child, session);
      if (mode !== undefined) {
        this.log.info(`${start.face.name}: its mode is set to ${mode}, in which it asks`);
        await orStopped(session.setMode(mode), signal, 0);
      }
      if (this.#disposed) throw new Error('the conversation was closed while its agent started');
      const { agentMeta } = child.connection;
      const home: OpenHome = {
        session,
        child,
        face: faceOf(start.face, child, agentMeta),
        takesExchanges: agentMeta.exchange === true,
      };
      this.#open = { home, lease };
      child.exited.then(() => {
        if (this.#open?.home !== home) return;
        this.#forget();
        this.onLost();
      });
      return home;
    } catch (error) {
      session?.close();
      throw error;
    }
  }

  /** Leaves the session; what the agent remembers of it is gone. */
  drop(): void {
    const open = this.#open;
    if (!open) return;
    open.home.session.close();
    this.#forget();
  }

  /** Ends a child that does not react any more, and with it its other sessions (faults F051, F067). */
  async force(): Promise<void> {
    await this.#open?.lease.end();
  }

  dispose(): void {
    this.#disposed = true;
    this.drop();
  }

  #forget(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.lease.release();
  }
}

/**
 * The mode in which the home agent asks before it acts, where it has to be set. The person answers all that an agent of another make
 * does at home, whatever an entry says (rule 4), so one that never asks is not talked to.
 */
function homeMode(name: string, child: PooledChild, session: ClientSession): string | undefined {
  try {
    return askingMode({
      name,
      program: child.info.agentInfo?.name,
      modes: session.response.modes,
      entryYolo: undefined,
      yolo: false,
    });
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    throw new UserError(
      l10n.t(
        '{0} cannot be the agent that you talk to: it runs its tools without asking for permission, and has no mode in which it asks.',
        name,
      ),
      {
        hint: l10n.t(
          'Talk to another agent. From there /ask-{0} asks it, if its entry in mm.yaml says `yolo: true`: then everything that it does is allowed.',
          name,
        ),
        cause: error,
      },
    );
  }
}

/** Total tokens of a turn, where the agent says them. */
export function tokensOf(response: PromptResponse): number | undefined {
  const usage = obj((response as { usage?: unknown }).usage);
  const total = usage?.totalTokens;
  return typeof total === 'number' && Number.isFinite(total) && total >= 0 ? total : undefined;
}

/** The mode that an update or the answer to `session/new` names as current. */
export function modeOf(from: AnyUpdate | unknown): string | undefined {
  const o = obj(from);
  const mode = o?.currentModeId ?? obj(o?.modes)?.currentModeId;
  return typeof mode === 'string' ? mode : undefined;
}

function faceOf(known: Face, child: PooledChild, meta: { provider?: unknown; model?: unknown }): Face {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value.slice(0, 200) : undefined;
  return {
    name: known.name,
    title: known.title ?? text(child.info.agentInfo?.title),
    provider: text(meta.provider) ?? known.provider,
    model: text(meta.model) ?? known.model,
  };
}
