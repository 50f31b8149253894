import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AgentConnection, type ClientSession, type SessionHandlers } from '../src/acp/client';
import { silentLog } from '../src/base/log';

export type Child = ChildProcessByStdio<Writable, Readable, null>;

/** What an agent sends in one turn. */
export interface Load {
  name: string;
  count: number;
  /** The `update` of every message. */
  update: object;
}

export const megabyte = 1024 * 1024;

/** Answers two requests, then writes the updates and the answer to the third as fast as the pipe takes them. */
const emitter = `
const [update, count] = [JSON.parse(process.argv[1]), Number(process.argv[2])];
const one = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'session-1', update } }) + '\\n';
const block = Buffer.from(one.repeat(500));
const answers = [{ protocolVersion: 1 }, { sessionId: 'session-1' }, { stopReason: 'end_turn' }];
let n = 0;
const write = (data) => new Promise((done) => process.stdout.write(data, done));
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id } = JSON.parse(line);
  const result = answers[n++];
  if (result.stopReason) for (let i = 0; i < count; i += 500) await write(block);
  await write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
process.stdin.on('end', () => process.exit(0));
`;

export function startEmitter(load: Load): Child {
  return spawn(process.execPath, ['-e', emitter, JSON.stringify(load.update), String(load.count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

export async function end(child: Child): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.end();
  await gone;
}

/** The product's own client side of an emitter, with one session. */
export async function connect(
  child: Child,
  update: SessionHandlers['update'],
): Promise<{ connection: AgentConnection; session: ClientSession }> {
  const connection = new AgentConnection({
    input: child.stdout,
    output: child.stdin,
    log: silentLog,
    endReason: async () => new Error('the emitter ended'),
  });
  await connection.initialize({ clientInfo: { name: 'bench', version: '0' }, hub: false, deadline: 30_000 });
  const session = await connection.newSession({
    cwd: process.cwd(),
    deadline: 30_000,
    handlers: { update, permission: async () => ({ outcome: 'cancelled' }) },
  });
  return { connection, session };
}

/** The floor's reader: cut into lines, `JSON.parse`, one property read. */
export class BareReader {
  #onAnswer: () => void = () => {};
  #rest: Buffer | undefined;
  #id = 0;

  constructor(
    readonly child: Child,
    onUpdate: () => void,
  ) {
    child.stdout.on('data', (data: Buffer) => {
      const bytes = this.#rest ? Buffer.concat([this.#rest, data]) : data;
      let from = 0;
      for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
        const message = JSON.parse(bytes.toString('utf8', from, to)) as { method?: string };
        from = to + 1;
        if (message.method === 'session/update') onUpdate();
        else this.#onAnswer();
      }
      this.#rest = from < bytes.length ? bytes.subarray(from) : undefined;
    });
  }

  request(method: string): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params: {} })}\n`);
    });
  }
}
