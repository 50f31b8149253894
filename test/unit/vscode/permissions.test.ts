import { beforeEach, describe, expect, it } from 'vitest';
import { ConversationGrants } from '../../../src/ask/grants';
import type { CommandRule, Pattern } from '../../../src/ask/rules';
import type { DecisionRecord } from '../../../src/host/decisions';
import { outcomeText, showPermissions } from '../../../src/vscode/permissions';
import { fake } from '../../support/vscode';

interface Row {
  label: string;
  description?: string;
  detail?: string;
  kind?: number;
}

let grants: ConversationGrants;
let decisions: DecisionRecord[];
let rules: CommandRule[];
let saved: { about: object; patterns: readonly Pattern[] }[];
/** What was listed, by the title of the list. */
let listed: Map<string, Row[]>;

beforeEach(() => {
  fake.reset();
  grants = new ConversationGrants();
  decisions = [];
  rules = [];
  saved = [];
  listed = new Map();
});

const decision = (text: string, over: Partial<DecisionRecord> = {}): DecisionRecord => ({
  at: Date.UTC(2026, 0, 1),
  conversation: 'c',
  home: 'Ada',
  name: 'bob/bash',
  path: ['bob'],
  tool: 'bash',
  chain: ['You', 'Ada', 'bob'],
  outcome: 'allowed',
  by: 'person',
  remembered: false,
  shown: text,
  command: { folder: '/work', commands: [text.split(' ')] },
  ...over,
});

/** Runs the command; in each list that opens, the row is chosen whose label is next. */
function run(...choices: string[]): Promise<void> {
  fake.quickPick = (items, options) => {
    const rows = items as Row[];
    listed.set(options?.title ?? '', rows);
    const choice = choices.shift();
    return rows.find((row) => row.label === choice && row.kind !== -1);
  };
  return showPermissions({
    grants,
    rules: {
      list: () => rules,
      add: (about, patterns) => void saved.push({ about, patterns }),
      remove: (id) => {
        rules = rules.filter((r) => r.id !== id);
      },
    },
    decisions: { list: () => decisions },
  });
}

const aRule: CommandRule = {
  id: 'r1',
  at: 0,
  home: 'Ada',
  path: ['bob'],
  tool: 'bash',
  folder: '/work',
  words: ['npm', 'test'],
  more: true,
};

