import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approvalOf } from '../../../src/config/approval';
import { loadConfig } from '../../../src/config/load';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-approval-'));
  mkdirSync(at('sub'));
  writeFileSync(at('mm.yaml'), 'mmConfigs:\n  bob: {path: sub/bob.yaml}\n  c: {command: npx, args: [agent, "a b"]}\n');
  writeFileSync(
    at('sub/bob.yaml'),
    'mmConfigs:\n  riker: {path: ../riker.yaml}\n  own: {command: ./run}\n  again: {command: npx, args: [agent, "a b"]}\n',
  );
  writeFileSync(at('riker.yaml'), 'mmConfigs: {ada: {path: mm.yaml}}\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('covers the file, every file named by path, and theirs; cycles end; programs are listed once', async () => {
  const approval = await approvalOf(at('mm.yaml'));
  expect(approval.files).toEqual([at('mm.yaml'), at('sub/bob.yaml'), at('riker.yaml')]);
  expect(approval.programs).toEqual(["npx agent 'a b'", at('sub/run')]);
  expect(approval.hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await approvalOf(at('mm.yaml'))).hash).toBe(approval.hash);
});

it.each(['mm.yaml', 'sub/bob.yaml', 'riker.yaml'])('a change of %s changes the hash', async (name) => {
  const before = await approvalOf(at('mm.yaml'));
  writeFileSync(
    at(name),
    `${name === 'riker.yaml' ? '' : 'mmConfigs: {bob: {path: sub/bob.yaml}, riker: {path: ../riker.yaml}}'}\n# changed`,
  );
  expect((await approvalOf(at('mm.yaml'))).hash).not.toBe(before.hash);
});

it('a file that is missing counts as missing; when it appears, the hash is another', async () => {
  rmSync(at('riker.yaml'));
  const without = await approvalOf(at('mm.yaml'));
  expect(without.files).toContain(at('riker.yaml'));
  writeFileSync(at('riker.yaml'), '');
  expect((await approvalOf(at('mm.yaml'))).hash).not.toBe(without.hash);
});

it('a file with errors still counts with all that it names', async () => {
  writeFileSync(at('mm.yaml'), 'yolo: [\nmmConfigs: {bob: {path: sub/bob.yaml, yolo: 7}}\n');
  writeFileSync(at('mm.yaml'), 'yolo: 9\nmmConfigs: {"a b": {path: sub/bob.yaml, command: x}}\n');
  const approval = await approvalOf(at('mm.yaml'));
  expect(approval.files).toContain(at('riker.yaml'));
  expect(approval.programs).toContain('x');
});

it('a file with two names counts under both, since its paths are relative to the name', async () => {
  symlinkSync(at('mm.yaml'), at('sub/link.yaml'));
  writeFileSync(at('riker.yaml'), 'mmConfigs: {ada: {path: sub/link.yaml}}\n');
  expect((await approvalOf(at('mm.yaml'))).files).toEqual([
    at('mm.yaml'),
    at('sub/bob.yaml'),
    at('riker.yaml'),
    at('sub/link.yaml'),
    at('sub/sub/bob.yaml'),
  ]);
});

it('more files than anybody reads are refused, not cut; a folder that contains itself by a link ends', async () => {
  const names = Array.from({ length: 101 }, (_, i) => `    a${i}: {path: a${i}.yaml}\n`);
  writeFileSync(at('mm.yaml'), `mmConfigs:\n${names.join('')}`);
  await expect(approvalOf(at('mm.yaml'))).rejects.toThrow('more than 100 files');
  symlinkSync(folder, at('loop'));
  writeFileSync(at('mm.yaml'), 'mmConfigs: {again: {path: loop/mm.yaml}}\n');
  const end = await approvalOf(at('mm.yaml')).then(
    ({ files }) => files.length,
    () => 100,
  );
  expect(end).toBeLessThanOrEqual(100);
});

