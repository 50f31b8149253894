import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkFor } from '../../../src/ask/identity';
import { type LaunchRequest, specFor } from '../../../src/ask/launch';
import type { LocalEntry } from '../../../src/config/types';

let folder: string;
let bob: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mm-launch-'));
  bob = join(folder, 'bob.yaml');
  await writeFile(bob, 'provider: demo\n');
  await symlink(bob, join(folder, 'link.yaml'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const self = { command: '/node', args: ['/mm.mjs'], electron: false };
const path = (file: string, o: Partial<LocalEntry> = {}) => ({ kind: 'path', path: file, env: {}, ...o }) as LocalEntry;
const command = (o: object = {}) =>
  ({ kind: 'command', command: 'claude', args: ['acp'], env: {}, ...o }) as LocalEntry;

function spec(o: Partial<LaunchRequest> = {}) {
  return specFor({ name: 'bob', entry: path(bob), role: 'asked', cwd: folder, depth: 1, self, parentEnv: {}, ...o });
}
const key = async (o?: Partial<LaunchRequest>) => (await spec(o)).key;

describe('rule 1: the key of a child', () => {
  it('is the real path with its content, the env and the role; never the name', async () => {
    const plain = await key();
    expect(await key({ name: 'robert' })).toBe(plain);
    expect(await key({ entry: path(join(folder, 'link.yaml')) })).toBe(plain);
    expect(await key({ cwd: '/elsewhere' })).toBe(plain);
    expect(await key({ depth: 2 })).toBe(plain);
    expect(await key({ role: 'home' })).not.toBe(plain);
    expect(await key({ entry: path(bob, { env: { A: '1' } }) })).not.toBe(plain);
    expect(await key({ entry: path(bob, { yolo: true, description: 'x' }) })).toBe(plain);
    expect(await key({ self: { ...self, command: '/other' } })).not.toBe(plain);
  });

  it('the order of env does not matter', async () => {
    expect(await key({ entry: path(bob, { env: { A: '1', B: '2' } }) })).toBe(
      await key({ entry: path(bob, { env: { B: '2', A: '1' } }) }),
    );
  });

  it('home and asked of one file differ, an entry and home of one role do not', async () => {
    expect(await key({ entry: { kind: 'home', file: bob }, role: 'home' })).toBe(await key({ role: 'home' }));
  });

  it('an edited file serves from the next ask on', async () => {
    const file = join(folder, 'edited.yaml');
    await writeFile(file, 'provider: demo\n');
    const before = await key({ entry: path(file) });
    await writeFile(file, 'provider: demo\nmodel: x\n');
    expect(await key({ entry: path(file) })).not.toBe(before);
  });

  it('is the command line with its folder', async () => {
    const plain = await key({ entry: command() });
    expect(await key({ entry: command(), cwd: '/elsewhere' })).not.toBe(plain);
    expect(await key({ entry: command({ args: ['acp', 'x'] }) })).not.toBe(plain);
    expect(await key({ entry: command({ command: 'claude acp', args: [] }) })).not.toBe(plain);
  });

  it('holds no secret', async () => {
    const { key: hash } = await spec({ entry: path(bob, { env: { TOKEN: 'swordfish' } }) });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('what is started', () => {
  it('mm itself for a file, the command line for a command', async () => {
    expect(await spec({ entry: path(join(folder, 'link.yaml')) })).toMatchObject({
      command: '/node',
      // by its name, to which the paths in it are relative; the key has the file behind it
      args: ['/mm.mjs', '-acp', '-config', join(folder, 'link.yaml')],
      cwd: folder,
      name: 'bob',
    });
    expect(await spec({ entry: command() })).toMatchObject({ command: 'claude', args: ['acp'] });
  });

  it('rule 3: the environment is shielded, and Electron runs as Node for our own mm only', async () => {
    const parentEnv = { PATH: '/bin', AGENT_MODEL: 'x', MM_CONFIG: 'y', ELECTRON_RUN_AS_NODE: '1' };
    const electron = { ...self, electron: true };
    const ours = await spec({ parentEnv, self: electron, depth: 2 });
    expect(ours.env).toMatchObject({ PATH: '/bin', AGENT_YOLO: 'false', MM_ASK_DEPTH: '2', ELECTRON_RUN_AS_NODE: '1' });
    expect(ours.env).not.toHaveProperty('AGENT_MODEL');
    expect(ours.env).not.toHaveProperty('MM_CONFIG');
    const theirs = await spec({ parentEnv, self: electron, entry: command({ env: { KEY: 'v' } }) });
    expect(theirs.env).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
    expect(theirs.env.KEY).toBe('v');
  });

  it('only our own mm may ask others through us', async () => {
    expect(await spec()).toMatchObject({ hub: true });
    expect(await spec({ entry: { kind: 'home', file: bob }, role: 'home' })).toMatchObject({ hub: true });
    expect(await spec({ entry: command() })).toMatchObject({ hub: false });
    expect(await spec({ entry: command(), role: 'home' })).toMatchObject({ hub: false });
  });

  it('a file that is not there is said in words', async () => {
    await expect(spec({ entry: path(join(folder, 'none.yaml')) })).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: expect.stringContaining('bob'),
    });
  });
});

describe('rule 9: identity', () => {
  it('is the real file or the command line, whatever the env', async () => {
    const a = await linkFor('bob', path(bob));
    expect(await linkFor('x', path(join(folder, 'link.yaml'), { env: { A: '1' } }))).toEqual({ name: 'x', id: a.id });
    expect((await linkFor('x', { kind: 'home', file: bob })).id).toBe(a.id);
    expect((await linkFor('c', command({ env: { A: '1' } }))).id).toBe((await linkFor('d', command())).id);
    expect((await linkFor('c', command())).id).not.toBe((await linkFor('c', command({ args: [] }))).id);
    expect(a.id).not.toContain('bob');
  });
});
