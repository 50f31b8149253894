import { execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionHandlers } from '../../src/acp/client';
import { CancelledError } from '../../src/base/errors';
import { silentLog } from '../../src/base/log';
import { ChildEndedError, ChildPool } from '../../src/children/pool';
import { shieldedEnv } from '../../src/children/shield';
import { alive, Nest, stubborn, tinyAgent, until } from './children-support';

let nest: Nest;
let pool: ChildPool;
const never = new AbortController().signal;
const handlers: SessionHandlers = { update() {}, permission: async () => ({ outcome: 'cancelled' }) };
const newPool = (initializeDeadline?: number) =>
  new ChildPool({ log: silentLog, hub: true, clientInfo: { name: 'test', version: '1' }, initializeDeadline });
beforeEach(() => {
  nest = new Nest();
  pool = newPool();
});
afterEach(async () => {
  await pool.end({ stdin: 50, term: 50 });
  nest.dispose();
});
const specOf = (script: string, more = {}) => nest.spec(process.execPath, [nest.file('agent.mjs', script)], more);
const acquire = (script: string, more = {}) => pool.acquire(specOf(script, more), { signal: never });

describe('rule 1 with real processes', () => {
  it('two acquires at once share one child, with two sessions; it ends with the pool', async () => {
    const spec = specOf(tinyAgent());
    const [one, two] = await Promise.all([
      pool.acquire(spec, { signal: never }),
      pool.acquire(spec, { signal: never }),
    ]);
    expect(one.child.pid).toBe(two.child.pid);
    expect(one.child.info.agentInfo?.name).toBe('tiny');
    await one.child.connection.newSession({ cwd: nest.folder, handlers, deadline: 5000 });
    expect(nest.pids()).toEqual([one.child.pid]);
    await pool.end();
    expect(nest.pids()).toEqual([]);
    expect(await one.child.exited).toMatchObject({ code: 0 });
  });

  it('a child that died is replaced, and its end is in the words of whoever waited', async () => {
    const script = tinyAgent("globalThis.prompted = () => { console.error('out of ideas'); process.exit(9); };");
    const first = await acquire(script);
    const session = await first.child.connection.newSession({ cwd: nest.folder, handlers, deadline: 5000 });
    const start = Date.now();
    const error = await session.prompt([{ type: 'text', text: 'x' }], { signal: never }).catch((e) => e);
    expect(Date.now() - start).toBeLessThan(1500);
    expect(error).toBeInstanceOf(ChildEndedError);
    expect(error).toMatchObject({ message: 'bob ended with exit code 9', detail: 'out of ideas' });
    const second = await acquire(script);
    expect(second.child.pid).not.toBe(first.child.pid);
  });

  it('F004: killed in mid prompt, the turn ends within a second with the signal, also when a grandchild holds its output', async () => {
    const lease = await acquire(
      tinyAgent(
        "import { spawn } from 'node:child_process'; spawn('setsid', ['sleep', '600'], { stdio: 'inherit' }); globalThis.prompted = () => {};",
      ),
    );
    const session = await lease.child.connection.newSession({ cwd: nest.folder, handlers, deadline: 5000 });
    const turn = session.prompt([{ type: 'text', text: 'x' }], { signal: never }).catch((e) => e);
    const start = Date.now();
    process.kill(lease.child.pid, 'SIGKILL');
    expect(await turn).toMatchObject({ message: 'bob was ended by signal SIGKILL' });
    expect(Date.now() - start).toBeLessThan(1500);
  });

  it('20 rounds of start and stop leave nothing', async () => {
    const script = nest.file('agent.mjs', tinyAgent());
    for (let round = 0; round < 20; round++) {
      const lease = await pool.acquire(nest.spec(process.execPath, [script]), { signal: never });
      if (round % 2) process.kill(lease.child.pid, 'SIGKILL');
      await pool.restart('k');
      await lease.child.exited;
    }
    expect(await nest.left(2000)).toEqual([]);
    expect(pool.statuses().filter((s) => s.state !== 'ended')).toEqual([]);
  });
});

