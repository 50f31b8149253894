import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { format, useTranslator } from '../../../src/base/l10n';
import { ConfigError, formatDiagnostic, loadConfig, parseConfig } from '../../../src/config/load';
import type { Diagnostic, MmConfig } from '../../../src/config/types';

const file = join(tmpdir(), 'nowhere-mm', 'mm.yaml');
const basics = 'provider: ollama\nmodel: qwen3:8b\n';

function parse(text: string, env: NodeJS.ProcessEnv = {}) {
  return parseConfig(file, text, env);
}
function config(text: string, env: NodeJS.ProcessEnv = {}): MmConfig {
  const result = parse(text, env);
  if (!result.ok) throw new Error(result.errors.map(formatDiagnostic).join('\n'));
  return result.config;
}
function errors(text: string, env: NodeJS.ProcessEnv = {}): Diagnostic[] {
  const result = parse(text, env);
  return result.ok ? [] : result.errors;
}
function warnings(text: string, env: NodeJS.ProcessEnv = {}): Diagnostic[] {
  return parse(text, env).warnings;
}
const place = (d: Diagnostic | undefined) => d && `${d.line}:${d.column}`;

describe('a whole file', () => {
  it('is read with every key, and paths become absolute', () => {
    const result = config(
      `acp: {title: Ada, description: Plans}
provider: openai
model: m
baseUrl: http://localhost:9/v1//
apiKey: \${env:KEY}
systemPrompt: You are \${env:KEY}
yolo: true
maxOutput: 5
bashTimeout: 1.5
watchdogTimeout: 7
mmConfigs:
  2b: {command: agent, args: [--acp], env: {A: "x\${env:KEY}y"}, yolo: false}
  bob: {path: sub/bob.yaml, description: SQL}
  "1": {command: ./tool, description: first in file order, though a number}
`,
      { KEY: 'k' },
    );
    expect(result).toMatchObject({
      file,
      acp: { title: 'Ada', description: 'Plans' },
      provider: 'openai',
      model: 'm',
      baseUrl: 'http://localhost:9/v1',
      apiKey: 'k',
      systemPrompt: 'You are ${env:KEY}',
      yolo: true,
      maxOutput: 5,
      bashTimeout: 1.5,
      watchdogTimeout: 7,
    });
    expect([...result.mmConfigs]).toEqual([
      [
        '2b',
        { kind: 'command', command: 'agent', args: ['--acp'], env: { A: 'xky' }, description: undefined, yolo: false },
      ],
      ['bob', { kind: 'path', path: join(file, '..', 'sub/bob.yaml'), env: {}, description: 'SQL', yolo: undefined }],
      ['1', expect.objectContaining({ command: join(file, '..', 'tool'), args: [] })],
    ]);
    expect(result.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has defaults', () => {
    expect(config(basics)).toMatchObject({
      yolo: false,
      maxOutput: 20000,
      bashTimeout: 120,
      watchdogTimeout: 300,
      baseUrl: 'http://localhost:11434/v1',
      apiKey: undefined,
    });
    expect(config('provider: demo')).toMatchObject({ provider: 'demo', model: 'demo', baseUrl: undefined });
  });

  it('may only name agents to ask', () => {
    expect(config('mmConfigs: {bob: {command: agent}}')).toMatchObject({ provider: '', model: '' });
  });

  it('expands the home folder', () => {
    const entry = config(`${basics}mmConfigs: {bob: {path: ~/bob.yaml}}`, {
      HOME: '/home/x',
      USERPROFILE: '/home/x',
    }).mmConfigs.get('bob');
    expect(entry).toMatchObject({ path: '/home/x/bob.yaml' });
    expect(config(`${basics}mmConfigs: {bob: {path: ~/bob.yaml}}`).mmConfigs.get('bob')).toMatchObject({
      path: join(homedir(), 'bob.yaml'),
    });
  });

  it('survives a byte order mark, CRLF and keys without a value', () => {
    expect(config(`\ufeff${basics.replaceAll('\n', '\r\n')}mmConfigs:\r\nyolo:\r\n`).yolo).toBe(false);
    expect(warnings(`${basics}mmConfigs:\n`).map((d) => d.message)).toEqual([
      '`mmConfigs` has no value and has no effect',
    ]);
  });
});

describe('wrong values', () => {
  it.each<[string, string, string]>([
    ['yolo: maybe', '1:7', '`yolo`: expected true or false, found the text "maybe"'],
    ['yolo: yes', '1:7', '`yolo`: expected true or false, found the text "yes"'],
    [
      'maxOutput: "5"',
      '1:12',
      '`maxOutput`: expected a whole number of characters from 1 to 10000000, found the text "5"',
    ],
    [
      'maxOutput: 1.5',
      '1:12',
      '`maxOutput`: expected a whole number of characters from 1 to 10000000, found the number 1.5',
    ],
    ['bashTimeout: 0', '1:14', '`bashTimeout`: expected a number of seconds from 1 to 604800, found the number 0'],
    [
      'watchdogTimeout: .inf',
      '1:18',
      '`watchdogTimeout`: expected a number of seconds from 1 to 604800, found the number Infinity',
    ],
    ['model: 5', '1:8', '`model`: expected a text, found the number 5 (put it in quotes)'],
    ['model: ""', '1:8', '`model`: expected a text that is not empty, found the text ""'],
    ['acp: [a]', '1:6', '`acp`: expected a group of keys, found a list'],
    ['acp: {title: [a]}', '1:14', '`acp.title`: expected a text, found a list'],
    ['mmConfigs: [bob]', '1:12', '`mmConfigs`: expected a group of keys, found a list'],
    [
      'mmConfigs: {bob: bob.yaml}',
      '1:18',
      '`mmConfigs.bob`: expected `path: FILE` or `command: PROGRAM`, found the text "bob.yaml"',
    ],
    [
      'mmConfigs: {bob: {command: a, args: x}}',
      '1:37',
      '`mmConfigs.bob.args`: expected a list of texts, such as [--acp], found the text "x"',
    ],
    [
      'mmConfigs: {bob: {command: a, args: [x, 5]}}',
      '1:41',
      '`mmConfigs.bob.args.1`: expected a text, found the number 5 (put it in quotes)',
    ],
    [
      'mmConfigs: {bob: {command: a, env: {A: 5}}}',
      '1:40',
      '`mmConfigs.bob.env.A`: expected a text, found a number (put it in quotes)',
    ],
  ])('%s', (line, where, message) => {
    const found = errors(`${line}\nprovider: demo\n`);
    expect(found.map((d) => d.message)).toEqual([message]);
    expect(place(found[0])).toBe(where);
  });

  it('all are found at once, in the order of the file', () => {
    const found = errors(
      'provider: olama\nyolo: 3\nmmConfigs:\n  a b: {path: x}\n  bob: {yolo: 1, env: {MM_X: a}}\nmaxOutput: -1\n',
    );
    expect(found.map((d) => d.line)).toEqual([1, 2, 4, 5, 5, 5, 6]);
  });

  it('F005: a provider that is not known names the nearest, and the list', () => {
    expect(errors('provider: olama\nmodel: x')[0]!.message).toMatch(
      /expected one of demo, openai, .* found the text "olama" \(did you mean `ollama`\?\)/,
    );
  });

  it('a missing model or provider is an error, unless the environment brings it', () => {
    expect(errors('provider: ollama').map((d) => d.message)).toEqual([
      '`model` is missing: expected the name of a model of ollama',
    ]);
    expect(errors('provider: ollama', { AGENT_MODEL: 'x' })).toEqual([]);
    expect(errors('model: x')[0]!.message).toMatch(/`provider` is missing/);
    expect(errors('model: x', { AGENT_PROVIDER: 'ollama' })).toEqual([]);
    expect(config('model: x\nbaseUrl: http://h/v1').provider).toBe('openai');
  });

  it('an address must be one', () => {
    expect(errors('provider: openai\nmodel: m\nbaseUrl: localhost:11434')[0]).toMatchObject({ line: 3, column: 10 });
    expect(errors('provider: openai\nmodel: m\nbaseUrl: ftp://x')).toHaveLength(1);
  });

  it('an entry needs a path or a command, not both', () => {
    expect(errors(`${basics}mmConfigs:\n  bob: {path: a, command: b}`)[0]).toMatchObject({
      line: 4,
      message: expect.stringContaining('both'),
    });
    expect(errors(`${basics}mmConfigs:\n  bob: {yolo: true}`)[0]).toMatchObject({
      line: 4,
      message: expect.stringContaining('needs `path: FILE`'),
    });
    expect(errors(`${basics}mmConfigs:\n  bob:\n`)[0]).toMatchObject({ line: 4, column: 3 });
  });

  it.each(['a b', 'a/b', '', '-a', '__proto__', 'ü', 'x'.repeat(65), 'with-context-bob'])(
    '%j is no name of an entry',
    (name) => {
      expect(errors(`${basics}mmConfigs:\n  ${JSON.stringify(name)}: {command: x}`)).toHaveLength(1);
    },
  );
  it.each(['You', 'you', 'YOU', 'You.', 'you-'])('%j would look like the person', (name) => {
    const [error] = errors(`${basics}mmConfigs:\n  ${name}: {command: x}`);
    expect(error).toMatchObject({ line: 4, column: 3, message: expect.stringContaining('stands for the person') });
  });
  it.each(['You', ' yOu ', 'Y\u200bou', 'Ｙｏｕ', 'You\u202e', '“You”'])('%j is no title either', (title) => {
    const [error] = errors(`acp: {title: ${JSON.stringify(title)}}\n${basics}`);
    expect(error).toMatchObject({ line: 1, column: 14, message: expect.stringContaining('`acp.title`') });
  });
  it('the person’s name in the language in use is taken too', () => {
    useTranslator((message, ...args) => (message === 'You' ? 'Ty' : format(message, ...args)));
    try {
      expect(errors(`${basics}mmConfigs:\n  ty: {command: x}`)).toHaveLength(1);
      expect(errors(`${basics}mmConfigs:\n  you: {command: x}`)).toHaveLength(1);
    } finally {
      useTranslator(format);
    }
  });
  it.each(['Young', 'mm', 'Yo u2', '?'])('%j is a title', (title) => {
    expect(config(`acp: {title: ${JSON.stringify(title)}}\n${basics}`).acp.title).toBe(title);
  });
  it.each(['bob', 'b.o-b_2', 'x'.repeat(64), 'constructor', 'with-context', 'mm', 'young'])(
    '%j is a name of an entry',
    (name) => {
      expect([...config(`${basics}mmConfigs:\n  ${name}: {command: x}`).mmConfigs.keys()]).toEqual([name]);
    },
  );

  it.each(['AGENT_YOLO', 'AGENT_SESSIONS', 'MM_ASK_DEPTH', 'mm_x', 'Agent_Yolo'])(
    'rule 3: %s in an entry is an error',
    (name) => {
      expect(errors(`${basics}mmConfigs:\n  bob: {command: x, env: {${name}: a}}`)[0]).toMatchObject({
        line: 4,
        message: expect.stringContaining(name),
      });
    },
  );
});

describe('keys', () => {
  it('an unknown one is a warning with the nearest known', () => {
    const found = warnings(
      `${basics}base_url: x\nmmConfig: {}\nmmConfigs:\n  bob: {command: x, desription: y}\nwhatever: 1\nacp: {titel: x}\n`,
    );
    expect(found.map((d) => [place(d), d.message])).toEqual([
      ['3:1', '`base_url` is not known and has no effect; did you mean `baseUrl`?'],
      ['4:1', '`mmConfig` is not known and has no effect; did you mean `mmConfigs`?'],
      ['6:21', '`mmConfigs.bob.desription` is not known and has no effect; did you mean `description`?'],
      ['7:1', expect.stringMatching(/^`whatever` is not known and has no effect; known are acp, provider/)],
      ['8:7', '`acp.titel` is not known and has no effect; did you mean `title`?'],
    ]);
  });

  it.each(['sessions', 'skills', 'mcpServers'])('%s is known and does not pretend to work', (key) => {
    expect(warnings(`${basics}${key}: {a: 1}`).map((d) => d.message)).toEqual([
      `\`${key}\` is not supported yet and has no effect`,
    ]);
  });

  it('keys of an entry that do not work yet say so', () => {
    const text = `${basics}mmConfigs:\n  c: {command: x, mode: m, registry: c@team}`;
    expect([...config(text).mmConfigs.keys()]).toEqual(['c']);
    expect(warnings(text).map((d) => d.message)).toEqual([
      '`mmConfigs.c.mode` is not supported yet and has no effect',
      '`mmConfigs.c.registry` is not supported yet and has no effect',
    ]);
  });

  it('a second time is an error', () => {
    expect(errors(`${basics}model: other\n`)).toEqual([
      expect.objectContaining({ line: 3, column: 1, message: expect.stringContaining('second time') }),
    ]);
  });
});

describe('YAML', () => {
  it.each<[string, string]>([
    ['a: [1,\n', '2:1'],
    ['provider: demo\n\tmodel: x', '2:1'],
    ['a: "x\nb: 1\n', '3:1'],
    ['a: @x', '1:4'],
    ['a: b: c', '1:4'],
    ['path: "C:\\mm"', '1:10'],
    ['provider: demo\n---\nx: 1', '2:1'],
    ['provider: demo\nacp: *nope', '2:6'],
    ['provider: demo\nmodel: *nope', '2:8'],
    ['acp: {title: &a [*a, *a]}\nprovider: demo', '1:17'],
    ['- a', '1:1'],
    ['text', '1:1'],
    ['', '1:1'],
    ['# nothing\n', '1:1'],
  ])('%j is an error with its place', (text, where) => {
    const found = errors(text);
    expect(found.length).toBeGreaterThan(0);
    expect(place(found[0])).toBe(where);
  });

  it('a variable inside braces without quotes says what to do', () => {
    expect(errors('provider: demo\nmmConfigs:\n  b: {command: x, env: {K: ${env:X}}}\n')).toEqual([
      expect.objectContaining({ line: 3, message: expect.stringContaining('in quotes: "${env:NAME}"') }),
    ]);
  });

  it('aliases work, a bomb of them does not', () => {
    expect(config('provider: demo\nmodel: &m x\nsystemPrompt: *m').systemPrompt).toBe('x');
    const bomb = `a: &a [x]\n${'bcdefghi'
      .split('')
      .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`)
      .join('\n')}\nsystemPrompt: *i\nprovider: demo`;
    expect(errors(bomb)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('`systemPrompt` uses an alias') }),
    ]);
  });

  it('whatever the text, reading it throws nothing and every place is in it', () => {
    const piece = fc.constantFrom(
      'a',
      'mmConfigs',
      'bob',
      'env',
      ': ',
      ':',
      '\n',
      '\n  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a ',
      '*a',
      '!t ',
      '${env:',
      '${',
      '#',
      '|\n',
      '\t',
      '? ',
      '<<',
      'path',
      'command',
      'apiKey',
      '---',
      '%YAML 1.1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 25 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const result = parse(text);
          const lines = text.split('\n').length;
          for (const d of [...(result.ok ? [] : result.errors), ...result.warnings]) {
            expect(d.line).toBeGreaterThanOrEqual(1);
            expect(d.line).toBeLessThanOrEqual(lines + 1);
            expect(d.column).toBeGreaterThanOrEqual(1);
          }
          if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('variables', () => {
  it('a missing or empty one is an error that names it', () => {
    for (const env of [{}, { NOPE: '' }]) {
      const found = errors(
        `${basics}apiKey: \${env:NOPE}\nmmConfigs:\n  bob: {command: x, env: {A: "\${env:NOPE}"}}`,
        env,
      );
      expect(found.map((d) => [place(d), d.message])).toEqual([
        ['3:9', '`apiKey`: the environment variable NOPE is not set'],
        ['5:30', '`mmConfigs.bob.env.A`: the environment variable NOPE is not set'],
      ]);
    }
  });

  it.each(['${env:X', '${env:}', '${env:A B}', '${X}', 'a${', '${foo:X}'])('apiKey: %s is an error', (value) => {
    expect(errors(`${basics}apiKey: '${value}'`, { X: 'x' })).toHaveLength(1);
  });

  it('a secret says that it is not supported yet', () => {
    expect(errors(`${basics}apiKey: \${secret:K}`)[0]!.message).toBe(
      '`apiKey`: `${secret:…}` is not supported yet; use `${env:NAME}`',
    );
  });

  it("other dollars in an entry's env stay as they are", () => {
    expect(
      config(`${basics}mmConfigs: {bob: {command: x, env: {A: "$X \${X} \${x:y}"}}}`).mmConfigs.get('bob')!.env,
    ).toEqual({ A: '$X ${X} ${x:y}' });
  });

  it('are not filled into arguments, which other programs can read', () => {
    const text = `${basics}mmConfigs:\n  bob: {command: x, args: ["\${env:KEY}"]}`;
    expect(config(text, { KEY: 'k' }).mmConfigs.get('bob')).toMatchObject({ args: ['${env:KEY}'] });
    expect(warnings(text)[0]).toMatchObject({ line: 4, column: 28 });
  });

  it('are filled in once: what a variable holds is not looked at again', () => {
    expect(config(`${basics}apiKey: \${env:A}`, { A: '${env:B}', B: 'b' }).apiKey).toBe('${env:B}');
  });
});

describe('F064: no key in any message', () => {
  it('a literal key works, with a warning that says where it belongs', () => {
    const text = 'provider: openrouter\nmodel: m\napiKey: sk-very-secret\n';
    expect(config(text).apiKey).toBe('sk-very-secret');
    expect(warnings(text)).toEqual([
      expect.objectContaining({
        line: 3,
        column: 9,
        message: expect.stringContaining('`apiKey: ${env:OPENROUTER_API_KEY}`'),
      }),
    ]);
  });

  it('a literal key in an entry too', () => {
    expect(
      warnings(`${basics}mmConfigs: {bob: {command: x, env: {SOME_TOKEN: sk-very-secret}}}`)[0]!.message,
    ).toContain('${env:SOME_TOKEN}');
  });

  it.each([
    'apiKey: sk-very-secret',
    'apiKey: [sk-very-secret]',
    'apiKey: {sk-very-secret: 1}',
    'apiKey: "x" sk-very-secret',
    'apiKey: *sk-very-secret',
    'apiKey: !sk-very-secret x',
    'apiKey: sk-very-secret: x',
    'apiKey: sk-very-secret\n  more: x',
    'apikey: sk-very-secret',
    'apiKey: ${sk-very-secret}',
    'apiKey: ${env:sk-very-secret',
    'apiKey: "sk-very-secret',
    'apiKey: @sk-very-secret',
    'baseUrl: sk-very-secret://x',
    'baseUrl: http://me:sk-very-secret@host/v1',
    'baseUrl: https://sk-very-secret@host/v1',
    'baseUrl: "http://:sk-very-secret@host"',
    'baseUrl: "http:/\\me:sk-very-secret@host"',
    'mmConfigs: {bob: {command: x, env: {TOKEN: sk-very-secret}}}',
    'mmConfigs: {bob: {command: x, env: {TOKEN: [sk-very-secret]}}}',
    'mmConfigs: {bob: {command: x, env: [sk-very-secret]}}',
  ])('%s', (line) => {
    const result = parse(`${basics}${line}\n`);
    const said = [...(result.ok ? [] : result.errors), ...result.warnings].map(formatDiagnostic).join('\n');
    expect(said).not.toBe('');
    expect(said).not.toContain('very-secret');
  });
});

describe('an address', () => {
  it.each(['http://me:pw@host/v1', 'https://me@host', 'http://:pw@host', ' http://me:pw@host'])(
    'with a name or a password is an error at its place: %s',
    (address) => {
      const [error] = errors(`${basics}baseUrl: ${JSON.stringify(address)}`);
      expect(error).toMatchObject({ line: 3, column: 10, message: expect.stringContaining('`baseUrl`') });
    },
  );
  it('comes from a variable as well', () => {
    const text = `${basics}baseUrl: "\${env:WHERE}"`;
    expect(errors(text, { WHERE: 'http://me:pw@host' })[0]!.message).toContain('cannot hold a name or a password');
    expect(errors(text, { WHERE: 'http://me:pw@host' })[0]!.message).not.toContain('pw');
  });
  it('may hold an @ where it means something else', () => {
    expect(config(`${basics}baseUrl: http://host/v1/@org/`).baseUrl).toBe('http://host/v1/@org');
  });
});

