import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenCalls } from '../../../src/ask/calls';

const diff = { type: 'diff', path: '/w/a.txt', oldText: '', newText: 'x' };
const prose = { type: 'content', content: { type: 'text', text: 'Requesting approval' } };

describe('calls that an agent has announced', () => {
  it('fill what a request leaves out, and a sentence of prose hides no diff (kimi)', () => {
    const calls = new OpenCalls();
    calls.note({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'Edit', kind: 'edit', content: [diff] } as never);
    const call = calls.complete({ toolCallId: '1', title: 'Write a.txt', kind: null, content: [prose] });
    expect(call).toMatchObject({ title: 'Write a.txt', kind: 'edit', content: [prose, diff] });
  });

  it('F035 a request for a call that was never announced stands for itself', () => {
    expect(new OpenCalls().complete({ toolCallId: 'x', title: 'ls' })).toEqual({ toolCallId: 'x', title: 'ls' });
  });

  it('a finished call is forgotten, and so is the oldest of too many', () => {
    const calls = new OpenCalls();
    calls.note({ sessionUpdate: 'tool_call', toolCallId: 'done', title: 'a', kind: 'read' });
    calls.note({ sessionUpdate: 'tool_call_update', toolCallId: 'done', status: 'completed' });
    expect(calls.complete({ toolCallId: 'done' }).kind).toBeUndefined();
    for (let i = 0; i < 300; i++) {
      calls.note({ sessionUpdate: 'tool_call', toolCallId: `c${i}`, title: 'a', kind: 'read' });
    }
    expect(calls.complete({ toolCallId: 'c0' }).kind).toBeUndefined();
    expect(calls.complete({ toolCallId: 'c299' }).kind).toBe('read');
  });

  it('a command that was refused runs no more, whatever its agent still says of it; one that is allowed later does', () => {
    const calls = new OpenCalls();
    calls.note({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'ls', kind: 'execute' });
    expect(calls.commandRuns).toBe(true);
    calls.settled({ toolCallId: '1', kind: 'execute' }, false);
    expect(calls.commandRuns).toBe(false);
    calls.note({ sessionUpdate: 'tool_call_update', toolCallId: '1', title: 'ls, refused' });
    expect(calls.commandRuns).toBe(false);
    calls.settled({ toolCallId: '1', kind: 'execute' }, true);
    expect(calls.commandRuns).toBe(true);
    calls.note({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' });
    expect(calls.commandRuns).toBe(false);
  });

  it('property: never throws, and always gives an id', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), fc.anything(), (updates, request) => {
        const calls = new OpenCalls();
        for (const u of updates) {
          if (u && typeof u === 'object') calls.note({ ...u, sessionUpdate: 'tool_call' } as never);
        }
        expect(typeof calls.complete(request).toolCallId).toBe('string');
      }),
    );
  });
});