describe('what is loaded was approved', () => {
  /** Every path and every command line that `loadConfig` gives, from file to file. */
  async function used(file: string, env: NodeJS.ProcessEnv, seen = new Set<string>()) {
    const found = { paths: new Set<string>([file]), lines: new Set<string>(), variables: new Set<string>() };
    if (seen.has(file)) return found;
    seen.add(file);
    const result = await loadConfig(file, env);
    if (!result.ok) return found;
    for (const [name, entry] of result.config.mmConfigs) {
      for (const variable of Object.keys(entry.env)) found.variables.add(`${name} ${variable}`);
      if (entry.kind === 'command') found.lines.add([entry.command, ...entry.args].join('\0'));
      else if (entry.kind === 'path') {
        const below = await used(entry.path, env, seen);
        for (const path of below.paths) found.paths.add(path);
        for (const line of below.lines) found.lines.add(line);
        for (const variable of below.variables) found.variables.add(variable);
      }
    }
    return found;
  }

  /** The words of a line on the card, as a shell would split them. */
  const words = (line: string) =>
    [...line.matchAll(/'((?:[^']|'\\'')*)'|[^ ]+/g)].map((m) =>
      m[1] === undefined ? m[0] : m[1].replaceAll("'\\''", "'"),
    );

  async function covers(texts: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
    for (const [name, text] of Object.entries(texts)) writeFileSync(at(name), text);
    const approval = await approvalOf(at('mm.yaml'), env);
    const found = await used(at('mm.yaml'), env);
    for (const path of found.paths) expect(approval.files, texts['mm.yaml']).toContain(path);
    const lines = approval.programs.map((line) => words(line).join('\0'));
    for (const line of found.lines) expect(lines, texts['mm.yaml']).toContain(line);
    for (const variable of found.variables) {
      const [name, key] = variable.split(' ');
      const shown = approval.programs.some((line) => line.startsWith(`${name}: env `) && line.includes(key!));
      expect(shown, `${variable} in ${approval.programs}`).toBe(true);
    }
    return { approval, found };
  }

  const bomb = ['k0: &k0 [x, x, x, x, x, x, x, x, x, x]']
    .concat(
      [1, 2, 3, 4].map(
        (n) =>
          `k${n}: &k${n} [${Array(10)
            .fill(`*k${n - 1}`)
            .join(', ')}]`,
      ),
    )
    .join('\n');

  it.each([
    [
      'an alias to nothing',
      'mmConfigs:\n  bob: {path: bob.yaml, note: *nothing}\n  c: {command: evil, note: *nothing}\n',
    ],
    ['a bomb of aliases', `${bomb}\nmmConfigs:\n  bob: {path: bob.yaml, note: *k4}\n  c: {command: evil, note: *k4}\n`],
    ['a ring of aliases', 'mmConfigs:\n  bob: {path: bob.yaml, note: &n [*n]}\n  c: {command: evil, note: &m [*m]}\n'],
  ])('%s under a key without meaning hides neither a file nor a program', async (_, text) => {
    const { approval } = await covers({
      'mm.yaml': text,
      'bob.yaml': 'mmConfigs: {d: {command: worse, env: {NODE_OPTIONS: --require x}}}\n',
    });
    expect(approval.files).toEqual([at('mm.yaml'), at('bob.yaml')]);
    expect(approval.programs).toEqual(['evil', 'worse', 'd: env NODE_OPTIONS']);
  });

  it('variables of the environment are filled in as they are for loading; what is missing is seen as written', async () => {
    const text =
      'mmConfigs: {bob: {path: "${env:WHO}.yaml"}, c: {command: "${env:TOOL}/x"}, d: {command: "${env:NO}"}}';
    const approval = await covers({ 'mm.yaml': text, 'bob.yaml': '' }, { WHO: 'bob', TOOL: '/opt' });
    expect(approval.approval.files).toContain(at('bob.yaml'));
    expect(approval.approval.programs).toEqual(['/opt/x', "'${env:NO}'"]);
  });

  it('names the variables of every entry: one such as NODE_OPTIONS runs code', async () => {
    writeFileSync(
      at('mm.yaml'),
      'mmConfigs:\n  bob: {path: sub/bob.yaml, env: {NODE_OPTIONS: x, B: y}}\n  c: {command: npx, env: {LD_PRELOAD: z}}\n',
    );
    const { programs } = await approvalOf(at('mm.yaml'));
    expect(programs.slice(0, 3)).toEqual(['bob: env NODE_OPTIONS, B', 'npx', 'c: env LD_PRELOAD']);
  });

  it('whatever stands in the files', async () => {
    const path = fc.constantFrom(
      'a.yaml',
      './b.yaml',
      'sub/../b.yaml',
      '~/none.yaml',
      '"${env:FILE}"',
      '*p',
      '&p a.yaml',
      '!!str b.yaml',
      '[a]',
      '7',
      '',
    );
    const command = fc.constantFrom(
      'npx',
      './run',
      '"${env:TOOL}"',
      '"${env:NO}"',
      '*c',
      '&c evil',
      '!!str x',
      '"it\'s"',
      '[x]',
      '1',
    );
    const args = fc.constantFrom('[]', '[a, "b c"]', '&r [z]', '*r', '[*p]', '[1]', 'x');
    const env = fc.constantFrom(
      '{A: b}',
      '&e {NODE_OPTIONS: x}',
      '*e',
      '{<<: *e, B: c}',
      '{A: 1}',
      '{AGENT_YOLO: "1"}',
    );
    const noise = fc.constantFrom('*nothing', '&n [*n]', '*k4', '!tag x', '!!binary AAAA', '{<<: {path: a.yaml}}', '1');
    const field = fc.oneof(
      { weight: 4, arbitrary: path.map((v) => `path: ${v}`) },
      { weight: 4, arbitrary: command.map((v) => `command: ${v}`) },
      args.map((v) => `args: ${v}`),
      env.map((v) => `env: ${v}`),
      noise.map((v) => `note: ${v}`),
      fc.constantFrom(
        '<<: {command: merged}',
        '<<: *bob',
        'yolo: 7',
        '? path\n    : a.yaml',
        '"path": b.yaml',
        'a2a: x',
      ),
    );
    const sound = fc.tuple(
      fc.constantFrom(
        'path: a.yaml',
        'path: "${env:FILE}"',
        'command: npx',
        'command: "${env:TOOL}"',
        '"path": b.yaml',
      ),
      fc.constantFrom('env: {A: b}', 'env: {}', 'yolo: true'),
      fc.constantFrom(
        'note: *nothing',
        'note: &n [*n]',
        'note: *k4',
        'note: {<<: 1}',
        '<<: {command: merged}',
        'description: x',
      ),
    );
    const entry = fc.oneof({ weight: 6, arbitrary: sound }, fc.array(field, { minLength: 1, maxLength: 3 }));
    const block = fc
      .tuple(fc.constantFrom('bob', 'c', 'd', 'e', '"f"', '1', '"a b"'), fc.constantFrom('', ' &bob'), entry)
      .map(([name, anchor, fields]) => `  ${name}:${anchor}\n${fields.map((f) => `    ${f}\n`).join('')}`);
    const file = fc
      .tuple(
        // such a file is refused, and still counts with what stands in it
        fc.constantFrom('', '', '', '', '', '', '', '%YAML 1.1\n---\n'),
        fc.constantFrom(
          '',
          'provider: demo\n',
          `${bomb}\n`,
          `${bomb}\n`,
          'yolo: 9\n',
          '? &k mmConfigs\n: &v {z: {command: q}}\n',
        ),
        fc.array(block, { maxLength: 3 }),
        fc.constantFrom('', '', '', '', 'model: *p\n', 'mmConfigs: *v\n'),
      )
      .map(
        ([head, top, blocks, tail]) => `${head}${top}${blocks.length ? `mmConfigs:\n${blocks.join('')}` : ''}${tail}`,
      );
    let loadable = 0;
    await fc.assert(
      fc.asyncProperty(file, file, file, async (one, a, b) => {
        const { found } = await covers({ 'mm.yaml': one, 'a.yaml': a, 'b.yaml': b }, { FILE: 'b.yaml', TOOL: 'tool' });
        if (found.paths.size + found.lines.size > 1) loadable++;
      }),
      { numRuns: 80 },
    );
    // else the test would say nothing
    expect(loadable).toBeGreaterThan(3);
  }, 60_000);
});
