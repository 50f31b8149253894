import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolCallCollector } from '../../../../src/agent/model/tool-calls';

function collect(...deltas: unknown[]) {
  const calls = new ToolCallCollector();
  for (const delta of deltas) calls.add([delta]);
  return calls.finish();
}
const fn = (name?: string, args?: unknown) => ({ function: { name, arguments: args } });

describe('streamed tool calls', () => {
  it('puts arguments together by index', () => {
    expect(
      collect(
        { index: 0, id: 'a', ...fn('bash', '{"com') },
        { index: 1, id: 'b', ...fn('read', '') },
        { index: 0, ...fn(undefined, 'mand":"x"}') },
        { index: 1, ...fn(undefined, '{}') },
      ),
    ).toEqual([
      { id: 'a', name: 'bash', arguments: '{"command":"x"}' },
      { id: 'b', name: 'read', arguments: '{}' },
    ]);
  });

  it('parts whole calls that all have index 0, with ids and without', () => {
    expect(
      collect({ index: 0, id: 'a', ...fn('x', '{}') }, { index: 0, id: 'b', ...fn('y', '{}') }).map((c) => c.name),
    ).toEqual(['x', 'y']);
    expect(collect({ index: 0, ...fn('x', '{"a":1}') }, { index: 0, ...fn('x', '{"a":2}') })).toHaveLength(2);
  });

  it('takes late ids and names, missing indexes and arguments as an object', () => {
    expect(collect({ index: 0, ...fn(undefined, '{"a"') }, { index: 0, id: 'late', ...fn('x', ':1}') })).toEqual([
      { id: 'late', name: 'x', arguments: '{"a":1}' },
    ]);
    expect(collect({ id: 'a', ...fn('x', '{') }, fn(undefined, '}'))).toEqual([
      { id: 'a', name: 'x', arguments: '{}' },
    ]);
    expect(collect({ ...fn('x', { a: 1 }) })[0]?.arguments).toBe('{"a":1}');
  });

  it('gives ids that are unique, also against those of the history', () => {
    const calls = new ToolCallCollector();
    calls.add([
      { index: 0, ...fn('x', '{}') },
      { index: 1, id: 'a', ...fn('y', '{}') },
    ]);
    const ids = calls.finish(new Set(['a', 'call_1'])).map((call) => call.id);
    expect(new Set([...ids, 'a', 'call_1']).size).toBe(4);
  });

  it('drops a call without a name and survives anything', () => {
    expect(
      collect({ index: 0, id: 'a' }, null, 7, 'x', { function: null }, { index: 'x', ...fn(5 as never, 5) }),
    ).toEqual([]);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const calls = new ToolCallCollector();
        calls.add(value);
        calls.add([value]);
        for (const call of calls.finish()) expect(typeof call.name).toBe('string');
      }),
    );
  });
});