describe('files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mm-config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('what is missing, a folder or huge is an error and not an exception', async () => {
    const big = join(folder, 'big.yaml');
    writeFileSync(big, Buffer.alloc(1_100_000, 'a'));
    for (const path of [join(folder, 'none.yaml'), folder, big, join(big, 'x')]) {
      expect(await loadConfig(path, {})).toMatchObject({ ok: false, errors: [{ line: 1, column: 1, file: path }] });
    }
  });

  it('an agent whose file is missing is a warning with its place; one that is there is none', async () => {
    const path = join(folder, 'mm.yaml');
    writeFileSync(join(folder, 'bob.yaml'), 'provider: demo');
    writeFileSync(
      path,
      'provider: demo\nmmConfigs:\n  bob: {path: bob.yaml}\n  riker: {path: riker.yaml}\n  kirk: {command: ./kirk}\n',
    );
    const result = await loadConfig(path, {});
    expect(result.ok).toBe(true);
    expect(result.warnings.map((d) => [place(d), d.message])).toEqual([
      ['4:17', `there is no file ${join(folder, 'riker.yaml')}; riker cannot be asked`],
      ['5:19', `there is no file ${join(folder, 'kirk')}; kirk cannot be asked`],
    ]);
  });
});

it('ConfigError says the first error in its message and the others in its detail, with exit code 2', () => {
  const error = new ConfigError(errors('yolo: 3\nmaxOutput: x\nprovider: demo'));
  expect(error.exitCode).toBe(2);
  expect(error.message).toBe(`${file}:1:7: \`yolo\`: expected true or false, found the number 3`);
  expect(error.detail).toContain(`${file}:2:12: `);
});

