import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exchangeOf } from '../../../src/ask/exchange';
import type { RelayOptions } from '../../../src/ask/relay';
import type { AskEvent, AskRequest } from '../../../src/ask/types';
import { approvalOf } from '../../../src/config/approval';
import { loadConfig } from '../../../src/config/load';
import { pinned } from '../../../src/config/pins';
import type { MmConfig } from '../../../src/config/types';
import { answerOf, collect, FakeTarget, type Play, relayOf, request } from './support';

/** Rule 10 by real programs: what a hook is told, what it can do, and what happens when it does not do what it should. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-hook-'));
  mkdirSync(join(folder, 'hooks'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
/** Writes a script and gives its entry. */
function hook(name: string, body: string, more = ''): string {
  writeFileSync(at(`hooks/${name}`), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return `{command: ./hooks/${name}${more}}`;
}

async function configOf(hooks: { preAsk?: string[]; postAsk?: string[] }, more = ''): Promise<MmConfig> {
  const lists = Object.entries(hooks).map(([point, list]) => `${point}: [${list.join(', ')}]`);
  writeFileSync(at('bob.yaml'), 'provider: demo\n');
  writeFileSync(
    at('mm.yaml'),
    `provider: demo\nhooks: {${lists.join(', ')}}\nmmConfigs: {bob: {path: bob.yaml}, riker: {path: riker.yaml}}\n${more}`,
  );
  const result = await loadConfig(at('mm.yaml'), {});
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.config;
}

const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  AGENT_API_KEY: 'k',
  MM_SECRET_A: 's',
  AGENT_MODEL: 'm',
  VSCODE_X: 'v',
};
const says: Play = async ({ say }) => {
  await say('the key is ');
  await say('hunter2');
  return undefined;
};

async function run(
  config: MmConfig,
  o: { play?: Play; request?: Partial<AskRequest>; relay?: Partial<RelayOptions> } = {},
) {
  const target = new FakeTarget({ bob: o.play ?? says });
  const relay = relayOf(target, { hooks: { parentEnv: env, reaper: () => undefined }, ...o.relay });
  const { events, error } = await collect(relay.ask(request({ config, cwd: folder, ...o.request })));
  return { target, events, error };
}
const hookEvents = (events: AskEvent[]) => events.filter((e) => e.type === 'hook');

describe('rule 10: what a hook is told', () => {
  it('preAsk: all of the question as JSON on stdin, in the folder of its file', async () => {
    const config = await configOf({ preAsk: [hook('look.sh', 'cat > told.json; pwd > where')] });
    const { target } = await run(config, { request: { context: 'before' } });
    expect(JSON.parse(read('told.json'))).toEqual({
      event: 'preAsk',
      agent: 'bob',
      prompt: 'is this safe?',
      context: 'before',
      caller: { kind: 'person', name: 'You' },
      chain: ['Ada'],
      depth: 1,
      cwd: folder,
    });
    expect(read('where').trim()).toBe(folder);
    // printing nothing changes nothing
    expect(target.prompts[0]).toContain('is this safe?');
    expect(target.prompts[0]).toContain('before');
  });

  it('postAsk: the answer too, and who gave it', async () => {
    const config = await configOf({ postAsk: [hook('look.sh', 'cat > told.json')] });
    const { events } = await run(config);
    expect(JSON.parse(read('told.json'))).toEqual({
      event: 'postAsk',
      agent: 'bob',
      prompt: 'is this safe?',
      caller: { kind: 'person', name: 'You' },
      chain: ['Ada'],
      depth: 1,
      cwd: folder,
      text: 'the key is hunter2',
      stopReason: 'end_turn',
      title: 'bob title',
      provider: 'openai',
      model: 'qwen3:8b',
    });
    expect(answerOf(events).text).toBe('the key is hunter2');
  });

  it('its environment is that of the agent’s commands: no secrets, one step deeper, the yolo of the moment', async () => {
    const config = await configOf({ preAsk: [hook('env.sh', 'env > env', ', env: {WORDS: a b}')] });
    await run(config, { request: { liveYolo: () => true } });
    const lines = read('env').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'AGENT_MODEL=m',
        'AGENT_YOLO=true',
        'MM_ASK_DEPTH=1',
        'WORDS=a b',
        `MM_CONFIG=${at('mm.yaml')}`,
      ]),
    );
    expect(lines.join('\n')).not.toMatch(/AGENT_API_KEY|MM_SECRET|VSCODE/);
  });

  it('no shell reads its command line', async () => {
    const { target } = await run(await configOf({ preAsk: [`{command: touch, args: ["a; touch b", "$(touch c)"]}`] }));
    expect(target.prompts).toHaveLength(1);
    expect([at('a; touch b'), at('$(touch c)'), at('b'), at('c')].map(existsSync)).toEqual([true, true, false, false]);
  });
});

