import { l10n } from '../base/l10n';
import { usage } from './args';

/** More than a prompt can be. */
const maxPrompt = 20_000_000;

/** The prompt of a call: from the arguments, else all of stdin, which then must not be a terminal. */
export async function promptFrom(given: string | undefined, stdin: NodeJS.ReadStream): Promise<string> {
  const prompt = given ?? (stdin.isTTY ? '' : await readAll(stdin));
  if (!prompt.trim()) throw usage(l10n.t('There is no prompt: write it behind the options, or pipe it in.'));
  return prompt;
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part as Uint8Array);
    size += bytes.length;
    if (size > maxPrompt) throw usage(l10n.t('The prompt on stdin is larger than {0} bytes.', maxPrompt));
    parts.push(bytes);
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
