import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../../src/chat/batch';
import { readPatch } from '../../../src/chat/check';
import type { Node, Patch } from '../../../src/chat/nodes';
import { Thread } from '../../../src/chat/patch';
import { settleOpen } from '../../../src/chat/settle';

const textNode = (id: string, text: string): Node => ({ kind: 'text', id, at: 1, text, done: false });
const userNode = (id: string): Node => ({ kind: 'user', id, at: 1, text: id });

describe('a thread', () => {
  it('keeps the place of a node that is put again', () => {
    const t = new Thread();
    t.apply({ op: 'put', node: userNode('a') });
    t.apply({ op: 'put', node: userNode('b') });
    t.apply({ op: 'put', node: { ...userNode('a'), text: 'new' } as Node });
    expect(t.nodes().map((n) => n.id)).toEqual(['a', 'b']);
  });

  it('a node that is removed and put again stands at the end', () => {
    const t = new Thread();
    for (const id of ['a', 'b']) t.apply({ op: 'put', node: userNode(id) });
    t.apply({ op: 'remove', id: 'a' });
    t.apply({ op: 'put', node: userNode('a') });
    expect(t.nodes().map((n) => n.id)).toEqual(['b', 'a']);
  });

  it('words do not reach into the patch that made the node, nor into a snapshot', () => {
    const t = new Thread();
    const node = textNode('a', 'one');
    t.apply({ op: 'put', node });
    const snapshot = t.snapshot();
    t.apply({ op: 'append', id: 'a', text: ' two' });
    expect(node).toMatchObject({ text: 'one' });
    expect(snapshot[0]).toMatchObject({ text: 'one' });
    expect(t.get('a')).toMatchObject({ text: 'one two' });
  });

  it('words for nobody, or for what has none, change nothing', () => {
    const t = new Thread();
    t.apply({ op: 'put', node: userNode('a') });
    t.apply({ op: 'append', id: 'a', text: 'x' });
    t.apply({ op: 'append', id: 'nobody', text: 'x' });
    expect(t.nodes()).toEqual([userNode('a')]);
  });

  it('F059 a text of 1 MB in chunks of 20 characters costs little', () => {
    const t = new Thread();
    t.apply({ op: 'put', node: textNode('a', '') });
    const started = performance.now();
    for (let i = 0; i < 50_000; i++) t.apply({ op: 'append', id: 'a', text: 'twenty characters ok' });
    expect(performance.now() - started).toBeLessThan(500);
    expect((t.get('a') as { text: string }).text).toHaveLength(1_000_000);
  });
});

const ids = fc.constantFrom('a', 'b', 'c', 'd');
const patch: fc.Arbitrary<Patch> = fc.oneof(
  fc.tuple(ids, fc.string()).map(([id, text]): Patch => ({ op: 'put', node: textNode(id, text) })),
  ids.map((id): Patch => ({ op: 'put', node: userNode(id) })),
  fc.tuple(ids, fc.string()).map(([id, text]): Patch => ({ op: 'append', id, text })),
  ids.map((id): Patch => ({ op: 'remove', id })),
);

describe('a batch', () => {
  it('merges words of one text, and of two states of a node keeps the last', () => {
    const b = new Batch();
    b.add({ op: 'append', id: 'x', text: 'a' });
    b.add({ op: 'append', id: 'y', text: '1' });
    b.add({ op: 'append', id: 'x', text: 'b' });
    b.add({ op: 'put', node: userNode('u') });
    b.add({ op: 'put', node: { ...userNode('u'), text: 'last' } as Node });
    expect(b.drain()).toEqual([
      { op: 'append', id: 'x', text: 'ab' },
      { op: 'append', id: 'y', text: '1' },
      { op: 'put', node: { ...userNode('u'), text: 'last' } },
    ]);
    expect(b.empty).toBe(true);
  });

  it('drained anywhere, folds to what the patches fold to', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(patch, fc.boolean()), { maxLength: 60 }), (steps) => {
        const straight = new Thread();
        const batched = new Thread();
        const b = new Batch();
        for (const [p, drain] of steps) {
          straight.apply(p);
          b.add(p);
          if (drain) for (const out of b.drain()) batched.apply(out);
        }
        for (const out of b.drain()) batched.apply(out);
        expect(batched.nodes()).toEqual(straight.nodes());
      }),
      { numRuns: 500 },
    );
  });

  it('what was held back comes later, and the fold is the same in the end', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(patch, fc.nat(3)), { maxLength: 60 }), (steps) => {
        const straight = new Thread();
        const batched = new Thread();
        const sent = new Set<string>();
        const b = new Batch();
        for (const [p, what] of steps) {
          // only nodes that never go away are held back, as the host does with tool calls
          if (p.op === 'remove') continue;
          straight.apply(p);
          b.add(p);
          if (what === 0) continue;
          for (const out of b.drain((q) => what === 1 && q.op === 'put' && sent.has(q.node.id))) {
            if (out.op === 'put') sent.add(out.node.id);
            batched.apply(out);
          }
        }
        for (const out of b.drain()) batched.apply(out);
        expect(batched.nodes()).toEqual(straight.nodes());
      }),
      { numRuns: 500 },
    );
  });
});

describe('patches from a file', () => {
  it('anything else than a patch is nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const t = new Thread();
        const p = readPatch(value);
        if (p) t.apply(p);
      }),
    );
    for (const node of [
      {},
      { kind: 'text', id: 'a', at: 1 },
      { kind: 'constructor', id: 'a', at: 1 },
      { kind: 'ask', id: 'a', at: 1, agent: {} },
    ]) {
      expect(readPatch({ op: 'put', node })).toBeUndefined();
    }
    expect(readPatch({ op: 'put', node: userNode('a') })).toEqual({ op: 'put', node: userNode('a') });
  });
});

describe('what a closed window left open', () => {
  it('F036 F044 ends, and says why', () => {
    const t = new Thread();
    const put = (node: Node) => t.apply({ op: 'put', node });
    put({ kind: 'turn', id: 't', at: 1, agent: { name: 'Ada' }, state: 'running' });
    put({ ...textNode('x', 'half'), parent: 't' });
    put({
      kind: 'tool',
      id: 'y',
      parent: 't',
      at: 1,
      toolCallId: 'c',
      name: 'bash',
      title: '',
      toolKind: 'execute',
      state: 'waiting',
      what: '',
      output: '',
      outputCut: 0,
      diffs: [],
    });
    for (const p of settleOpen(t, (agent) => `gone: ${agent}`, 9)) t.apply(p);
    expect(t.nodes()).toMatchObject([
      { state: 'done', endedAt: 9, end: { how: 'failed', title: 'gone: Ada' } },
      { done: true },
      { state: 'no-result' },
    ]);
    expect(settleOpen(t, () => '', 10)).toEqual([]);
  });
});