describe('rule 10: what a hook can do', () => {
  it('refuse: exit code 2, and stderr says why; nothing is started; exit 3 in a shell', async () => {
    const config = await configOf({
      preAsk: [
        hook('no.sh', 'echo "{\\"prompt\\": \\"x\\"}"; echo "it names a customer" >&2; exit 2'),
        hook('later.sh', 'touch later'),
      ],
    });
    const { target, error, events } = await run(config);
    expect(target.opened).toEqual([]);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ failure: 'refused', exitCode: 3 });
    expect(error!.message).toBe('The hook ./hooks/no.sh refused the question to bob: it names a customer');
    expect(error!.forModel).toContain('bob was not asked: a hook refused the question, because: it names a customer');
    expect(existsSync(at('later'))).toBe(false);
    const silent = await run(await configOf({ preAsk: [hook('no.sh', 'exit 2')] }));
    expect(silent.error!.message).toContain('it gave no reason');
  });

  it('rewrite what goes out; each gets what the one before made of it; the exchange has what really went out', async () => {
    const config = await configOf({
      preAsk: [hook('one.sh', `sed 's/safe/good/'`), hook('two.sh', `cat > second.json; echo '{"context": "less"}'`)],
    });
    const { target, events } = await run(config, { request: { context: 'more' } });
    expect(JSON.parse(read('second.json')).prompt).toBe('is this good?');
    expect(target.prompts[0]).toMatch(/less[\s\S]*is this good\?$/);
    expect(target.prompts[0]).not.toContain('more');
    expect(hookEvents(events)).toEqual([
      { type: 'hook', point: 'preAsk', hook: './hooks/one.sh', prompt: 'is this good?' },
      { type: 'hook', point: 'preAsk', hook: './hooks/two.sh', context: true },
    ]);
    expect(exchangeOf(answerOf(events)).user).toContain('is this good?');
  });

  it('take the context away', async () => {
    const config = await configOf({ preAsk: [hook('one.sh', `echo '{"context": ""}'`)] });
    const { target } = await run(config, { request: { context: 'more' } });
    expect(target.prompts).toEqual(['is this safe?']);
  });

  it('replace what comes back, before it is cut; what was seen is said to be replaced', async () => {
    const config = await configOf(
      { postAsk: [hook('mask.sh', `sed 's/hunter2/xxxxx/'`), hook('more.sh', `cat > second.json`)] },
      'maxOutput: 12\n',
    );
    const { events } = await run(config);
    const answer = answerOf(events);
    expect(answer.text).toBe('the key is xxxxx');
    expect(answer.kept).toBe('the key is x\n[4 more characters were cut]');
    expect(JSON.parse(read('second.json')).text).toBe('the key is xxxxx');
    expect(hookEvents(events)).toEqual([
      { type: 'hook', point: 'postAsk', hook: './hooks/mask.sh', text: 'the key is xxxxx' },
    ]);
  });

  it('keep the answer back', async () => {
    const config = await configOf({ postAsk: [hook('no.sh', 'echo "there is a key in it" >&2; exit 2')] });
    const { error, events } = await run(config);
    expect(error).toMatchObject({ failure: 'withheld', exitCode: 3 });
    expect(error!.came).toBeUndefined();
    expect(error!.message).toBe('The hook ./hooks/no.sh keeps the answer of bob back: there is a key in it');
    expect(error!.forModel).not.toContain('hunter2');
    expect(hookEvents(events)).toEqual([{ type: 'hook', point: 'postAsk', withheld: true }]);
  });

  it('rule 6: what came of an ask that ended early has not passed the hooks, so nothing of it is kept', async () => {
    const config = await configOf({ postAsk: [hook('ok.sh', 'touch ran')] });
    const { error, events } = await run(config, {
      play: async ({ say }) => {
        await say('hunter2');
        return 'refusal';
      },
    });
    expect(error).toMatchObject({ failure: 'refusal' });
    expect(error!.came).toBeUndefined();
    expect(hookEvents(events)).toEqual([{ type: 'hook', point: 'postAsk', withheld: true }]);
    expect(existsSync(at('ran'))).toBe(false);
  });
});

