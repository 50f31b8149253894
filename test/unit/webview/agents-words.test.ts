import { afterEach, describe, expect, it } from 'vitest';
import type { GroupProblem } from '../../../src/a2a/view';
import {
  levelOf,
  limitTexts,
  noticeText,
  probeText,
  protocolText,
  share,
  short,
  spendLabel,
  spendText,
  stateText,
  subText,
} from '../../../webview/agents/words';
import { dayOf, money, monthOf, useStrings } from '../../../webview/chat/base/l10n';
import { agent } from '../../webview/agent-scenes';

afterEach(() => useStrings({}, 'en'));

describe('words of the agents', () => {
  it('a state, and how many asks it works on', () => {
    expect(stateText({ state: 'running' })).toBe('running');
    expect(stateText({ state: 'running', running: 1 })).toBe('running');
    expect(stateText({ state: 'running', running: 2 })).toBe('2 running');
    expect(stateText({ state: 'unknown' })).toBe('');
  });

  it('the line below a name: why alone where that is all that counts', () => {
    const of = (over: object) => subText(agent('window', 'a', { description: 'Does', ...over }));
    expect(of({})).toBe('Does');
    expect(of({ state: 'failing', why: 'Ended' })).toBe('Ended');
    expect(of({ state: 'failing' })).toBe('Does');
    expect(of({ state: 'asleep', why: 'wakes in 20 s', offered: true })).toBe(
      'Does · wakes in 20 s · offered to the team',
    );
  });

  it('each problem of a group has its own sentence that names the place, and a button, but for the one that waits', () => {
    const kinds: GroupProblem[] = [
      'offline',
      'wrong-key',
      'no-key',
      'no-database',
      'html',
      'captive-portal',
      'garbage',
      'failed',
      'empty',
      'lost',
    ];
    const all = kinds.map((kind) => noticeText({ kind }, 'proxy.example'));
    expect(new Set(all.map((n) => n.sentence)).size).toBe(kinds.length);
    for (const one of all) {
      expect(one.sentence).toContain('proxy.example');
      expect(one.action).toBeDefined();
    }
    expect(noticeText({ kind: 'loading' }, 'x')).not.toHaveProperty('action');
    expect(noticeText({ kind: 'failed', sentence: 'It answered 429.', action: 'learn-more' }, 'x')).toMatchObject({
      sentence: 'It answered 429.',
      action: 'learn-more',
    });
  });

  it('money: with and without a budget, never a part of a cent as nothing', () => {
    expect(spendText(1.2, 2)).toBe('$1.20 of $2.00');
    expect(spendText(1.2, undefined)).toBe('$1.20');
    expect(spendText(undefined, 2)).toBe('at most $2.00');
    expect(money(0.0004)).toBe('< $0.01');
    expect(money(0)).toBe('$0.00');
    expect([1, 30, undefined].map((days) => spendLabel({ used: 1, ...(days ? { days } : {}) }))).toEqual([
      'Spent today',
      'Spent in 30 days',
      'Spent',
    ]);
    useStrings({ '{0} of {1}': '{0} sur {1}' }, 'fr');
    expect(spendText(1.2, 2)).toMatch(/^1,20.\$ sur 2,00.\$$/);
  });

  it('a meter: how full, and from when it is worth a look', () => {
    expect([levelOf(1.2, 2), levelOf(1.5, 2), levelOf(2, 2), levelOf(3, 2), levelOf(0, 0)]).toEqual([
      undefined,
      'high',
      'over',
      'over',
      'over',
    ]);
    expect([share(1, 2), share(5, 2), share(-1, 2), share(1, 0)]).toEqual([50, 100, 0, 100]);
  });

  it('when it answered last, and how fast', () => {
    expect(probeText({ at: 0, ms: 41 }, 8000)).toBe('answered 8 s ago in 41 ms');
    expect(probeText({ at: 0, ms: 1840 }, 150_000)).toBe('answered 2 min ago in 1.8 s');
    expect(probeText({ at: 0, error: 'connection refused' }, 3 * 3600_000)).toBe('connection refused, 3 h ago');
    expect(probeText({ at: 9000, ms: 4 }, 8000)).toBe('answered 1 s ago in 4 ms');
  });

  it('protocol and limits, as far as they are known', () => {
    const of = (versions: string[], streaming?: boolean) =>
      protocolText({ a2a: { versions, ...(streaming ? { streaming } : {}) } });
    expect(of(['1.0'], true)).toBe('A2A 1.0, streams');
    expect(of(['0.3', '1.0'])).toBe('A2A 0.3 and 1.0');
    expect(of([])).toBe('A2A');
    expect(protocolText({ taskless: true })).toBe('a model with limits, no tasks');
    expect(protocolText({})).toBe('');
    expect(limitTexts({ asksPerMinute: 60, tokensPerMinute: 100_000 })).toEqual([
      '60 asks a minute',
      '100k tokens a minute',
    ]);
    expect([900, 9000, 1_500_000].map(short)).toEqual(['900', '9k', '1.5M']);
  });

  it('days are those of the proxy, wherever the person is', () => {
    expect(dayOf('2026-11-24')).toBe('November 24');
    expect(monthOf('2026-11-01')).toBe('Nov');
    expect(dayOf('nonsense')).toBe('nonsense');
  });
});
