#!/usr/bin/env node
/**
 * A real VS Code without a desktop, from npm: code-server (server, web workbench and Node extension host) and the Node 24 that it needs,
 * both in the cache folder.
 *
 *   node scripts/vscode.mjs install      about a minute and 0.8 GB; does only what is missing
 *
 * No package's install script runs. Only two native modules are compiled, where there is a compiler: without them the editor writes no
 * log files. Layout: <cache>/vscode/node, <cache>/vscode/server.
 */
import { existsSync } from 'node:fs';
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lib/lock.mjs';
import { installNode, node24, nodeInstalled, nodeVersion, withNode24 } from './lib/node24.mjs';
import { installed, installInto, npm, quiet, versionOf } from './lib/npm.mjs';
import { cache } from './lib/paths.mjs';
import { mustRun, run, StepError } from './lib/processes.mjs';
import { main, step } from './lib/steps.mjs';

export const codeServerVersion = '4.139.1';

const home = path.join(cache, 'vscode');
const codeServer = path.join(home, 'server/node_modules/code-server');
const vscode = path.join(codeServer, 'lib/vscode');

/** The installed editor: its Node and the file that starts it. */
export const editor = {
  node: node24,
  entry: path.join(codeServer, 'out/node/entry.js'),
};

/** Why no editor can be installed here, in words; nothing where it can. */
export function whyNoEditor() {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `VS Code as a server can be installed from npm on Linux x64 only; this is ${process.platform} ${process.arch}.`;
}

const hasCompiler = async () => {
  for (const tool of ['g++', 'make', 'python3']) {
    const found = await run('sh', ['-c', `command -v ${tool}`]);
    if (found.code !== 0) return false;
  }
  return true;
};

/**
 * What an install consists of, in order. Each part knows whether it is done, so that a broken install goes on where it stopped.
 * @type {{title: string, done: () => boolean | Promise<boolean>, work: (note: (text: string) => void) => Promise<unknown>}[]}
 */
const parts = [
  {
    title: `Node ${nodeVersion} for the editor`,
    done: nodeInstalled,
    work: installNode,
  },
  {
    title: `code-server ${codeServerVersion}`,
    done: async () => installed(path.join(home, 'server')) && (await versionOf(codeServer)) === codeServerVersion,
    work: () => installInto(path.join(home, 'server'), `code-server@${codeServerVersion}`, withNode()),
  },
  {
    title: 'the editor’s own modules',
    done: () => installed(vscode),
    work: () => npm(['install', ...quiet], { cwd: vscode, env: withNode() }),
  },
  {
    title: 'the editor’s built-in extensions',
    // its own last step removes what the built-in extensions do not need of TypeScript
    done: () =>
      installed(path.join(vscode, 'extensions')) &&
      !existsSync(path.join(vscode, 'extensions/node_modules/typescript/lib/tsc.js')),
    work: async () => {
      const cwd = path.join(vscode, 'extensions');
      await npm(['install', ...quiet], { cwd, env: withNode() });
      await mustRun(editor.node, ['./postinstall.mjs'], { cwd });
    },
  },
  {
    title: 'the editor’s launchers',
    done: () => existsSync(path.join(vscode, 'bin/remote-cli/code-server')),
    work: async () => {
      await link('code-linux.sh', path.join(vscode, 'bin/remote-cli/code-server'));
      await link('browser-linux.sh', path.join(vscode, 'bin/helpers/browser.sh'));
    },
  },
  {
    title: 'native modules (for the editor’s log files)',
    done: async () =>
      existsSync(path.join(vscode, 'node_modules/@vscode/spdlog/build/Release/spdlog.node')) || !(await hasCompiler()),
    work: async () => {
      const gyp = await nodeGyp();
      for (const name of ['@vscode/spdlog', '@vscode/native-watchdog']) {
        const cwd = path.join(vscode, 'node_modules', name);
        await mustRun(editor.node, [gyp, 'rebuild'], { cwd, env: { ...process.env, ...withNode() } });
      }
    },
  },
];

/** Our Node, once it is there. */
const withNode = () => (existsSync(node24) ? withNode24() : {});

async function nodeGyp() {
  const found = await mustRun('sh', ['-c', 'readlink -f "$(command -v npm)"']);
  const gyp = path.join(path.dirname(found.output.trim()), '../node_modules/node-gyp/bin/node-gyp.js');
  if (!existsSync(gyp)) throw new StepError(`npm has no node-gyp at ${gyp}`);
  return gyp;
}

async function link(target, file) {
  if (!existsSync(path.join(path.dirname(file), target))) return;
  if ((await readlink(file).catch(() => undefined)) === target) return;
  await rm(file, { force: true });
  await symlink(target, file);
}

/** Installs what is missing. Two calls at the same time wait for each other. */
export async function ensureEditor() {
  const why = whyNoEditor();
  if (why) throw new StepError(why);
  await mkdir(home, { recursive: true });
  await withLock(path.join(home, '.lock'), async () => {
    for (const part of parts) {
      if (await part.done()) continue;
      await step(`installing ${part.title}`, async (note) => {
        try {
          await part.work(note);
        } catch (error) {
          // without log files the editor is as good
          if (part === parts.at(-1)) console.log(`  not built, the editor will write no log files: ${error.message}`);
          else throw error;
        }
      });
    }
  });
  return editor;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (process.argv[2] !== 'install') {
      console.error('usage: node scripts/vscode.mjs install');
      return 2;
    }
    await ensureEditor();
    const shown = editor.entry.replace(os.homedir(), '~');
    console.log(`VS Code is installed: ${shown}`);
    return 0;
  });
}