describe('rule 10: a hook that fails lets nothing through', () => {
  it.each([
    ['exit code', 'echo oops >&2; exit 1', 'bob was not asked: the hook ./hooks/x.sh ended with exit code 1.', 'oops'],
    ['signal', 'kill -SEGV $$', 'ended by signal SIGSEGV', undefined],
    ['garbage', 'echo done', 'the hook ./hooks/x.sh printed what cannot be used: it is no JSON: done.', undefined],
    ['another contract', `echo '{"decision": "block"}'`, 'the key `decision` is not known', undefined],
  ])('%s', async (_, body, words, detail) => {
    const { target, error } = await run(await configOf({ preAsk: [hook('x.sh', body)] }));
    expect(target.opened).toEqual([]);
    expect(error).toMatchObject({ failure: 'hook', exitCode: 3, detail });
    expect(error!.message).toContain(words);
    expect(error!.hint).toContain(at('mm.yaml'));
    expect(error!.forModel).toContain('Go on without bob');
    expect(error!.forModel).not.toContain('oops');
  });

  it('postAsk: the answer is not given out', async () => {
    const { error, events } = await run(await configOf({ postAsk: [hook('x.sh', 'exit 7')] }));
    expect(error).toMatchObject({ failure: 'hook', exitCode: 3 });
    expect(error!.came).toBeUndefined();
    expect(error!.message).toBe('The answer of bob is kept back: the hook ./hooks/x.sh ended with exit code 7.');
    expect(events.at(-1)).toEqual({ type: 'hook', point: 'postAsk', withheld: true });
  });

  it('a program that is not there, and one that may not be run', async () => {
    const gone = await run(await configOf({ preAsk: ['{command: ./hooks/gone.sh}'] }));
    expect(gone.error!.message).toBe(
      `bob was not asked: the hook ./hooks/gone.sh's program was not found: ${at('hooks/gone.sh')}.`,
    );
    writeFileSync(at('hooks/plain.sh'), '#!/bin/sh\n', { mode: 0o644 });
    const plain = await run(await configOf({ preAsk: ['{command: ./hooks/plain.sh}'] }));
    expect(plain.error!.message).toContain('is not executable');
    expect(plain.error!.hint).toContain('chmod +x');
    expect(gone.target.opened.concat(plain.target.opened)).toEqual([]);
  });

  it('a time-out has words of its own; the process and what it started end, also when they ignore TERM', async () => {
    const body = `trap '' TERM; (trap '' TERM; echo $$ > pids; exec sleep 600) & echo $! >> pids; sleep 600`;
    const { target, error } = await run(await configOf({ preAsk: [hook('slow.sh', body, ', timeout: 0.4')] }));
    expect(target.opened).toEqual([]);
    expect(error).toMatchObject({ failure: 'hook', exitCode: 3 });
    expect(error!.message).toBe('bob was not asked: the hook ./hooks/slow.sh did not end within 0.4 s.');
    expect(error!.hint).toContain('raise its `timeout`');
    for (const pid of read('pids').trim().split('\n').map(Number)) expect(isAlive(pid), String(pid)).toBe(false);
  });

  it('one that prints without end is stopped', async () => {
    const { error } = await run(await configOf({ preAsk: [hook('yes.sh', 'exec yes')] }));
    expect(error!.message).toContain('printed too much');
  });

  it('what a hook leaves in the background ends with it and holds nothing up', async () => {
    const started = Date.now();
    const { target } = await run(await configOf({ preAsk: [hook('bg.sh', 'sleep 600 & echo $! > pid')] }));
    expect(target.prompts).toHaveLength(1);
    expect(isAlive(Number(read('pid')))).toBe(false);
    expect(Date.now() - started).toBeLessThan(9_000);
  });

  it('one that does not read what it is told is no error', async () => {
    const config = await configOf({ preAsk: [hook('deaf.sh', 'exec <&-; exit 0')] });
    const { target } = await run(config, { request: { prompt: 'x'.repeat(500_000) } });
    expect(target.prompts[0]).toHaveLength(500_000);
  });

  it('where hooks cannot run, an ask that has some is refused', async () => {
    const config = await configOf({ preAsk: [hook('x.sh', '')] });
    const { target, error } = await run(config, { relay: { hooks: undefined } });
    expect(target.opened).toEqual([]);
    expect(error).toMatchObject({ failure: 'hook' });
  });

  it('section 10: a hook that changed since the folder was allowed does not run', async () => {
    const loaded = await configOf({ preAsk: [hook('x.sh', 'touch ran')] });
    const config = pinned(loaded, (await approvalOf(at('mm.yaml'), {})).pins);
    expect((await run(config)).target.prompts).toHaveLength(1);
    rmSync(at('ran'));
    hook('x.sh', 'touch ran; touch evil');
    const { target, error } = await run(config);
    expect(target.opened).toEqual([]);
    expect(error!.message).toBe('bob was not asked: x.sh has changed since you allowed this folder’s mm.yaml.');
    expect(existsSync(at('ran'))).toBe(false);
  });
});

