import type { AnyUpdate } from '../acp/types';
import { visible } from '../base/text';
import { type Artifact, isAsking, isOver, type Part, type TaskEvent } from './task';

/** Artifacts and parts of one ask that are remembered; what a flood brings beyond is not shown. */
const most = 10_000;

/**
 * Turns what a server says of a task into the updates of a turn: artifacts are the answer, what it says while it works is a thought.
 * The same thing is often said twice (an artifact in the stream, then the whole task; all of it again after a broken connection), so what
 * was shown is remembered by artifact, and only what is new comes out (design, section 9).
 */
export class TaskUpdates {
  /** Per artifact: its text, how many of its other parts were shown, and how often it was made anew. */
  readonly #shown = new Map<string, { text: string; others: number; version: number }>();
  #said = '';
  #thoughts = 0;

  /** Updates that `event` brings, in their order. */
  of(event: TaskEvent): AnyUpdate[] {
    switch (event.type) {
      case 'message':
        return this.#whole({ id: 'message', parts: event.parts });
      case 'artifact':
        return event.append ? this.#more(event.artifact) : this.#whole(event.artifact);
      case 'status':
        return this.#progress(event);
      case 'task': {
        const artifacts = event.artifacts.flatMap((artifact) => this.#whole(artifact));
        return [...this.#progress(event), ...artifacts];
      }
    }
  }

  /** Nothing of an answer has come: a server may put it into the status of the finished task. */
  get empty(): boolean {
    return this.#shown.size === 0;
  }

  /** The answer that stands in the message of a finished task. */
  message(parts: Part[]): AnyUpdate[] {
    return this.#whole({ id: 'status', parts });
  }

  /** All of an artifact: what was shown of it already is left out. One with other words is shown as another text. */
  #whole({ id, parts }: Artifact): AnyUpdate[] {
    const seen = this.#seen(id);
    if (!seen) return [];
    const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    if (!text.startsWith(seen.text)) Object.assign(seen, { text: '', others: 0, version: seen.version + 1 });
    const updates: AnyUpdate[] = [];
    let skip = seen.text.length;
    let others = 0;
    for (const part of parts) {
      if (part.kind === 'text') {
        const rest = part.text.slice(skip);
        skip = Math.max(0, skip - part.text.length);
        if (rest !== '') updates.push(chunk(id, seen.version, { type: 'text', text: rest }));
      } else if (others++ >= seen.others) {
        seen.others++;
        updates.push(chunk(id, seen.version, blockOf(part)));
      }
    }
    seen.text = text;
    return updates;
  }

  /** Parts that belong behind what is there. */
  #more({ id, parts }: Artifact): AnyUpdate[] {
    const seen = this.#seen(id);
    if (!seen) return [];
    return parts.map((part) => {
      if (part.kind === 'text') {
        seen.text += part.text;
        return chunk(id, seen.version, { type: 'text', text: part.text });
      }
      seen.others++;
      return chunk(id, seen.version, blockOf(part));
    });
  }

  #seen(id: string) {
    const known = this.#shown.get(id);
    if (known || this.#shown.size >= most) return known;
    const seen = { text: '', others: 0, version: 0 };
    this.#shown.set(id, seen);
    return seen;
  }

  /** What it says while it works; the words of its end and its questions are told by the ask. */
  #progress({ state, message }: { state: Parameters<typeof isOver>[0]; message: Part[] }): AnyUpdate[] {
    if (isOver(state) || isAsking(state)) return [];
    const text = wordsOf(message);
    if (text === '' || text === this.#said) return [];
    this.#said = text;
    // each stands on its own line
    const before = this.#thoughts++ > 0 ? '\n' : '';
    return [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: before + text } }];
  }
}

/** The text parts of a message, one below the other. */
export function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' && part.text.trim() ? [part.text.trim()] : [])).join('\n');
}

/** Texts of one artifact are one text; another artifact is another (rule 6). */
function chunk(id: string, version: number, content: Record<string, unknown>): AnyUpdate {
  const messageId = version === 0 ? id : `${id}#${version}`;
  return { sessionUpdate: 'agent_message_chunk', messageId, content } as unknown as AnyUpdate;
}

function blockOf(part: Exclude<Part, { kind: 'text' }>): Record<string, unknown> {
  if (part.kind === 'data') {
    const json = JSON.stringify(part.data, null, 2) ?? 'null';
    // a fence that the text cannot close
    const fence = '`'.repeat(Math.max(3, ...(json.match(/`+/g) ?? []).map((run) => run.length + 1)));
    return { type: 'text', text: `\n${fence}json\n${json}\n${fence}\n` };
  }
  const name = visible(part.name ?? 'file');
  return {
    type: 'resource_link',
    name,
    uri: part.url ?? `a2a:${encodeURIComponent(name)}`,
    ...(part.mediaType === undefined ? {} : { mimeType: part.mediaType }),
    ...(part.size === undefined ? {} : { size: part.size }),
  };
}
