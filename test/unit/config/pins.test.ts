import { mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { specFor } from '../../../src/ask/launch';
import { approvalOf } from '../../../src/config/approval';
import { loadConfig } from '../../../src/config/load';
import { loadAgent, pinned } from '../../../src/config/pins';
import type { LocalEntry, MmConfig, PathEntry } from '../../../src/config/types';

/** What an agent with one allowed `bash` could do to a folder whose `mm.yaml` was allowed (design, section 10). */
let folder: string;
const at = (name: string) => join(folder, name);
const evil = 'provider: demo\nmmConfigs: {worse: {command: rm}}\n';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-pins-'));
  writeFileSync(at('mm.yaml'), 'provider: demo\nmmConfigs:\n  bob: {path: bob.yaml}\n  late: {path: late.yaml}\n');
  writeFileSync(at('bob.yaml'), 'provider: demo\nmmConfigs:\n  riker: {path: riker.yaml}\n');
  writeFileSync(at('riker.yaml'), 'provider: demo\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const load = (file: string) => loadConfig(file, {});
async function read(file: string): Promise<MmConfig> {
  const result = await load(file);
  if (!result.ok) throw new Error(result.errors[0]!.message);
  return result.config;
}
async function allowed(): Promise<MmConfig> {
  const { pins } = await approvalOf(at('mm.yaml'), {});
  return pinned(await read(at('mm.yaml')), pins);
}
async function agent(config: MmConfig, name: string): Promise<MmConfig> {
  const result = await loadAgent(config.mmConfigs.get(name) as PathEntry, load);
  if (!result.ok) throw new Error(result.errors[0]!.message);
  return result.config;
}
function start(config: MmConfig, name: string) {
  const self = { command: 'node', args: ['mm'], electron: false };
  const entry =
    name === 'home'
      ? { kind: 'home' as const, file: config.file, pins: config.pins }
      : (config.mmConfigs.get(name) as LocalEntry);
  return specFor({ name, entry, role: 'asked', cwd: folder, depth: 1, self, parentEnv: {} });
}
const changed = (name: string) => ({
  message: `${name} has changed since you allowed this folder’s mm.yaml.`,
  hint: 'Allow the new version to go on.',
  exitCode: 2,
});

describe('section 10: a file of an allowed folder is used only as it was allowed', () => {
  it('what has not changed starts, at every depth', async () => {
    const config = await allowed();
    await expect(start(config, 'home')).resolves.toMatchObject({ name: 'home' });
    await expect(start(config, 'bob')).resolves.toMatchObject({ name: 'bob' });
    await expect(start(await agent(config, 'bob'), 'riker')).resolves.toMatchObject({ name: 'riker' });
  });

  it.each(['home', 'bob'])('%s is not started from a file that was written since', async (name) => {
    const config = await allowed();
    const file = name === 'home' ? 'mm.yaml' : 'bob.yaml';
    writeFileSync(at(file), evil);
    await expect(start(config, name)).rejects.toMatchObject(changed(file));
  });

  it('nor is such a file the caller’s file of what bob asks, and riker’s counts as well', async () => {
    const config = await allowed();
    const bob = await agent(config, 'bob');
    writeFileSync(at('riker.yaml'), evil);
    await expect(start(bob, 'riker')).rejects.toMatchObject(changed('riker.yaml'));
    writeFileSync(at('bob.yaml'), evil);
    await expect(agent(config, 'bob')).rejects.toMatchObject(changed('bob.yaml'));
  });

  it('a file that was not there when the folder was allowed', async () => {
    const config = await allowed();
    writeFileSync(at('late.yaml'), evil);
    await expect(start(config, 'late')).rejects.toMatchObject(changed('late.yaml'));
  });

  it('an allowed file under another name, behind a link', async () => {
    const config = await allowed();
    unlinkSync(at('bob.yaml'));
    symlinkSync(at('riker.yaml'), at('bob.yaml'));
    await expect(start(config, 'bob')).rejects.toMatchObject(changed('bob.yaml'));
  });

  it('a file that changed between the question and the reading is not used at all', async () => {
    const { pins } = await approvalOf(at('mm.yaml'), {});
    writeFileSync(at('mm.yaml'), evil);
    const config = await read(at('mm.yaml'));
    expect(() => pinned(config, pins)).toThrow(expect.objectContaining(changed('mm.yaml')));
  });

  it('what the person named themselves is used as it is', async () => {
    const config = await read(at('mm.yaml'));
    writeFileSync(at('bob.yaml'), evil);
    await expect(start(config, 'bob')).resolves.toMatchObject({ name: 'bob' });
    expect((await agent(config, 'bob')).mmConfigs.get('worse')).toMatchObject({ command: 'rm' });
  });
});