describe('rule 12: cancel while a hook runs', () => {
  it.each(['preAsk', 'postAsk'] as const)('%s: its process ends, and the ask is cancelled', async (point) => {
    const config = await configOf({ [point]: [hook('slow.sh', `trap '' TERM; echo $$ > pid; touch up; sleep 600`)] });
    const stop = new AbortController();
    const running = run(config, { request: { signal: stop.signal } });
    await vi.waitFor(() => expect(existsSync(at('up'))).toBe(true), { timeout: 5_000 });
    stop.abort();
    const { error, target } = await running;
    expect(error).toMatchObject({ failure: 'cancelled', exitCode: 130 });
    expect(error!.came).toBeUndefined();
    expect(isAlive(Number(read('pid')))).toBe(false);
    expect(target.closed).toBe(target.opened.length);
  });
});

describe('rule 10: around every relay, once', () => {
  const config = () =>
    configOf({ preAsk: [hook('pre.sh', 'echo pre >> log')], postAsk: [hook('post.sh', 'echo post >> log')] });

  it('one ask runs each once, the gate before them', async () => {
    await run(await config());
    expect(read('log')).toBe('pre\npost\n');
  });

  it('an ask that is not allowed, too deep, or to nobody runs none', async () => {
    const settings = await config();
    await run(settings, { request: { depth: 2 } });
    await run(settings, { request: { agent: 'nobody' } });
    const { error } = await run(settings, {
      request: { gate: { toolCallId: 't' }, permissions: { canAnswer: true, ask: async () => 'reject' } },
    });
    expect(error).toMatchObject({ failure: 'refused' });
    expect(existsSync(at('log'))).toBe(false);
  });

  it('a nested ask runs those of the file of who asks, and not those of home', async () => {
    const home = await config();
    const own = await configOf({ preAsk: [hook('bob.sh', 'echo bob >> log')] });
    const target = new FakeTarget({
      bob: async ({ ask, say }) => {
        await say((await ask('riker', 'and you?')).text);
        return undefined;
      },
      riker: async ({ say }) => {
        await say('fine');
        return undefined;
      },
    });
    const relay = relayOf(target, {
      hub: true,
      hooks: { parentEnv: env, reaper: () => undefined },
      loadConfigOf: async () => own,
    });
    const { error } = await collect(
      relay.ask(
        request({
          config: home,
          cwd: folder,
          liveYolo: () => true,
          permissions: { canAnswer: false, ask: async () => 'reject' },
        }),
      ),
    );
    expect(error).toBeUndefined();
    expect(read('log')).toBe('pre\nbob\npost\n');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // a zombie that nobody reaps is not alive
  return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
