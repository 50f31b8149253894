import type { ContentBlock } from '../acp/types';

/**
 * The text of a prompt's blocks. A link stands as its address, an embedded text as the text with its name; what is no text, as its kind:
 * we promise neither images nor audio in `promptCapabilities`. Blocks are the client's and are read with care.
 */
export function promptText(blocks: readonly ContentBlock[]): string {
  if (!Array.isArray(blocks)) return '';
  return blocks.map(one).filter(Boolean).join('\n\n');
}

function one(block: ContentBlock): string {
  switch (block?.type) {
    case 'text':
      return typeof block.text === 'string' ? block.text : '';
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource': {
      const resource = block.resource as { uri?: unknown; text?: unknown } | undefined;
      const name = String(resource?.uri ?? '');
      return typeof resource?.text === 'string' ? `${name}:\n${fenced(resource.text)}` : `[file ${name}]`;
    }
    case 'image':
      return '[image]';
    case 'audio':
      return '[audio]';
    default:
      return '';
  }
}

/** A fence that the text itself cannot close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
