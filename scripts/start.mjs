#!/usr/bin/env node
/**
 * `npm start`: installs, builds and opens the extension on a demo workspace with three agents.
 *
 *   npm start -- [--small-model] [--port N] [--no-open] [--workspace DIR] [--config FILE]
 *
 *   --small-model     the agents answer with a real model of 135M parameters instead of the demo's rules
 *   --port N          serve the editor on this port of 127.0.0.1 (default 18080, or a free one when that is taken)
 *   --no-open         open no window and no browser
 *   --workspace DIR   open this folder instead of the demo's; it is not trusted beforehand
 *   --config FILE     use this mm.yaml
 *
 * With `code` on the PATH a desktop VS Code opens; --port or --no-open ask for a served one. Ctrl-C ends everything that was started.
 */
import './lib/node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { onPath } from './lib/find.mjs';
import { ensureDependencies } from './lib/npm.mjs';
import { cache, root } from './lib/paths.mjs';
import { endAll, endWithUs, run, StepError, start } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';
import { whyNoEditor } from './vscode.mjs';

const usage = 'usage: npm start -- [--small-model] [--port N] [--no-open] [--workspace DIR] [--config FILE]';

function options() {
  try {
    const { values } = parseArgs({
      options: {
        'small-model': { type: 'boolean', default: false },
        port: { type: 'string' },
        'no-open': { type: 'boolean', default: false },
        workspace: { type: 'string' },
        config: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536)) {
      throw new Error(`--port wants a number from 0 to 65535, not "${values.port}"`);
    }
    if (values.config && values['small-model'])
      throw new Error('--config and --small-model each name a configuration: give one');
    return { ...values, port };
  } catch (error) {
    throw new StepError(`${error.message}\n${usage}`);
  }
}

/** A folder given by the person, or the demo's: a copy, so that what an agent writes does not land in the repository. */
async function workspaceFolder(given) {
  if (given) {
    const folder = path.resolve(given);
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw new StepError(`--workspace ${given}: there is no such folder.`);
    return { folder, ours: false };
  }
  const folder = path.join(cache, 'demo/workspace');
  await mkdir(path.dirname(folder), { recursive: true });
  await cp(path.join(root, 'media/demo/workspace'), folder, { recursive: true, force: false });
  return { folder, ours: true };
}

async function configFile(given) {
  if (!given) return undefined;
  const file = path.resolve(given);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new StepError(`--config ${given}: there is no such file.`);
  return file;
}

/** Starts the small model and writes the three agents' files for it. */
async function onSmallModel() {
  const { smallModelConfigs, startSmallModel } = await import('./small-model.mjs');
  const model = await startSmallModel({ template: 'tools' });
  const folder = path.join(cache, 'demo/small-model');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(smallModelConfigs(model.url)))
    await writeFile(path.join(folder, name), text);
  return path.join(folder, 'mm.yaml');
}

/** A desktop VS Code in a window of its own. It is the person's program: it asks them for trust itself, and outlives us. */
async function openDesktop(code, workspace, config) {
  const env = { ...process.env };
  // the demo is what was asked for, also where the person has an mm.yaml of their own
  env.MM_CONFIG = config ?? path.join(root, 'media/demo/mm.yaml');
  const args = ['--new-window', `--extensionDevelopmentPath=${root}`, workspace.folder];
  console.log(`Opening VS Code on ${workspace.folder}`);
  if (workspace.ours) console.log('VS Code asks whether you trust this folder: "Yes" lets the agents start.');
  // A batch file on Windows needs a shell, and then quotes. Not in a group of ours: what it leaves behind is the person's editor.
  const windows = process.platform === 'win32';
  const child = spawn(windows ? `"${code}"` : code, windows ? args.map((a) => `"${a}"`) : args, {
    env,
    shell: windows,
    stdio: 'inherit',
  });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new StepError(`${code} ended with exit code ${exitCode}.`);
}

/** A VS Code served on 127.0.0.1, with the packed extension in it. */
async function serve(o, workspace, config) {
  const { ensureEditor } = await import('./vscode.mjs');
  const { freePort, installVsix, startServer } = await import('./lib/server.mjs');
  const { packExtension } = await import('./package.mjs');
  await ensureEditor();
  const { file } = await step('packing the extension', () => packExtension());
  const runFolder = path.join(cache, 'demo/editor');
  const server = await step('starting VS Code', async () => {
    // the settings of an earlier start must not name a configuration that this one does not
    await rm(path.join(runFolder, 'user-data/Machine/settings.json'), { force: true });
    await installVsix(runFolder, file);
    const settings = { 'workbench.secondarySideBar.defaultVisibility': 'visible' };
    const machineSettings = config ? { 'mm.config': config } : {};
    const common = {
      run: runFolder,
      workspace: workspace.folder,
      trusted: workspace.ours ? [workspace.folder] : [],
      view: 'workbench.view.extension.mm',
      settings,
      machineSettings,
    };
    if (o.port !== undefined) return startServer({ ...common, port: o.port });
    return startServer({ ...common, port: 18080 }).catch(async (error) => {
      if (!/in use/.test(error.message)) throw error;
      return startServer({ ...common, port: await freePort() });
    });
  });
  const address = `${server.url}/?folder=${encodeURIComponent(workspace.folder)}`;
  console.log(`\nVS Code is at ${server.url}\nCtrl-C ends it.`);
  if (!o['no-open']) openBrowser(address);
  return server;
}

/** Opens the person's browser where there is one; where there is none the printed address is enough. */
function openBrowser(address) {
  const opener =
    process.platform === 'darwin'
      ? 'open'
      : process.env.DISPLAY || process.env.WAYLAND_DISPLAY
        ? 'xdg-open'
        : undefined;
  if (!opener) return;
  const child = start(opener, [address], { stdio: 'ignore' });
  child.on('error', () => console.log('No browser could be opened; open the address yourself.'));
}

await main(async () => {
  const o = options();
  if (o.help) {
    console.log(
      (await readFile(new URL(import.meta.url), 'utf8'))
        .match(/\/\*\*([\s\S]*?)\*\//)[1]
        .replace(/^ \* ?/gm, '')
        .trim(),
    );
    return 0;
  }
  const code = o['no-open'] || o.port !== undefined ? undefined : onPath('code');
  const why = code ? undefined : whyNoEditor();
  if (why) {
    throw new StepError(
      `${why}\nInstall VS Code so that its command "code" is on the PATH (in VS Code: "Shell Command: Install 'code' command in PATH"), and run npm start again.`,
    );
  }
  let server;
  let stopping = false;
  endWithUs(() => {
    stopping = true;
    return server?.stop();
  });
  const workspace = await workspaceFolder(o.workspace);
  await ensureDependencies();
  const config = o['small-model'] ? await onSmallModel() : await configFile(o.config);

  if (code) {
    await step('building', () =>
      run(process.execPath, ['scripts/build.mjs'], { cwd: root }).then((ended) => {
        if (ended.code !== 0) throw new StepError('The build failed.', ended.output);
      }),
    );
    await openDesktop(code, workspace, config);
    if (!o['small-model']) return 0;
    console.log('The model serves until Ctrl-C.');
    return new Promise(() => {});
  }
  server = await serve(o, workspace, config);
  return new Promise((resolve) => {
    server.exited.once('exit', () => {
      if (stopping) return;
      console.error(`VS Code ended by itself; its last words are in ${server.logFile}`);
      void server
        .stop()
        .then(endAll)
        .then(() => resolve(1));
    });
  });
});
