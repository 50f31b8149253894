import { afterEach, describe, expect, it } from 'vitest';
import type { AskEvent } from '../../src/ask/types';
import type { Host } from '../../src/host/host';
import { BlockedError, type OutsideAsk } from '../../src/host/outside';
import { noFolder } from '../../src/vscode/blockers';
import { demoFiles, Place } from './host-helper';

/** Asks of the editor's own chat: by the window's file, in no conversation. */
let place: Place | undefined;
afterEach(async () => {
  await place?.dispose();
  place = undefined;
});

async function open(
  files: Record<string, string> = demoFiles,
): Promise<{ host: Host; ask(o: Partial<OutsideAsk>): OutsideAsk }> {
  place = new Place(files);
  const cwd = place.work;
  const ask = (o: Partial<OutsideAsk>): OutsideAsk => ({
    agent: 'bob',
    prompt: 'hello',
    caller: { kind: 'person', name: 'You' },
    via: '@mm',
    cwd,
    signal: new AbortController().signal,
    ...o,
  });
  return { host: await place.host(), ask };
}

async function collect(events: AsyncIterable<AskEvent>, seen?: (event: AskEvent) => void): Promise<AskEvent[]> {
  const all: AskEvent[] = [];
  for await (const event of events) {
    all.push(event);
    seen?.(event);
  }
  return all;
}

const answerOf = (events: AskEvent[]) => events.flatMap((e) => (e.type === 'end' ? [e.answer.text] : [])).join('');

/** Answers the next question of the queue, and says what it was. */
function answerNext(host: Host, answer: 'allow_once' | 'allow_conversation' | 'reject') {
  return new Promise<{ name: string; canRemember: boolean; chain: string[] }>((resolve) => {
    const look = () => {
      const question = host.queue.current;
      if (!question) return;
      listening.dispose();
      const { name, canRemember, chain } = question.shown;
      resolve({ name, canRemember, chain: chain.map((face) => face.name) });
      host.queue.answer(question.id, answer);
    };
    const listening = host.queue.onDidChange(look);
    look();
  });
}

describe('an ask outside of every conversation', () => {
  it('runs with the window’s file; its questions can be allowed once and not for a conversation', async () => {
    const { host, ask } = await open();
    for (const words of ['first', 'second']) {
      const run = collect(host.askOutside(ask({ prompt: `run: echo ${words}` })).events);
      // said for a conversation that is not there, it holds for this call only: the second ask is asked again
      const question = await answerNext(host, 'allow_conversation');
      expect(question).toEqual({ name: 'bob/bash', canRemember: false, chain: ['You', 'bob'] });
      expect(answerOf(await run)).toContain(words);
    }
    expect(host.decisions.list()[0]).toMatchObject({
      conversation: undefined,
      home: '@mm',
      outcome: 'allowed',
      by: 'person',
    });
    expect(await host.list()).toEqual([]);
  });

  it('rule 4: the yolo of the window’s file holds', async () => {
    const { host, ask } = await open({ ...demoFiles, 'mm.yaml': `yolo: true\n${demoFiles['mm.yaml']}` });
    expect(answerOf(await collect(host.askOutside(ask({ prompt: 'run: echo free' })).events))).toContain('free');
    expect(host.queue.size).toBe(0);
  });

  it('a model’s ask names it in the chain, and rule 9 goes on from there', async () => {
    const { host, ask } = await open();
    const caller = { kind: 'model', name: 'the editor’s chat' } as const;
    const run = collect(
      host.askOutside(ask({ caller, via: '#ask_agent', prompt: 'ask riker: run: echo deep' })).events,
    );
    expect((await answerNext(host, 'allow_once')).name).toBe('bob/ask_agent');
    const deep = await answerNext(host, 'allow_once');
    expect(deep).toMatchObject({ name: 'bob/riker/bash', chain: ['You', 'the editor’s chat', 'bob', 'riker'] });
    expect(answerOf(await run)).toContain('deep');
  });

  it('rule 12: cancelled, its question leaves the queue, and the child serves the next ask', async () => {
    const { host, ask } = await open();
    const stop = new AbortController();
    const run = collect(host.askOutside(ask({ prompt: 'run: echo never', signal: stop.signal })).events);
    await new Promise<void>((resolve) => {
      const listening = host.queue.onDidChange(() => {
        if (host.queue.size === 0) return;
        listening.dispose();
        resolve();
      });
    });
    stop.abort();
    await expect(run).rejects.toMatchObject({ failure: 'cancelled' });
    expect(host.queue.size).toBe(0);
    expect(answerOf(await collect(host.askOutside(ask({ prompt: 'say: still here' })).events))).toContain('still here');
    expect(host.pool.statuses().filter((s) => s.state === 'ready')).toHaveLength(1);
  });

  it('nothing is started where something stands in the way, and it says what', async () => {
    const { host, ask } = await open();
    await host.setConfig({ folders: [], config: undefined, blocker: noFolder() });
    expect(() => host.askOutside(ask({}))).toThrow(BlockedError);
    expect(() => host.ready()).toThrow('No folder is open');
    expect(await host.askable()).toEqual([]);
    await host.setConfig({ folders: [place!.work], config: undefined });
    expect(() => host.ready()).toThrow('still being read');
    expect(host.pool.statuses()).toEqual([]);
  });
});