describe('files that are hostile, or no configuration', () => {
  const many = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('');
  const shapes: [string, string][] = [
    ['entries', `mmConfigs:\n${many(9_000, (i) => `  a${i}: {path: b.yaml}\n`)}`],
    ['wrong entries', `mmConfigs:\n${many(15_000, (i) => `  a${i}: 1\n`)}`],
    ['unknown keys', many(25_000, (i) => `k${i}: 1\n`)],
    ['doubled keys', many(40_000, () => 'a: 1\n')],
    ['aliases', `systemPrompt: &a x\nskills:\n${many(35_000, () => '  - *a\n')}`],
    ['anchors', `skills:\n${many(19_000, (i) => `  - &a${i} 1\n`)}`],
    ['open brackets', `skills: ${'['.repeat(60_000)}`],
  ];
  it.each(shapes)('%s up to the limit of size cost linear time', (_name, text) => {
    expect(text.length).toBeLessThan(262_144);
    // CPU time, so that a busy machine changes nothing; with a comparison of each with each it is 12 s and more
    const from = process.cpuUsage();
    parse(`provider: demo\n${text}`);
    const { user, system } = process.cpuUsage(from);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('an error is told also behind a hundred remarks: a hook that nobody calls would seem to protect', () => {
    const strange = many(150, (i) => `k${i}: 1\n`);
    expect(warnings(`provider: demo\n${strange}`)).toHaveLength(100);
    const [error] = errors(`provider: demo\n${strange}hooks: {preask: [{command: ./redact.sh}]}\n`);
    expect(error?.message).toContain('preAsk');
  });

  it('`%YAML 1.1`, in which `yes` is true, is an error', () => {
    expect(errors('%YAML 1.1\n---\nprovider: demo\nyolo: yes\n')).toEqual([
      expect.objectContaining({ line: 1, message: expect.stringContaining('YAML 1.2') }),
    ]);
    expect(config('%YAML 1.2\n---\nprovider: demo\n').yolo).toBe(false);
  });

  it('bytes that are no UTF-8 are an error and not replacement characters', () => {
    const result = parseConfig(file, Buffer.from('provider: demo\nsystemPrompt: caf\xe9\n', 'latin1'), {});
    expect(result).toMatchObject({ ok: false, errors: [{ message: expect.stringContaining('UTF-8') }] });
  });

  it('an alias stands for the anchor before it', () => {
    expect(config('provider: demo\nsystemPrompt: &a hello\nacp: {title: *a, description: &b x}\n').acp.title).toBe(
      'hello',
    );
    expect(errors('provider: demo\nacp: {title: *nobody}\n').length).toBeGreaterThan(0);
  });
});
