/** Virtual environments of Python for what the tests run beside us. */
import { rm } from 'node:fs/promises';
import { onPath } from './find.mjs';
import { mustRun, run, StepError } from './processes.mjs';

/**
 * Makes a virtual environment; Debian keeps a part of it in a package of its own, which root may install.
 * @param {string} folder it is made anew
 * @param {string} python the program that makes it
 */
export async function makeVenv(folder, python = 'python3') {
  await rm(folder, { recursive: true, force: true });
  const made = await run(python, ['-m', 'venv', folder]);
  if (made.code === 0) return;
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    throw new StepError('python3 -m venv failed; on Debian and Ubuntu install the package python3-venv.', made.output);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await mustRun('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'python3-venv'], { env });
  await rm(folder, { recursive: true, force: true });
  await mustRun(python, ['-m', 'venv', folder]);
}