describe('a start that fails', () => {
  it('an agent that exits: exit code and the tail of its stderr', async () => {
    await expect(acquire("console.error('no such model'); process.exit(4)")).rejects.toMatchObject({
      message: 'bob ended with exit code 4',
      detail: 'no such model',
    });
  });

  it('a program that is not there: in words, with the PATH', async () => {
    await expect(pool.acquire(nest.spec('no-such-agent'), { signal: never })).rejects.toMatchObject({
      message: "bob's program was not found: no-such-agent",
      hint: expect.stringContaining('The PATH searched'),
    });
  });

  it('an agent that answers with an error and exits: its error', async () => {
    const script = `process.stdin.once('data', () => { console.error('see above'); console.log(JSON.stringify({jsonrpc:'2.0',id:1,error:{code:-32000,message:'Sign in first'}})); process.exit(1); })`;
    await expect(acquire(script)).rejects.toMatchObject({
      message: expect.stringContaining('Sign in first'),
      detail: 'see above',
    });
  });

  it('F006: one that never answers is ended at the deadline, and its stderr shown', async () => {
    pool = newPool(1500);
    const script = `${stubborn} console.error('waiting for a browser')`;
    await expect(acquire(script)).rejects.toMatchObject({ detail: 'waiting for a browser' });
    expect(await nest.left(3000)).toEqual([]);
  });

  it('F006: cancelling the only wait ends it', async () => {
    const abort = new AbortController();
    const lease = pool.acquire(specOf(`${stubborn}`), { signal: abort.signal });
    await until(() => nest.pids().length > 0, 5000);
    abort.abort();
    await expect(lease).rejects.toBeInstanceOf(CancelledError);
    expect(await nest.left(3000)).toEqual([]);
  });
});

it('rule 3: what a child sees of its environment', async () => {
  const parent = {
    ...process.env,
    ...nest.env(),
    AGENT_MODEL: 'x',
    AGENT_API_KEY: 'k',
    MM_CONFIG: 'c',
    VSCODE_PID: '1',
    ELECTRON_RUN_AS_NODE: '1',
    NODE_OPTIONS: '',
  };
  const before = { ...process.env };
  const env = shieldedEnv({ parent, role: 'asked', entryEnv: { AGENT_MODEL: 'own' }, depth: 1, electronMm: false });
  const names =
    'console.error(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([k]) => /^(AGENT_|MM_|VSCODE_|ELECTRON_|NODE_OPTIONS)/.test(k))))); process.exit(0)';
  const error = await acquire(names, { env }).catch((e) => e);
  expect(JSON.parse(error.detail)).toEqual({
    AGENT_MODEL: 'own',
    AGENT_YOLO: 'false',
    AGENT_SESSIONS: 'off',
    MM_ASK_DEPTH: '1',
    MM_LAUNCH: expect.stringMatching(/^[0-9a-f]{32}\.\d+$/),
  });
  expect(process.env).toEqual(before);
});

