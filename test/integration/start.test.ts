import { spawn } from 'node:child_process';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { copyProject } from '../support/project-copy';

/** `npm start` where `code` is on the PATH. The stand-in writes down how it was called; no desktop VS Code takes part. */

let project: Awaited<ReturnType<typeof copyProject>>;
let bin: string;
let called: string;

beforeAll(async () => {
  project = await copyProject();
  bin = path.join(project.folder, 'bin');
  called = path.join(project.folder, 'called');
  await mkdir(bin);
  const code = path.join(bin, 'code');
  await writeFile(
    code,
    `#!/bin/sh\nfor a in "$@"; do echo "$a"; done > ${called}\necho "MM_CONFIG=$MM_CONFIG" >> ${called}\n`,
  );
  await chmod(code, 0o755);
});

afterAll(() => project.remove());

function start(...args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}`, MM_CACHE: project.cache };
    const child = spawn(process.execPath, [path.join(project.folder, 'scripts/start.mjs'), ...args], { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

test('opens a desktop VS Code in development mode on a copy of the demo’s folder, with the demo’s agents', async () => {
  const { code, output } = await start();
  await access(path.join(project.folder, 'dist/extension.cjs'));
  expect(code).toBe(0);
  const demo = path.join(project.cache, 'demo/workspace');
  expect((await readFile(called, 'utf8')).trim().split('\n')).toEqual([
    '--new-window',
    `--extensionDevelopmentPath=${project.folder}`,
    demo,
    `MM_CONFIG=${path.join(project.folder, 'media/demo/mm.yaml')}`,
  ]);
  expect(await readFile(path.join(demo, 'README.md'), 'utf8')).toContain('/ask-bob');
  // the trust of a desktop editor is the person's to give
  expect(output).toContain('trust');
});

test('--workspace and --config pass through', async () => {
  const config = path.join(project.folder, 'media/demo/riker.yaml');
  const { code } = await start('--workspace', bin, '--config', config);
  expect(code).toBe(0);
  const lines = (await readFile(called, 'utf8')).trim().split('\n');
  expect(lines).toContain(bin);
  expect(lines).toContain(`MM_CONFIG=${config}`);
});

test.each([
  [['--port', 'x'], '--port wants a number from 0 to 65535, not "x"'],
  [['--workspace', '/does/not/exist'], 'there is no such folder'],
  [['--config', '/does/not/exist.yaml'], 'there is no such file'],
  [['--no-such-option'], 'usage: npm start'],
])('%j is refused in words', async (args, words) => {
  const { code, output } = await start(...args);
  expect(code).toBe(1);
  expect(output).toContain(words);
  expect(output).not.toMatch(/^\s+at .*\.mjs/m);
});

test.skipIf(process.platform === 'win32')('a killed npm leaves nothing behind', async () => {
  const library = path.join(project.folder, 'scripts/lib/processes.mjs');
  const script = path.join(project.folder, 'long.mjs');
  await writeFile(
    script,
    `import { endWithUs, start } from ${JSON.stringify(library)};
endWithUs();
console.log('pids', process.pid, start('sleep', ['600']).pid);
setInterval(() => {}, 1000);
`,
  );
  const npm = spawn('sh', ['-c', '"$0" "$1"; true', process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids = await new Promise<number[]>((resolve) => {
    npm.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.match(/\d+/g)!.map(Number)));
  });
  expect(pids).toHaveLength(2);
  npm.kill('SIGKILL');
  const living = () =>
    pids.filter((pid) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    });
  await vi.waitFor(() => expect(living()).toEqual([]), { timeout: 10_000, interval: 100 });
});
