import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { isKeyFile } from '../../ask/keyfiles';
import { l10n } from '../../base/l10n';
import { cap } from '../../base/text';
import { isInside, realPath, resolveIn, shownPath } from './paths';
import { countArgument, type PreparedCall, type Tool, type ToolContext, type ToolResult, textArgument } from './types';

/** Bytes that are looked at: a larger file is read in parts by line numbers. */
const maxBytes = 10_000_000;

/** What was allowed is the real path, so a link put there since then is not followed; a pipe without a writer must not hang us. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `read`: a text file, whole or some of its lines; a folder's names. Free inside the session's folder, except for key files (rule 4). */
export const readTool: Tool = {
  kind: 'read',
  definition: {
    name: 'read',
    description: 'Reads a text file, or lists a folder.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the file' },
        first: { type: 'integer', description: 'First line, from 1' },
        last: { type: 'integer', description: 'Last line' },
      },
      required: ['path'],
    },
  },
  async prepare(args, context): Promise<PreparedCall> {
    const asked = textArgument(args, 'path');
    const first = countArgument(args, 'first');
    const last = countArgument(args, 'last');
    const path = resolveIn(context.cwd, asked);
    const real = await realPath(path);
    const folder = await realPath(context.cwd);
    const keyFile = isKeyFile(path) || isKeyFile(real);
    const shown = shownPath(context.cwd, path);
    const lines = first || last ? `:${first ?? 1}-${last ?? ''}` : '';
    return {
      title: `${shown}${lines}`,
      rawInput: { path, ...(first ? { first } : {}), ...(last ? { last } : {}) },
      locations: [{ path, ...(first ? { line: first } : {}) }],
      gate: keyFile || !isInside(folder, real) ? 'ask' : 'free',
      keyFile,
      run: () => read(real, shown, first, last, context),
    };
  },
};

async function read(
  path: string,
  shown: string,
  first: number | undefined,
  last: number | undefined,
  { maxOutput }: ToolContext,
): Promise<ToolResult> {
  let bytes: Buffer;
  let size: number;
  try {
    // a folder on the way that became a link since the question leads elsewhere
    if ((await realPath(path)) !== path)
      return failed(l10n.t('{0} was changed in the meantime. Read it again.', shown));
    const file = await open(path, openFlags);
    try {
      const info = await file.stat();
      if (info.isDirectory()) return await list(path, maxOutput);
      if (!info.isFile()) return failed(l10n.t('{0} is no file.', shown));
      size = info.size;
      bytes = Buffer.alloc(Math.min(Math.max(size, 65_536), maxBytes));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      bytes = bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    return failed(fileError(error, shown));
  }
  const kind = imageKind(bytes);
  if (kind) return failed(l10n.t('{0} is an image ({1}), not a text.', shown, kind));
  if (bytes.subarray(0, 8000).includes(0)) return failed(l10n.t('{0} is a binary file, not a text.', shown));
  let text = new TextDecoder().decode(bytes);
  if (first !== undefined || last !== undefined) {
    const lines = text.split('\n');
    if ((first ?? 1) > lines.length) return failed(l10n.t('{0} has only {1} lines.', shown, lines.length));
    text = lines.slice((first ?? 1) - 1, last).join('\n');
  }
  const { text: kept, cut } = cap(text, maxOutput);
  const notes: string[] = [];
  if (cut > 0) notes.push(l10n.t('[{0} more characters; ask for lines with first and last]', cut));
  if (size > maxBytes) notes.push(l10n.t('[only the first {0} of {1} bytes were looked at]', maxBytes, size));
  const whole = [kept, ...notes].join('\n');
  return { ok: true, text: whole || l10n.t('[the file is empty]') };
}

async function list(path: string, maxOutput: number): Promise<ToolResult> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const { text, cut } = cap(names.join('\n'), maxOutput);
  const more = cut > 0 ? `\n${l10n.t('[{0} more characters]', cut)}` : '';
  return { ok: true, text: text + more || l10n.t('[the folder is empty]') };
}

/** What a failed file operation means, in words. */
export function fileError(error: unknown, shown: string): string {
  const code = (error as NodeJS.ErrnoException)?.code;
  switch (code) {
    case 'ENOENT':
      return l10n.t('{0} does not exist.', shown);
    case 'EACCES':
    case 'EPERM':
      return l10n.t('{0} may not be opened: permission denied.', shown);
    case 'EISDIR':
      return l10n.t('{0} is a folder.', shown);
    case 'ENOTDIR':
      return l10n.t('A part of the path {0} is no folder.', shown);
    case 'ENOSPC':
      return l10n.t('{0} cannot be written: the disk is full.', shown);
    case 'ELOOP':
      return l10n.t('{0} is a loop of links.', shown);
    default:
      return l10n.t('{0} cannot be used: {1}', shown, error instanceof Error ? error.message : String(error));
  }
}

function failed(text: string): ToolResult {
  return { ok: false, text };
}

/** The kind of an image by its first bytes. */
function imageKind(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return 'PNG';
  if (head.startsWith('\xff\xd8\xff')) return 'JPEG';
  if (head.startsWith('GIF8')) return 'GIF';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'WebP';
  return undefined;
}
