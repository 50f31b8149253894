import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log';
import { parseRules, RuleBook } from '../../../src/host/rulebook';

let folder: string;
let file: string;
let holds = true;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-rules-'));
  file = join(folder, 'storage', 'rules.json');
  holds = true;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const book = () => new RuleBook(file, silentLog, () => holds);
const about = { home: 'Ada', path: ['bob'], tool: 'bash', folder: '/work' };
const gitStatus = { words: ['git', 'status'], more: false };
const covers = (rules: RuleBook, ...commands: string[]) =>
  rules.of('Ada').cover(['bob'], 'bash', { folder: '/work', commands: commands.map((c) => c.split(' ')) });

describe('the rules of a folder', () => {
  it('are kept, found again, and taken back in every window', () => {
    const one = book();
    const other = book();
    let changes = 0;
    one.onDidChange(() => changes++);
    one.add(about, [gitStatus]);
    one.add(about, [gitStatus, { words: ['npm', 'test'], more: true }]);
    expect(other.list().map((r) => r.words.join(' '))).toEqual(['git status', 'npm test']);
    expect(covers(other, 'git status')).toBe(true);
    expect(covers(other, 'git status', 'npm test a.ts')).toBe(true);
    expect(covers(other, 'git status', 'rm x')).toBe(false);
    other.remove(other.list()[0]!.id);
    expect(covers(one, 'git status')).toBe(false);
    expect(covers(one, 'npm test')).toBe(true);
    expect(changes).toBe(2);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('hold for that home agent only, and not while nothing may run', () => {
    const rules = book();
    rules.add(about, [gitStatus]);
    const command = { folder: '/work', commands: [['git', 'status']] };
    expect(rules.of('Eve').cover(['bob'], 'bash', command)).toBe(false);
    expect(rules.of('Ada').cover(['bob'], 'bash', { ...command, commands: [] })).toBe(false);
    holds = false;
    expect(covers(rules, 'git status')).toBe(false);
  });

  it('what cannot be read holds no rule, and is no obstacle for the next one', () => {
    const rules = book();
    rules.add(about, [gitStatus]);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(rules.list()).toEqual([]);
    expect(covers(rules, 'git status')).toBe(false);
    rules.add(about, [gitStatus]);
    expect(covers(rules, 'git status')).toBe(true);
  });

  it('nothing is stored that could not have been shown', () => {
    expect(() => book().add(about, [{ words: ['sh'], more: true }])).toThrow('No rule can be made');
    const rule = { ...about, id: '1', at: 1, ...gitStatus };
    const read = (...rules: unknown[]) => parseRules(JSON.stringify({ v: 1, rules })).length;
    expect(read(rule)).toBe(1);
    expect(
      read(
        { ...rule, more: true, words: ['git'] },
        { ...rule, more: 1 },
        { ...rule, words: [] },
        { ...rule, words: 'git' },
        { ...rule, words: [['git']] },
        { ...rule, path: 'bob' },
        { ...rule, folder: undefined },
        { ...rule, home: 1 },
        null,
        [],
        'x',
      ),
    ).toBe(0);
    for (const text of ['', 'null', '[]', '{"v":2,"rules":[]}', 'x'.repeat(1_000_001)])
      expect(parseRules(text)).toEqual([]);
  });

  it('there are not more than a person reads', () => {
    const rules = book();
    const many = Array.from({ length: 200 }, (_, i) => ({ words: ['echo', String(i)], more: false }));
    rules.add(about, many);
    expect(() => rules.add(about, [gitStatus])).toThrow('There are 200 rules already');
  });
});
