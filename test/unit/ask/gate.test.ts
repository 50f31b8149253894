import { describe, expect, it } from 'vitest';
import { type GateCall, PermissionGate, questionOf } from '../../../src/ask/gate';
import { ConversationGrants } from '../../../src/ask/grants';
import { optionFor } from '../../../src/ask/options';
import type { PermissionAnswer, PermissionDecision, Rules } from '../../../src/ask/types';
import { silentLog } from '../../../src/base/log';

const options = [
  { optionId: 'yes', kind: 'allow_once' as const, name: 'OK' },
  { optionId: 'no', kind: 'reject_once' as const, name: 'OK' },
];

/** A conversation whose person answers by hand. */
function conversation(gate: PermissionGate) {
  const asked = new Map<string, (answer: PermissionAnswer) => void>();
  const settled: [string, PermissionDecision][] = [];
  const allowed = new Set<string>();
  const rules: Rules = {
    cover: (path, tool, { commands }) => commands.every((c) => allowed.has([...path, tool, ...c].join(' '))),
  };
  const stop = new AbortController();
  const grants = new ConversationGrants();
  const ask = (id: string, command: string, over: Partial<GateCall> = {}) =>
    gate.settle({
      question: questionOf({
        id,
        path: ['bob'],
        toolCall: { toolCallId: id, kind: 'execute', title: 'x', rawInput: { command } },
        options,
        cwd: '/work',
        chain: ['You', 'bob'],
      }),
      entries: [undefined],
      liveYolo: false,
      grants,
      rules,
      permissions: {
        canAnswer: true,
        ask: (question) => new Promise((resolve) => asked.set(question.id, resolve)),
        settled: (question, decision) => settled.push([question.id, decision]),
      },
      signal: stop.signal,
      emit: () => undefined,
      ...over,
    });
  return { ask, asked, settled, allowed, stop, grants };
}

describe('the gate', () => {
  it('F048 one of five is allowed for the conversation: the others settle by themselves, and each is told', async () => {
    const gate = new PermissionGate(silentLog);
    const { ask, asked, settled } = conversation(gate);
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => ask(id, `echo ${id}`));
    asked.get('c')!('allow_conversation');
    const decisions = await Promise.all(all);
    expect(decisions.map((d) => `${d.outcome} ${d.by}`)).toEqual([
      'allowed grant',
      'allowed grant',
      'allowed person',
      'allowed grant',
      'allowed grant',
    ]);
    expect(settled.map(([id]) => id).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('F048 a rule that is made settles what waits and is covered by it, and nothing else', async () => {
    const gate = new PermissionGate(silentLog);
    const { ask, asked, allowed } = conversation(gate);
    const covered = ask('a', 'git status');
    const other = ask('b', 'git status; touch x');
    const keys = ask('c', 'cat .env');
    for (const rule of ['bob bash git status', 'bob bash cat .env']) allowed.add(rule);
    gate.reconsider();
    expect(await covered).toMatchObject({ outcome: 'allowed', by: 'command-rule', why: expect.any(String) });
    asked.get('b')!('reject');
    asked.get('c')!('reject');
    expect(await other).toMatchObject({ outcome: 'rejected', by: 'person' });
    expect(await keys).toMatchObject({ outcome: 'rejected', by: 'person' });
  });

  it('F047 a grant that is taken back is asked again', async () => {
    const gate = new PermissionGate(silentLog);
    const { ask, asked, grants } = conversation(gate);
    const first = ask('a', 'ls');
    asked.get('a')!('allow_conversation');
    await first;
    expect(await ask('b', 'ls -l')).toMatchObject({ by: 'grant' });
    expect(grants.list()).toEqual([['bob', 'bash']]);
    grants.delete(['bob'], 'bash');
    const third = ask('c', 'ls');
    asked.get('c')!('reject');
    expect(await third).toMatchObject({ outcome: 'rejected', by: 'person' });
  });

  it.each(['reject', 'allow_once'] as const)(
    'what the person says to a question (%s) holds before a grant that comes with it',
    async (said) => {
      const gate = new PermissionGate(silentLog);
      const { ask, asked } = conversation(gate);
      const first = ask('a', 'ls');
      const second = ask('b', 'ls -l');
      asked.get('a')!('allow_conversation');
      asked.get('b')!(said);
      await first;
      expect(await second).toMatchObject({ by: 'person', outcome: said === 'reject' ? 'rejected' : 'allowed' });
    },
  );

  it('F043 a stop holds before a grant that comes with it', async () => {
    const gate = new PermissionGate(silentLog);
    const { ask, stop, grants } = conversation(gate);
    const waiting = ask('a', 'ls');
    grants.add(['bob'], 'bash');
    gate.reconsider();
    stop.abort();
    expect(await waiting).toMatchObject({ outcome: 'cancelled', by: 'stop' });
  });

  it('F050 two options with the same label: the answer goes by kind and optionId', async () => {
    const gate = new PermissionGate(silentLog);
    const { ask, asked } = conversation(gate);
    const allow = ask('a', 'ls');
    const reject = ask('b', 'ls');
    asked.get('a')!('allow_once');
    asked.get('b')!('reject');
    expect(optionFor((await allow).outcome, options)).toBe('yes');
    expect(optionFor((await reject).outcome, options)).toBe('no');
  });
});