describe('mm: Permissions…', () => {
  it('lists grants, rules, and the last decisions with time, agent, chain, tool, outcome and by whom', async () => {
    grants.add(['bob'], 'write');
    rules = [aRule];
    decisions = [decision('git status'), decision('rm x', { outcome: 'rejected' })];
    await run();
    const rows = listed.get('Permissions')!;
    expect(rows.map((r) => r.label)).toEqual([
      'Allowed in this conversation',
      'bob/write',
      'Rules of this folder',
      'npm test …',
      'Last decisions',
      'bob/bash: git status',
      'bob/bash: rm x',
    ]);
    expect(rows[3]).toMatchObject({
      description: 'bob/bash, in conversations with Ada',
      detail: expect.stringContaining('/work'),
    });
    expect(rows[5]!.detail).toMatch(/\d:\d.* · allowed once by you · You → Ada → bob$/);
    expect(rows[6]!.detail).toContain('rejected by you');
  });

  it('F047 revokes a grant', async () => {
    grants.add(['bob'], 'bash');
    grants.add([], 'bash');
    await run('bob/bash', 'Revoke');
    expect(grants.list()).toEqual([['bash']]);
  });

  it('F047 revokes a rule; leaving the list revokes nothing', async () => {
    rules = [aRule];
    await run('npm test …');
    expect(rules).toHaveLength(1);
    await run('npm test …', 'Revoke');
    expect(rules).toEqual([]);
  });

  it('makes a rule of a decision; the exact pattern is shown before it is saved', async () => {
    decisions = [decision('npm test')];
    const running = run('bob/bash: npm test', 'npm test');
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(listed.get('Allow commands like this one without asking')!.map((r) => [r.label, r.detail])).toEqual([
      ['npm test', 'exactly these words'],
      ['npm test …', 'these words, and then any names and paths within the folder, but no options'],
    ]);
    expect(saved).toEqual([]);
    const { options } = fake.message;
    expect(options?.modal).toBe(true);
    for (const words of [
      '│ npm test\n',
      'bob/bash, in conversations with Ada',
      'Folder: /work',
      'until you revoke it',
    ]) {
      expect(options?.detail).toContain(words);
    }
    expect(options?.detail).not.toContain('npm test …');
    fake.message.answer('Save the Rule');
    await running;
    expect(saved).toEqual([
      {
        about: { home: 'Ada', path: ['bob'], tool: 'bash', folder: '/work' },
        patterns: [{ words: ['npm', 'test'], more: false }],
      },
    ]);
  });

  it('an open pattern is chosen by the person, and explained', async () => {
    decisions = [decision('npm test')];
    const running = run('bob/bash: npm test', 'npm test …');
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(fake.message.options?.detail).toContain('│ npm test …\n');
    expect(fake.message.options?.detail).toContain('never for options or operators');
    fake.message.answer(undefined);
    await running;
    expect(saved).toEqual([]);
  });

  it('several commands become a rule each, word for word', async () => {
    decisions = [
      decision('npm ci && npm test', {
        command: {
          folder: '/work',
          commands: [
            ['npm', 'ci'],
            ['npm', 'test'],
          ],
        },
      }),
    ];
    const running = run('bob/bash: npm ci && npm test', 'npm ci · npm test');
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(fake.message.options?.detail).toContain('│ npm ci\n│ npm test\n');
    fake.message.answer('Save the Rule');
    await running;
    expect(saved[0]!.patterns).toEqual([
      { words: ['npm', 'ci'], more: false },
      { words: ['npm', 'test'], more: false },
    ]);
  });

  it('a decision of which no rule can be made is shown in full, and offers none', async () => {
    decisions = [decision('git status; touch $(x)', { command: undefined })];
    const running = run('bob/bash: git status; touch \\$(x)');
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(fake.message).toMatchObject({ kind: 'information', message: 'bob/bash', items: [] });
    expect(fake.message.options?.detail).toContain('git status; touch $(x)');
    fake.message.answer();
    await running;
  });

  it('F046 what agents wrote stands in one line, visible, and draws no icons', async () => {
    decisions = [decision('$(trash) x', { command: undefined, chain: ['You', 'b\u202eob\nx'] })];
    grants.add(['$(check)'], 'bash');
    await run();
    const [, grant, , row] = listed.get('Permissions')!;
    expect(grant!.label).toBe('\\$(check)/bash');
    expect(row!.label).toBe('bob/bash: \\$(trash) x');
    expect(row!.detail).toMatch(/ · You → b\[U\+202E\]ob$/);
  });

  it('with nothing to list it says so', async () => {
    const running = run();
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(fake.message.message).toContain('Nothing has been allowed or rejected yet');
    fake.message.answer();
    await running;
    expect(listed.size).toBe(0);
  });

  it.each([
    [{ outcome: 'allowed', by: 'person', remembered: true }, 'allowed by you for the conversation'],
    [{ outcome: 'allowed', by: 'grant', remembered: false }, 'allowed earlier for the conversation'],
    [{ outcome: 'allowed', by: 'command-rule', remembered: false }, 'allowed by a rule of the folder'],
    [{ outcome: 'allowed', by: 'yolo', remembered: false }, 'allowed by yolo'],
    [{ outcome: 'rejected', by: 'nobody', remembered: false }, 'refused: nobody could answer'],
    [{ outcome: 'rejected', by: 'rule', remembered: false }, 'refused without asking'],
    [{ outcome: 'cancelled', by: 'stop', remembered: false }, 'withdrawn before it was answered'],
  ] as const)('%j: %s', (how, words) => {
    expect(outcomeText(how)).toBe(words);
  });
});
