/** npm, called from inside a script that may itself run under npm. Built-ins only: nothing is installed yet. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './paths.mjs';
import { mustRun } from './processes.mjs';
import { step } from './steps.mjs';

/** The environment without what an outer npm says about its own package; registry, proxy and cache settings stay. */
export function npmEnv(extra = {}) {
  const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', ...extra };
  for (const key of Object.keys(env)) {
    if (/^npm_(lifecycle|package)_|^npm_(command|execpath|node_execpath)$|^INIT_CWD$/i.test(key)) delete env[key];
    if (/^npm_config_(prefix|local_prefix|global_prefix|node_gyp|omit|include)$/i.test(key)) delete env[key];
  }
  return env;
}

/** How npm is called: by the running npm's own file where there is one, which also works on Windows. */
function npmCommand() {
  const own = process.env.npm_execpath;
  if (own && /npm-cli\.c?js$/.test(own) && existsSync(own)) return { command: process.execPath, first: [own] };
  return process.platform === 'win32' ? { command: 'npm.cmd', first: [], shell: true } : { command: 'npm', first: [] };
}

/** @param {string[]} args @param {{cwd?: string, env?: Record<string, string>, onOutput?: (text: string) => void}} options */
export async function npm(args, options = {}) {
  const { command, first, shell } = npmCommand();
  return mustRun(command, [...first, ...args], {
    cwd: options.cwd ?? root,
    env: npmEnv(options.env),
    shell,
    onOutput: options.onOutput,
  });
}

export const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev'];

/** Installs a package with its exact version into a folder of its own. */
export async function installInto(prefix, what, env = {}) {
  await mkdir(prefix, { recursive: true });
  const manifest = path.join(prefix, 'package.json');
  // with a package.json of its own npm does not look for one further up
  if (!existsSync(manifest)) await writeFile(manifest, '{"private":true}\n');
  await npm(['install', '--save-exact', ...quiet, what], { cwd: prefix, env });
}

/** npm writes this list as the last thing of an install: without it the folder is torn. */
export const installed = (folder) => existsSync(path.join(folder, 'node_modules/.package-lock.json'));

/** The version of the package in a folder; nothing where there is none. */
export async function versionOf(folder) {
  try {
    return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** True when node_modules holds the versions that the lock file names. npm writes its own list last, so a torn install is seen. */
export function dependenciesInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
    const found = JSON.parse(readFileSync(path.join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(
      ([name, p]) => name === '' || p.optional || p.link || found[name]?.version === p.version,
    );
  } catch {
    return false;
  }
}

/** Installs the project's own dependencies, exactly as locked, unless they are there. */
export async function ensureDependencies() {
  if (dependenciesInstalled()) return;
  await step('installing dependencies', () => npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund']));
}
