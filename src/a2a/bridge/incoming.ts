import type { Message, Part } from '@a2a-js/sdk';
import type { ChainLink } from '../../acp/meta';
import { cap, firstLine, visible } from '../../base/text';

/** What a message says of the chain of asks that it is part of, in `metadata.mm` (design, rule 9). Read from a stranger, and checked. */
export interface AskMetadata {
  /** Of the agent asked: 1 or 2 where all is well; what is above is refused by the relay. */
  depth: number;
  /** Who asked whom, the home agent first, without the agent asked. */
  chain: ChainLink[];
  /** One ask and all that it leads to. */
  trace?: string;
  /** The caller has a person at hand, who answers `input-required`. */
  canAnswer: boolean;
}

const mostLinks = 10;
const deepest = 2;

/**
 * Without a word the agent is asked at depth 1, through a chat façade, which drops all metadata, at 2: nobody knows who stands before it. A
 * word that is none counts as the deepest, so that no chain goes on for ever.
 */
export function askMetadata(metadata: unknown, facade: boolean): AskMetadata {
  const mm = recordOf(recordOf(metadata)?.mm);
  if (!mm) return { depth: facade ? deepest : 1, chain: [], canAnswer: false };
  const chain = chainOf(mm.chain);
  // numbers pass a proxy as floats
  const depth = mm.depth === undefined ? 1 : mm.depth;
  const sound = typeof depth === 'number' && Number.isInteger(depth) && chain !== undefined;
  return {
    depth: sound ? Math.max(1, depth) : deepest,
    // its last link is this agent, under the name and address by which the caller knows it
    chain: chain?.slice(0, -1) ?? [],
    trace: typeof mm.trace === 'string' && mm.trace !== '' ? cap(mm.trace, 200).text : undefined,
    canAnswer: mm.canAnswer === true,
  };
}

/** @returns undefined for what is no chain. */
function chainOf(value: unknown): ChainLink[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > mostLinks) return undefined;
  const links: ChainLink[] = [];
  for (const link of value) {
    const { name, id } = recordOf(link) ?? {};
    if (typeof name !== 'string' || typeof id !== 'string' || !/^[0-9a-f]{64}$/.test(id)) return undefined;
    links.push({ name: firstLine(visible(cap(name, 1_000).text), 64), id });
  }
  return links;
}

/**
 * A message that came through a chat façade (facts/proxy-a2a.md, 2.1): 0.3 without a version's header, nothing of the proxy's headers, one
 * text that begins with a role, and neither context nor metadata.
 */
export function isFacade(body: unknown, headers: Record<string, unknown>): boolean {
  if (headers['a2a-version'] !== undefined || Object.keys(headers).some((name) => name.startsWith('x-litellm-')))
    return false;
  const params = recordOf(recordOf(body)?.params);
  const message = recordOf(params?.message);
  if (!params || !message || params.metadata !== undefined) return false;
  if (message.contextId !== undefined || message.taskId !== undefined || message.metadata !== undefined) return false;
  const [part, ...more] = Array.isArray(message.parts) ? message.parts : [];
  const text = recordOf(part)?.text;
  return more.length === 0 && typeof text === 'string' && /^(system|user|assistant): /.test(text);
}

/** Characters of one file that are passed on as text. */
const mostOfFile = 200_000;

/**
 * The prompt out of a message's parts, in their order: text as it is, data as JSON, a file of text whole under its name, an address as an
 * address. What has no words (an image) stands with its name: the relay carries text, and nothing is ever fetched from here.
 */
export function promptOf(message: Message): string {
  return message.parts
    .map(textOf)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

function textOf(part: Part): string {
  const { content } = part;
  const name = nameOf(part);
  switch (content?.$case) {
    case 'text':
      return typeof content.value === 'string' ? content.value : '';
    case 'data':
      return content.value === undefined ? '' : JSON.stringify(content.value, undefined, 2);
    case 'url':
      return typeof content.value === 'string'
        ? `[${name}: ${firstLine(visible(cap(content.value, 5_000).text), 2_000)}]`
        : '';
    case 'raw': {
      const bytes = Buffer.from(content.value);
      const words = wordsOf(bytes);
      if (words === undefined) return `[${name}, ${bytes.length} bytes, not passed on: only text can be]`;
      const { text, cut } = cap(words, mostOfFile);
      return `[${name}]\n${text}${cut > 0 ? `\n[… ${cut} characters left out …]` : ''}`;
    }
    default:
      return '';
  }
}

function nameOf({ filename, mediaType }: Part): string {
  const clean = (text: unknown) => (typeof text === 'string' ? firstLine(visible(cap(text, 1_000).text), 80) : '');
  const type = clean(mediaType);
  return `${type.startsWith('image/') ? 'image' : 'file'} ${clean(filename) || type || 'without a name'}`;
}

/** A file that is text, whatever it says of itself. */
function wordsOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A message as it is kept with its task: a file's bytes are not. */
export function kept(message: Message): Message {
  const parts = message.parts.map((part): Part => {
    if (part.content?.$case !== 'raw') return part;
    const note = `[${nameOf(part)}, ${part.content.value.length} bytes]`;
    return { content: { $case: 'text', value: note }, metadata: undefined, filename: '', mediaType: 'text/plain' };
  });
  return { ...message, parts };
}

/** What a message says to a question: only the bare word, or a data part that says so, allows; anything else does not. */
export function allows(message: Message): boolean {
  const parts = message.parts.filter(({ content }) => content !== undefined);
  if (parts.length !== 1) return false;
  const { content } = parts[0]!;
  if (content?.$case === 'text') return content.value === 'allow';
  return content?.$case === 'data' && recordOf(content.value)?.allow === true;
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
