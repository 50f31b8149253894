import type * as vscode from 'vscode';
import { AnswerText } from '../ask/answer';
import { endNote, faceLabel } from '../ask/exchange';
import { hookWords } from '../ask/hook-answer';
import { joinedName, toolName } from '../ask/toolname';
import type { Answer, AskEvent, PermissionQuestion } from '../ask/types';
import type { Disposable } from '../base/disposable';
import { l10n } from '../base/l10n';
import { cap, firstLine } from '../base/text';
import { literal, untrusted } from './markdown';

type Update = (AskEvent & { type: 'update' })['update'];
type ToolCall = PermissionQuestion['toolCall'];

/** Milliseconds for which words are collected before they go to the chat. */
const collect = 50;
/** Characters of one answer that the chat gets; it draws all of it again and again. */
const mostShown = 1_000_000;
/** Lines about what goes on; an agent that calls without end does not flood the chat. */
const mostLines = 300;
const longestLine = 120;

/**
 * Shows an ask in the editor's own chat: words as they come, thoughts and calls as lines of progress, which the editor takes away when
 * words follow. `held`: words wait for the hooks of the caller's file, because the chat keeps what it has shown.
 */
export class ChatAnswer implements Disposable {
  readonly #stream: Pick<vscode.ChatResponseStream, 'markdown' | 'progress'>;
  readonly #held: boolean;
  readonly #text = new AnswerText();
  readonly #calls = new Set<string>();
  readonly #nested = new Set<string>();
  #written = '';
  #full = false;
  #lines = 0;
  #last = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    stream: Pick<vscode.ChatResponseStream, 'markdown' | 'progress'>,
    private readonly agent: string,
    held: boolean,
  ) {
    this.#stream = stream;
    this.#held = held;
  }

  event(event: AskEvent): void {
    this.#text.event(event);
    if (event.type === 'update' && event.update.sessionUpdate === 'agent_message_chunk') {
      if (!this.#held) this.#timer ??= setTimeout(() => this.#flush(), collect);
      return;
    }
    this.#progress(event, [this.agent]);
    if (event.type === 'end') this.#end(event.answer);
  }

  /** What has come is shown; nothing is written after this. */
  dispose(): void {
    if (!this.#held) this.#flush();
  }

  #end(answer: Answer): void {
    this.#write(answer.text);
    const note = endNote(answer.stopReason);
    if (note) this.#stream.markdown(untrusted(`\n\n${literal(note)}`));
  }

  /** Space at the end waits, because the end of the text may drop it. */
  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#full) return;
    this.#write(this.#text.text().trimEnd());
  }

  #write(whole: string): void {
    const { text, cut } = cap(whole, mostShown);
    if (text.length > this.#written.length && text.startsWith(this.#written)) {
      this.#stream.markdown(untrusted(text.slice(this.#written.length)));
      this.#written = text;
      this.#last = '';
    }
    if (cut === 0 || this.#full) return;
    this.#full = true;
    this.#stream.markdown(untrusted(`\n\n${l10n.t('More came than is shown here.')}`));
  }

  #progress(event: AskEvent, path: readonly string[]): void {
    if (event.type !== 'nested') {
      this.#line(this.#words(event, path));
      return;
    }
    if (!this.#nested.has(event.askId)) {
      this.#nested.add(event.askId);
      this.#line(l10n.t('{0} asks {1}: {2}', path.at(-1) ?? '', event.agent, firstLine(event.prompt)));
    }
    this.#progress(event.event, [...path, event.agent]);
  }

  /** What a line of progress says of an event; nothing where there is nothing to say. */
  #words(event: AskEvent, path: readonly string[]): string | undefined {
    const agent = path.at(-1) ?? '';
    switch (event.type) {
      case 'starting':
        return l10n.t('{0} is being started', agent);
      case 'started': {
        const label = faceLabel(event.agent);
        return l10n.t('{0} is working', label ? `${agent} (${label})` : agent);
      }
      case 'update':
        return event.update.sessionUpdate === 'agent_thought_chunk'
          ? l10n.t('{0} is thinking', agent)
          : this.#call(event.update, path);
      case 'permission': {
        const { name } = event.question;
        if (event.state === 'waiting') return l10n.t('{0} waits for your answer', name);
        return event.decision.outcome === 'rejected' ? l10n.t('{0} was rejected', name) : undefined;
      }
      case 'input':
        return event.state === 'waiting' ? l10n.t('{0} asks you: {1}', agent, event.question.text) : undefined;
      case 'hook':
        return hookWords(event).join('; ') || undefined;
      default:
        return undefined;
    }
  }

  /** A call when it is first heard of; some are only named by their updates (faults F035). */
  #call(update: Update, path: readonly string[]): string | undefined {
    const { sessionUpdate } = update;
    if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return undefined;
    const call = update as unknown as ToolCall;
    const key = JSON.stringify([path, call.toolCallId]);
    if (this.#calls.has(key) || this.#lines >= mostLines) return undefined;
    this.#calls.add(key);
    const name = joinedName(path, toolName(call, undefined), l10n.t('tool'));
    const title = typeof call.title === 'string' ? firstLine(call.title, longestLine) : '';
    return title === '' ? name : `${name}: ${title}`;
  }

  #line(words: string | undefined): void {
    if (words === undefined || words === this.#last || this.#lines >= mostLines) return;
    if (!this.#held) this.#flush();
    this.#last = words;
    this.#lines++;
    this.#stream.progress(literal(firstLine(words, 2 * longestLine)));
  }
}
