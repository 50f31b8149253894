import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import type { ToolCallContent } from '../../../../src/acp/types';
import { bashTool } from '../../../../src/agent/tools/bash';
import { commandEnv } from '../../../../src/agent/tools/bash-env';
import { shellFor } from '../../../../src/agent/tools/shell';
import { groupAlive } from '../../../../src/children/group';

class Groups {
  prepared = 0;
  added: number[] = [];
  removed: number[] = [];
  prepare() {
    this.prepared++;
  }
  add(id: number) {
    expect(this.prepared).toBeGreaterThan(this.added.length);
    this.added.push(id);
  }
  remove(id: number) {
    this.removed.push(id);
  }
  marked(env: Record<string, string>) {
    return { ...env, MM_LAUNCH: 'mark' };
  }
}

async function run(
  command: string,
  o: { timeout?: number; signal?: AbortSignal; env?: Record<string, string>; max?: number } = {},
) {
  const groups = new Groups();
  const shown: ToolCallContent[][] = [];
  const tool = bashTool({
    timeout: o.timeout ?? 20,
    env: async () => o.env ?? { PATH: process.env.PATH ?? '' },
    groups: async () => groups,
  });
  const prepared = await tool.prepare({ command }, { cwd: tmpdir(), maxOutput: o.max ?? 2000 });
  const signal = o.signal ?? new AbortController().signal;
  const start = performance.now();
  const result = await prepared
    .run({
      signal,
      toolCallId: 'c',
      show: async (content) => {
        shown.push(content);
      },
    })
    .catch((error: Error) => error);
  return { result, shown, groups, ms: performance.now() - start, prepared };
}

/** What was killed takes a moment to be gone. */
const gone = (groups: Groups) => vi.waitFor(() => expect(groupAlive(groups.added[0]!)).toBe(false), 3000);

describe('bash', () => {
  it('gives output, exit code and the words for both', async () => {
    const { result, prepared } = await run('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ ok: false, rawOutput: { exitCode: 3, signal: null } });
    expect((result as { text: string }).text).toMatch(/out\nerr\n\[exit code 3\]|err\nout\n\[exit code 3\]/);
    expect(prepared).toMatchObject({ gate: 'ask', title: 'echo out; echo err >&2; exit 3', keyFile: false });
    expect((await run('true')).result).toMatchObject({ ok: true, text: '[no output]' });
    expect((await run('cat .env')).prepared.keyFile).toBe(true);
  });

  it('has no input to wait for', async () => {
    expect((await run('cat; echo over')).result).toMatchObject({ ok: true, text: 'over' });
  });

  it('shows what came while it runs', async () => {
    const { shown, result } = await run('echo one; sleep 0.4; echo two');
    expect(JSON.stringify(shown[0])).toContain('one');
    expect(JSON.stringify(shown[0])).not.toContain('two');
    expect(result).toMatchObject({ text: 'one\ntwo' });
  });

  it('ends a command that takes too long, with its whole group', async () => {
    const { result, groups, ms } = await run("trap '' TERM; sleep 30 & sleep 30", { timeout: 0.3 });
    expect(result).toMatchObject({ ok: false, rawOutput: { timedOut: true } });
    expect((result as { text: string }).text).toContain('took too long');
    expect(ms).toBeLessThan(8000);
    expect(groups.removed).toEqual(groups.added);
    await gone(groups);
  });

  it('rule 12: Stop ends it soon, also where it ignores TERM', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const { result, groups, ms } = await run("trap '' TERM; while :; do sleep 0.1; done", {
      signal: controller.signal,
    });
    expect((result as Error).name).toBe('CancelledError');
    expect(ms).toBeLessThan(6000);
    await gone(groups);
  });

  it('does not wait for what it left in the background, and ends it', async () => {
    const { result, groups, ms } = await run('sleep 60 & echo started');
    expect(result).toMatchObject({ ok: true, text: 'started' });
    expect(ms).toBeLessThan(5000);
    await gone(groups);
  });

  it('caps a flood', async () => {
    const { result } = await run('yes | head -c 3000000', { max: 1000 });
    expect((result as { text: string }).text.length).toBeLessThan(1100);
  });

  it('F017 keeps characters that were cut between two reads', async () => {
    const { result } = await run("printf '\\344\\270'; sleep 0.1; printf '\\255\\n'");
    expect(result).toMatchObject({ text: '中' });
  });
});

describe('what a command gets to know (rule 13)', () => {
  const session = { id: 's1', depth: 1, yolo: false, configFile: '/c/mm.yaml', launcher: '/l/mm' };

  it('is depth, yolo, session, file and launcher, and no secret', () => {
    const env = commandEnv(
      { PATH: '/bin', AGENT_API_KEY: 'k', MM_SECRET_X: 's', MM_ASK_DEPTH: '0', AGENT_YOLO: 'true', AGENT_MODEL: 'm' },
      session,
    );
    expect(env).toMatchObject({
      PATH: '/bin',
      MM_BIN: '/l/mm',
      MM_CONFIG: '/c/mm.yaml',
      MM_SESSION: 's1',
      MM_ASK_DEPTH: '1',
      AGENT_YOLO: 'false',
      GIT_TERMINAL_PROMPT: '0',
    });
    expect(env).not.toHaveProperty('AGENT_API_KEY');
    expect(env).not.toHaveProperty('MM_SECRET_X');
  });

  it('has no MM_BIN of somebody else', () => {
    expect(commandEnv({ MM_BIN: '/other' }, { ...session, launcher: undefined })).not.toHaveProperty('MM_BIN');
  });

  it('runs in bash, in sh where there is none, in cmd on Windows', () => {
    expect(shellFor('x', 'linux', '/nowhere')).toMatchObject({ file: '/bin/sh', args: ['-c', 'x'] });
    expect(shellFor('x', 'linux', '/bin').file).toMatch(/bash$/);
    expect(shellFor('a "b"', 'win32', '')).toMatchObject({ args: ['/d', '/s', '/c', '"a "b""'], verbatim: true });
  });
});
