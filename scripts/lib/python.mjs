/** Virtual environments of Python for what the tests run beside us. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onPath } from './find.mjs';
import { withLock } from './lock.mjs';
import { mustRun, run, StepError } from './processes.mjs';
import { step } from './steps.mjs';

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

/** A Python 3.11 on Linux x86-64, for which packages are hashed; undefined where there is none. */
async function python311() {
  const question = 'import sys, platform; print(*sys.version_info[:2], sys.platform, platform.machine())';
  for (const name of ['python3.11', 'python3']) {
    if (!onPath(name)) continue;
    const asked = await run(name, ['-c', question]);
    if (asked.code === 0 && asked.output.trim().endsWith('3 11 linux x86_64')) return name;
  }
  return undefined;
}

/**
 * Packages of Python, pinned by their hashes, in an environment of the cache folder.
 * @param {{home: string, requirements: string, what: string, size: string}} o `what`: for people, "a real LiteLLM"
 */
export function pythonKit({ home, requirements, what, size }) {
  const bin = path.join(home, 'venv/bin');
  const python = path.join(bin, 'python');
  const marker = path.join(home, 'installed.txt');

  async function done() {
    const found = await readFile(marker, 'utf8').catch(() => '');
    return found !== '' && found === (await readFile(requirements, 'utf8')) && existsSync(python);
  }

  /** Why it cannot be installed here, in words; nothing where it can. */
  async function whyNot() {
    if ((await done()) || (await python311())) return undefined;
    return `${what} needs Python 3.11 on Linux x86-64, for which its packages are pinned by their hashes.`;
  }

  /** Installs it where it is missing. */
  async function ensure() {
    const why = await whyNot();
    if (why) throw new StepError(why);
    await mkdir(home, { recursive: true });
    await withLock(path.join(home, '.lock'), async () => {
      if (await done()) return;
      await step(`installing ${what} (${size})`, async () => {
        await makeVenv(path.join(home, 'venv'), await python311());
        const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-deps', '--require-hashes'];
        await mustRun(python, [...pip, '-r', requirements]);
        await writeFile(marker, await readFile(requirements, 'utf8'));
      });
    });
  }

  return { bin, python, whyNot, ensure };
}
