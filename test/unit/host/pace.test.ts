import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../src/base/event';
import type { Node, Patch } from '../../../src/chat/nodes';
import type { ToPage } from '../../../src/chat/page';
import type { Conversation } from '../../../src/host/conversation';
import { Outbox } from '../../../src/host/outbox';
import { Pace } from '../../../src/host/pace';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const words = (text: string): Patch => ({ op: 'append', id: 'x', text });
const tool = (output: string, state: 'running' | 'done' = 'running'): Patch => ({
  op: 'put',
  node: {
    kind: 'tool',
    id: 't',
    at: 1,
    toolCallId: 't',
    name: 'bash',
    title: '',
    toolKind: 'execute',
    state,
    what: '',
    output,
    outputCut: 0,
    diffs: [],
  },
});

function pace() {
  const p = new Pace();
  const batches: Patch[][] = [];
  p.onPatches((b) => batches.push(b));
  return { p, batches };
}

describe('the pace of changes', () => {
  it('words are gathered: about 30 batches a second, one append in each', async () => {
    const { p, batches } = pace();
    for (let i = 0; i < 1000; i++) {
      p.add(words('w'));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(batches.length).toBeGreaterThan(20);
    expect(batches.length).toBeLessThan(35);
    expect(batches.every((b) => b.length === 1)).toBe(true);
    p.flush();
    expect(
      batches
        .flat()
        .map((b) => (b as { text: string }).text)
        .join(''),
    ).toBe('w'.repeat(1000));
  });

  it('what a person waits for goes at once, behind the words before it', async () => {
    const { p, batches } = pace();
    p.flush();
    p.add(words('a'));
    p.add({ op: 'put', node: { kind: 'user', id: 'u', at: 1, text: 'hi' } });
    await vi.advanceTimersByTimeAsync(0);
    expect(batches).toEqual([[words('a'), { op: 'put', node: { kind: 'user', id: 'u', at: 1, text: 'hi' } }]]);
  });

  it('F037 a large output that grows goes a few times a second, its end at the next batch', async () => {
    const { p, batches } = pace();
    for (let i = 0; i < 100; i++) {
      p.add(tool('x'.repeat(20_000 + i)));
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(batches.length).toBeLessThanOrEqual(6);
    p.add(tool('y'.repeat(30_000), 'done'));
    await vi.advanceTimersByTimeAsync(250);
    expect(batches.at(-1)).toMatchObject([{ node: { state: 'done' } }]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('the state is told with the batch, once', async () => {
    const { p } = pace();
    let states = 0;
    p.onState(() => states++);
    for (let i = 0; i < 10; i++) p.state();
    await vi.advanceTimersByTimeAsync(40);
    expect(states).toBe(1);
  });
});

describe('what goes to a page', () => {
  function page() {
    const patches = new Emitter<Patch[]>();
    const state = new Emitter<void>();
    const nodes: Node[] = [];
    const conversation = {
      onPatches: patches.event,
      onState: state.event,
      draft: 'half a',
      snapshot: () => [...nodes],
      state: () => ({ busy: false }),
    } as unknown as Conversation;
    const posted: ToPage['type'][] = [];
    const outbox = new Outbox((m) => posted.push(m.type));
    outbox.attach(conversation);
    return { outbox, posted, patches, state, conversation };
  }

  it('nothing before it is ready and visible; then the whole, then patches', () => {
    const { outbox, posted, patches, state } = page();
    patches.fire([words('a')]);
    outbox.setVisible(true);
    expect(posted).toEqual([]);
    outbox.ready();
    patches.fire([words('a')]);
    state.fire();
    expect(posted).toEqual(['snapshot', 'patches', 'state']);
  });

  it('nothing while it is hidden, and the whole once when it shows again if something was missed', () => {
    const { outbox, posted, patches } = page();
    outbox.setVisible(true);
    outbox.ready();
    outbox.setVisible(false);
    outbox.setVisible(true);
    expect(posted).toEqual(['snapshot']);
    outbox.setVisible(false);
    for (let i = 0; i < 100; i++) patches.fire([words('a')]);
    expect(posted).toEqual(['snapshot']);
    outbox.setVisible(true);
    expect(posted).toEqual(['snapshot', 'snapshot']);
  });

  it('a page that was thrown away begins anew', () => {
    const { outbox, posted, patches } = page();
    outbox.setVisible(true);
    outbox.ready();
    outbox.gone();
    patches.fire([words('a')]);
    outbox.ready();
    expect(posted).toEqual(['snapshot', 'snapshot']);
  });
});
