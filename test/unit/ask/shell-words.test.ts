import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellText, simpleCommands } from '../../../src/ask/shell-words';

describe('simple commands', () => {
  it.each([
    ['git status', [['git', 'status']]],
    ['  npm   test\t-- a.test.ts \n', [['npm', 'test', '--', 'a.test.ts']]],
    [`echo 'a b' "c d" e'f'"g"`, [['echo', 'a b', 'c d', 'efg']]],
    [`echo '' "it's"`, [['echo', '', "it's"]]],
    [`echo '$HOME \`x\` ; | > *'`, [['echo', '$HOME `x` ; | > *']]],
    [
      'npm install && npm test',
      [
        ['npm', 'install'],
        ['npm', 'test'],
      ],
    ],
    ['a || b; c\nd', [['a'], ['b'], ['c'], ['d']]],
    ['git log --format=%h', [['git', 'log', '--format=%h']]],
    ['./run.sh', [['./run.sh']]],
  ])('%j', (text, commands) => {
    expect(simpleCommands(text)).toEqual(commands);
  });

  it.each([
    // operators that do more than run one after the other
    'git status | sh',
    'git status & rm -rf x',
    'git status &',
    'git status |& tee x',
    'git status > x',
    'git status >> x',
    'git status 2>&1',
    'git status < x',
    'cat <<EOF\nx\nEOF',
    'cat <<< x',
    '(git status)',
    '{ git status; }',
    'git status;',
    '; git status',
    'git status &&',
    'git status;;x',
    // substitutions and expansions
    'git status $(x)',
    'git status `x`',
    'git status <(x)',
    'git status $X',
    'git status ${X}',
    'git status "$(x)"',
    'git status "`x`"',
    'git status "$X"',
    'git status $((1))',
    "git status $'x'",
    'git status *',
    'git status a?',
    'git status [a]',
    'git status {a,b}',
    'git status ~',
    'git status ~/x',
    'git status =ls',
    'git status !x',
    'git status "!x"',
    'git status a\\ b',
    'git status \\\nx',
    `git status 'a\\'`,
    `git status "a\\"`,
    'git status # x',
    // quotes without end, other characters
    "git status 'x",
    'git status "x',
    "git status 'a\nb'",
    'git status\rrm x',
    'git status\u2028rm x',
    'git status\u00a0x',
    'git status "\u202e"',
    "git status '\u200b'",
    'git status \u0000',
    'git stätus',
    // what is no program, or changes what later words mean
    'X=1 git status',
    'PATH=. git status',
    'X+=1',
    '-x',
    '%1',
    'if true',
    '! git status',
    'time git status',
    '"if" x',
    'cd /tmp && git status',
    'export A=1 && git status',
    'alias git=rm; git status',
    '. x.sh',
    'source x.sh',
    'eval git status',
    'exec git status',
    'command git status',
    'trap x EXIT',
    'function f',
    '',
    ' \n ',
    `echo ${'x'.repeat(1000)}`,
    Array.from({ length: 11 }, () => 'a').join(';'),
    `a ${'b '.repeat(100)}`,
  ])('is not read: %j', (text) => {
    expect(simpleCommands(text)).toBeUndefined();
  });
});

/** Text of shells: words, blanks, every operator and expansion, quotes and what is hidden. */
const bits = fc.constantFrom(
  ...'abz01-_./:=%+@,'.split(''),
  ...' \t\n\r;&|<>(){}[]*?~!#^$`\'"\\'.split(''),
  ...['&&', '||', '$(', '<(', '<<', '>&', "$'", '${', '\u202e', '\u00a0', '\u200b', '\u0000', '\u0007', 'ä', '=ls'],
  ...['git', 'status', 'rm', 'echo', ' x ', "'q q'", '"q q"'],
);
const shellish = fc.array(bits, { maxLength: 24 }).map((parts) => parts.join(''));

describe('properties', () => {
  it('nothing is read that holds a live operator, substitution or hidden character', () => {
    fc.assert(
      fc.property(shellish, (text) => {
        const commands = simpleCommands(text);
        if (!commands) return;
        // what is left outside of quotes is plain words, blanks and the four separators
        const bare = text.replace(/'[^']*'|"[^"]*"/g, 'q');
        expect(bare).toMatch(/^(?:[A-Za-z0-9_\-./:,@%+= \t\n;]|&&|\|\|)*$/);
        expect(text).not.toMatch(/[\\\r\u0000-\u0008\u202e\u200b]/);
        for (const inside of text.match(/"[^"]*"/g) ?? []) if (!text.includes("'")) expect(inside).not.toMatch(/[$`!]/);
      }),
      { numRuns: 20_000 },
    );
  });

  it('adding an operator never makes a command that is read as the one before', () => {
    const tail = fc.constantFrom(
      '; rm -rf x',
      ' $(x)',
      ' `x`',
      ' && x',
      ' || x',
      ' | x',
      ' & x',
      '\nx',
      ' > x',
      ' <(x)',
      ' ${x}',
      ' {a,b}',
    );
    fc.assert(
      fc.property(shellish, tail, (text, more) => {
        const before = simpleCommands(text);
        if (before) expect(simpleCommands(text + more)).not.toEqual(before);
      }),
      { numRuns: 5_000 },
    );
  });

  it('what is shown of a command is read as that command', () => {
    const word = fc.string({ unit: fc.constantFrom(...`ab1-./ $*;|&"'`.split('')), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (rest) => {
        const words = ['echo', ...rest];
        expect(simpleCommands(shellText(words))).toEqual([words]);
      }),
    );
  });

  it.skipIf(process.platform === 'win32').each(['bash', '/bin/sh'])('%s reads the same words', (shell) => {
    const samples = fc
      .sample(shellish, { numRuns: 30_000, seed: 7 })
      .map((text) => ({ text, commands: simpleCommands(text) }))
      .filter(({ commands }) => commands?.length === 1);
    expect(samples.length).toBeGreaterThan(500);
    // each command becomes the arguments of printf; no file of the empty folder can be meant by a glob
    const script = samples
      .map(({ text }) => `printf '%s\\0' ${text.replace(/^[ \n]+|[ \n]+$/g, '')}\nprintf '\\1'`)
      .join('\n');
    const { stdout, status } = spawnSync(shell, [], { input: script, encoding: 'utf8', cwd: '/' });
    expect(status).toBe(0);
    const read = stdout.split('\u0001').slice(0, -1);
    expect(read).toHaveLength(samples.length);
    samples.forEach(({ text, commands }, i) => {
      expect(read[i]!.split('\0').slice(0, -1), JSON.stringify(text)).toEqual(commands![0]);
    });
  });
});
