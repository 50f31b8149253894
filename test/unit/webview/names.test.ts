import { afterEach, describe, expect, it } from 'vitest';
import { clockTime, seconds, tenths } from '../../../webview/chat/base/clock';
import { filled, slot, t, useStrings } from '../../../webview/chat/base/l10n';
import {
  askName,
  bytes,
  firstLine,
  hue,
  letter,
  tokens,
  toolLabel,
  waitingName,
  workingName,
} from '../../../webview/chat/base/names';

const bob = { name: 'bob', provider: 'openai', model: 'qwen3:8b' };

describe('names of section 8', () => {
  it('says who works and who waits', () => {
    expect(workingName(bob, 'Ada')).toBe('bob (openai/qwen3:8b), asked by Ada, is working');
    expect(waitingName(bob, 'You')).toBe('bob (openai/qwen3:8b), asked by You, waits for you');
    expect(workingName({ name: 'claude' }, 'You')).toBe('claude, asked by You, is working');
    expect(askName({ agent: bob, askedBy: 'Ada' })).toBe('bob, asked by Ada');
  });

  it.each([
    ['running', 'running'],
    ['waiting', 'waiting for you'],
    ['done', 'done'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['rejected', 'rejected by you'],
    ['no-result', 'no result'],
  ] as const)('a call that is %s ends with "%s"', (state, words) => {
    expect(toolLabel({ name: 'bob/bash', title: 'npm test', what: '', state })).toBe(
      `Tool bob/bash: npm test, ${words}`,
    );
  });

  it('names a call by the first line of its title, 60 characters, and without a title by what it does', () => {
    const tool = { name: 'bash', what: 'npm test', state: 'done' as const };
    expect(toolLabel({ ...tool, title: `\n ${'x'.repeat(80)}\nmore` })).toBe(`Tool bash: ${'x'.repeat(59)}…, done`);
    expect(toolLabel({ ...tool, title: '' })).toBe('Tool bash: npm test, done');
    expect(toolLabel({ ...tool, title: '', what: '' })).toBe('Tool bash, done');
  });

  it('cuts no character in half', () => {
    expect(firstLine('😀'.repeat(70))).toBe(`${'😀'.repeat(59)}…`);
  });
});

describe('faces', () => {
  it('gives each name its accent, whatever its case', () => {
    expect(['Ada', 'bob', 'riker', 'claude', 'scenes'].map(hue)).toEqual(['purple', 'green', 'blue', 'orange', 'cyan']);
    expect(hue('BOB')).toBe(hue('bob'));
  });
  it('has a letter for every name', () => {
    expect(['bob', '😀x', ' ä', ''].map(letter)).toEqual(['B', '😀', 'Ä', '?']);
  });
});

describe('figures', () => {
  it('writes times', () => {
    expect([clockTime(12_400), clockTime(3_723_000), clockTime(-5)]).toEqual(['00:12', '1:02:03', '00:00']);
    expect([seconds(6000), seconds(10), seconds(125_000), seconds(120_000)]).toEqual([
      '6 s',
      '1 s',
      '2 min 5 s',
      '2 min',
    ]);
    expect([tenths(800), tenths(11_400), tenths(90_000)]).toEqual(['0.8 s', '11.4 s', '1 min 30 s']);
  });
  it('writes amounts', () => {
    expect([tokens(640), tokens(1800), tokens(2000), tokens(123_456)]).toEqual([
      '640 tokens',
      '1.8k tokens',
      '2k tokens',
      '123k tokens',
    ]);
    expect([bytes(12), bytes(48_000), bytes(1_500_000)]).toEqual(['12 B', '48 kB', '1.5 MB']);
  });
});

describe('strings', () => {
  afterEach(() => useStrings({}, 'en'));
  it('come from the dictionary, and stay English without', () => {
    useStrings({ 'Stop {0}': '{0} anhalten' }, 'de');
    expect(t('Stop {0}', 'bob')).toBe('bob anhalten');
    expect(t('Allow {0}', 'bob')).toBe('Allow bob');
    expect(t('{who} asks', { who: 'bob' })).toBe('bob asks');
    expect(t('constructor')).toBe('constructor');
  });
  it('have places for what is no text', () => {
    expect(filled(t('You allowed {0} once', slot), 42)).toEqual(['You allowed ', 42, ' once']);
  });
});
