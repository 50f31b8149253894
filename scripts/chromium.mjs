#!/usr/bin/env node
/**
 * Finds a Chromium for the tests, or gets one. In this order: the variable CHROMIUM, the usual names on the PATH, a browser that Playwright
 * has already downloaded, `apt-get install chromium` where this is root on Debian, Playwright's download. `node scripts/chromium.mjs`
 * prints its path.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath, runnable } from './lib/find.mjs';
import { root } from './lib/paths.mjs';
import { mustRun, run, StepError } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const fixedPlaces = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
};

function playwrightsOwn() {
  const require = createRequire(path.join(root, 'package.json'));
  const file = require('@playwright/test').chromium.executablePath();
  return file && existsSync(file) ? file : undefined;
}

function here() {
  return names.map(onPath).find(Boolean) ?? (fixedPlaces[process.platform] ?? []).find(existsSync) ?? playwrightsOwn();
}

/** @returns {Promise<string>} the path of a Chromium */
export async function ensureChromium() {
  const named = process.env.CHROMIUM;
  if (named) {
    const file = runnable(named) ? named : onPath(named);
    if (!file) throw new StepError(`CHROMIUM names "${named}", which is no program that can be run.`);
    return file;
  }
  const found = here();
  if (found) return found;

  const tried = [];
  const rootOnDebian = process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get');
  if (rootOnDebian) {
    try {
      await step('installing Chromium with apt-get', async () => {
        const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
        await run('apt-get', ['update', '-q'], { env }); // an old list may be enough
        const packages = ['chromium', 'fonts-liberation', 'fonts-dejavu-core'];
        await mustRun('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], { env });
      });
      const installed = here();
      if (installed) return installed;
      tried.push('apt-get install chromium: no program of a usual name came of it');
    } catch (error) {
      tried.push(`apt-get install chromium: ${error.message}`);
    }
  }
  try {
    const cli = path.join(root, 'node_modules/@playwright/test/cli.js');
    await step('downloading Playwright’s Chromium', () =>
      mustRun(process.execPath, [cli, 'install', 'chromium'], { cwd: root }),
    );
    const downloaded = playwrightsOwn();
    if (downloaded) return downloaded;
    tried.push('Playwright’s download: nothing was found afterwards');
  } catch (error) {
    tried.push(`Playwright’s download: ${error.message}`);
  }
  throw new StepError(
    [
      'No Chromium was found and none could be installed.',
      ...tried.map((t) => `  ${t}`),
      'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
    ].join('\n'),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    console.log(await ensureChromium());
    return 0;
  });
}
