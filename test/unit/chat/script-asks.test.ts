import { describe, expect, it } from 'vitest';
import { readScriptAsks } from '../../../src/chat/script-asks';
import { call, conversation, update } from './helper';

const meta = (...asks: unknown[]) => ({ mm: { asks } });
const one = { id: '1', agent: 'riker', what: 'hi', state: 'running', at: 15 };

describe('asks of scripts in a tool call', () => {
  it('known states, short words, times within the call', () => {
    const [ask] = readScriptAsks(meta({ ...one, what: `${'w'.repeat(500)}\nmore`, at: -5 }), 10, 20)!;
    expect(ask).toMatchObject({ agent: 'riker', state: 'running', at: 10 });
    expect(ask!.what.length).toBe(200);
    expect(readScriptAsks(meta({ ...one, state: 'done', endedAt: 1e300 }), 10, 20)).toMatchObject([{ endedAt: 20 }]);
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { mm: null },
    { mm: { asks: 'x' } },
    meta(null, 1, 'x', []),
    meta({ ...one, id: '' }),
    meta({ ...one, id: 'x'.repeat(101) }),
    meta({ ...one, agent: 7 }),
    meta({ ...one, state: 'allowed' }),
  ])('nothing is made of %j', (raw) => {
    expect(readScriptAsks(raw, 10, 20)).toBeUndefined();
  });

  it('no id twice, and 50 at most', () => {
    expect(readScriptAsks(meta(one, one), 10, 20)).toHaveLength(1);
    const many = Array.from({ length: 80 }, (_, i) => ({ ...one, id: `${i}` }));
    expect(readScriptAsks(meta(...many), 10, 20)).toHaveLength(50);
  });

  it('stay with their call, and end with it at the latest', () => {
    const { turn, of } = conversation();
    const lane = turn();
    lane.update(call('t', { kind: 'execute' }));
    lane.update(update('t', { _meta: meta(one, { ...one, id: '2', state: 'done', endedAt: 1 }) }));
    lane.update(update('t', { content: [] }));
    expect(of('tool')[0]!.asks).toMatchObject([{ state: 'running' }, { state: 'done' }]);
    lane.update(update('t', { status: 'completed' }));
    expect(of('tool')[0]!.asks).toMatchObject([{ state: 'cancelled' }, { state: 'done' }]);
  });
});
