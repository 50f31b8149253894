import type { ChatHook, ChatUpdate, Lane } from './lane';
import type { End, Face, NodeId } from './nodes';
import type { ChatQuestion } from './question';
import type { ChatDecision } from './settled';
import type { NameOf } from './tool';

/** What a relay reports of a running ask; `ask/types.ts`' `AskEvent` fits. */
export type ChatAskEvent =
  | { type: 'starting'; agent: Face; until?: number }
  | { type: 'started'; agent: Face; sessionId: string }
  | { type: 'update'; update: ChatUpdate }
  | { type: 'permission'; question: ChatQuestion; state: 'waiting' }
  | { type: 'permission'; question: ChatQuestion; state: 'settled'; decision: ChatDecision }
  | {
      type: 'nested';
      askId: string;
      toolCallId: string;
      agent: string;
      askedBy: string;
      prompt: string;
      event: ChatAskEvent;
    }
  | { type: 'input'; question: { text: string }; state: 'waiting' }
  | { type: 'input'; question: { text: string }; state: 'settled'; answered: boolean }
  | ({ type: 'hook' } & ChatHook)
  | { type: 'end'; answer: ChatAnswer };

export interface ChatAnswer {
  agentFace: Face;
  stopReason: string;
  truncated: number;
  usage?: { inputTokens?: number; outputTokens?: number; totalTokens?: number };
}

export interface AskViewOptions {
  /** Names in front of the asked agent's calls, its own last: `['bob']`. */
  path: readonly string[];
  /** The lane of the agent that asks; absent when a person does. */
  caller?: Lane;
  /** Makes the lane of the ask, once, when there is something to show. */
  open(): Lane;
  /** How the calls of an agent at this path are named. */
  namesFor(path: readonly string[]): NameOf;
  /** The answer goes into the home agent's history. */
  kept: boolean;
}

/** Shows one ask: events of the relay become entries of a lane. The question whether to ask at all stands with who asks (rule 8). */
export class AskView {
  readonly #o: AskViewOptions;
  readonly #nested = new Map<string, AskView>();
  #lane: Lane | undefined;

  constructor(options: AskViewOptions) {
    this.#o = options;
  }

  /** The lane, once it is there. */
  get lane(): Lane | undefined {
    return this.#lane;
  }

  /** The nested ask that this node stands for: its lane, and the id by which the relay knows it. */
  nested(node: NodeId): { askId: string; lane: Lane } | undefined {
    for (const [askId, view] of this.#nested) {
      if (view.#lane?.id === node) return { askId, lane: view.#lane };
      const deeper = view.nested(node);
      if (deeper) return deeper;
    }
    return undefined;
  }

  open(): Lane {
    this.#lane ??= this.#o.open();
    return this.#lane;
  }

  event(e: ChatAskEvent): void {
    switch (e.type) {
      case 'starting':
        this.open().face(e.agent);
        this.open().starting(e.until);
        return;
      case 'started':
        this.open().face(e.agent);
        this.open().state('running');
        return;
      case 'update':
        this.open().update(e.update);
        return;
      case 'permission': {
        const { question } = e;
        // A question with a shorter path is the asking agent's own: may it ask this one?
        const lane = question.path.length < this.#o.path.length ? this.#o.caller : this.open();
        if (e.state === 'waiting') lane?.question(question);
        else lane?.settled(question, e.decision);
        return;
      }
      case 'nested':
        this.#child(e).event(e.event);
        return;
      case 'input':
        if (e.state === 'waiting') this.open().asksBack(e.question.text);
        else this.open().answeredBack(e.answered);
        return;
      case 'hook':
        // With nothing to see there is nothing to say about it.
        if (this.#lane || !e.withheld) this.open().hook(e);
        return;
      case 'end': {
        const { agentFace, stopReason, truncated, usage } = e.answer;
        const sum = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
        const tokens = usage?.totalTokens ?? (sum > 0 ? sum : undefined);
        this.open().face(agentFace);
        this.open().answered(stopReason, { tokens, kept: this.#o.kept, cut: truncated });
      }
    }
  }

  /** The ask ended without an answer. One that was never opened leaves its words with the call that made it. */
  fail(end: End): void {
    this.#lane?.end(end);
  }

  #child(e: ChatAskEvent & { type: 'nested' }): AskView {
    const known = this.#nested.get(e.askId);
    if (known) return known;
    const path = [...this.#o.path, e.agent];
    const view = new AskView({
      path,
      caller: this.open(),
      open: () =>
        this.open().child(e.askId, {
          agent: { name: e.agent },
          askedBy: e.askedBy,
          prompt: e.prompt,
          toolCallId: e.toolCallId,
          nameOf: this.#o.namesFor(path),
        }),
      namesFor: this.#o.namesFor,
      kept: false,
    });
    this.#nested.set(e.askId, view);
    return view;
  }
}
