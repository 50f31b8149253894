import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test as base, expect } from '@playwright/test';
import { startServer } from '../../../scripts/lib/server.mjs';
import { Editor } from './editor';
import { leftAfter } from './processes';

export interface EditorOptions {
  /** Files of the workspace, by path; on top of a small README. */
  files: Record<string, string>;
  /** True: the person has trusted this folder before. False: it opens in Restricted Mode. */
  trusted: boolean;
  settings: Record<string, unknown>;
  machineSettings: Record<string, unknown>;
  /** The editor has a model, by test/vscode/helper, and its own chat is on. */
  model: boolean;
}

/**
 * `editor`: a VS Code with the packed extension on a workspace of its own, ended after the test, which fails when any process of it
 * is left 5 s later (design, section 11).
 */
export const test = base.extend<EditorOptions & { editor: Editor }>({
  files: [{}, { option: true }],
  trusted: [true, { option: true }],
  settings: [{}, { option: true }],
  machineSettings: [{}, { option: true }],
  model: [false, { option: true }],

  editor: async ({ page, files, trusted, settings, machineSettings, model }, use, info) => {
    const extensions = model ? process.env.MM_TEST_EXTENSIONS_MODEL : process.env.MM_TEST_EXTENSIONS;
    if (!extensions) throw new Error('run these by `npm run test:vscode`: it packs and installs the extension first');
    const run = await realpath(await mkdtemp(path.join(os.tmpdir(), 'mm-vscode-')));
    const workspace = path.join(run, 'workspace');
    await writeFiles(workspace, { 'README.md': '# A workspace of a test\n', ...files });

    const server = await startServer({
      run: path.join(run, 'editor'),
      workspace,
      extensions,
      trusted: trusted ? [workspace] : [],
      view: 'workbench.view.extension.mm',
      settings: {
        'workbench.secondarySideBar.defaultVisibility': 'visible',
        // what no story needs and every start would pay for
        'extensions.webWorker': false,
        'git.enabled': false,
        ...(model ? { 'chat.disableAIFeatures': false } : {}),
        ...settings,
      },
      machineSettings,
    });
    const editor = new Editor(page, server, workspace);
    try {
      await use(editor);
    } finally {
      if (info.status !== info.expectedStatus) await keepLogs(info.outputPath('logs'), path.join(run, 'editor'));
      await server.stop();
      const left = await leftAfter(run, 5000);
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      await rm(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      expect(left, 'processes left after the editor ended').toEqual([]);
    }
  },
});

export { expect };

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function keepLogs(to: string, run: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await cp(path.join(run, 'user-data/logs'), path.join(to, 'logs'), { recursive: true }).catch(() => {});
  await writeFile(path.join(to, 'server.log'), await readFile(path.join(run, 'server.log'), 'utf8').catch(() => ''));
}
