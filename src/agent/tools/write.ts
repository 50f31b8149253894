import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKeyFile } from '../../ask/keyfiles';
import { l10n } from '../../base/l10n';
import { realPath, resolveIn, shownPath } from './paths';
import { fileError } from './read';
import { type PreparedCall, type Tool, ToolInputError, type ToolResult, textArgument } from './types';

/** Characters of the old text that a diff may show; a larger file is shown as replaced. */
const maxOld = 1_000_000;

/** `write`: a whole file, with the diff in the question and in the result. Always asks when yolo is off (rule 4). */
export const writeTool: Tool = {
  kind: 'edit',
  definition: {
    name: 'write',
    description: 'Writes a text file, in place of what was there. Folders are made.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the file' },
        content: { type: 'string', description: 'The whole text' },
      },
      required: ['path', 'content'],
    },
  },
  async prepare(args, { cwd }): Promise<PreparedCall> {
    const asked = textArgument(args, 'path');
    const newText = textArgument(args, 'content', true);
    const path = resolveIn(cwd, asked);
    // through a link, what is behind it is written, and that is what the question is about
    const real = await realPath(path);
    const shown = shownPath(cwd, path);
    const oldText = await current(real, shown);
    return {
      title: real === path ? shown : `${shown} → ${real}`,
      rawInput: { path, content: newText },
      locations: [{ path: real }],
      content: [{ type: 'diff', path: real, oldText, newText }],
      gate: 'ask',
      keyFile: isKeyFile(path) || isKeyFile(real),
      run: () => write(real, shown, newText, oldText),
    };
  },
};

/** What the file has now: null when there is none. */
async function current(path: string, shown: string): Promise<string | null> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) throw new ToolInputError(l10n.t('{0} is a folder.', shown));
    if (!info.isFile()) throw new ToolInputError(l10n.t('{0} is no file.', shown));
    if (info.size > maxOld) return l10n.t('[{0} bytes]', info.size);
    const bytes = await readFile(path);
    return bytes.subarray(0, 8000).includes(0) ? l10n.t('[{0} bytes]', info.size) : bytes.toString('utf8');
  } catch (error) {
    if (error instanceof ToolInputError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ToolInputError(fileError(error, shown));
  }
}

/** Writes beside the file and renames, so that no one ever reads half of it; keeps the file's mode. */
async function write(path: string, shown: string, newText: string, oldText: string | null): Promise<ToolResult> {
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    const changed = l10n.t('{0} was changed in the meantime; nothing was written. Read it again.', shown);
    // a folder on the way that became a link since the question leads elsewhere
    if ((await realPath(path)) !== path || (await current(path, shown)) !== oldText)
      return { ok: false, text: changed };
    await mkdir(dirname(path), { recursive: true });
    if ((await realPath(path)) !== path) return { ok: false, text: changed };
    const mode = oldText === null ? undefined : (await stat(path)).mode & 0o7777;
    try {
      await writeFile(beside, newText, { flag: 'wx' });
      if (mode !== undefined) await chmod(beside, mode);
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  } catch (error) {
    return { ok: false, text: error instanceof ToolInputError ? error.message : fileError(error, shown) };
  }
  return {
    ok: true,
    text: l10n.t('{0} was written, {1} characters.', shown, newText.length),
    content: [{ type: 'diff', path, oldText, newText }],
  };
}
