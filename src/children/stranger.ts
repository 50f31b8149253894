import { l10n } from '../base/l10n';
import { cap, firstLine, visible } from '../base/text';

/** What a program wrote that is no message, until its `initialize` was answered. */
export interface FirstWords {
  /** Lines of its stdout, each cut; the first few. */
  lines: readonly string[];
  /** It sent our own request back. */
  echoed: boolean;
  stderr: string;
  /** It ended with an exit code of its own, which says more than a line of its log. */
  failed: boolean;
}

/** A program that is no ACP agent, in a sentence, with what to do; undefined where its words do not show it. */
export function strangerInWords(name: string, words: FirstWords): { message: string; hint: string } | undefined {
  const said = words.lines.join('\n');
  const page = /<!doctype html|<html[\s>]/i.test(said);
  const help = /^\s*(usage|options|commands)\s*:|--help\b/im.test(`${said}\n${words.stderr}`);
  const line = firstLine(visible(cap(words.lines.find((text) => text.trim() !== '') ?? '', 500).text), 100);
  const mend = l10n.t('Correct `command` and `args` of {0} in mm.yaml.', name);
  if (words.echoed) {
    return { message: l10n.t('{0} sends back what it is sent, so it is no ACP agent', name), hint: mend };
  }
  if (page) return { message: l10n.t('{0} writes a web page, so it is no ACP agent', name), hint: mend };
  if (help) {
    return {
      message: l10n.t('{0} shows how it is used and does not speak ACP', name),
      hint: `${l10n.t('It may need an argument, such as `acp` or `--acp`; its own help says so.')} ${mend}`,
    };
  }
  if (line === '' || words.failed) return undefined;
  return { message: l10n.t('{0} writes text that is no ACP: “{1}”', name, line), hint: mend };
}
