import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AgentConnection, type ClientSession } from '../../../src/acp/client';
import type { AnyUpdate, RequestPermissionOutcome } from '../../../src/acp/types';
import { describe as inWords } from '../../../src/base/errors';
import { silentLog } from '../../../src/base/log';
import { RawPeer, settled } from '../../support/raw-peer';
import { FrameRecorder } from '../../support/schema';

// biome-ignore lint/suspicious/noExplicitAny: recorded frames
type Frame = any;
interface Line {
  dir: string;
  msg: Frame;
}

const folder = fileURLToPath(new URL('../../fixtures/frames/', import.meta.url));
const recordings = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

const read = (name: string): Line[] =>
  readFileSync(folder + name, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Line)
    .filter((line) => line.dir === 'c->a' || line.dir === 'a->c');

type Write = (raw: RawPeer, bytes: Buffer) => void;
const whole: Write = (raw, bytes) => raw.raw(bytes);
const bytewise: Write = (raw, bytes) => {
  for (let i = 0; i < bytes.length; i++) raw.raw(bytes.subarray(i, i + 1));
};

/** Plays the agent's side of a recording to our client, which sends what the recorded client sent; returns what our client saw, in order. */
async function replay(lines: Line[], write: Write): Promise<{ events: unknown[]; noise: number }> {
  const raw = new RawPeer();
  const recorder = new FrameRecorder('client');
  const connection = new AgentConnection({
    input: raw.input,
    output: raw.output,
    log: silentLog,
    endReason: async () => new Error('ended'),
    journal: recorder.journal,
  });
  const events: unknown[] = [];
  const answers = new Map<unknown, RequestPermissionOutcome>();
  for (const { dir, msg } of lines)
    if (dir === 'c->a' && msg.method === undefined && msg.result?.outcome) answers.set(msg.id, msg.result.outcome);
  const questions = lines
    .filter((l) => l.dir === 'a->c' && l.msg.method === 'session/request_permission')
    .map((l) => l.msg.id);
  let session: ClientSession | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stop = new AbortController();
  const ids = new Map<unknown, unknown>();
  let waiting: Buffer[] = [];
  const flush = () => {
    write(raw, Buffer.concat(waiting));
    waiting = [];
  };
  const call = async (id: unknown, method: string, run: () => Promise<unknown>) => {
    flush();
    await running;
    running = run().then(
      (result) => events.push([method, JSON.parse(JSON.stringify(result ?? null))]),
      (error) => events.push([method, inWords(error)]),
    );
    ids.set(id, (await raw.next(method)).id);
  };
  for (const { dir, msg } of lines) {
    if (dir === 'a->c') {
      const mine = msg.method === undefined ? { ...msg, id: ids.get(msg.id) } : msg;
      waiting.push(Buffer.from(`${JSON.stringify(mine)}\n`));
      continue;
    }
    switch (msg.method) {
      case 'initialize':
        await call(msg.id, msg.method, () =>
          connection.initialize({ clientInfo: msg.params.clientInfo, hub: false, deadline: 5000 }),
        );
        break;
      case 'session/new':
        await call(msg.id, msg.method, async () => {
          session = await connection.newSession({
            cwd: msg.params.cwd,
            deadline: 5000,
            handlers: {
              update: (update: AnyUpdate) => {
                events.push(['update', update]);
              },
              permission: async (request) => {
                events.push(['permission', request]);
                return answers.get(questions.shift()) ?? { outcome: 'cancelled' };
              },
            },
          });
          return session.response;
        });
        break;
      case 'session/set_mode':
        await call(msg.id, msg.method, () => session!.setMode(msg.params.modeId));
        break;
      case 'session/prompt':
        stop = new AbortController();
        await call(msg.id, msg.method, () => session!.prompt(msg.params.prompt, { signal: stop.signal }));
        break;
      case 'session/cancel':
        flush();
        stop.abort();
        await raw.next('session/cancel');
        break;
      case undefined:
        break; // our client answers by itself
      default:
        throw new Error(`the recording has a ${msg.method}`);
    }
  }
  flush();
  await running;
  raw.input.end();
  await connection.closed;
  await settled();
  recorder.verify();
  return { events, noise: connection.noiseCount };
}

test.each(recordings)(
  '%s: at full speed and byte by byte the same, nothing lost, in the recorded order',
  async (name) => {
    const lines = read(name);
    const fast = await replay(lines, whole);
    const slow = await replay(lines, bytewise);
    expect(slow).toEqual(fast);
    expect(fast.noise).toBe(0);
    const updates = lines.filter((l) => l.dir === 'a->c' && l.msg.method === 'session/update');
    expect(fast.events.filter((e) => (e as unknown[])[0] === 'update')).toEqual(
      updates.map((l) => ['update', l.msg.params.update]),
    );
    const questions = lines.filter((l) => l.dir === 'a->c' && l.msg.method === 'session/request_permission');
    expect(fast.events.filter((e) => (e as unknown[])[0] === 'permission')).toHaveLength(questions.length);
    // updates, questions and ends of turns as the agent wrote them
    const kinds = lines
      .filter((l) => l.dir === 'a->c')
      .map((l) => l.msg.method ?? (l.msg.result?.stopReason === undefined ? undefined : 'end of turn'))
      .filter((kind) => ['session/update', 'session/request_permission', 'end of turn'].includes(kind));
    const seen = fast.events
      .map((e) => (e as [string, { stopReason?: string }])[0])
      .map(
        (kind) =>
          ({ update: 'session/update', permission: 'session/request_permission', 'session/prompt': 'end of turn' })[
            kind
          ],
      )
      .filter(Boolean);
    expect(seen).toEqual(kinds);
  },
);

test('there are recordings of six agents', () => {
  expect(new Set(recordings.map((name) => name.split('.')[0])).size).toBe(6);
});
