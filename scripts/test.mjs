#!/usr/bin/env node
/**
 * `npm test`: installs, builds, packs, and runs everything: unit and integration tests, tests inside a real VS Code's extension host, and
 * the stories in a real VS Code's window. The last line is `N passed, N failed`.
 *
 *   npm test -- [--only unit,integration,host,ui,interop] [-- words for the runner]
 *
 * `vscode` stands for host and ui. Interop (a real model, other people's client) runs only when named. A suite that cannot run is a failure, never a silence.
 */
import './lib/node-version.mjs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/npm.mjs';
import { root } from './lib/paths.mjs';
import { endWithUs, run, StepError } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';
import { Summary } from './lib/summary.mjs';

const all = ['unit', 'integration', 'host', 'ui'];
const groups = { vscode: ['host', 'ui'] };

function wanted() {
  const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
  const names = values.only?.split(',').flatMap((name) => groups[name] ?? [name]) ?? all;
  const unknown = names.find((name) => ![...all, 'interop'].includes(name));
  if (unknown) throw new StepError(`no suite "${unknown}"; there are ${[...all, 'vscode', 'interop'].join(', ')}`);
  return { names: new Set(names), rest: positionals };
}

await main(async () => {
  endWithUs();
  const { names, rest } = wanted();
  await ensureDependencies();
  const summary = new Summary();
  const results = path.join(root, 'test-results');
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const work = await realpath(await mkdtemp(path.join(os.tmpdir(), 'mm-test-')));
  try {
    const { packExtension } = await import('./package.mjs');
    // the tests run on what is shipped: the minified build, and for the editor the packed file itself
    const packed = await step('building and packing', () => packExtension()).catch((error) => {
      summary.broken('package', error);
      return undefined;
    });
    if (packed) {
      console.log(`  mm.vsix: ${(packed.bytes / 1024).toFixed(0)} kB`);
      summary.passed('package: under 2 MB', 1);
    }
    // the page is tested in a browser too, without an editor around it
    const chromium = ['integration', 'host', 'ui'].some((name) => names.has(name))
      ? await findChromium(summary)
      : undefined;
    for (const project of ['unit', 'integration', 'interop']) {
      if (names.has(project)) await summary.suite(project, () => vitest(project, results, rest));
    }
    if (names.has('host') || names.has('ui')) {
      const editor = await prepareEditor(work, packed, chromium, summary);
      if (names.has('host')) await summary.suite('inside the extension host', () => hostTests(work, editor));
      if (names.has('ui')) await summary.suite('in a VS Code window', () => uiTests(work, results, editor, rest));
    }
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return summary.print();
});

/** Runs one project of vitest and counts by its report. */
async function vitest(project, results, rest) {
  const report = path.join(results, `${project}.json`);
  const cli = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    cli,
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const ended = await run(process.execPath, [...args, ...rest], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const found = JSON.parse(await readFile(report, 'utf8').catch(() => 'null'));
  if (!found) throw new StepError(`vitest wrote no report (exit code ${ended.code})`);
  // a file that could not be loaded has no tests, but is a failed suite
  const unloaded = found.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return counted(found.numPassedTests, found.numFailedTests + unloaded, ended.code);
}

/** An exit code that says failure where the report does not counts as one: an unhandled error, for instance. */
function counted(passed, failed, code) {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/** A Chromium for every suite that wants one, under the names by which they look for it; nothing, with words, where none can be had. */
async function findChromium(summary) {
  const { ensureChromium } = await import('./chromium.mjs');
  try {
    const file = await ensureChromium();
    process.env.CHROMIUM = file;
    process.env.MM_CHROMIUM = file;
    return file;
  } catch (error) {
    summary.note(error);
    return undefined;
  }
}

/** Editor, browser and the packed extension installed; a reason in words where one of them cannot be had. */
async function prepareEditor(work, packed, chromium, summary) {
  try {
    if (!packed) throw new StepError('the extension could not be packed');
    const { ensureEditor } = await import('./vscode.mjs');
    const { installVsix } = await import('./lib/server.mjs');
    await ensureEditor().catch((error) => {
      throw new StepError(
        `${error.message}\nOn this machine "npm run test:electron" runs the tests of the extension host in a desktop VS Code.`,
        error.output,
      );
    });
    if (!chromium) throw new StepError('There is no Chromium to open VS Code in; see above.');
    const template = path.join(work, 'template');
    await step('installing the packed extension into VS Code', () => installVsix(template, packed.file));
    const helper = path.join(work, 'helper.vsix');
    const { packFolder } = await import('./package.mjs');
    await packFolder(path.join(root, 'test/vscode/helper'), helper, ['--skip-license']);
    // the editor's own chat takes requests only where there is a model, and most tests are of an editor without one
    const withModel = path.join(work, 'template-model');
    for (const file of [packed.file, helper]) await installVsix(withModel, file);
    return {
      chromium,
      extensions: path.join(template, 'extensions'),
      withModel: path.join(withModel, 'extensions'),
      helper,
    };
  } catch (error) {
    summary.note(error);
    return { error };
  }
}

async function hostTests(work, editor) {
  if (editor.error) throw editor.error;
  const { runHostTests } = await import('./lib/host-tests.mjs');
  const found = await runHostTests({
    run: path.join(work, 'host'),
    extensions: editor.extensions,
    helper: editor.helper,
    chromium: editor.chromium,
    // the workbench's own lines come the same way; mocha's are the indented ones
    onLine: (line) => /^\s{2,}\S/.test(line) && console.log(line),
  });
  for (const failure of found.failures) console.log(`\n✗ ${failure.title}\n${failure.error}`);
  return found;
}

async function uiTests(work, results, editor, rest) {
  if (editor.error) throw editor.error;
  const report = path.join(results, 'ui.json');
  const cli = path.join(root, 'node_modules/@playwright/test/cli.js');
  const ended = await run(process.execPath, [cli, 'test', '-c', 'test/vscode/playwright.config.ts', ...rest], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      CHROMIUM: editor.chromium,
      MM_TEST_EXTENSIONS: editor.extensions,
      MM_TEST_EXTENSIONS_MODEL: editor.withModel,
      MM_TEST_JSON: report,
      MM_TEST_RESULTS: results,
      TMPDIR: work,
    },
  });
  const found = JSON.parse(await readFile(report, 'utf8').catch(() => 'null'));
  if (!found) throw new StepError(`Playwright wrote no report (exit code ${ended.code})`);
  return counted(found.stats.expected + found.stats.flaky, found.stats.unexpected, ended.code);
}
