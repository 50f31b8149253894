import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../src/config/approval-facts';
import { YamlFile } from '../../../src/config/document';
import { formatDiagnostic, parseConfig } from '../../../src/config/load';
import type { MmConfig } from '../../../src/config/types';

/** Agents that live elsewhere: `proxies`, `a2a`, keys by reference, `serve`. */

const basics = 'provider: demo\nmodel: demo\n';
const team = `${basics}proxies:\n  team: {url: "http://localhost:4000/", key: "\${secret:proxy}"}\n`;
const parse = (text: string, env: NodeJS.ProcessEnv = {}) => parseConfig('/tmp/nowhere-mm/mm.yaml', text, env);

function config(text: string, env: NodeJS.ProcessEnv = {}): MmConfig {
  const result = parse(text, env);
  if (!result.ok) throw new Error(result.errors.map(formatDiagnostic).join('\n'));
  return result.config;
}
const errors = (text: string, env?: NodeJS.ProcessEnv) => {
  const result = parse(text, env);
  return result.ok ? [] : result.errors.map((d) => `${d.line}:${d.column} ${d.message}`);
};
const warnings = (text: string, env?: NodeJS.ProcessEnv) => parse(text, env).warnings.map((d) => d.message);

describe('proxies', () => {
  it('have an address and keys by reference', () => {
    const text = `${basics}proxies:\n  team: {url: "http://localhost:4000/", key: "\${secret:proxy}", adminKey: "\${env:ADMIN}"}\n`;
    expect(config(text, { ADMIN: 'sk-1' }).proxies).toEqual(
      new Map([
        [
          'team',
          {
            name: 'team',
            url: 'http://localhost:4000',
            key: { kind: 'secret', name: 'proxy' },
            adminKey: { kind: 'value', value: 'sk-1' },
          },
        ],
      ]),
    );
    expect(warnings(text, { ADMIN: 'sk-1' })).toEqual([]);
  });

  it.each([
    ['proxies: {team: {}}', '`proxies.team` needs `url: ADDRESS`'],
    ['proxies: {team: {url: localhost:4000}}', 'expected an address that starts with http:// or https://'],
    ['proxies: {team: {url: "http://me:sk-secret-1@x/"}}', 'cannot hold a name or a password'],
    ['proxies: {team: sk-secret-1}', 'expected `url: ADDRESS`, found a text'],
    ['proxies: {team: {url: [sk-secret-1]}}', 'expected a text, found a list'],
    ['proxies: {"a b": {url: "http://x"}}', 'expected a name of 1 to 64 letters'],
    ['proxies: {team: {url: "http://x", key: "${env:NOPE}"}}', 'the environment variable NOPE is not set'],
    ['proxies: {team: {url: "http://x", key: "sk-secret-1${secret:a}"}}', '`${secret:NAME}` stands alone'],
    ['proxies: {team: {url: "http://x", key: "${secret:../a}"}}', '`${secret:NAME}` stands alone'],
  ])('%s is an error, without the value', (line, message) => {
    const found = errors(`${basics}${line}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
    expect(found[0]).not.toContain('sk-secret-1');
  });

  it('a key that stands in the file is accepted, with a warning that does not show it', () => {
    const text = `${basics}proxies: {team: {url: "http://x", key: sk-secret-1}}\n`;
    expect(config(text).proxies?.get('team')?.key).toEqual({ kind: 'value', value: 'sk-secret-1' });
    expect(warnings(text)).toEqual([expect.stringContaining('the key itself stands in this file')]);
    expect(warnings(text).join()).not.toContain('sk-secret-1');
  });

  it('an unknown key names the nearest', () => {
    expect(warnings(`${basics}proxies: {team: {url: "http://x", adminkey: a}}\n`)).toEqual([
      '`proxies.team.adminkey` is not known and has no effect; did you mean `adminKey`?',
    ]);
  });
});

describe('a2a', () => {
  it('names an agent behind a proxy, also one with an @ in its name', () => {
    const { mmConfigs, proxies } = config(
      `${team}mmConfigs:\n  scenes: {a2a: scene-checker@team, description: Checks}\n  odd: {a2a: a@b@team}\n`,
    );
    const proxy = proxies!.get('team')!;
    expect(mmConfigs.get('scenes')).toEqual({
      kind: 'a2a',
      description: 'Checks',
      env: {},
      at: { kind: 'proxy', proxy, agent: 'scene-checker' },
    });
    expect(mmConfigs.get('odd')).toMatchObject({ at: { agent: 'a@b' } });
  });

  it('or the address of a card, with a key of its own', () => {
    const { mmConfigs } = config(
      `${basics}mmConfigs: {s: {a2a: "https://\${env:HOST}/s/", key: "\${secret:scenes}"}}\n`,
      { HOST: 'a.example' },
    );
    expect(mmConfigs.get('s')).toMatchObject({
      at: { kind: 'card', url: 'https://a.example/s', key: { kind: 'secret', name: 'scenes' } },
    });
  });

  it.each([
    ['{a2a: scenes}', 'expected NAME@PROXY'],
    ['{a2a: "@team"}', 'expected NAME@PROXY'],
    ['{a2a: "a/../b@team"}', 'expected NAME@PROXY'],
    ['{a2a: scenes@taem}', 'there is no proxy taem under `proxies`; did you mean team?'],
    ['{a2a: "file:///etc/passwd"}', 'expected an address that starts with http:// or https://'],
    ['{a2a: s@team, path: b.yaml}', 'has both `path` and `a2a`; expected one of them'],
    ['{description: x}', '`a2a: NAME@PROXY`'],
  ])('%s is an error', (entry, message) => {
    const found = errors(`${team}mmConfigs:\n  s: ${entry}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('without proxies the error shows how to add one', () => {
    expect(errors(`${basics}mmConfigs: {s: {a2a: s@team}}\n`)).toEqual([
      expect.stringContaining('there is no proxy team; add it: `proxies: {team: {url: ADDRESS}}`'),
    ]);
  });

  it('keys that belong elsewhere are warned about', () => {
    const text = `${team}mmConfigs:\n  s: {a2a: s@team, args: [x], env: {A: b}, key: "\${secret:x}"}\n  c: {command: x, key: "\${secret:x}"}\n`;
    expect(warnings(text)).toEqual([
      '`mmConfigs.s.args` belongs to `command` and has no effect beside `a2a`',
      '`mmConfigs.s.env` belongs to `command` and has no effect beside `a2a`',
      '`mmConfigs.s.key` belongs to an address; the key of a proxy stands in `proxies.team.key`',
      '`mmConfigs.c.key` belongs to `a2a` and has no effect beside `command`',
    ]);
  });
});

describe('serve', () => {
  it('is what callers from outside may do; nothing when it is not there', () => {
    expect(config(basics).serve).toBeUndefined();
    expect(config(`${basics}serve: {yolo: true}\n`).serve).toEqual({ yolo: true });
    expect(config(`${basics}serve: {}\n`).serve).toEqual({ yolo: false });
    expect(errors(`${basics}serve: {yolo: 1}\n`)).toEqual([expect.stringContaining('expected true or false')]);
  });
});

describe('section 10: what is said of a folder’s file before it is allowed', () => {
  it('names where questions, and which secrets, go', () => {
    const text = `${basics}proxies:\n  team: {url: "https://a.example", key: "\${secret:proxy}", adminKey: "\${secret:admin}"}\nmmConfigs:\n  s: {a2a: "https://b.example/s", key: "\${secret:proxy}"}\n  t: {a2a: t@team}\n`;
    expect(factsOf(new YamlFile('/shop/.mm/mm.yaml', text))).toEqual([
      'mm.yaml: questions may go to https://a.example',
      'mm.yaml: questions may go to https://b.example/s',
      'mm.yaml: your secret proxy goes to https://a.example',
      'mm.yaml: your secret admin goes to https://a.example',
      'mm.yaml: your secret proxy goes to https://b.example/s',
    ]);
  });
});
