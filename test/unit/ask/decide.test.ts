import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecideQuestion, decide, yoloOf } from '../../../src/ask/decide';
import { ConversationGrants } from '../../../src/ask/grants';
import type { Rules } from '../../../src/ask/types';

const base: DecideQuestion = {
  path: ['bob'],
  tool: 'bash',
  keyFile: false,
  mustAsk: false,
  cannotAllow: false,
  canAnswer: true,
};

function grantsOf(...given: [string[], string][]): ConversationGrants {
  const grants = new ConversationGrants();
  for (const [path, tool] of given) grants.add(path, tool);
  return grants;
}

/** The person allows `git status` of bob's bash in that folder. */
const rules: Rules = {
  cover: (path, tool, { folder, commands }) =>
    path.join() === 'bob' &&
    tool === 'bash' &&
    folder === '/home/me/shop' &&
    commands.every((c) => c.join(' ') === 'git status'),
};
const gitStatus = { folder: '/home/me/shop', commands: [['git', 'status']] };

interface Case {
  name: string;
  question?: Partial<DecideQuestion>;
  entries: (boolean | undefined)[];
  live: boolean;
  grants?: [string[], string][];
  want: string;
}

const bobBash: [string[], string][] = [[['bob'], 'bash']];

const cases: Case[] = [
  // Yolo of an ask: the entry's, else the caller's live yolo.
  { name: 'nothing set, yolo off: the person', entries: [undefined], live: false, want: 'ask by person' },
  { name: 'nothing set, live yolo on: runs', entries: [undefined], live: true, want: 'allow by yolo' },
  { name: 'entry true overrides live false', entries: [true], live: false, want: 'allow by yolo' },
  { name: 'entry false overrides live true', entries: [false], live: true, want: 'ask by person' },
  // Not true: a grant, else the person, else no.
  { name: 'a grant for that very name', entries: [undefined], live: false, grants: bobBash, want: 'allow by grant' },
  { name: 'entry false: a grant still answers', entries: [false], live: true, grants: bobBash, want: 'allow by grant' },
  {
    name: 'nobody to answer: refused at once',
    question: { canAnswer: false },
    entries: [undefined],
    live: false,
    want: 'refuse by nobody',
  },
  {
    name: 'nobody to answer, but a grant',
    question: { canAnswer: false },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'allow by grant',
  },
  {
    name: 'nobody to answer, but yolo',
    question: { canAnswer: false },
    entries: [true],
    live: false,
    want: 'allow by yolo',
  },
  // Grants are kept by [path…, tool].
  {
    name: "home's bash does not allow bob's",
    entries: [undefined],
    live: false,
    grants: [[[], 'bash']],
    want: 'ask by person',
  },
  {
    name: 'bob/bash does not cover bob/riker/bash',
    question: { path: ['bob', 'riker'] },
    entries: [undefined, undefined],
    live: false,
    grants: bobBash,
    want: 'ask by person',
  },
  {
    name: 'bob/riker/bash does not cover bob/bash',
    entries: [undefined],
    live: false,
    grants: [[['bob', 'riker'], 'bash']],
    want: 'ask by person',
  },
  {
    name: "a tool of bob's named riker/bash is not riker's bash",
    question: { tool: 'riker/bash' },
    entries: [undefined],
    live: false,
    grants: [[['bob', 'riker'], 'bash']],
    want: 'ask by person',
  },
  {
    name: 'another tool of the same agent',
    question: { tool: 'write' },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'ask by person',
  },
  // Key files and unnamed tools.
  {
    name: 'a key file is never answered by a grant',
    question: { keyFile: true },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'ask by person',
  },
  {
    name: 'a key file under yolo runs',
    question: { keyFile: true },
    entries: [true],
    live: false,
    want: 'allow by yolo',
  },
  {
    name: 'a key file with nobody to answer',
    question: { keyFile: true, canAnswer: false },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'refuse by nobody',
  },
  {
    name: 'an unnamed tool is never answered by a grant',
    question: { tool: undefined },
    entries: [undefined],
    live: false,
    grants: [[['bob'], 'undefined']],
    want: 'ask by person',
  },
  // Deeper.
  {
    name: 'deeper: true gives what the asking ask has, here nothing',
    question: { path: ['bob', 'riker'] },
    entries: [undefined, true],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'deeper: true after false',
    question: { path: ['bob', 'riker'] },
    entries: [false, true],
    live: true,
    want: 'ask by person',
  },
  {
    name: "deeper: nothing gives bob's true",
    question: { path: ['bob', 'riker'] },
    entries: [true, undefined],
    live: false,
    want: 'allow by yolo',
  },
  {
    name: 'deeper: true under live yolo',
    question: { path: ['bob', 'riker'] },
    entries: [undefined, true],
    live: true,
    want: 'allow by yolo',
  },
  {
    name: 'deeper: an explicit false means ask, also under yolo above',
    question: { path: ['bob', 'riker'] },
    entries: [true, false],
    live: true,
    want: 'ask by person',
  },
  // mustAsk, from a `mm` that relays by itself.
  {
    name: 'mustAsk: no yolo above answers it',
    question: { mustAsk: true },
    entries: [true],
    live: true,
    want: 'ask by person',
  },
  {
    name: 'mustAsk: a grant does',
    question: { mustAsk: true },
    entries: [true],
    live: true,
    grants: bobBash,
    want: 'allow by grant',
  },
  {
    name: 'mustAsk with nobody to answer',
    question: { mustAsk: true, canAnswer: false },
    entries: [true],
    live: true,
    want: 'refuse by nobody',
  },
  // No allow_once.
  {
    name: 'no allow_once: refused under yolo',
    question: { cannotAllow: true },
    entries: [true],
    live: true,
    want: 'refuse by rule',
  },
  {
    name: 'no allow_once: refused under a grant',
    question: { cannotAllow: true },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'refuse by rule',
  },
  {
    name: 'no allow_once: the dialog says so',
    question: { cannotAllow: true },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'no allow_once, nobody',
    question: { cannotAllow: true, canAnswer: false },
    entries: [undefined],
    live: false,
    want: 'refuse by nobody',
  },
  // Home.
  {
    name: "home's own ask_agent under live yolo",
    question: { path: [], tool: 'ask_agent' },
    entries: [],
    live: true,
    want: 'allow by yolo',
  },
  {
    name: "home's own ask_agent",
    question: { path: [], tool: 'ask_agent' },
    entries: [],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a home agent that is not mm asks, whatever yolo says',
    question: { path: [], foreignHome: true },
    entries: [true],
    live: true,
    want: 'ask by person',
  },
  {
    name: 'a home agent that is not mm: or a grant',
    question: { path: [], foreignHome: true },
    entries: [],
    live: true,
    grants: [[[], 'bash']],
    want: 'allow by grant',
  },
];

