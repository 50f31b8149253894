import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import Ajv from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approvalOf } from '../../../src/config/approval';
import { jsonSchema } from '../../../src/config/jsonschema';
import { parseConfig } from '../../../src/config/load';
import { hookFiles } from '../../../src/config/paths';
import { pinned, refuseChanged } from '../../../src/config/pins';

/** Rule 10, and section 10 of the design: hooks in `mm.yaml`, and what an approval says of them. */

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-hooks-'));
  mkdirSync(at('hooks'));
  writeFileSync(at('hooks/redact.sh'), '#!/bin/sh\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function parse(text: string, env: NodeJS.ProcessEnv = {}) {
  return parseConfig(at('mm.yaml'), `provider: demo\n${text}`, { HOME: folder, ...env });
}

function hooks(text: string, env?: NodeJS.ProcessEnv) {
  const result = parse(text, env);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.config.hooks;
}

const remarks = (text: string, env?: NodeJS.ProcessEnv) => {
  const result = parse(text, env);
  const all = [...(result.ok ? [] : result.errors), ...result.warnings];
  return all.map((d) => `${d.severity} ${d.line}:${d.column} ${d.message}`);
};

describe('the keys', () => {
  it('a hook with all its keys: paths from the file’s folder, variables filled in', () => {
    const text = 'hooks:\n  preAsk:\n    - {command: ./hooks/redact.sh, args: [-x, --list=words.txt], timeout: 2.5}\n';
    expect(
      hooks(`${text}  postAsk: [{command: node, args: [check.mjs], env: {WHO: "\${env:WHO}"}}]`, { WHO: 'me' }),
    ).toEqual({
      preAsk: [
        {
          label: './hooks/redact.sh -x --list=words.txt',
          command: at('hooks/redact.sh'),
          args: ['-x', '--list=words.txt'],
          env: {},
          timeout: 2.5,
          files: [at('hooks/redact.sh'), at('words.txt')],
        },
      ],
      postAsk: [
        {
          label: 'node check.mjs',
          command: 'node',
          args: ['check.mjs'],
          env: { WHO: 'me' },
          timeout: 10,
          files: [at('check.mjs')],
        },
      ],
    });
  });

  it('a file without hooks has none; an empty list is none', () => {
    expect(hooks('')).toBeUndefined();
    expect(hooks('hooks: {preAsk: []}')).toEqual({ preAsk: [], postAsk: [] });
  });

  it.each([
    ['hooks: [x]', 'error 2:8 `hooks`: expected a group of keys, found a list'],
    [
      'hooks: {preAsk: ./x.sh}',
      'error 2:17 `hooks.preAsk`: expected a list of hooks, such as [{command: ./hooks/redact.sh}], found the text "./x.sh"',
    ],
    ['hooks: {preAsk: [./x.sh]}', 'error 2:18 `hooks.preAsk.0`: expected a group of keys, found the text "./x.sh"'],
    ['hooks: {preAsk: [{timeout: 1}]}', 'error 2:18 `hooks.preAsk.0.command`: expected a text, found nothing'],
    [
      'hooks: {preAsk: [{command: ""}]}',
      'error 2:28 `hooks.preAsk.0.command`: expected a text that is not empty, found the text ""',
    ],
    [
      'hooks: {preAsk: [{command: a, timeout: 0}]}',
      'error 2:40 `hooks.preAsk.0.timeout`: expected a number of seconds from 0.1 to 3600, found the number 0',
    ],
    [
      'hooks: {preAsk: [{command: a, args: x}]}',
      'error 2:37 `hooks.preAsk.0.args`: expected a list of texts, such as [--acp], found the text "x"',
    ],
    [
      'hooks: {preAsk: [{command: a, env: {MM_X: b}}]}',
      'error 2:43 `MM_X` cannot be set here: mm sets or removes it itself',
    ],
    [
      'hooks: {preAsk: [{command: a, env: {T: "${env:NO}"}}]}',
      'error 2:40 `hooks.preAsk.0.env.T`: the environment variable NO is not set',
    ],
    ['hooks: {preAsk: [*x]}', 'error 2:18 `hooks.preAsk.0`'],
  ])('%s is an error with its place', (text, message) => {
    expect(remarks(text).join('\n')).toContain(message);
  });

  it('rule 10: a hook under a name that nobody calls is an error, since it would seem to protect', () => {
    expect(remarks('hooks: {preask: [{command: a}]}')).toEqual([
      'error 2:9 `hooks.preask` is not known and has no effect; did you mean `preAsk`?',
    ]);
  });

  it('an unknown key of a hook is a warning with the nearest; so is a file that is not there', () => {
    expect(remarks('hooks: {postAsk: [{command: ./no.sh, timout: 3}]}')).toEqual([
      `warning 2:29 there is no file ${at('no.sh')}; asks will be refused`,
      'warning 2:38 `hooks.postAsk.0.timout` is not known and has no effect; did you mean `timeout`?',
    ]);
    expect(remarks('hook: {preAsk: [{command: a}]}')).toEqual([
      'warning 2:1 `hook` is not known and has no effect; did you mean `hooks`?',
    ]);
  });

  it('files of a command line: the program by its path and what stands behind options, by Windows’ rules too', () => {
    const files = (command: string, ...args: string[]) =>
      hookFiles('C:\\w\\mm.yaml', { command, args }, 'C:\\h', win32);
    expect(files('node', 'x.mjs', '-v', '--import=./y.mjs', '--z=', '', 'a\nb')).toEqual([
      'C:\\w\\x.mjs',
      'C:\\w\\y.mjs',
    ]);
    expect(files('C:\\w\\r.cmd', '~\\z')).toEqual(['C:\\w\\r.cmd', 'C:\\h\\z']);
  });

  const validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema());
  it('the JSON Schema for editors has them', () => {
    expect(
      validate({ hooks: { preAsk: [{ command: 'a', args: ['b'], env: { C: 'd' }, timeout: 3 }], postAsk: [] } }),
    ).toBe(true);
    for (const wrong of [
      { preask: [] },
      { preAsk: {} },
      { preAsk: [{}] },
      { preAsk: [{ command: 'a', timout: 1 }] },
      { preAsk: [{ command: 'a', timeout: 0 }] },
    ])
      expect(validate({ hooks: wrong }), JSON.stringify(wrong)).toBe(false);
    type Part = { description?: string; default?: unknown; properties: Record<string, Part>; items: Part };
    const hook = (jsonSchema() as unknown as Part).properties.hooks!.properties.preAsk!.items.properties;
    for (const key of Object.keys(hook)) expect(hook[key]!.description, key).toBeTruthy();
    expect(hook.timeout!.default).toBe(10);
  });
});

