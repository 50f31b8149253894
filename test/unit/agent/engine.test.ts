import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine, inWords, readMeta } from '../../../src/agent/engine';
import { launcherText, writeLauncher } from '../../../src/agent/launcher';
import { UserError } from '../../../src/base/errors';
import type { MmConfig } from '../../../src/config/types';

describe('rule 3: the depth of a session', () => {
  it('is what session/new says, else the environment’s; anything but 0 or 1 counts as 2', () => {
    const depth = (meta: unknown, env?: string) =>
      readMeta(meta as object, env === undefined ? {} : { MM_ASK_DEPTH: env }).depth;
    expect(depth({})).toBe(0);
    expect(depth({}, '1')).toBe(1);
    expect(depth({}, 'x')).toBe(2);
    expect(depth({ askDepth: 1 }, '0')).toBe(1);
    expect(depth({ askDepth: 0 }, '2')).toBe(0);
    for (const odd of [2, 3, -1, 1.5, '1', null, true, {}]) expect(depth({ askDepth: odd })).toBe(2);
  });

  it('takes of a chain only what is one', () => {
    const { chain } = readMeta({ chain: [{ name: 'a', id: 'x', path: '/secret' }, { name: 5 }, null] as never }, {});
    expect(chain).toEqual([{ name: 'a', id: 'x' }]);
    expect(readMeta({ chain: 'no' as never }, {}).chain).toEqual([]);
  });
});

describe('errors for a client', () => {
  it('have the hint in the message, since most clients show only that', () => {
    const error = inWords(new UserError('It broke', { hint: 'Mend it.', detail: 'line 2' })) as Error & {
      data: unknown;
    };
    expect(error.message).toBe('It broke. Mend it.');
    expect(error.data).toEqual({ details: 'line 2' });
    expect(inWords('text').message).toBe('text');
  });
});

describe('initialize', () => {
  const engine = (config: () => Promise<MmConfig>) =>
    new Engine({ version: '1', env: {}, config, deps: () => ({}) as never });

  it('names provider and model only where there are both', async () => {
    const config = (provider: string, model: string) => async () => ({ provider, model, acp: {} }) as MmConfig;
    const meta = async (provider: string, model: string) =>
      (await engine(config(provider, model)).initialize()).agentCapabilities?._meta;
    expect(await meta('ollama', 'm')).toEqual({ mm: { exchange: true, provider: 'ollama', model: 'm' } });
    expect(await meta('', '')).toEqual({ mm: { exchange: true } });
  });

  it('has to come first', async () => {
    await expect(engine(async () => ({}) as MmConfig).open({ cwd: '/' })).rejects.toMatchObject({ code: -32600 });
  });
});

describe('the launcher (rule 13)', () => {
  it('survives odd paths and runs Electron as Node', () => {
    const self = { command: "/a b/it's", args: ['/c/mm.mjs'], electron: true };
    expect(launcherText(self, 'linux')).toBe(
      `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec '/a b/it'\\''s' '/c/mm.mjs' "$@"\n`,
    );
    expect(launcherText({ ...self, command: 'C:\\100%\\x.exe' }, 'win32')).toBe(
      '@echo off\r\nsetlocal\r\nset ELECTRON_RUN_AS_NODE=1\r\n"C:\\100%%\\x.exe" "/c/mm.mjs" %*\r\n',
    );
  });

  it('is written once, for the user alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mm-launcher-'));
    try {
      const self = { command: '/node', args: ['/mm.mjs'], electron: false };
      const file = await writeLauncher(self, { XDG_CACHE_HOME: folder }, 'linux');
      expect(await readFile(file, 'utf8')).toContain('/mm.mjs');
      expect((await stat(file)).mode & 0o777).toBe(0o700);
      const before = (await stat(file)).mtimeMs;
      expect(await writeLauncher(self, { XDG_CACHE_HOME: folder }, 'linux')).toBe(file);
      expect((await stat(file)).mtimeMs).toBe(before);
      expect(await writeLauncher({ ...self, electron: true }, { XDG_CACHE_HOME: folder }, 'linux')).not.toBe(file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
