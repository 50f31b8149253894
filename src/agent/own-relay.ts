import { randomUUID } from 'node:crypto';
import type { AskMeta } from '../acp/meta';
import type { AnyUpdate, SessionUpdate } from '../acp/types';
import { AnswerText } from '../ask/answer';
import { exchangeOf } from '../ask/exchange';
import { holdsBack } from '../ask/hook-answer';
import { linkFor } from '../ask/identity';
import type { Answer, AskEvent, AskRequest, PermissionAnswer, PermissionAsker, PermissionQuestion } from '../ask/types';
import { resultOf } from '../ask/wire';
import { l10n } from '../base/l10n';
import type { MmConfig } from '../config/types';
import { CallForwarder } from './forward';
import { gateOptions } from './gate';
import type { SessionOutput } from './output';
import type { AskOrder, AskOutcome, AskRelayer } from './relayer';
import { textContent } from './tools/types';

/** What of `ask/relay.ts` is used here. */
export interface RelayLike {
  ask(request: AskRequest): AsyncIterable<AskEvent>;
}

export interface OwnRelayOptions {
  relay(): Promise<RelayLike>;
  config: MmConfig;
  output: SessionOutput;
  /** Somebody is behind the output who can answer a question. */
  canAnswer: boolean;
}

/** Milliseconds between two pictures of the answer so far in the call that asked. */
const showEvery = 100;

/**
 * The relayer of a `mm` whose client is no hub: it runs `ask/relay.ts` over its own pool, shows the asked agent's work as tool calls of
 * its own session, and passes the agent's questions to its client with `_meta.mm {path, mustAsk}` (design, sections 4 and 5).
 */
export class OwnRelayer implements AskRelayer {
  readonly gated = true;
  readonly #options: OwnRelayOptions;

  constructor(options: OwnRelayOptions) {
    this.#options = options;
  }

  async ask(order: AskOrder): Promise<AskOutcome> {
    const { config, output } = this.#options;
    const { session, agent, prompt, context, signal, toolCallId } = order;
    const self = config.acp.title ?? 'mm';
    const meta: AskMeta = {
      agent,
      askedBy: order.caller === 'person' ? l10n.t('You') : self,
      depth: session.depth + 1,
    };
    const calls = new CallForwarder(toolCallId, () => meta);
    const relay = await this.#options.relay();
    const events = relay.ask({
      id: randomUUID(),
      agent,
      prompt,
      ...(context ? { context } : {}),
      caller: order.caller === 'person' ? { kind: 'person', name: l10n.t('You') } : { kind: 'model', name: self },
      config,
      chain: session.chain.length > 0 ? session.chain : [await linkFor(self, { kind: 'home', file: config.file })],
      depth: session.depth,
      path: [],
      cwd: session.cwd,
      permissions: new ClientAsker(output, session.id, session.depth, calls, this.#options.canAnswer),
      grants: session.grants,
      liveYolo: () => session.yolo(),
      signal,
    });
    const view = new AskView(order, meta, calls, (update) => output.update(session.id, update), holdsBack(config));
    let answer: Answer | undefined;
    try {
      for await (const event of events) {
        if (event.type === 'end') {
          answer = event.answer;
          await view.answered(answer);
        } else await view.event(event);
      }
    } finally {
      await view.end();
    }
    if (!answer) throw new Error(l10n.t('{0} gave no answer.', agent));
    return { result: resultOf(answer), pair: exchangeOf(answer), refused: answer.refused };
  }
}

/** Draws one ask into the session of the agent that asked. */
class AskView {
  readonly #order: AskOrder;
  readonly #meta: AskMeta;
  readonly #calls: CallForwarder;
  readonly #send: (update: SessionUpdate) => Promise<void>;
  #answer = new AnswerText();
  #shownAt = 0;
  #messageId: unknown;
  #apart = false;
  #prompt: string;
  /** Words are shown when hooks have passed them: no client can take back what it has shown. */
  readonly #holdBack: boolean;