describe('section 10: an approval covers hooks', () => {
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const hashOf = async () => (await approvalOf(at('mm.yaml'), {})).hash;

  beforeEach(() => {
    write(
      'mm.yaml',
      'provider: demo\nhooks: {preAsk: [{command: ./hooks/redact.sh}]}\nmmConfigs: {bob: {path: bob.yaml}}\n',
    );
    write(
      'bob.yaml',
      'provider: demo\nhooks: {postAsk: [{command: node, args: [late.mjs], env: {NODE_OPTIONS: -r}}]}\n',
    );
  });

  it('names what they start, their variables, and the files that are there', async () => {
    const { files, programs } = await approvalOf(at('mm.yaml'), {});
    expect(files).toEqual([at('mm.yaml'), at('bob.yaml'), at('hooks/redact.sh')]);
    expect(programs).toEqual([at('hooks/redact.sh'), 'node late.mjs', 'postAsk: env NODE_OPTIONS']);
  });

  it('a change of a hook’s file asks again, also in the file of an agent that is asked, and one that appears', async () => {
    const first = await hashOf();
    write('hooks/redact.sh', '#!/bin/sh\ncurl evil\n');
    const second = await hashOf();
    write('late.mjs', 'x');
    const third = await hashOf();
    expect(new Set([first, second, third]).size).toBe(3);
    write('hooks/redact.sh', '#!/bin/sh\n');
    rmSync(at('late.mjs'));
    expect(await hashOf()).toBe(first);
  });

  it('a file that is refused today names its hooks all the same', async () => {
    write(
      'mm.yaml',
      'yolo: 7\nhooks: {preAsk: [{command: ./hooks/redact.sh, timeout: no}], post: [{command: x, args: [hooks/redact.sh]}]}',
    );
    const { files, programs } = await approvalOf(at('mm.yaml'), {});
    expect(files).toContain(at('hooks/redact.sh'));
    expect(programs).toEqual([at('hooks/redact.sh'), 'x hooks/redact.sh']);
  });

  it('a hook’s file that is also an agent’s is followed as such, in whatever order they stand', async () => {
    write(
      'mm.yaml',
      'provider: demo\nhooks: {preAsk: [{command: cat, args: [bob.yaml]}]}\nmmConfigs: {bob: {path: bob.yaml}}\n',
    );
    expect((await approvalOf(at('mm.yaml'), {})).programs).toContain('node late.mjs');
  });

  it('more files than anybody reads are refused, those of hooks counted', async () => {
    const args = Array.from({ length: 100 }, (_, i) => `f${i}`);
    for (const name of args) write(name, '');
    write('mm.yaml', `provider: demo\nhooks: {preAsk: [{command: cat, args: [${args.join(', ')}]}]}\n`);
    await expect(approvalOf(at('mm.yaml'), {})).rejects.toThrow('more than 100 files');
  });

  it('what is used later is held against what was allowed: changed, gone, or come since', async () => {
    const { pins } = await approvalOf(at('mm.yaml'), {});
    const result = parseConfig(at('mm.yaml'), 'provider: demo\n', {});
    if (result.ok) expect(() => pinned(result.config, pins)).toThrow('has changed');
    expect(() => refuseChanged(pins, at('hooks/redact.sh'), 'other')).toThrow('redact.sh has changed');
    expect(() => refuseChanged(pins, at('hooks/redact.sh'), undefined)).toThrow('redact.sh has changed');
    expect(() => refuseChanged(pins, at('late.mjs'), 'come')).toThrow('late.mjs has changed');
    expect(() => refuseChanged(pins, at('late.mjs'), undefined)).not.toThrow();
  });
});
