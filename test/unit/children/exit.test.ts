import { describe, expect, it } from 'vitest';
import { describeExit, exitHint, type SpawnFailure } from '../../../src/children/exit';
import type { ExitInfo } from '../../../src/children/types';

const spawnError = (o: Partial<SpawnFailure>): ExitInfo => ({
  spawnError: Object.assign(new Error('spawn x'), o),
  stderrTail: '',
});

describe('how a child ended, in words', () => {
  it.each<[ExitInfo, string]>([
    [{ code: 0, stderrTail: '' }, 'bob ended with exit code 0'],
    [{ code: 1, stderrTail: 'x' }, 'bob ended with exit code 1'],
    [{ signal: 'SIGKILL', stderrTail: '' }, 'bob was ended by signal SIGKILL'],
    [{ code: 137, stderrTail: '' }, 'bob ended with exit code 137 (ended by SIGKILL, often for lack of memory)'],
    [spawnError({ code: 'ENOENT', path: 'agent' }), "bob's program was not found: agent"],
    [spawnError({ code: 'EACCES', path: '/x/agent' }), "bob's program is not executable: /x/agent"],
    [spawnError({ code: 'ENOEXEC', path: '/x/agent' }), "bob's program cannot run on this system: /x/agent"],
    [spawnError({ code: 'ENOENT', syscall: 'chdir', path: '/no' }), 'bob was not started: there is no folder /no'],
    [
      spawnError({ code: 'ENOENT', path: '/x/a', interpreter: '/py9' }),
      "bob's program /x/a needs /py9, which was not found",
    ],
    [spawnError({ code: 'EMFILE' }), 'bob was not started: the system is out of processes, files or memory (EMFILE)'],
    [spawnError({ code: 'EWHAT' }), 'bob was not started: spawn x'],
  ])('%j', (info, words) => expect(describeExit('bob', info)).toBe(words));

  it.each([
    '/usr/bin/env: ‘node’: No such file or directory',
    "env: 'node': No such file or directory",
    'env: node: No such file or directory',
    'sh: 1: node: not found',
    '/bin/sh: line 1: node: command not found',
    "env: can't execute: x\nsh: node: not found",
  ])('F005: exit code 127 names the missing interpreter: %s', (stderrTail) => {
    expect(describeExit('bob', { code: 127, stderrTail })).toBe(
      'bob ended with exit code 127: the program node, which it needs, was not found on the PATH',
    );
  });
  it('F005: exit code 127 without words is understood too', () => {
    expect(describeExit('bob', { code: 127, stderrTail: 'x' })).toContain('was not found on the PATH');
  });

  it('says what to do, with the PATH that was searched', () => {
    expect(exitHint(spawnError({ code: 'ENOENT', searched: '/usr/bin:/bin' }))).toContain(
      'The PATH searched: /usr/bin:/bin',
    );
    expect(exitHint(spawnError({ code: 'EACCES' }))).toContain('chmod +x');
    expect(exitHint({ code: 1, stderrTail: '' })).toBeUndefined();
  });
});
