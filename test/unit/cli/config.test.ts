import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownConfig } from '../../../src/cli/config';
import { approvalOf } from '../../../src/config/approval';
import { userConfigFile } from '../../../src/config/find';

/** Design, section 10, in a shell with nobody to ask. */
let folder: string;
let env: NodeJS.ProcessEnv;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mm-own-')));
  env = { HOME: folder, USERPROFILE: folder, APPDATA: at('config'), XDG_CONFIG_HOME: at('config') };
  mkdirSync(at('.mm'));
  writeFileSync(at('.mm/mm.yaml'), 'provider: demo\nmmConfigs: {bob: {path: bob.yaml}}\n');
  writeFileSync(at('.mm/bob.yaml'), 'provider: demo\n');
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});
async function allow(): Promise<void> {
  const store = join(userConfigFile({ env, home: folder, platform: process.platform }), '..', 'approved.json');
  mkdirSync(join(store, '..'), { recursive: true });
  writeFileSync(store, JSON.stringify([(await approvalOf(at('.mm/mm.yaml'), env)).hash]));
}
const own = (flag?: string) => ownConfig({ flag, env, demo: at('demo.yaml'), mayAsk: false });

// On macOS the person's folder does not come from the environment.
describe.runIf(process.platform !== 'darwin')('the configuration of a shell', () => {
  it('a folder’s file that nobody allowed is not used', async () => {
    await expect(own()).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('was not used') });
  });

  it('one that was allowed is used as it was allowed, with all that it names', async () => {
    await allow();
    const config = await own();
    const { pins } = config;
    expect(pins?.allows(config.file, config.hash)).toBe(true);
    expect(pins?.allows(at('.mm/bob.yaml'), 'another')).toBe(false);
    expect(config.mmConfigs.get('bob')).toHaveProperty('pins', pins);
    writeFileSync(at('.mm/bob.yaml'), 'provider: demo\nmmConfigs: {worse: {command: rm}}\n');
    await expect(own()).rejects.toMatchObject({ exitCode: 2 });
  });

  it('what was named with -config needs no leave and has no pins', async () => {
    expect(await own('.mm/mm.yaml')).not.toHaveProperty('pins');
  });
});
