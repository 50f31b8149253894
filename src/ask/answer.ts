import type { AnyUpdate } from '../acp/types';
import { l10n } from '../base/l10n';
import { cap, firstLine, visible } from '../base/text';
import type { AskEvent } from './types';

/**
 * Updates that are about the session and not about the turn. They come when the agent gets to them (qwen sends its commands
 * seconds late, while it already answers), so they part nothing: a blank line could fall into the middle of a word.
 */
const bookkeeping = new Set([
  'usage_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
]);

/** Far beyond any answer: an agent that floods does not fill the memory. */
const mostCharacters = 16_000_000;

/**
 * The answer's text out of a turn's updates (rule 6): `agent_message_chunk`s in their order. Parts with anything but text
 * between them, or with another `messageId`, are joined by a blank line; a block that is no text stands as `[image]` or
 * `[file name]`. Linear in what comes; never throws.
 */
export class AnswerText {
  #parts: string[][] = [];
  #open: string[] | undefined;
  #messageId: string | undefined;
  #length = 0;
  #leftOut = 0;

  /**
   * One event of an ask. A question or an ask of the agent parts the texts around it, also where no update comes with it
   * (gemini sends none for a rejected call). Who shows an answer while it comes feeds all events, and has the answer's own text.
   */
  event(event: AskEvent): void {
    if (event.type === 'update') this.feed(event.update);
    else if (event.type === 'permission' || event.type === 'nested') this.#part();
  }

  feed(update: AnyUpdate): void {
    if (update.sessionUpdate !== 'agent_message_chunk') {
      if (!bookkeeping.has(update.sessionUpdate)) this.#part();
      return;
    }
    const { content, messageId } = update as { content?: unknown; messageId?: unknown };
    const block = content as { type?: unknown; text?: unknown } | null | undefined;
    if (!block || typeof block !== 'object') return;
    if (block.type !== 'text') {
      this.#part();
      this.#add(`[${labelOf(block)}]`);
      this.#part();
      return;
    }
    if (typeof block.text !== 'string' || block.text === '') return;
    const id = typeof messageId === 'string' ? messageId : undefined;
    if (this.#open && id !== this.#messageId) this.#open = undefined;
    this.#messageId = id;
    this.#add(block.text);
  }

  /** What came so far. */
  text(): string {
    return joined(this.#parts.map((part) => part.join('')));
  }

  /** The text when the turn has ended: where it was cut, its last line says by how much. */
  whole(): string {
    const text = this.text();
    return this.#leftOut === 0 ? text : `${text}\n${l10n.t('[… {0} characters left out …]', this.#leftOut)}`;
  }

  /** The first `max` characters of it, at the price of those only. */
  head(max: number): string {
    const parts: string[] = [];
    let left = max;
    for (const part of this.#parts) {
      if (left <= 0) break;
      let text = '';
      for (const piece of part) {
        if (text.length >= left) break;
        text += piece;
      }
      left -= text.length;
      parts.push(text);
    }
    return cap(joined(parts), max).text;
  }

  /** Milliseconds between two pictures of it: making one costs as much as there is. */
  get pace(): number {
    return 60 + this.#length / 20_000;
  }

  #part(): void {
    this.#open = undefined;
  }

  #add(text: string): void {
    // once something is missing, nothing more may follow the gap
    const more = cap(text, this.#leftOut > 0 ? 0 : mostCharacters - this.#length);
    this.#leftOut += more.cut;
    if (more.text === '') return;
    this.#length += more.text.length;
    if (this.#open) {
      this.#open.push(more.text);
      return;
    }
    this.#open = [more.text];
    this.#parts.push(this.#open);
  }
}

function joined(parts: string[]): string {
  const texts = parts.filter((text) => text.trim() !== '');
  return texts
    .map((text, i) => {
      const start = i === 0 ? text : text.replace(/^[\r\n]+/, '');
      return i === texts.length - 1 ? start : withoutTrailingBreaks(start);
    })
    .join('\n\n');
}

/** `/[\r\n]+$/` tries anew at every break of a long text; this looks at the end only. */
function withoutTrailingBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}

function labelOf(block: object): string {
  const { type, name, uri, resource } = block as Record<string, unknown>;
  if (type === 'image' || type === 'audio') return type;
  const address = uri ?? (resource as { uri?: unknown } | null | undefined)?.uri;
  if (type === 'resource_link' || type === 'resource') {
    if (typeof name === 'string' && name.trim()) return label(name);
    if (typeof address === 'string') return label(lastSegment(address)) || 'file';
    return 'file';
  }
  return typeof type === 'string' && type ? label(type) : 'unsupported';
}

function label(text: string): string {
  return firstLine(visible(text), 80);
}

function lastSegment(uri: string): string {
  const name = uri.split(/[?#]/, 1)[0]!.split(/[/\\]/).filter(Boolean).at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