  constructor(
    order: AskOrder,
    meta: AskMeta,
    calls: CallForwarder,
    send: (update: SessionUpdate) => Promise<void>,
    holdBack: boolean,
  ) {
    this.#order = order;
    this.#prompt = order.prompt;
    this.#meta = meta;
    this.#calls = calls;
    this.#send = send;
    this.#holdBack = holdBack;
  }

  async event(event: AskEvent): Promise<void> {
    if (event.type === 'starting' || event.type === 'started') {
      const { title, provider, model } = event.agent;
      Object.assign(this.#meta, title && { title }, provider && { provider }, model && { model });
      await this.#order.show?.(textContent(this.#prompt), { ...this.#meta });
    } else if (event.type === 'hook' && event.prompt !== undefined) {
      this.#prompt = event.prompt;
    } else if (event.type === 'update') await this.#update(event.update);
  }

  /** The answer as the hooks gave it out. */
  async answered(answer: Answer): Promise<void> {
    if (this.#holdBack) await this.#order.onText?.(answer.text);
  }

  /** Ends the calls that the asked agent left open. */
  async end(): Promise<void> {
    for (const update of this.#calls.leftOpen()) await this.#send(update);
  }

  async #update(update: AnyUpdate): Promise<void> {
    const call = this.#calls.update(update);
    if (call) {
      this.#apart = true;
      await this.#order.onText?.('');
      await this.#send(call);
      return;
    }
    if (update.sessionUpdate !== 'agent_message_chunk') {
      if (update.sessionUpdate === 'agent_thought_chunk') this.#apart = true;
      this.#answer.feed(update);
      return;
    }
    this.#answer.feed(update);
    if (this.#holdBack) return;
    if (this.#order.onText) await this.#words(update, this.#order.onText);
    else if (performance.now() - this.#shownAt >= showEvery) {
      this.#shownAt = performance.now();
      await this.#order.show?.(textContent(this.#answer.head(20_000)), { ...this.#meta });
    }
  }

  /** Words of the answer as they come; an empty text says that what follows is another message (rule 6). */
  async #words(update: AnyUpdate, onText: (text: string) => Promise<void>): Promise<void> {
    const { content, messageId } = update as { content?: { type?: unknown; text?: unknown }; messageId?: unknown };
    if (content?.type !== 'text' || typeof content.text !== 'string' || !content.text) return;
    if (this.#apart || (this.#messageId !== undefined && messageId !== this.#messageId)) await onText('');
    this.#apart = false;
    this.#messageId = messageId;
    await onText(content.text);
  }
}

/** Passes the questions of asked agents to this process's client. */
class ClientAsker implements PermissionAsker {
  readonly canAnswer: boolean;
  readonly #output: SessionOutput;
  readonly #sessionId: string;
  readonly #depth: number;
  readonly #calls: CallForwarder;

  constructor(output: SessionOutput, sessionId: string, depth: number, calls: CallForwarder, canAnswer: boolean) {
    this.canAnswer = canAnswer;
    this.#output = output;
    this.#sessionId = sessionId;
    this.#depth = depth;
    this.#calls = calls;
  }

  async ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const { path, tool, name, toolCall, keyFile, cannotAllow, mustAsk } = question;
    const from = toolCall as unknown as Record<string, unknown>;
    const fields = this.#calls.fields(from);
    // a caller above puts its own path in front and needs the bare tool; any other client shows the whole name
    const above = this.#depth > 0;
    const options = gateOptions(name, keyFile || tool === undefined).filter(
      (o) => !cannotAllow || o.kind === 'reject_once',
    );
    const outcome = await this.#output.requestPermission(
      {
        sessionId: this.#sessionId,
        toolCall: {
          ...fields,
          toolCallId: this.#calls.idOf(String(from.toolCallId ?? question.id)),
          name: above ? (tool ?? fields.name) : name,
          title: fields.title ?? name,
        },
        options,
        _meta: { mm: { path, ...(mustAsk ? { mustAsk: true } : {}) } },
      },
      signal,
    );
    if (signal.aborted || outcome.outcome !== 'selected') return 'cancelled';
    const kind = options.find((option) => option.optionId === outcome.optionId)?.kind;
    if (kind === 'allow_once') return 'allow_once';
    return kind === 'allow_always' ? 'allow_conversation' : 'reject';
  }
}
