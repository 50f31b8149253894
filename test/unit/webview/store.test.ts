import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Patch } from '../../../src/chat/nodes';
import { Thread } from '../../../src/chat/patch';
import { type Entry, Store } from '../../../webview/chat/base/store';

const text = (id: string, parent?: string, words = ''): Node => ({
  kind: 'text',
  id,
  parent,
  at: 0,
  text: words,
  done: false,
});
const put = (node: Node): Patch => ({ op: 'put', node });

function ids(entries: readonly Entry[]): string[] {
  return entries.flatMap((e) => [e.id, ...ids(e.children)]);
}

describe('the conversation in the page', () => {
  it('stands as a tree, and an append draws nothing but its own text', () => {
    const store = new Store([text('turn'), text('a', 'turn')], () => {});
    let self = 0;
    let kids = 0;
    let words = '';
    const a = store.get('a')!;
    a.self.subscribe(() => self++);
    store.get('turn')!.kids.subscribe(() => kids++);
    a.words = (added) => {
      words += added;
    };
    store.apply([{ op: 'append', id: 'a', text: 'one ' }]);
    store.flush();
    expect(kids).toBe(1); // its first words make it count
    store.apply([
      { op: 'append', id: 'a', text: 'two ' },
      { op: 'append', id: 'a', text: 'three' },
    ]);
    store.flush();
    expect([self, kids, words]).toEqual([0, 1, 'one two three']);
  });

  it('draws an entry once, however many patches came', () => {
    let asked = 0;
    const store = new Store([text('a')], () => asked++);
    let drawn = 0;
    store.get('a')!.self.subscribe(() => drawn++);
    store.apply([put(text('a', undefined, 'x')), put(text('a', undefined, 'y')), put(text('a', undefined, 'z'))]);
    store.flush();
    expect([asked, drawn]).toEqual([1, 1]);
  });

  it('keeps what it cannot place: an unknown parent, words for nobody, a node inside of itself', () => {
    const store = new Store([text('a', 'nobody')], () => {});
    store.apply([
      { op: 'append', id: 'nobody', text: 'x' },
      put(text('b', 'a')),
      put(text('a', 'b')),
      { op: 'remove', id: 'x' },
    ]);
    expect(ids(store.top).sort()).toEqual(['a', 'b']);
  });

  it('holds the nodes that the extension holds, whatever patches come', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const patch: fc.Arbitrary<Patch> = fc.oneof(
      fc
        .tuple(id, fc.option(id, { nil: undefined }), fc.string({ maxLength: 3 }))
        .map(([i, p, w]) => put(text(i, p, w))),
      fc.tuple(id, fc.string({ maxLength: 3 })).map(([i, w]): Patch => ({ op: 'append', id: i, text: w })),
    );
    fc.assert(
      fc.property(fc.array(patch, { maxLength: 30 }), (patches) => {
        const thread = new Thread();
        for (const p of patches) thread.apply(p);
        const store = new Store([], () => {});
        store.apply(patches);
        expect([...store.all()].map((e) => e.node).sort((x, y) => x.id.localeCompare(y.id))).toEqual(
          thread.nodes().sort((x, y) => x.id.localeCompare(y.id)),
        );
        // every node is drawn once
        expect(ids(store.top).sort()).toEqual(
          thread
            .nodes()
            .map((n) => n.id)
            .sort(),
        );
      }),
    );
  });
});