const ruleCases: Case[] = [
  {
    name: 'a rule for such a command',
    question: { command: gitStatus },
    entries: [undefined],
    live: false,
    want: 'allow by command-rule',
  },
  {
    name: 'yolo comes before a rule',
    question: { command: gitStatus },
    entries: [true],
    live: false,
    want: 'allow by yolo',
  },
  {
    name: 'a grant comes before a rule',
    question: { command: gitStatus },
    entries: [undefined],
    live: false,
    grants: bobBash,
    want: 'allow by grant',
  },
  {
    name: 'a rule, entry false: as a grant, it is the person’s own word',
    question: { command: gitStatus },
    entries: [false],
    live: true,
    want: 'allow by command-rule',
  },
  {
    name: 'a rule, mustAsk: as a grant',
    question: { command: gitStatus, mustAsk: true },
    entries: [true],
    live: true,
    want: 'allow by command-rule',
  },
  {
    name: 'a rule, nobody to answer: as a grant',
    question: { command: gitStatus, canAnswer: false },
    entries: [undefined],
    live: false,
    want: 'allow by command-rule',
  },
  {
    name: 'a rule, a home agent that is not mm: as a grant',
    question: { command: gitStatus, foreignHome: true },
    entries: [undefined],
    live: true,
    want: 'allow by command-rule',
  },
  {
    name: 'a rule never answers for a key file',
    question: { command: gitStatus, keyFile: true },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a rule never answers for an unnamed tool',
    question: { command: gitStatus, tool: undefined },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a rule never answers for an agent without allow_once',
    question: { command: gitStatus, cannotAllow: true },
    entries: [undefined],
    live: false,
    want: 'refuse by rule',
  },
  {
    name: 'a rule of bob’s does not hold for riker',
    question: { command: gitStatus, path: ['bob', 'riker'] },
    entries: [undefined, undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a rule does not hold in another folder',
    question: { command: { ...gitStatus, folder: '/home/me/shop/sub' } },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a rule holds only where each command has one',
    question: {
      command: {
        folder: '/home/me/shop',
        commands: [
          ['git', 'status'],
          ['rm', 'x'],
        ],
      },
    },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
  {
    name: 'a command that is not understood has no rule',
    question: { command: undefined },
    entries: [undefined],
    live: false,
    want: 'ask by person',
  },
];

describe('rule 4: decide', () => {
  it.each([...cases, ...ruleCases])('$name', ({ question, entries, live, grants = [], want }) => {
    const decision = decide({ ...base, ...question }, ['You', 'bob'], entries, live, grantsOf(...grants), rules);
    expect(`${decision.outcome} by ${decision.by}`).toBe(want);
    if (decision.outcome === 'refuse') expect(decision.why).toContain('bob');
  });

  it('rule 4: no entry below the first widens what stands above (F055)', () => {
    const yolo = fc.option(fc.boolean(), { nil: undefined });
    fc.assert(
      fc.property(fc.array(yolo, { minLength: 1, maxLength: 4 }), yolo, fc.boolean(), (above, deeper, live) => {
        const outer = yoloOf(above, live);
        const inner = yoloOf([...above, deeper], live);
        expect(inner && !outer).toBe(false);
        if (deeper === false) expect(inner).toBe(false);
        else expect(inner).toBe(outer);
      }),
    );
  });
});