describe('the end of the host', () => {
  /** A host of its own: a pool with the agents that its arguments name, and, when told so, a host below it. */
  async function buildHost(): Promise<string> {
    const outfile = join(nest.folder, 'host.mjs');
    const source = `
import { appendFileSync } from 'node:fs';
import { ChildPool } from './pool';
import { endWithHost } from './signals';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const [signals, ...agents] = process.argv.slice(2);
const pool = new ChildPool({ log, hub: false, clientInfo: { name: 'host', version: '1' } });
if (signals !== 'none') endWithHost(pool, { stdin: signals === 'stdin' ? process.stdin.resume() : undefined, pollEvery: 200 });
setInterval(() => {}, 1000);
for (const [i, agent] of agents.entries()) {
  const spec = { key: 'k' + i, name: agent, role: 'asked', command: process.execPath, args: [agent], cwd: '/', env: { ...process.env } };
  pool.acquire(spec, { signal: new AbortController().signal }).then(() => appendFileSync(process.env.READY_FILE, 'ready\\n'), (e) => console.error(e.message, e.detail));
}
`;
    await build({
      stdin: { contents: source, resolveDir: join(__dirname, '../../src/children'), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
    });
    return outfile;
  }

  const withGrandchild = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'ignore' });`;
  const ready = () => {
    try {
      return readFileSync(join(nest.folder, 'ready'), 'utf8').split('\n').length - 1;
    } catch {
      return 0;
    }
  };

  it.each<[string, string, NodeJS.Signals | 'stdin' | 'parent']>([
    ['kill -9', 'none', 'SIGKILL'],
    ['SIGTERM', 'signals', 'SIGTERM'],
    ['SIGINT', 'signals', 'SIGINT'],
    ["stdin's end", 'stdin', 'stdin'],
    ['the end of its parent', 'signals', 'parent'],
  ])(
    '%s leaves no process of the tree after 5 s, also where one ignores TERM and one has a grandchild',
    async (_, signals, how) => {
      const host = await buildHost();
      const stubbornAgent = nest.file('stubborn.mjs', tinyAgent(stubborn));
      const family = nest.file('family.mjs', tinyAgent(withGrandchild + stubborn));
      // A host below, as mm is in mm: its children are in groups that the upper host does not know.
      const below = nest.file(
        'below.mjs',
        tinyAgent(`import { spawn } from 'node:child_process';
      spawn(process.execPath, [${JSON.stringify(host)}, 'stdin', ${JSON.stringify(stubbornAgent)}, ${JSON.stringify(family)}], { stdio: ['pipe', 'ignore', 'inherit'] });`),
      );
      const launcher = nest.file(
        'launcher.mjs',
        `import { spawn } from 'node:child_process';
      const h = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] });
      process.on('message', () => h.stdin.end());
      process.send({ pid: h.pid });
      setInterval(() => {}, 1000);`,
      );
      const outer = fork(launcher, [host, signals, stubbornAgent, family, below], {
        env: nest.env({ READY_FILE: join(nest.folder, 'ready') }),
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const hostPid = await new Promise<number>((resolve) => {
        outer.once('message', (message) => resolve((message as { pid: number }).pid));
      });
      // 3 children of the host, and 2 of the host below.
      expect(await until(() => ready() === 5, 30_000)).toBe(true);
      // launcher, host, 3 agents, 1 grandchild, the host below, its 2 agents, 1 grandchild
      expect(await until(() => nest.pids().length === 10, 5000)).toBe(true);
      const start = Date.now();
      if (how === 'stdin') outer.send('end');
      else if (how === 'parent') outer.kill('SIGKILL');
      else process.kill(hostPid, how);
      await until(() => !alive(hostPid), 5000);
      outer.kill('SIGKILL');
      expect(await nest.left(5000 - (Date.now() - start))).toEqual([]);
    },
  );

  it('and no reaper stays', async () => {
    const host = await buildHost();
    const agent = nest.file('a.mjs', tinyAgent(stubborn));
    const child = fork(host, ['none', agent], {
      env: nest.env({ READY_FILE: join(nest.folder, 'ready') }),
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    expect(await until(() => ready() === 1, 10_000)).toBe(true);
    const rows = execFileSync('ps', ['-eo', 'pid,ppid,args']).toString().split('\n');
    const row = rows.find((line) => line.includes('groups=') && line.trim().split(/\s+/)[1] === String(child.pid));
    const reaper = Number(row?.trim().split(/\s+/)[0]);
    expect(alive(reaper)).toBe(true);
    process.kill(child.pid!, 'SIGKILL');
    expect(await until(() => !alive(reaper), 5000)).toBe(true);
    expect(await nest.left(5000)).toEqual([]);
  });
});
