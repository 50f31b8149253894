import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskMeta } from '../../../src/acp/meta';
import type { AnyUpdate } from '../../../src/acp/types';
import { CallForwarder } from '../../../src/agent/forward';
import { checkFrame } from '../../support/schema';

const ask: AskMeta = { agent: 'bob', title: 'Bob', askedBy: 'You', depth: 1 };
const forwarder = () => new CallForwarder('call-1', () => ask);
const check = (update: unknown) =>
  checkFrame('agent', { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });

describe('an asked agent’s calls in the session of the one that asked', () => {
  it('have ids and names of their own, and say whose they are', () => {
    const calls = forwarder();
    const update = calls.update({
      sessionUpdate: 'tool_call',
      toolCallId: 'x',
      title: 'ls',
      name: 'bash',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'ls' },
    });
    expect(update).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1/x',
      title: 'ls',
      name: 'bob/bash',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'ls' },
      _meta: { mm: { ask } },
    });
    check(update);
  });

  it('F035 begin with what is known when only an update came', () => {
    const update = forwarder().update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'completed' });
    expect(update).toMatchObject({ sessionUpdate: 'tool_call', title: 'bob', status: 'completed' });
    check(update);
  });

  it('F036 are ended when the agent left them open', () => {
    const calls = forwarder();
    calls.update({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'a' });
    calls.update({ sessionUpdate: 'tool_call', toolCallId: 'b', title: 'b' });
    calls.update({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' });
    expect(calls.leftOpen()).toEqual([{ sessionUpdate: 'tool_call_update', toolCallId: 'call-1/b', status: 'failed' }]);
    expect(calls.leftOpen()).toEqual([]);
  });

  it('pass nothing that the protocol does not know, whatever came', () => {
    const field = fc.oneof(fc.anything(), fc.constantFrom('bash', 'execute', 'completed', 'pending'));
    const content = fc.oneof(
      fc.anything(),
      fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({ type: fc.constant('content'), content: fc.record({ type: fc.constant('text'), text: field }) }),
          fc.record({ type: fc.constant('diff'), path: field, oldText: field, newText: field }),
          fc.record({ type: fc.constant('terminal'), terminalId: fc.string() }),
        ),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update', 'agent_message_chunk'),
            toolCallId: fc.oneof(fc.constantFrom('a', 'b'), fc.anything()),
            title: field,
            name: field,
            kind: field,
            status: field,
            content,
            locations: fc.oneof(fc.anything(), fc.array(fc.record({ path: field, line: field }))),
            rawInput: fc.oneof(fc.anything(), fc.object()),
          }),
          { maxLength: 5 },
        ),
        (updates) => {
          const calls = forwarder();
          for (const update of updates) {
            const sent = calls.update(update as unknown as AnyUpdate);
            if (sent) check(JSON.parse(JSON.stringify(sent)));
          }
          for (const sent of calls.leftOpen()) check(sent);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('show nothing hidden in a title, say where it was cut, and leave out data deeper than can be sent', () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    const send = (title: string, rawInput: Record<string, unknown>) =>
      forwarder().update({ sessionUpdate: 'tool_call', toolCallId: 'x', title, rawInput }) as unknown as Record<
        string,
        unknown
      >;
    expect(send('\u202els\u001b[2J', {}).title).toBe('[U+202E]ls[U+001B][2J');
    expect(send('x'.repeat(5_000), {}).title).toMatch(/^x{2000}…$/);
    const update = send('ls', deep);
    expect(update).not.toHaveProperty('rawInput');
    check(update);
    expect(send('ls', { a: [{ b: 1 }] }).rawInput).toEqual({ a: [{ b: 1 }] });
  });
});
