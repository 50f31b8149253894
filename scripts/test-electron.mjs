#!/usr/bin/env node
/**
 * `npm run test:electron`: the tests of the extension host in a desktop VS Code, for machines that can download one.
 * `npm test` runs the same tests in a served VS Code, which comes from npm.
 */
import './lib/node-version.mjs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from './lib/npm.mjs';
import { cache, root } from './lib/paths.mjs';
import { mustRun, StepError } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';

await main(async () => {
  await ensureDependencies();
  await step('building', () => mustRun(process.execPath, ['scripts/build.mjs', '--minify'], { cwd: root }));
  const { runTests } = await import('@vscode/test-electron');
  const work = await mkdtemp(path.join(os.tmpdir(), 'mm-electron-'));
  const result = path.join(work, 'result.json');
  const workspace = path.join(work, 'workspace');
  await mkdir(workspace);
  try {
    const code = await runTests({
      cachePath: path.join(cache, 'vscode-test'),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(root, 'test/vscode/support/host-runner.cjs'),
      extensionTestsEnv: { MM_HOST_TESTS_RESULT: result },
      launchArgs: [
        workspace,
        '--disable-extensions',
        '--disable-workspace-trust',
        '--user-data-dir',
        path.join(work, 'data'),
      ],
    }).catch((error) => {
      throw new StepError(
        `The desktop VS Code could not be run: ${error.message}\nIt is downloaded from its maker; where that is not possible, npm test runs the same tests in a VS Code from npm.`,
      );
    });
    const found = JSON.parse(await readFile(result, 'utf8').catch(() => '{"passes":[],"failures":[]}'));
    for (const failure of found.failures) console.log(`\n✗ ${failure.title}\n${failure.error}`);
    const failed = found.failures.length + (code !== 0 && found.failures.length === 0 ? 1 : 0);
    console.log(`\n${found.passes.length} passed, ${failed} failed`);
    return failed > 0 ? 1 : 0;
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});
