import type { ChainLink } from '../acp/meta';
import { RpcError } from '../acp/rpc';
import { type ContentBlock, ErrorCode, type NewSessionResponse, type SessionUpdate } from '../acp/types';
import { ConversationGrants } from '../ask/grants';
import { l10n } from '../base/l10n';
import { promptText } from './blocks';
import type { EngineDeps } from './deps';
import type { Leave } from './gate';
import { History, type Pair } from './history';
import type { ModelClient } from './model/types';
import type { AskingSession } from './relayer';
import { parseSlash } from './slash';
import type { Tool } from './tools/types';
import type { TurnEnd, TurnHost } from './turn';

export interface SessionOptions {
  cwd: string;
  depth: number;
  chain: ChainLink[];
}

const modeIds = ['ask', 'yolo'] as const;
type ModeId = (typeof modeIds)[number];

/**
 * An id that no other session of this machine has, also not one of another process. It is no secret: whoever can send it has our stdin.
 * Made without node:crypto, which alone would cost a quarter of a start.
 */
function newSessionId(): string {
  const random = () => Math.floor(Math.random() * 2 ** 48).toString(36);
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${random()}${random()}`;
}

/** One conversation with the engine, in memory. One turn at a time; an exchange that comes meanwhile waits for its end. */
export class Session implements AskingSession {
  readonly id = newSessionId();
  readonly cwd: string;
  readonly depth: number;
  readonly chain: ChainLink[];
  readonly history = new History();
  readonly grants = new ConversationGrants();
  readonly #deps: EngineDeps;
  readonly #leave: Leave;
  #mode: ModeId;
  #turn: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();
  #waiting: Pair[] = [];
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;
  #lastId = 0;

  constructor(deps: EngineDeps, options: SessionOptions) {
    this.#deps = deps;
    this.cwd = options.cwd;
    this.depth = options.depth;
    this.chain = options.chain;
    // in an asked session nothing from inside lifts the caller's no (rule 4)
    this.#mode = this.home && deps.config.yolo ? 'yolo' : 'ask';
    this.#leave = { yolo: () => this.yolo(), allowed: new Set() };
  }

  /** The person talks to this session; in any other a prompt is only text. */
  get home(): boolean {
    return this.depth === 0;
  }

  yolo(): boolean {
    return this.#mode === 'yolo';
  }

  /** What `session/new` says: an asked session has no modes. */
  describe(): NewSessionResponse {
    if (!this.home) return { sessionId: this.id };
    return {
      sessionId: this.id,
      modes: {
        currentModeId: this.#mode,
        availableModes: [
          { id: 'ask', name: l10n.t('Ask'), description: l10n.t('Asks before a command runs or a file is written') },
          { id: 'yolo', name: l10n.t('Yolo'), description: l10n.t('Runs commands and writes files without asking') },
        ],
      },
    };
  }

  setMode(id: string): void {
    if (!this.home) throw new RpcError(ErrorCode.invalidParams, l10n.t('An asked agent cannot change its mode.'));
    const mode = modeIds.find((known) => known === id);
    if (!mode)
      throw new RpcError(
        ErrorCode.invalidParams,
        l10n.t('There is no mode “{0}”; the modes are ask and yolo.', String(id)),
      );
    this.#mode = mode;
  }

  /** The commands that this session understands, or nothing where the client has its own. */
  async commands(): Promise<SessionUpdate | undefined> {
    if (!this.home || this.#deps.hub || this.#deps.config.mmConfigs.size === 0) return undefined;
    const agents = [...(await this.#deps.agents())];
    return {
      sessionUpdate: 'available_commands_update',
      availableCommands: agents.flatMap(([name, entry]) => [
        {
          name: `ask-${name}`,
          description: entry.description ?? l10n.t('Ask {0}', name),
          input: { hint: l10n.t('question') },
        },
        {
          name: `ask-with-context-${name}`,
          description: l10n.t('Ask {0}, with this conversation', name),
          input: { hint: l10n.t('question') },
        },
      ]),
    };
  }

  /** Runs one prompt to its end. Every update of it has gone out when this settles. */
  async prompt(blocks: ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    if (this.#turn)
      throw new RpcError(ErrorCode.invalidRequest, l10n.t('This session is still busy with the last prompt.'));
    const text = promptText(blocks);
    if (!text.trim()) throw new RpcError(ErrorCode.invalidParams, l10n.t('The prompt is empty.'));
    const turn = new AbortController();
    const stop = () => turn.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#turn = turn;
    let over = () => {};
    this.#ended = new Promise((resolve) => {
      over = resolve;
    });
    try {
      return await this.#run(text, turn.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      this.#turn = undefined;
      for (const pair of this.#waiting.splice(0)) this.history.pair(pair);
      over();
    }
  }

  cancel(): void {
    this.#turn?.abort();
  }

  /** Cancels and resolves when the turn, if there was one, has ended. */
  async close(): Promise<void> {
    this.cancel();
    await this.#ended;
  }

  /** Takes a pair that an ask left; each id once (rule 6). */
  exchange(pair: Pair): void {
    if (this.#turn) this.#waiting.push(pair);
    else this.history.pair(pair);
  }

  async #run(text: string, signal: AbortSignal): Promise<TurnEnd> {
    const slash =
      this.home && !this.#deps.hub ? parseSlash(text, this.#deps.config.mmConfigs) : ({ kind: 'text' } as const);
    if (slash.kind !== 'text') {
      const { askFromPrompt } = await import('./slash-ask');
      return askFromPrompt(slash, this.#host(new Map()), this, this.#deps, signal);
    }
    this.history.user(text);
    const [{ runTurn }, model, tools] = await Promise.all([import('./turn'), this.#model(), this.#loadTools()]);
    return runTurn(this.#host(tools), model, signal);
  }

  /** The model, watched where nobody above does it. */
  async #model(): Promise<ModelClient> {
    const { config, hub } = this.#deps;
    if (!this.home || hub) return this.#deps.model();
    const [model, { watched }] = await Promise.all([this.#deps.model(), import('./model/watched')]);
    return watched(model, { seconds: config.watchdogTimeout, file: config.file, model: config.model });
  }

  #host(tools: ReadonlyMap<string, Tool>): TurnHost {
    const { config, output } = this.#deps;
    return {
      id: this.id,
      history: this.history,
      systemPrompt: config.systemPrompt,
      tools,
      context: { cwd: this.cwd, maxOutput: config.maxOutput },
      output,
      leave: this.#leave,
      newId: (prefix) => `${prefix}-${++this.#lastId}`,
    };
  }

  #loadTools(): Promise<ReadonlyMap<string, Tool>> {
    this.#tools ??= import('./tools/all').then(({ toolsFor }) => toolsFor(this, this.#deps));
    return this.#tools;
  }
}
