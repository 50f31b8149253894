import { describe, ExitCode, isCancelled, UserError } from '../base/errors';
import type { Log } from '../base/log';
import { visible } from '../base/text';

/** Writes a note to stderr. What it quotes may come from anywhere, so it cannot act on the terminal. */
export function note(text: string): void {
  process.stderr.write(`mm: ${visible(text)}\n`);
}

/** Says on stderr what went wrong and what to do, and gives the exit code. */
export function report(error: unknown): ExitCode {
  if (isCancelled(error)) return ExitCode.cancelled;
  note(describe(error));
  if (!(error instanceof UserError)) return ExitCode.failed;
  if (error.detail) process.stderr.write(`${indent(visible(error.detail))}\n`);
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
