import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { visible } from '../base/text';
import { type Approval, approvalOf } from '../config/approval';
import { userConfigFile } from '../config/find';
import { refuseChanged } from '../config/pins';
import type { Pins } from '../config/types';
import type { Terminal } from './terminal';

/** Hashes kept at most; the oldest go first. */
const mostKept = 500;

/**
 * Makes sure that a person allowed this version of a file that came with a folder, or asks at the terminal that `open` gives. With nobody to ask it is an
 * error with exit code 2 (design, section 10).
 */
export async function approve(
  file: string,
  env: NodeJS.ProcessEnv,
  open: () => Terminal | undefined,
): Promise<Approval> {
  const approval = await approvalOf(file, env);
  const store = storeFile(env);
  const known = await approvedHashes(store);
  if (known.includes(approval.hash)) return approval;
  const terminal = open();
  if (!terminal) throw notApproved(file, l10n.t('Nobody is here to be asked whether it may be used.'));
  try {
    if (!(await ask(terminal, file, approval))) throw notApproved(file, l10n.t('It was not allowed.'));
  } finally {
    terminal.close();
  }
  await mkdir(dirname(store), { recursive: true, mode: 0o700 });
  const beside = `${store}.${process.pid}.tmp`;
  await writeFile(beside, `${JSON.stringify([...known, approval.hash].slice(-mostKept), undefined, 1)}\n`, {
    mode: 0o600,
  });
  await rename(beside, store);
  return approval;
}

async function ask(terminal: Terminal, file: string, approval: Approval): Promise<boolean> {
  terminal.write(`${l10n.t('This folder brings its own agents: {0}', visible(file))}\n`);
  for (const fact of approval.facts) terminal.write(`  ${visible(fact)}\n`);
  for (const program of approval.programs) terminal.write(`  ${l10n.t('can start: {0}', visible(program))}\n`);
  for (const other of approval.files.slice(1)) terminal.write(`  ${l10n.t('uses: {0}', visible(other))}\n`);
  for (;;) {
    const answer = await terminal.ask(l10n.t('[s] Show the File  [a] Allow This Version  [n] Not Now: '));
    if (answer === undefined || /^n/i.test(answer)) return false;
    if (/^a/i.test(answer)) return true;
    if (/^s/i.test(answer))
      for (const one of approval.files) terminal.write(`--- ${visible(one)}\n${await contentOf(one, approval.pins)}\n`);
  }
}

/**
 * A file as a person reads it: only what the answer will hold for, since somebody may write it in this very moment.
 * A hook may be a program, which nobody reads.
 */
async function contentOf(file: string, pins: Pins): Promise<string> {
  const bytes = await readFile(file).catch(() => undefined);
  refuseChanged(pins, file, bytes && createHash('sha256').update(bytes).digest('hex'));
  if (!bytes) return l10n.t('[cannot be read]');
  return bytes.includes(0) ? l10n.t('[not a text: {0} bytes]', bytes.length) : visible(bytes.toString());
}

function notApproved(file: string, why: string): UserError {
  return new UserError(l10n.t('{0} came with this folder and was not used. {1}', file, why), {
    exitCode: ExitCode.usage,
    hint: l10n.t('Run mm in a terminal to allow it, or name a file with -config FILE.'),
  });
}

function storeFile(env: NodeJS.ProcessEnv): string {
  const own = userConfigFile({ env, home: homedir(), platform: process.platform });
  return join(dirname(own), 'approved.json');
}

async function approvedHashes(store: string): Promise<string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(store, 'utf8'));
    return Array.isArray(value) ? value.filter((hash): hash is string => typeof hash === 'string') : [];
  } catch {
    // none yet, or unreadable: then everything is asked again
    return [];
  }
}
