import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureAcpx } from '../../scripts/acpx.mjs';
import { checkFrame, type Sender } from '../support/schema';

/** acpx, an ACP client that is not ours and no hub, drives `mm -acp` as a person would from a shell. */

const mm = path.resolve('dist/mm.mjs');
let programs: Awaited<ReturnType<typeof ensureAcpx>>;
let folder: string;

beforeAll(async () => {
  programs = await ensureAcpx();
});
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mm-acpx-')));
  for (const name of ['home', 'work']) mkdirSync(path.join(folder, name));
  writeFileSync(
    path.join(folder, 'mm.yaml'),
    'acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  bob: {path: bob.yaml, description: Data}\n',
  );
  writeFileSync(path.join(folder, 'bob.yaml'), 'acp: {title: Bob}\nprovider: demo\nmodel: demo\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: frames of both sides
type Frame = any;

interface Ran {
  code: number | null;
  /** Frames of both sides, in order. */
  frames: Frame[];
  stderr: string;
}

/** One prompt by acpx, with a home of its own. */
async function acpx(permissions: '--approve-all' | '--deny-all', prompt: string): Promise<Ran> {
  const agent = `${programs.node} ${mm} -acp -config ${path.join(folder, 'mm.yaml')}`;
  const args = ['--agent', agent, '--cwd', path.join(folder, 'work'), permissions, '--format', 'json', '--json-strict'];
  const child = spawn(programs.node, [programs.acpx, ...args, 'exec', prompt], {
    cwd: path.join(folder, 'work'),
    env: { ...process.env, HOME: path.join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const frames = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Frame);
  return { code, frames, stderr };
}

/** Checks every frame of both sides; acpx prints them without saying whose they are. */
function checkAll(frames: Frame[]): void {
  const open: Record<Sender, Map<unknown, string>> = { client: new Map(), agent: new Map() };
  for (const frame of frames) {
    if (typeof frame.method === 'string') {
      const sender: Sender = /^(session\/(update|request_permission)|fs\/|terminal\/|_mm\/)/.test(frame.method)
        ? 'agent'
        : 'client';
      if (frame.id !== undefined) open[sender].set(frame.id, frame.method);
      checkFrame(sender, frame);
      continue;
    }
    // both sides count their ids from the start; the only requests of the agent are questions, whose answer has an outcome
    const asker: Sender = frame.result?.outcome ? 'agent' : 'client';
    const method = open[asker].get(frame.id);
    expect(method, `an answer to nothing: ${JSON.stringify(frame)}`).toBeDefined();
    open[asker].delete(frame.id);
    checkFrame(asker === 'agent' ? 'client' : 'agent', frame, () => method);
  }
  expect([...open.client.values(), ...open.agent.values()]).toEqual([]);
}

const sent = (frames: Frame[], method: string) => frames.filter((frame) => frame.method === method);
const stopReason = (frames: Frame[]) => frames.findLast((frame) => frame.result?.stopReason)?.result.stopReason;

describe('acpx drives mm', () => {
  test('--approve-all: the command runs, the turn ends with end_turn, every frame is what the schema says', async () => {
    const { code, frames, stderr } = await acpx('--approve-all', 'run: touch x');
    expect(stopReason(frames), stderr).toBe('end_turn');
    expect(code).toBe(0);
    expect(existsSync(path.join(folder, 'work/x'))).toBe(true);
    expect(sent(frames, 'session/request_permission')).toHaveLength(1);
    checkAll(frames);
  });

  test('--deny-all: the command does not run, and the turn ends all the same', async () => {
    const { frames, stderr } = await acpx('--deny-all', 'run: touch x');
    expect(stopReason(frames), stderr).toBe('end_turn');
    expect(existsSync(path.join(folder, 'work/x'))).toBe(false);
    expect(sent(frames, 'session/request_permission')).toHaveLength(1);
    checkAll(frames);
  });

  test('a chain without a hub: /ask-bob runs bob, whose command is asked for by acpx', async () => {
    const { code, frames, stderr } = await acpx('--approve-all', '/ask-bob run: touch y');
    expect(stopReason(frames), stderr).toBe('end_turn');
    expect(code).toBe(0);
    expect(existsSync(path.join(folder, 'work/y'))).toBe(true);
    const [question] = sent(frames, 'session/request_permission');
    expect(question.params._meta.mm.path).toEqual(['bob']);
    checkAll(frames);
  });
});
