import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';

/** Milliseconds that a person's shell may take to read its files. */
const patience = 5_000;
const mostOutput = 1_000_000;

let found: Promise<string | undefined> | undefined;

/**
 * The PATH of the person's login shell, which an editor that was started from a desktop does not have (faults F005). Asked until it has
 * answered once, when a program was not found, by a probe of its own: what the shell's files print does not reach an agent (F011).
 */
export function loginPath(): Promise<string | undefined> {
  if (process.platform === 'win32') return Promise.resolve(undefined);
  found ??= probe(shellOf(process.env), process.env).then((path) => {
    // a shell that was slow once may be quicker the next time
    if (path === undefined) found = undefined;
    return path;
  });
  return found;
}

function shellOf(env: NodeJS.ProcessEnv): string {
  try {
    return env.SHELL || userInfo().shell || '/bin/sh';
  } catch {
    return '/bin/sh'; // a user without an entry
  }
}

/** Runs a shell as a login does and reads its PATH from between two marks; undefined where it does not say it in time. */
export function probe(shell: string, env: NodeJS.ProcessEnv, limit = patience): Promise<string | undefined> {
  const mark = `mm-${randomUUID()}`;
  return new Promise((resolve) => {
    const child = spawn(shell, ['-ilc', `printf '%s' '${mark}'; /usr/bin/env; printf '%s' '${mark}'`], {
      // fish and csh know no `$PATH` with colons, so the environment itself is read
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      env,
      cwd: '/',
    });
    let output = '';
    const done = (path?: string) => {
      clearTimeout(timer);
      resolve(path);
      end();
    };
    // what the files of the shell have started ends with it
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(() => done(), limit);
    child.on('error', () => done());
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, between, after] = output.split(mark);
      if (after !== undefined) done(/^PATH=(.+)$/m.exec(between!)?.[1]);
      else if (output.length > mostOutput) done();
    });
    child.on('close', () => done());
  });
}

/** A PATH with what another one has besides; undefined when that is nothing. */
export function joinPaths(path: string, more: string): string | undefined {
  const known = path.split(':').filter(Boolean);
  const added = more.split(':').filter((folder) => folder.startsWith('/') && !known.includes(folder));
  return added.length > 0 ? [...known, ...new Set(added)].join(':') : undefined;
}
