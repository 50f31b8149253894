import type { PermissionAnswer, PermissionAsker, PermissionDecision, PermissionQuestion } from '../ask/types';
import type { Disposable } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Face } from '../chat/nodes';
import { type QuestionView, questionView } from '../chat/question';

/** A question that waits for the person, ready to be shown in a dialog or as a card. */
export interface WaitingQuestion {
  readonly id: string;
  /** The conversation to which it belongs; undefined for an ask of the editor's own chat, which belongs to none. */
  readonly conversation: string | undefined;
  /** It belongs to no conversation, so the view has no place for a card of it. */
  readonly outside: boolean;
  /** It is answered in the view, as a card; no dialog opens. */
  readonly card: boolean;
  readonly shown: QuestionView;
  readonly question: PermissionQuestion;
}

/** What a person can say to a question. */
export type PersonsAnswer = Exclude<PermissionAnswer, 'cancelled'>;

/** Who asks: what the queue has to know of a conversation, or of what stands for one. */
export interface AskingConversation {
  /** Undefined: there is no conversation, and so nothing can be allowed for it. */
  id: string | undefined;
  /** Name of its home agent, or `@mm`. */
  home(): string;
  face(name: string): Face;
}

export interface QueueOptions {
  /** Where questions are asked from now on: in dialogs, or in the view as cards. Dialogs when nothing is said. */
  prompt?(): 'dialog' | 'inline';
  /** Hears how every question was settled, also those for which nobody had to be asked. */
  settled?(conversation: AskingConversation, question: PermissionQuestion, decision: PermissionDecision): void;
}

interface Entry extends WaitingQuestion {
  card: boolean;
  settle(answer: PermissionAnswer): void;
}

/**
 * The questions of a window, in the order in which they came; one at a time has the person's attention, the others are counted
 * (faults F041, F042). A question that became moot leaves at once, and an answer that comes after that changes nothing (F043, F044).
 * There is no time-out that answers for a person. Remembering grants, and settling what a new grant covers (F048), is the gate's work
 * (`ask/gate.ts`): it takes those questions back through their signals.
 */
export class PermissionQueue implements Disposable {
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #options: QueueOptions;
  #disposed = false;

  constructor(options: QueueOptions = {}) {
    this.#options = options;
  }

  /** The question whose turn it is to have a dialog: the oldest that is no card. */
  get current(): WaitingQuestion | undefined {
    for (const entry of this.#entries.values()) if (!entry.card) return entry;
    return undefined;
  }

  /** All that wait, the oldest first. */
  get waiting(): WaitingQuestion[] {
    return [...this.#entries.values()];
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How a question stands: as a card or not, and how many wait behind it. */
  place(id: string): { card: boolean; more: number } {
    let behind = this.#entries.size;
    for (const entry of this.#entries.values()) {
      behind--;
      if (entry.id === id) return { card: entry.card, more: behind };
    }
    return { card: false, more: 0 };
  }

  /** Answers for the questions of one conversation. */
  asker(conversation: AskingConversation): PermissionAsker {
    return {
      canAnswer: true,
      ask: (question, signal) => this.#enqueue(question, conversation, signal),
      settled: (question, decision) => this.#options.settled?.(conversation, question, decision),
    };
  }

  /** The question that waits behind this one, from the end on the first again; the oldest behind one that waits no longer. */
  after(id: string | undefined): WaitingQuestion | undefined {
    const all = this.waiting;
    return all[(all.findIndex((q) => q.id === id) + 1) % all.length];
  }

  /** The person's word. False when the question is no longer there: the answer changed nothing. */
  answer(id: string, answer: PersonsAnswer): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    const { canAllow, canRemember } = entry.shown;
    // A page or a dialog that offers more than there is to choose does not widen it.
    const effective = !canAllow ? 'reject' : answer === 'allow_conversation' && !canRemember ? 'allow_once' : answer;
    entry.settle(effective);
    return true;
  }

  /** The person's word from the view: only a question that stands there as a card takes it, whatever the page sends. */
  answerCard(id: string, answer: PersonsAnswer): boolean {
    return this.#entries.get(id)?.card === true && this.answer(id, answer);
  }

  /** From now on the question is answered in the view, and the next one may have a dialog. */
  showAsCard(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.card) return;
    entry.card = true;
    this.#changed.fire();
  }

  /** The window ends: whoever waits hears that nobody answers any more. */
  dispose(): void {
    this.#disposed = true;
    for (const entry of [...this.#entries.values()]) entry.settle('cancelled');
    this.#changed.dispose();
  }

  #enqueue(
    question: PermissionQuestion,
    conversation: AskingConversation,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    if (this.#disposed || signal.aborted || this.#entries.has(question.id)) return Promise.resolve('cancelled');
    const outside = conversation.id === undefined;
    const shown = questionView(question, (name) => conversation.face(name));
    if (outside) shown.canRemember = false;
    return new Promise((resolve) => {
      const moot = () => entry.settle('cancelled');
      const entry: Entry = {
        id: question.id,
        conversation: conversation.id,
        outside,
        card: !outside && this.#options.prompt?.() === 'inline',
        shown,
        question,
        settle: (answer) => {
          if (!this.#entries.delete(question.id)) return;
          signal.removeEventListener('abort', moot);
          resolve(answer);
          this.#changed.fire();
        },
      };
      signal.addEventListener('abort', moot, { once: true });
      this.#entries.set(question.id, entry);
      this.#changed.fire();
    });
  }
}
