import { statSync } from 'node:fs';
import type { AgentHandlers } from '../acp/agent';
import { type AgentMeta, type ChainLink, type ExchangeParams, mmMeta, type SessionMeta } from '../acp/meta';
import { RpcError } from '../acp/rpc';
import {
  ErrorCode,
  type InitializeResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  protocolVersion,
} from '../acp/types';
import { deepest, depthFromEnv } from '../ask/depth';
import { describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { MmConfig } from '../config/types';
import type { EngineDeps } from './deps';
import { Session } from './session';

/** What the engine needs of its process; `config` may still be loading when the client already speaks. */
export interface EngineOptions {
  version: string;
  config(): Promise<MmConfig>;
  /** All else, once the configuration is there and the client has said what it is. */
  deps(config: MmConfig): EngineDeps;
  env: NodeJS.ProcessEnv;
}

/** `mm` as an ACP agent: the handlers of one connection, and the sessions behind them (design, section 7: `mm -acp`). */
export class Engine implements AgentHandlers {
  readonly #options: EngineOptions;
  readonly #sessions = new Map<string, Session>();
  #deps: EngineDeps | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async initialize(): Promise<InitializeResponse> {
    const config = await this.#options.config();
    this.#deps = this.#options.deps(config);
    const { provider, model } = config;
    // a file may also only name agents to ask
    const mm: AgentMeta = { exchange: true, ...(provider && model ? { provider, model } : {}) };
    return {
      protocolVersion,
      agentInfo: { name: 'mm', title: config.acp.title ?? 'mm', version: this.#options.version },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        sessionCapabilities: { close: {} },
        _meta: { mm },
      },
      authMethods: [],
    };
  }

  async newSession(request: NewSessionRequest): Promise<NewSessionResponse> {
    const session = await this.open(request);
    return session.describe();
  }

  /** A new session; its folder must be there. */
  async open(request: Pick<NewSessionRequest, 'cwd' | '_meta'> & Partial<NewSessionRequest>): Promise<Session> {
    const deps = this.#ready();
    const { cwd } = request;
    if (!isFolder(cwd)) throw new RpcError(ErrorCode.invalidParams, l10n.t('There is no folder {0}.', cwd));
    if (request.mcpServers && request.mcpServers.length > 0)
      deps.log.warn(
        l10n.t('MCP servers are not supported yet; {0} of the client are left out.', request.mcpServers.length),
      );
    const { depth, chain } = readMeta(mmMeta<SessionMeta>(request), this.#options.env);
    const session = new Session(deps, { cwd, depth, chain });
    this.#sessions.set(session.id, session);
    return session;
  }

  opened(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    const { log, output } = this.#ready();
    session
      ?.commands()
      .then((update) => (update ? output.update(sessionId, update) : undefined))
      .catch((error: unknown) => log.warn(describe(error)));
  }

  async prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    try {
      const { stopReason, usage } = await this.#session(request.sessionId).prompt(request.prompt, signal);
      // `usage` is not in the stable schema; other agents send it in the same place
      return { stopReason, ...(usage ? { usage } : {}) } as PromptResponse;
    } catch (error) {
      throw inWords(error);
    }
  }

  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.cancel();
  }

  setMode({ sessionId, modeId }: { sessionId: string; modeId: string }): void {
    this.#session(sessionId).setMode(modeId);
  }

  async closeSession(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    await session?.close();
  }

  exchange({ sessionId, id, user, assistant }: ExchangeParams): void {
    this.#session(sessionId).exchange({ id, user, assistant });
  }

  /** Ends every turn; resolves when their commands have ended. */
  async end(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  #ready(): EngineDeps {
    if (!this.#deps) throw new RpcError(ErrorCode.invalidRequest, 'initialize has to come first');
    return this.#deps;
  }

  #session(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new RpcError(ErrorCode.notFound, l10n.t('There is no session {0}.', id));
    return session;
  }
}

/** One call for a whole session: the promises of node:fs would cost more at a start than the wait. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Depth and chain of a session: what `session/new` says wins over the process's environment (rule 3). */
export function readMeta(meta: Partial<SessionMeta>, env: NodeJS.ProcessEnv): { depth: number; chain: ChainLink[] } {
  const said = meta.askDepth;
  const depth = said === undefined ? depthFromEnv(env) : said === 0 || said === 1 ? said : deepest;
  const chain = Array.isArray(meta.chain) ? meta.chain : [];
  return {
    depth,
    chain: chain
      .filter((link) => link && typeof link.name === 'string' && typeof link.id === 'string')
      .slice(0, 8)
      .map(({ name, id }) => ({ name, id })),
  };
}

/** An error for the client: what happened and what to do, in one message, because most clients show only that. */
export function inWords(error: unknown): Error {
  if (!(error instanceof UserError)) return error instanceof Error ? error : new Error(describe(error));
  const said = describe(error);
  const message = error.hint ? `${/[.!?…]$/.test(said) ? said : `${said}.`} ${error.hint}` : said;
  return new RpcError(ErrorCode.internal, message, error.detail ? { details: error.detail } : undefined);
}
