import { describe, ExitCode, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { visible } from '../base/text';

const mostRefusals = 10;

/** Writes a note to stderr. What it quotes may come from anywhere, so it cannot act on the terminal, nor look like another note. */
export function note(text: string): void {
  write(`mm: ${visible(text).replaceAll('\n', '\n  ')}\n`);
}

let guarded = false;

function write(text: string): void {
  if (!guarded) {
    guarded = true;
    // Who reads our notes may go away; that is no reason to lose the answer.
    process.stderr.on('error', () => undefined);
  }
  process.stderr.write(text);
}

/** Notes of refused calls: one agent may try a hundred times, and the tenth line says nothing that the first nine did not. */
export function refusals(words: (name: string) => string): (name: string) => void {
  let left = mostRefusals;
  return (name) => {
    if (left > 0) note(words(name));
    else if (left === 0) note(l10n.t('Further refusals are not shown.'));
    left--;
  };
}

/** Says on stderr what went wrong and what to do, and gives the exit code. */
export function report(error: unknown): ExitCode {
  if (isCancelled(error)) return ExitCode.cancelled;
  note(describe(error));
  if (!(error instanceof UserError)) return ExitCode.failed;
  if (error.detail) write(`${indent(visible(error.detail))}\n`);
  if (error.hint) note(error.hint);
  return error.exitCode;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** Warnings and errors on stderr; the rest is for who looks for a fault (`MM_LOG=debug`). */
export function stderrLog(env: NodeJS.ProcessEnv): Log {
  const all = env.MM_LOG === 'debug';
  const silent = () => {};
  return { debug: all ? note : silent, info: all ? note : silent, warn: note, error: note };
}
