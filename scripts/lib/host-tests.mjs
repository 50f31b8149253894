/** Tests inside a real extension host: opens a window that runs them, and reads what they found. */
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { installVsix, startServer } from './server.mjs';

const entry = path.join(root, 'test/vscode/support/host-runner.cjs');

/**
 * @param {object} o
 * @param {string} o.run folder for this run's data
 * @param {string} o.extensions folder of installed extensions; the one under test is the packed one in it
 * @param {string} o.helper packed extension that stands in for a model
 * @param {string} o.chromium
 * @param {(line: string) => void} o.onLine
 * @returns {Promise<{passed: number, failed: number, failures: {title: string, error: string}[]}>}
 */
export async function runHostTests({ run, extensions, helper, chromium, onLine }) {
  const installed = (await readdir(extensions)).find((name) => name.startsWith('mm.mm-'));
  if (!installed) throw new Error(`the packed extension is not installed in ${extensions}`);
  await mkdir(path.join(run, 'workspace'), { recursive: true });
  const workspace = await realpath(path.join(run, 'workspace'));
  await writeFile(path.join(workspace, 'README.md'), '# A workspace of a test\n');
  const result = path.join(run, 'result.json');

  await installVsix(path.join(run, 'editor'), helper);
  const server = await startServer({
    run: path.join(run, 'editor'),
    workspace,
    // the extension is given to the window as the one under development: installed as well, it would run twice
    trusted: [workspace],
    hostTests: true,
    // tools are there only where the chat is, and no dialog opens in this suite
    settings: { 'chat.disableAIFeatures': false, 'chat.tools.global.autoApprove': true },
    env: { MM_HOST_TESTS_RESULT: result },
  });
  const remote = (file) => `vscode-remote://127.0.0.1:${server.port}${file}`;
  const payload = [
    ['extensionDevelopmentPath', remote(path.join(extensions, installed))],
    ['extensionTestsPath', remote(entry)],
    ['enableProposedApi', ''],
    ['skipWelcome', 'true'],
  ];
  const { chromium: browserType } = await import(
    pathToFileURL(path.join(root, 'node_modules/@playwright/test/index.mjs')).href
  );
  const browser = await browserType.launch({
    executablePath: chromium,
    args: ['--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost'],
  });
  try {
    const page = await browser.newPage();
    const { format } = await import('node:util');
    await page.exposeFunction('codeAutomationLog', (_type, args) => onLine(format(...args)));
    const code = await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error('the tests inside the extension host did not end within 5 minutes')),
        300_000,
      );
      page
        .exposeFunction('codeAutomationExit', (value) => {
          clearTimeout(timer);
          resolve(value);
        })
        .then(() =>
          page.goto(
            `${server.url}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(JSON.stringify(payload))}`,
          ),
        )
        .catch(reject);
    });
    const found = JSON.parse(await readFile(result, 'utf8').catch(() => '{"passes":[],"failures":[]}'));
    const failures = found.failures;
    if (code !== 0 && failures.length === 0)
      failures.push({ title: 'the extension host', error: `ended with code ${code} before the tests did` });
    return { passed: found.passes.length, failed: failures.length, failures };
  } finally {
    await browser.close();
    await server.stop();
  }
}
