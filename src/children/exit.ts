import { l10n } from '../base/l10n';
import type { ExitInfo } from './types';

/** What an error of `spawn` can additionally tell; set by `process.ts`. */
export interface SpawnFailure extends NodeJS.ErrnoException {
  /** The program is a script, and this is what its first line asks for. */
  interpreter?: string;
  /** The PATH that was searched. */
  searched?: string;
}

/** How a child ended, as a sentence for a person. `name` is the agent's: "bob ended with exit code 1". */
export function describeExit(name: string, info: ExitInfo): string {
  if (info.spawnError) return describeSpawnError(name, info.spawnError);
  if (info.signal) return l10n.t('{0} was ended by signal {1}', name, info.signal);
  if (isForeign(info)) return l10n.t("{0}'s program cannot run on this system: it is built for another one", name);
  if (info.code === 127) {
    const program = missingProgram(info.stderrTail);
    return program
      ? l10n.t(
          '{0} ended with exit code 127: the program {1}, which it needs, was not found on the PATH',
          name,
          program,
        )
      : l10n.t('{0} ended with exit code 127: a program that it needs was not found on the PATH', name);
  }
  // A shell or a wrapper says 128 + n when what it started was ended by signal n (faults F004).
  if (info.code === 137)
    return l10n.t('{0} ended with exit code 137 (ended by SIGKILL, often for lack of memory)', name);
  if (info.code === 143) return l10n.t('{0} ended with exit code 143 (ended by SIGTERM)', name);
  return l10n.t('{0} ended with exit code {1}', name, info.code ?? '?');
}

/** What to do about it, or undefined when the exit alone does not say. */
export function exitHint(info: ExitInfo): string | undefined {
  const error = info.spawnError as SpawnFailure | undefined;
  if (error?.syscall === 'chdir') return l10n.t('Choose a folder that exists.');
  if (error?.interpreter) return l10n.t('Install {0}, or start the agent by another `command`.', error.interpreter);
  if (error?.code === 'ENOENT') {
    const install = l10n.t('Install it, or write its absolute path as `command` in mm.yaml.');
    return error.searched === undefined
      ? install
      : `${install} ${l10n.t('The PATH searched: {0}', error.searched || '""')}`;
  }
  if (error?.code === 'EACCES') return l10n.t('Make it executable (chmod +x), or start it by its interpreter.');
  if (error?.code === 'ENOEXEC' || isForeign(info)) {
    return l10n.t('Install the version for this system; a script needs a first line such as #!/bin/sh.');
  }
  if (info.code === 127) {
    return l10n.t('Install it, or write the absolute path of both the interpreter and the agent in mm.yaml.');
  }
  return undefined;
}

function describeSpawnError(name: string, error: SpawnFailure): string {
  const program = error.path ?? '';
  if (error.syscall === 'chdir') return l10n.t('{0} was not started: there is no folder {1}', name, program);
  if (error.interpreter) {
    return l10n.t("{0}'s program {1} needs {2}, which was not found", name, program, error.interpreter);
  }
  switch (error.code) {
    case 'ENOENT':
      return l10n.t("{0}'s program was not found: {1}", name, program);
    case 'EACCES':
    case 'EPERM':
      return l10n.t("{0}'s program is not executable: {1}", name, program);
    case 'ENOEXEC':
      return l10n.t("{0}'s program cannot run on this system: {1}", name, program);
    case 'E2BIG':
      return l10n.t('{0} was not started: its arguments and environment are too large', name);
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return l10n.t('{0} was not started: the system is out of processes, files or memory ({1})', name, error.code);
    default:
      return l10n.t('{0} was not started: {1}', name, error.message);
  }
}

/** The program that `env`, a shell or Windows says is missing: `/usr/bin/env: ‘node’: No such file or directory` (faults F005). */
function missingProgram(stderr: string): string | undefined {
  const match =
    /env: ['‘"“]?([^'’"”:\n]{1,80})['’"”]?: No such file/.exec(stderr) ??
    /(?:^|: )([^\s:]{1,80}): (?:command )?not found/m.exec(stderr) ??
    /['"]([^'"\n]{1,80})['"] is not recognized/.exec(stderr);
  return match?.[1];
}

/** `execvp` gives what the system cannot run to a shell, which reads its first bytes as a command; other launchers say it in words. */
function isForeign({ code, stderrTail }: ExitInfo): boolean {
  return (
    (code === 126 || code === 127 || code === 2) &&
    /exec format error|cannot execute binary file|\]ELF|bad cpu type/i.test(stderrTail)
  );
}

/** The program itself, or one that it needs, was not found: another PATH may have it. */
export function isMissing(info: ExitInfo): boolean {
  const error = info.spawnError as SpawnFailure | undefined;
  if (error) return error.interpreter === undefined && error.searched !== undefined;
  return info.code === 127 && !isForeign(info);
}
