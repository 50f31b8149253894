import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AgentConnection, type ClientSession } from '../../src/acp/client';
import type { AnyUpdate, RequestPermissionOutcome, RequestPermissionRequest } from '../../src/acp/types';
import { describe as inWords } from '../../src/base/errors';
import { silentLog } from '../../src/base/log';
import { RawPeer, settled } from './raw-peer';
import { FrameRecorder } from './schema';

// biome-ignore lint/suspicious/noExplicitAny: recorded frames
type Frame = any;

/** One frame of a recording (test/fixtures/frames/README.md). */
export interface Line {
  dir: string;
  msg: Frame;
}

const folder = fileURLToPath(new URL('../fixtures/frames/', import.meta.url));

/** Recordings of real agents, by file name. */
export const recordings = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

/** Requests of the recorded client that ours does not make; they are left out with their answers. */
const notOurs = new Set(['session/list', 'foo/bar']);

export function readRecording(name: string): Line[] {
  const lines = readFileSync(folder + name, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Line)
    .filter((line) => line.dir === 'c->a' || line.dir === 'a->c');
  const out = new Set(lines.filter((l) => l.dir === 'c->a' && notOurs.has(l.msg.method)).map((l) => l.msg.id));
  return lines.filter(
    ({ dir, msg }) => !(dir === 'c->a' ? notOurs.has(msg.method) : msg.method === undefined && out.has(msg.id)),
  );
}

/** What our client saw, in order. */
export type Seen =
  | { kind: 'update'; update: AnyUpdate; prompting: boolean }
  | { kind: 'permission'; request: RequestPermissionRequest; outcome: RequestPermissionOutcome }
  /** A request of ours is out. */
  | { kind: 'asked'; method: string }
  | { kind: 'cancel' }
  | { kind: 'answer'; method: string; result: Frame }
  | { kind: 'error'; method: string; words: string };

export type Write = (raw: RawPeer, bytes: Buffer) => void;
export const whole: Write = (raw, bytes) => raw.raw(bytes);
export const bytewise: Write = (raw, bytes) => {
  for (let i = 0; i < bytes.length; i++) raw.raw(bytes.subarray(i, i + 1));
};

/**
 * Plays the agent's side of a recording to our client, which sends what the recorded client sent and answers questions as it did. Throws when
 * our client sends a frame that is outside the protocol.
 */
export async function replay(lines: Line[], write: Write): Promise<{ seen: Seen[]; noise: number }> {
  const raw = new RawPeer();
  const recorder = new FrameRecorder('client');
  const connection = new AgentConnection({
    input: raw.input,
    output: raw.output,
    log: silentLog,
    endReason: async () => new Error('ended'),
    journal: recorder.journal,
  });
  const seen: Seen[] = [];
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
      (result) => seen.push({ kind: 'answer', method, result: JSON.parse(JSON.stringify(result ?? null)) }),
      (error) => seen.push({ kind: 'error', method, words: inWords(error) }),
    );
    ids.set(id, (await raw.next(method)).id);
    seen.push({ kind: 'asked', method });
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
              update: (update) => void seen.push({ kind: 'update', update, prompting: session!.prompting }),
              permission: async (request) => {
                const outcome = answers.get(questions.shift()) ?? { outcome: 'cancelled' };
                seen.push({ kind: 'permission', request, outcome });
                return outcome;
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
        seen.push({ kind: 'cancel' });
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
  return { seen, noise: connection.noiseCount };
}
