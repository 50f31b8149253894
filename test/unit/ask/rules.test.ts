import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommandOf } from '../../../src/ask/command';
import {
  type CommandRule,
  isFreeWord,
  isSafePattern,
  patternsOf,
  patternText,
  ruleHolds,
} from '../../../src/ask/rules';
import { shellText, simpleCommands } from '../../../src/ask/shell-words';

const rule = (words: string, over: Partial<CommandRule> = {}): CommandRule => ({
  id: 'r',
  at: 0,
  home: 'Ada',
  path: ['bob'],
  tool: 'bash',
  folder: '/home/me/shop',
  words: words.split(' '),
  more: false,
  ...over,
});
/** Whether a command line is covered, each of its commands by one of the rules. */
function covers(text: string, ...rules: CommandRule[]): boolean {
  const commands = simpleCommands(text);
  const about = { home: 'Ada', path: ['bob'], tool: 'bash', folder: '/home/me/shop' };
  return commands?.every((words) => rules.some((r) => ruleHolds(r, { ...about, words }))) ?? false;
}
const call = (rawInput: unknown, over: object = {}) =>
  ({ toolCallId: 'c1', kind: 'execute', rawInput, ...over }) as Parameters<typeof shellCommandOf>[0];

describe('rules: commands like this one', () => {
  it.each(['git status', ' git  status ', `git 'status'`, 'git status && git status', 'git status\ngit status'])(
    'git status covers %j',
    (text) => {
      expect(covers(text, rule('git status'))).toBe(true);
    },
  );

  it.each([
    'git status; rm -rf x',
    'git status $(x)',
    'git status\nrm -rf x',
    'git status && rm -rf x',
    'git status | sh',
    'git status & rm -rf x',
    'git status > x',
    'git status `x`',
    'git status <(x)',
    'git status -s',
    'git status x',
    'git -c core.pager=x status',
    'sudo git status',
    'X=1 git status',
    'cd / && git status',
    'git',
    'git "status x"',
    './git status',
  ])('git status never covers %j', (text) => {
    expect(covers(text, rule('git status'))).toBe(false);
  });

  it('several commands: each needs a rule', () => {
    expect(covers('npm ci && npm test', rule('npm ci'), rule('npm test'))).toBe(true);
    expect(covers('npm ci && npm test', rule('npm test'))).toBe(false);
  });

  it('npm test …: names and paths of the folder may follow, and nothing else', () => {
    const open = rule('npm test', { more: true });
    for (const text of ['npm test', 'npm test a.test.ts', 'npm test src/a b-c', "npm test 'a'"]) {
      expect(covers(text, open), text).toBe(true);
    }
    for (const text of [
      'npm test --script-shell=x',
      'npm test -- x',
      'npm test a -x',
      'npm test X=1',
      'npm test /etc',
      'npm test ../x',
      'npm test a/../../x',
      'npm test @file',
      'npm test http://x',
      "npm test 'a b'",
      "npm test ''",
      'npm test a; rm x',
      'npm tests',
    ]) {
      expect(covers(text, open), text).toBe(false);
    }
  });

  it('… never stands for a word that makes a program run what follows it', () => {
    const open = rule('yarn workspace web', { more: true });
    expect(covers('yarn workspace web test', open)).toBe(true);
    for (const words of ['exec ./evil.sh', 'dlx evilpkg', 'add evilpkg', 'run deploy', 'test EXEC x', 'install']) {
      expect(covers(`yarn workspace web ${words}`, open), words).toBe(false);
    }
  });

  it('holds for exactly that home agent, agent, tool and folder', () => {
    const words = ['git', 'status'];
    const about = { home: 'Ada', path: ['bob'], tool: 'bash', folder: '/home/me/shop', words };
    expect(ruleHolds(rule('git status'), about)).toBe(true);
    for (const other of [
      { home: 'Eve' },
      { path: [] },
      { path: ['riker'] },
      { path: ['bob', 'riker'] },
      { tool: 'write' },
      { folder: '/home/me/shop/sub' },
      { folder: '/' },
    ]) {
      expect(ruleHolds(rule('git status'), { ...about, ...other }), JSON.stringify(other)).toBe(false);
    }
  });

  it.each([
    ['git status', ['git status', 'git status …']],
    ['git log src -p', ['git log src -p', 'git log src …', 'git log …']],
    ['npm test -- a', ['npm test -- a', 'npm test …']],
    ['ls', ['ls']],
    ['ls -l src', ['ls -l src']],
    ['git -c core.pager=x log', ['git -c core.pager=x log']],
    ['/usr/bin/python3.12 a.py b', ['/usr/bin/python3.12 a.py b']],
    ['sh a', ['sh a']],
    ['sudo git status', ['sudo git status']],
    ['env git status', ['env git status']],
    ['find . -exec rm x', ['find . -exec rm x']],
    ['xargs rm x', ['xargs rm x']],
    ['npm exec foo', ['npm exec foo']],
    ['npm run build', ['npm run build']],
    ['npx foo bar', ['npx foo bar']],
    ['yarn dlx foo', ['yarn dlx foo']],
    ['xvfb-run npm test', ['xvfb-run npm test']],
    ['corepack yarn test', ['corepack yarn test']],
    ['hyperfine ls src', ['hyperfine ls src']],
    ['git bisect run x', ['git bisect run x']],
  ])('%s can become %j', (text, patterns) => {
    const made = patternsOf(text.split(' '));
    expect(made.map(patternText)).toEqual(patterns);
    expect(made.every(isSafePattern)).toBe(true);
  });

  it('a stored pattern that could not have been made is none', () => {
    expect(isSafePattern({ words: [], more: false })).toBe(false);
    expect(isSafePattern({ words: ['git'], more: true })).toBe(false);
    expect(isSafePattern({ words: ['sh', 'a'], more: true })).toBe(false);
    expect(isSafePattern({ words: ['git', '-C'], more: true })).toBe(false);
  });

  it('property: what a rule covers is its words, then free words; nothing with an operator is covered', () => {
    const word = fc.constantFrom(
      'git',
      'npm',
      'status',
      'test',
      'a',
      'src/b',
      '-s',
      '--x=y',
      'X=1',
      '/etc',
      '..',
      'x y',
    );
    const glue = fc.constantFrom(
      ' ',
      '  ',
      ';',
      ' && ',
      ' || ',
      '|',
      ' & ',
      '\n',
      ' $(',
      ')',
      '`',
      ' > ',
      ' < ',
      '*',
      '"',
      "'",
      '\\',
      '${x}',
    );
    const text = fc.array(fc.tuple(word, glue), { maxLength: 6 }).map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean(), text, (words, more, tail) => {
        const r: CommandRule = { ...rule('x'), words, more };
        const line = shellText(words) + tail;
        if (!covers(line, r)) return;
        for (const command of simpleCommands(line)!) {
          expect(command.slice(0, words.length)).toEqual(words);
          const further = command.slice(words.length);
          if (!more) expect(further).toEqual([]);
          for (const w of further) expect(isFreeWord(w)).toBe(true);
        }
        expect(line.replace(/'[^']*'|"[^"]*"/g, '').replace(/&&|\|\|/g, '')).not.toMatch(/[|&<>()`$*\\{}]/);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('the command of a call', () => {
  const commands = [['git', 'status']];
  it.each([
    ['of mm', { command: 'git status', cwd: '/home/me/shop' }],
    ['of claude', { command: 'git status', description: 'Looks', timeout: 5 }],
    [
      'of codex',
      {
        call_id: 'c1',
        turn_id: 't',
        command: ['/bin/bash', '-lc', 'git status'],
        cwd: '/home/me/shop',
        source: 'x',
        parsed_cmd: [],
      },
    ],
  ])('%s', (_, input) => {
    expect(shellCommandOf(call(input), 'bash', '/home/me/shop', 'linux')).toEqual({
      folder: '/home/me/shop',
      commands,
    });
  });

  it.each([
    ['an unknown field', { command: 'git status', env: { PATH: '.' } }],
    ['a known field of another kind', { command: 'git status', description: { x: 1 } }],
    ['in the background', { command: 'git status', run_in_background: true }],
    ['another folder than the question’s', { command: 'git status', cwd: '/home/me/shop', workdir: '/etc' }],
    ['codex’ fields of another call', { call_id: 'c2', command: ['bash', '-lc', 'git status'] }],
    ['a command that is no shell’s', { command: ['git', 'status'] }],
    ['a shell with another option', { command: ['bash', '-ic', 'git status'] }],
    ['a shell of another language', { command: ['fish', '-c', 'git status'] }],
    ['a file that has a shell’s name', { command: ['/tmp/evil/bash', '-lc', 'git status'] }],
    ['a shell’s folder with a way out', { command: ['/bin/../tmp/x/sh', '-c', 'git status'] }],
    ['a shell below the folder', { command: ['./bin/sh', '-c', 'git status'] }],
    ['words behind the script', { command: ['bash', '-c', 'git status', 'x'] }],
    ['no command', { cwd: '/home/me/shop' }],
    ['a list', ['git status']],
    ['a text', 'git status'],
    ['nothing', undefined],
  ])('none: %s', (_, input) => {
    expect(shellCommandOf(call(input), 'bash', '/home/me/shop', 'linux')).toBeUndefined();
  });

  it('none: another tool, another kind of call, a folder that is not absolute', () => {
    const input = { command: 'git status' };
    expect(shellCommandOf(call(input), 'git', '/home/me/shop', 'linux')).toBeUndefined();
    expect(shellCommandOf(call(input), undefined, '/home/me/shop', 'linux')).toBeUndefined();
    expect(shellCommandOf(call(input, { kind: 'edit' }), 'bash', '/home/me/shop', 'linux')).toBeUndefined();
    expect(shellCommandOf(call(input), 'bash', 'work', 'linux')).toBeUndefined();
  });

  it('on Windows only where the call names a POSIX shell: cmd and PowerShell read words otherwise', () => {
    expect(shellCommandOf(call({ command: 'git status' }), 'bash', '/home/me/shop', 'win32')).toBeUndefined();
    const named = call({ command: ['bash', '-lc', 'git status'] });
    expect(shellCommandOf(named, 'bash', '/home/me/shop', 'win32')).toEqual({ folder: '/home/me/shop', commands });
  });
});
