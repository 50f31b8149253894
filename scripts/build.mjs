#!/usr/bin/env node
/**
 * Makes dist/: the extension with the JSON Schema of `mm.yaml`, `mm` and the pages.
 *
 *   node scripts/build.mjs [extension] [mm] [webview] [--minify] [--watch] [--sizes]
 *
 * Without a name all three are made. `--minify` is what the package gets (no source maps). `--sizes` prints what is in each file.
 * Types are not checked here (that is `npm run lint`), so that a build takes well under a second.
 */
import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { analyzeMetafile, build, context } from 'esbuild';
import { lightBuiltins, oneStartFile, requireShim } from './lib/fast-start.mjs';
import { root } from './lib/paths.mjs';
import { writeSchema } from './lib/schema.mjs';

const args = process.argv.slice(2);
const flags = new Set(args.filter((a) => a.startsWith('--')));
const names = args.filter((a) => !a.startsWith('--'));
const minify = flags.has('--minify');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify,
  sourcemap: minify ? false : 'linked',
  sourcesContent: false,
  metafile: true,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  define: { 'process.env.MM_BUILD': JSON.stringify(minify ? 'package' : 'development') },
};

/** Node 20 is the oldest that runs us; the editor's own is newer. `module` first, so that unused parts of libraries fall away. */
const onNode = { ...common, platform: 'node', target: 'node20', mainFields: ['module', 'main'] };

/** `mm` is ES modules, so that what a mode does not need is not even read. */
async function mmBanner() {
  const hasShebang = (await readFile(`${root}/src/mm.ts`, 'utf8')).startsWith('#!');
  return hasShebang ? requireShim : `#!/usr/bin/env node\n${requireShim}`;
}

/** @type {Record<string, () => Promise<import('esbuild').BuildOptions>>} */
const targets = {
  extension: async () => ({
    ...onNode,
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    external: ['vscode'],
  }),
  mm: async () => ({
    ...onNode,
    entryPoints: { mm: 'src/mm.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'mm/[name]-[hash]',
    format: 'esm',
    splitting: true,
    banner: { js: await mmBanner() },
    // the library's build for Node is CommonJS, which takes 10 ms more to load
    alias: { yaml: path.join(root, 'node_modules/yaml/browser/dist/index.js') },
    plugins: [lightBuiltins, oneStartFile(path.join(root, 'src/cli/acp.ts'))],
  }),
  webview: async () => ({
    ...common,
    platform: 'browser',
    target: 'es2022',
    // a script and a style sheet of the same name, so they are given as two entries of one build
    entryPoints: [
      { in: 'webview/chat/main.ts', out: 'chat' },
      { in: 'webview/chat/chat.css', out: 'chat' },
      { in: 'webview/asks/main.ts', out: 'asks' },
      { in: 'webview/asks/asks.css', out: 'asks' },
      { in: 'webview/agents/main.ts', out: 'agents' },
      { in: 'webview/agents/agents.css', out: 'agents' },
      { in: 'webview/details/main.ts', out: 'details' },
    ],
    outdir: 'dist/webview',
    assetNames: '[name]',
    format: 'iife',
    loader: { '.svg': 'text', '.ttf': 'file', '.woff2': 'file' },
  }),
};

const unknown = names.filter((n) => !(n in targets));
if (unknown.length > 0) {
  console.error(`build: no target "${unknown[0]}"; there are ${Object.keys(targets).join(', ')}`);
  process.exit(2);
}
const wanted = names.length > 0 ? names : Object.keys(targets);
const started = performance.now();

if (flags.has('--watch')) {
  for (const name of wanted) await (await context(await targets[name]())).watch();
  console.log(`watching ${wanted.join(', ')}; Ctrl-C ends`);
} else {
  const results = await Promise.allSettled(wanted.map(async (name) => build(await targets[name]())));
  const failed = results.filter((r) => r.status === 'rejected');
  // esbuild has already printed its own errors, with file and line
  for (const f of failed) if (!f.reason?.errors) console.error(f.reason);
  for (const r of results) if (r.status === 'fulfilled') await report(r.value.metafile);
  if (failed.length > 0) process.exit(1);
  const made = results.flatMap((r) => (r.status === 'fulfilled' ? Object.keys(r.value.metafile.outputs) : []));
  if (names.length === 0) await removeOthers('dist', made);
  else if (wanted.includes('mm')) await removeOthers('dist/mm', made);
  if (wanted.includes('extension')) await writeSchema(root, path.join(root, 'dist/mm.schema.json'));
  if (wanted.includes('mm')) await chmod(`${root}/dist/mm.mjs`, 0o755);
  console.log(`built ${wanted.join(', ')} in ${Math.round(performance.now() - started)} ms`);
}

/**
 * Names of chunks carry a hash: what an earlier build left behind must not travel in the package. It goes after the new files are there,
 * so that nobody who uses dist/ meanwhile finds it empty.
 */
async function removeOthers(folder, made) {
  const keep = new Set(made);
  const found = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of found) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && !keep.has(path.relative(root, file).split(path.sep).join('/')))
      await rm(file, { force: true });
  }
}

/** One line per file; the many chunks of `mm` are one line, unless --sizes wants to see them. */
async function report(metafile) {
  const row = (bytes, name) => console.log(`  ${(bytes / 1024).toFixed(1).padStart(7)} kB  ${name}`);
  const files = Object.entries(metafile.outputs).filter(([file]) => !file.endsWith('.map'));
  const chunks = files.filter(([file]) => file.startsWith('dist/mm/'));
  for (const [file, output] of files) if (!chunks.some(([chunk]) => chunk === file)) row(output.bytes, file);
  if (chunks.length > 0) {
    row(
      chunks.reduce((sum, [, output]) => sum + output.bytes, 0),
      `dist/mm/* (${chunks.length} chunks, read when needed)`,
    );
  }
  if (flags.has('--sizes')) console.log(await analyzeMetafile(metafile));
}
