/** One running editor: a code-server on 127.0.0.1 with data folders of its own, ended as a process group. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { editor } from '../vscode.mjs';
import { startFront } from './front.mjs';
import { end, mustRun, StepError, start } from './processes.mjs';

/** Settings that keep an editor quiet: nothing asks the outside, nothing opens by itself. */
export const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'git.openRepositoryInParentFolders': 'never',
  'window.commandCenter': false,
  // the built-in chat would stand in the same side bar and want somebody to sign in
  'chat.disableAIFeatures': true,
};

/**
 * The environment of an editor: its own home, no extension gallery, and nothing of what is meant for `mm` by whoever calls us.
 * @param {string} run
 */
function editorEnv(run, extra = {}) {
  const env = { ...process.env };
  for (const key of Object.keys(env))
    if (/^(MM_|AGENT_|VSCODE_|ELECTRON_|npm_)|^NODE_OPTIONS$/.test(key)) delete env[key];
  const home = path.join(run, 'home');
  return {
    ...env,
    EXTENSIONS_GALLERY: '{}',
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_STATE_HOME: path.join(home, '.local/state'),
    PATH: `${path.dirname(editor.node)}${path.delimiter}${process.env.PATH ?? ''}`,
    ...extra,
  };
}

const folders = (run, extensions = path.join(run, 'extensions')) => [
  '--user-data-dir',
  path.join(run, 'user-data'),
  '--extensions-dir',
  extensions,
];

async function makeFolders(run) {
  for (const name of ['user-data/User', 'user-data/Machine', 'extensions', 'home'])
    await mkdir(path.join(run, name), { recursive: true });
}

/** Installs a packed extension into a run folder, about 2 s. */
export async function installVsix(run, vsix) {
  await makeFolders(run);
  await mustRun(editor.node, [editor.entry, ...folders(run), '--install-extension', vsix, '--force'], {
    env: editorEnv(run),
  });
}

/** A port of 127.0.0.1 that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Starts an editor and waits until it answers.
 * @param {object} o
 * @param {string} o.run folder of this editor's data; what is in it stays
 * @param {string} o.workspace the folder that a plain address opens
 * @param {number} [o.port] 0 or nothing: a free one
 * @param {string[]} [o.trusted] folders that a page trusts when it comes for the first time; trust itself stays on
 * @param {string} [o.view] id of the view container that the secondary side bar shows at first in the trusted folders
 * @param {Record<string, unknown>} [o.settings] user settings, on top of the quiet ones
 * @param {Record<string, unknown>} [o.machineSettings] settings of scope `machine`, which a served editor reads from another file
 * @param {string} [o.extensions] folder of the installed extensions, when several runs share one
 * @param {Record<string, string>} [o.env]
 * @param {boolean} [o.hostTests] the driver that lets tests run inside the extension host (it shows no notifications)
 */
export async function startServer(o) {
  await makeFolders(o.run);
  const settings = async (where, values) => {
    const file = path.join(o.run, 'user-data', where, 'settings.json');
    const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
    await writeFile(
      file,
      `${JSON.stringify({ ...before, ...values }, null, 2)}
`,
    );
  };
  await settings('User', { ...quietSettings, ...o.settings });
  await settings('Machine', o.machineSettings ?? {});

  // sockets in a short folder of their own: the name of a socket may have 107 characters
  const sockets = await mkdtemp(path.join(os.tmpdir(), 'mm-'));
  const socket = path.join(sockets, 'http');
  const args = [editor.entry, '--socket', socket, '--auth', 'none', '--disable-telemetry', '--disable-update-check'];
  args.push(
    '--disable-getting-started-override',
    '--session-socket',
    path.join(sockets, 'session'),
    ...folders(o.run, o.extensions),
  );
  // extension hosts of closed pages end soon, and their agents with them
  args.push('--reconnection-grace-time', '5');
  if (o.hostTests) args.push('--vscode-option', 'enable-smoke-test-driver');
  args.push('--ignore-last-opened', o.workspace);

  const child = start(editor.node, args, { env: editorEnv(o.run, o.env), cwd: o.workspace });
  const logFile = path.join(o.run, 'server.log');
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });

  let front;
  const stop = async () => {
    front?.close();
    await end(child);
    log.end();
    await rm(sockets, { recursive: true, force: true });
  };
  try {
    await answering(socket, child, logFile);
    front = await startFront({ socket, port: o.port ?? 0, trusted: o.trusted ?? [], view: o.view });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${front.port}`,
    port: front.port,
    pid: child.pid,
    logFile,
    run: o.run,
    stop,
    exited: child,
  };
}

/** Waits until the editor answers on its socket; its end before that is an error with its last words. */
async function answering(socket, child, logFile) {
  const { get } = await import('node:http');
  const asks = () =>
    new Promise((resolve) => {
      const request = get({ socketPath: socket, path: '/healthz', timeout: 2000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(false));
    });
  for (let i = 0; i < 600; i++) {
    if (await asks()) return;
    if (child.exitCode !== null || child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new StepError('the editor did not start', await readFile(logFile, 'utf8').catch(() => ''));
}
