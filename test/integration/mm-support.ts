import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';
import * as sdk from '@agentclientprotocol/sdk';
import { FrameRecorder } from '../support/schema';
import { Nest } from './children-support';

/** The program under test; `MM_TEST_FILE` names another one, such as that of the packed extension. */
export const mmFile = process.env.MM_TEST_FILE ?? fileURLToPath(new URL('../../dist/mm.mjs', import.meta.url));

export interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  cwd?: string;
}

/** A folder with agents' files, and a mark on every process that is started for it. */
export class Place extends Nest {
  readonly real = realpathSync(this.folder);

  constructor(files: Record<string, string> = {}) {
    super();
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): string {
    const path = join(this.real, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.real, name), 'utf8');
  }

  /** The environment of a fresh shell: none of ours, a home of its own. */
  shell(more: Record<string, string> = {}): Record<string, string> {
    return this.env({
      HOME: this.real,
      XDG_CONFIG_HOME: join(this.real, '.config'),
      XDG_CACHE_HOME: join(this.real, '.cache'),
      ...more,
    });
  }

  start(args: string[], o: RunOptions = {}): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [mmFile, ...args], {
      cwd: o.cwd ?? this.real,
      env: this.shell(o.env),
      stdio: 'pipe',
    });
  }

  /** Runs `mm` to its end. */
  async run(args: string[], o: RunOptions = {}): Promise<Ran> {
    const child = this.start(args, o);
    child.stdin.on('error', () => {});
    child.stdin.end(o.input ?? '');
    return ended(child);
  }
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stderr.on('data', (data: Buffer) => err.push(data));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.on('close', (...how) => resolve(how));
  });
  return { code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

type Update = sdk.SessionUpdate;

/** How a test answers what it is asked: an option's kind, or nothing for `cancelled`. */
export type Answer = (
  request: sdk.RequestPermissionRequest,
) => sdk.PermissionOptionKind | undefined | Promise<sdk.PermissionOptionKind | undefined>;

export interface Client {
  child: ChildProcessWithoutNullStreams;
  agent: sdk.ClientContext;
  recorder: FrameRecorder;
  initialized: sdk.InitializeResponse;
  updates: Update[];
  asked: sdk.RequestPermissionRequest[];
  exit: Promise<Ran>;
  open(cwd: string, meta?: Record<string, unknown>): Promise<sdk.NewSessionResponse>;
  prompt(sessionId: string, text: string): Promise<sdk.PromptResponse>;
  /** The agent's words since the last call of this. */
  words(): string;
}

/** The SDK's own client, which drives `mm -acp` over real pipes. Every frame of both sides is checked. */
export async function connect(
  child: ChildProcessWithoutNullStreams,
  o: { answer?: Answer; hub?: (params: Record<string, unknown>) => unknown } = {},
): Promise<Client> {
  const updates: Update[] = [];
  const asked: sdk.RequestPermissionRequest[] = [];
  const recorder = new FrameRecorder('agent', { both: true });
  const exit = ended(child);
  tap(child, recorder);
  const app = sdk
    .client({ name: 'test' })
    .onNotification(sdk.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(sdk.methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const kind = await (o.answer?.(params) ?? 'reject_once');
      const option = params.options.find((one) => one.kind === kind);
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
    });
  if (o.hub) {
    const hub = o.hub;
    app.onRequest(
      '_mm/ask',
      (params: unknown) => params as Record<string, unknown>,
      ({ params }) => hub(params),
    );
  }
  const stream = sdk.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  );
  const { agent } = app.connect(stream);
  const initialized = await agent.request(sdk.methods.agent.initialize, {
    protocolVersion: 1,
    clientInfo: { name: 'test', version: '1' },
    clientCapabilities: o.hub ? { _meta: { mm: { ask: true } } } : {},
  });
  let said = 0;
  return {
    child,
    agent,
    recorder,
    initialized,
    updates,
    asked,
    exit,
    open: (cwd, meta) =>
      agent.request(sdk.methods.agent.session.new, { cwd, mcpServers: [], ...(meta ? { _meta: { mm: meta } } : {}) }),
    prompt: (sessionId, text) =>
      agent.request(sdk.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    words() {
      const words = updates
        .slice(said)
        .map((u) => (u.sessionUpdate === 'agent_message_chunk' && u.content.type === 'text' ? u.content.text : ''))
        .join('');
      said = updates.length;
      return words;
    },
  };
}

/** Records what goes over the pipes, from beside them. */
function tap(child: ChildProcessWithoutNullStreams, recorder: FrameRecorder): void {
  const lines = (direction: 'in' | 'out') => {
    let rest = '';
    const decoder = new StringDecoder('utf8');
    return (data: Buffer | string) => {
      rest += typeof data === 'string' ? data : decoder.write(data);
      const all = rest.split('\n');
      rest = all.pop() ?? '';
      for (const line of all) recorder.journal(direction, line);
    };
  };
  const out = lines('out');
  child.stdout.on('data', out);
  const sent = lines('in');
  const write = child.stdin.write.bind(child.stdin);
  child.stdin.write = ((chunk: Buffer | string, ...rest: never[]) => {
    sent(Buffer.isBuffer(chunk) || typeof chunk === 'string' ? chunk : Buffer.from(chunk));
    return write(chunk, ...rest);
  }) as typeof child.stdin.write;
}

/** Ada at home, bob and riker, all without a model. */
export const demoFiles = {
  'mm.yaml': `acp: {title: Ada}
provider: demo
model: demo
systemPrompt: You are Ada.
mmConfigs:
  bob: {path: bob.yaml, description: Ask for SQL}
  riker: {path: riker.yaml}
`,
  'bob.yaml': `acp: {title: Bob}
provider: demo
model: bobs-model
mmConfigs:
  riker: {path: riker.yaml}
`,
  'riker.yaml': `acp: {title: Will Riker}
provider: demo
model: demo
mmConfigs:
  ada: {path: mm.yaml}
`,
};
