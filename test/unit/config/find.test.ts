import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FindOptions, findConfig, userConfigFile } from '../../../src/config/find';
import { expandHome, resolveCommand, resolveFrom } from '../../../src/config/paths';

const base: FindOptions = {
  env: {},
  home: '/home/x',
  platform: 'linux',
  demo: '/ext/demo/mm.yaml',
  cwd: '/cwd',
  exists: () => true,
};

describe('which mm.yaml holds', () => {
  it('the order is flag, MM_CONFIG, setting, workspace, user, demo', () => {
    const all: FindOptions = {
      ...base,
      flag: 'f.yaml',
      env: { MM_CONFIG: 'e.yaml' },
      setting: 's.yaml',
      workspace: '/ws',
    };
    expect(findConfig(all)).toEqual({ file: '/cwd/f.yaml', source: 'flag' });
    expect(findConfig({ ...all, flag: undefined })).toEqual({ file: '/cwd/e.yaml', source: 'env' });
    expect(findConfig({ ...all, flag: undefined, env: {} })).toEqual({ file: '/ws/s.yaml', source: 'setting' });
    const rest = { ...base, workspace: '/ws' };
    expect(findConfig(rest)).toEqual({ file: '/ws/.mm/mm.yaml', source: 'workspace' });
    const only = (wanted: string | undefined) => ({ ...rest, exists: (file: string) => file === wanted });
    expect(findConfig(only('/home/x/.config/mm/mm.yaml'))).toEqual({
      file: '/home/x/.config/mm/mm.yaml',
      source: 'user',
    });
    expect(findConfig(only(undefined))).toEqual({ file: '/ext/demo/mm.yaml', source: 'demo' });
    expect(findConfig({ ...only(undefined), demo: undefined })).toBeUndefined();
  });

  it('what was named is taken also when it is missing, so that nothing else is used silently', () => {
    expect(findConfig({ ...base, flag: '~/no.yaml', exists: () => false })).toEqual({
      file: '/home/x/no.yaml',
      source: 'flag',
    });
  });

  it("the user's folder is the platform's", () => {
    expect(userConfigFile({ ...base, env: { XDG_CONFIG_HOME: '/xdg' } })).toBe('/xdg/mm/mm.yaml');
    expect(userConfigFile({ ...base, env: { XDG_CONFIG_HOME: 'relative' } })).toBe('/home/x/.config/mm/mm.yaml');
    expect(userConfigFile({ ...base, platform: 'darwin' })).toBe('/home/x/Library/Application Support/mm/mm.yaml');
    expect(userConfigFile({ env: { APPDATA: 'C:\\A' }, home: 'C:\\h', platform: 'win32' })).toBe('C:\\A\\mm\\mm.yaml');
    expect(userConfigFile({ env: {}, home: 'C:\\h', platform: 'win32' })).toBe('C:\\h\\AppData\\Roaming\\mm\\mm.yaml');
  });
});

describe('paths', () => {
  it("Windows' are understood by Windows' rules", () => {
    const file = 'C:\\team\\mm.yaml';
    expect(resolveFrom(file, 'bob.yaml', 'C:\\h', win32)).toBe('C:\\team\\bob.yaml');
    expect(resolveFrom(file, 'sub/bob.yaml', 'C:\\h', win32)).toBe('C:\\team\\sub\\bob.yaml');
    expect(resolveFrom(file, 'D:\\bob.yaml', 'C:\\h', win32)).toBe('D:\\bob.yaml');
    expect(expandHome('~\\bob.yaml', 'C:\\h', win32)).toBe('C:\\h\\bob.yaml');
    expect(resolveCommand(file, 'npx', 'C:\\h', win32)).toBe('npx');
    expect(resolveCommand(file, '.\\agent.cmd', 'C:\\h', win32)).toBe('C:\\team\\agent.cmd');
  });
  it('a bare command stays, one with a separator is relative to the file', () => {
    expect(resolveCommand('/team/mm.yaml', 'npx', '/h')).toBe('npx');
    expect(resolveCommand('/team/mm.yaml', './agent', '/h')).toBe('/team/agent');
    expect(resolveCommand('/team/mm.yaml', '~/agent', '/h')).toBe('/h/agent');
    expect(expandHome('~other/x', '/h')).toBe('~other/x');
  });
});
