import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/config/types';
import { shownVersion } from '../../../src/vscode/blockers';
import type { ConfigState } from '../../../src/vscode/config';
import { hostConfig } from '../../../src/vscode/hostConfig';

const folders = ['/shop'];
const ready: ConfigState = { kind: 'ready', file: '/u/mm.yaml', source: 'user', config: {} as never, warnings: [] };
const waiting = {
  kind: 'approval' as const,
  file: '/f',
  hash: 'h',
  files: ['/f'],
  programs: [],
  facts: [],
  seen: false,
  again: false,
};
const at = (line: number, message: string): Diagnostic => ({
  severity: 'error',
  file: '/u/mm.yaml',
  line,
  column: 5,
  message,
});

describe('what holds in a window', () => {
  it('untrusted: no configuration, the folder stays readable, one way out', () => {
    expect(hostConfig({ kind: 'untrusted' }, folders)).toMatchObject({
      folders,
      config: undefined,
      blocker: {
        shape: 'card',
        title: 'This workspace is not trusted',
        actions: [{ id: 'manage-trust', label: 'Manage Trust', primary: true }],
      },
    });
  });

  it('no folder: the card that opens one', () => {
    expect(hostConfig(ready, [])).toMatchObject({
      config: undefined,
      blocker: { title: 'No folder is open', actions: [{ id: 'open-folder', label: 'Open Folder', primary: true }] },
    });
  });

  it('approval: programs with nothing hidden, three buttons; once the file was seen, allowing is primary', () => {
    const programs = ['x --mode \u202ey'];
    const state = (seen: boolean): ConfigState => ({ ...waiting, programs, seen });
    const { blocker } = hostConfig(state(false), folders);
    expect(blocker).toMatchObject({ title: 'This folder’s mm.yaml names a program', code: 'x --mode [U+202E]y' });
    expect(blocker?.actions.map((a) => a.label)).toEqual(['Show the File', 'Allow This Version', 'Not Now']);
    const primary = (seen: boolean) => hostConfig(state(seen), folders).blocker?.actions.filter((a) => a.primary);
    expect(primary(false)).toMatchObject([{ id: 'show-file' }]);
    expect(primary(true)).toMatchObject([{ id: 'allow-version' }]);
  });

  it('approval of a file without programs does not speak of one', () => {
    expect(hostConfig(waiting, folders).blocker).toMatchObject({ title: 'This folder brings its own mm.yaml' });
  });

  it('approval: the card’s id holds the version that it shows, and it says when that is another one', () => {
    const { blocker } = hostConfig(waiting, folders);
    expect(shownVersion(blocker!.id)).toBe('h');
    expect(shownVersion('mm:config')).toBe('');
    expect(blocker!.text).not.toContain('changed again');
    expect(hostConfig({ ...waiting, again: true }, folders).blocker!.text).toContain('It has changed again');
  });

  it('a broken mm.yaml: its line and the way there', () => {
    const errors = [at(3, 'expected a number'), at(9, 'x')];
    const state: ConfigState = { kind: 'invalid', file: '/u/mm.yaml', source: 'user', errors, warnings: [] };
    expect(hostConfig(state, folders).blocker).toMatchObject({
      level: 'error',
      title: 'mm.yaml has an error in line 3',
      code: 'mm.yaml:3:5: expected a number\nmm.yaml:9:5: x',
      actions: [{ id: 'open-config', label: 'Open mm.yaml', primary: true }, { id: 'show-log' }],
    });
  });

  it('while the file is read nothing blocks and nothing can be asked', () => {
    expect(hostConfig({ kind: 'loading' }, folders)).toEqual({ folders, config: undefined });
  });

  it('ready: warnings are lines over the composer; the demo is known as such', () => {
    const found = hostConfig({ ...ready, source: 'demo', warnings: [at(7, 'unknown key')] }, folders);
    expect(found).toMatchObject({ demo: true, notices: [{ shape: 'line', title: 'mm.yaml:7:5: unknown key' }] });
    expect(found.blocker).toBeUndefined();
  });
});
