import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from './children-support';
import { connect, demoFiles, ended, mmFile, Place } from './mm-support';

/** Hooks (rule 10) and the watchdog (rule 11) in `mm`, as scripts and editors see them. */

let place: Place;
beforeEach(() => {
  place = new Place(demoFiles);
});
afterEach(async () => {
  expect(await place.left(6000)).toEqual([]);
  place.dispose();
});

/** A hook that notes that it ran, as `log` has it, and does `body` on what it was told. */
function hook(name: string, body = 'cat > /dev/null'): string {
  place.file(`${name}.sh`, `#!/bin/sh\necho ${name} >> log\n${body}\n`, 0o755);
  return `{command: ./${name}.sh}`;
}
function configure(file: 'mm.yaml' | 'bob.yaml', lines: string): void {
  place.write(file, `${demoFiles[file]}${lines}\n`);
}
const log = () => (existsSync(`${place.real}/log`) ? place.read('log').trim().split('\n') : []);
const ask = (prompt: string) => place.run(['--ask', 'bob', prompt, '-config', 'mm.yaml']);

describe('mm --ask', () => {
  test('rule 10: a hook that refuses is exit code 3, its reason on stderr, and nothing on stdout', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('no', 'echo "it names a customer" >&2; exit 2')}]}`);
    expect(await ask('say: hi')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'mm: The hook ./no.sh refused the question to bob: it names a customer\n',
    });
  });

  test('rule 10: a hook that fails lets nothing out: exit code 3, what it said, and which file', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('broken', 'echo "no such tool: jqq" >&2; exit 127')}]}`);
    const { code, stdout, stderr } = await ask('say: hi');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('mm: bob was not asked: the hook ./broken.sh ended with exit code 127');
    expect(stderr).toContain('  no such tool: jqq\n');
  });

  test('rule 10: the question goes out as the hook made it', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('redact', "sed 's/hunter2/xxxxx/'")}]}`);
    expect(await ask('say: the key is hunter2')).toMatchObject({
      code: 0,
      stdout: 'the key is xxxxx\n',
      stderr: 'mm: The hook ./redact.sh rewrote the question\n',
    });
    expect(log()).toEqual(['redact']);
  });

  test('rule 10: stdout has only what the hook gave back, however slowly the answer came', async () => {
    configure('mm.yaml', `hooks: {postAsk: [${hook('mask', `cat > told; echo '{"text": "nothing to see"}'`)}]}`);
    expect(await ask('slow: 40')).toMatchObject({
      code: 0,
      stdout: 'nothing to see\n',
      stderr: 'mm: The hook ./mask.sh replaced this answer\n',
    });
    expect(JSON.parse(place.read('told')).text).toMatch(/^word1 word2 [\s\S]*word40/);
  });

  test('rule 10: an answer that is kept back is exit code 3 and not on stdout', async () => {
    configure('mm.yaml', `hooks: {postAsk: [${hook('keep', 'echo "a key" >&2; exit 2')}]}`);
    const { code, stdout, stderr } = await ask('slow: 40');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe('mm: The hook ./keep.sh keeps the answer of bob back: a key\n');
  });

  test('rule 10: the child runs its own file’s hooks only: one ask, each once, at each level', async () => {
    configure('mm.yaml', `yolo: true\nhooks: {preAsk: [${hook('pre')}], postAsk: [${hook('post')}]}`);
    configure('bob.yaml', `hooks: {preAsk: [${hook('bobs')}]}`);
    expect((await ask('ask riker: say: deep')).stdout).toContain('deep');
    expect(log()).toEqual(['pre', 'bobs', 'post']);
  });

  test('rule 10: a hook that asks by the same file comes to an end', async () => {
    const again = `cat > /dev/null; exec '${process.execPath}' '${mmFile}' --ask bob again`;
    configure('mm.yaml', `hooks: {preAsk: [${hook('loop', again)}]}`);
    const { code, stdout } = await ask('say: hi');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(log().length).toBeLessThanOrEqual(2);
  });

  test('rules 10 and 12: Ctrl-C while a hook runs ends it, also when it ignores TERM', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('slow', "trap '' TERM; touch up; sleep 600")}]}`);
    const child = place.start(['--ask', 'bob', 'hi', '-config', 'mm.yaml']);
    const end = ended(child);
    expect(await until(() => existsSync(`${place.real}/up`), 10_000)).toBe(true);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 130, stdout: '' });
  });

  test('a killed mm leaves no hook behind', async () => {
    // when it has read what it was told, it is on the list of what does not outlive mm
    configure('mm.yaml', `hooks: {preAsk: [${hook('slow', "trap '' TERM; cat > /dev/null; touch up; sleep 600")}]}`);
    const child = place.start(['--ask', 'bob', 'hi', '-config', 'mm.yaml']);
    const end = ended(child);
    expect(await until(() => existsSync(`${place.real}/up`), 10_000)).toBe(true);
    child.kill('SIGKILL');
    expect(await end).toMatchObject({ signal: 'SIGKILL' });
  });

  test('section 10: a folder’s own hooks run only when its file was allowed', async () => {
    configure('mm.yaml', '');
    place.write(
      '.mm/mm.yaml',
      `provider: demo\nhooks: {preAsk: [{command: ../pre.sh}]}\nmmConfigs: {bob: {path: ../bob.yaml}}\n`,
    );
    hook('pre');
    expect(await place.run(['--ask', 'bob', 'hi'])).toMatchObject({ code: 2, stdout: '' });
    expect(log()).toEqual([]);
  });

  test('rule 11: silence is exit code 124, and the words say what to raise; what had come was printed', async () => {
    configure('mm.yaml', 'watchdogTimeout: 1');
    const { code, stdout, stderr } = await ask('say: one moment\nstall');
    expect({ code, stdout }).toEqual({ code: 124, stdout: 'one moment' });
    expect(stderr).toContain('mm: bob has said nothing for 1 s, so the ask was ended.\n');
    expect(stderr).toContain('raise `watchdogTimeout` in');
  });

  test('rule 11: a command that prints nothing for longer than that is no silence', async () => {
    configure('mm.yaml', 'watchdogTimeout: 1\nyolo: true');
    expect(await ask('run: sleep 3; echo ran')).toMatchObject({ code: 0, stdout: expect.stringContaining('ran') });
  });
});

describe('mm -p', () => {
  test('rule 11: a model that sends nothing is exit code 124 with words', async () => {
    configure('mm.yaml', 'watchdogTimeout: 1');
    const { code, stderr } = await place.run(['-p', 'stall', '-config', 'mm.yaml']);
    expect(code, stderr).toBe(124);
    expect(stderr).toContain('mm: The model demo has sent nothing for 1 s, so the turn was ended.\n');
  });
});

describe('mm -acp for a client that is no hub', () => {
  test('rule 10: /ask-bob shows only what the hooks gave out; the pair has what went out and came back', async () => {
    configure(
      'mm.yaml',
      `hooks: {preAsk: [${hook('redact', "sed 's/hunter2/xxxxx/'")}], postAsk: [${hook('mask', "sed 's/xxxxx/-----/g'")}]}`,
    );
    const client = await connect(place.start(['-acp', '-config', 'mm.yaml']));
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, '/ask-bob slow: 10\nsay: the key is hunter2');
    expect(client.words().trim()).toMatch(/^word1[\s\S]* the key is -----$/);
    expect(JSON.stringify(client.updates)).not.toContain('xxxxx');
    expect(log()).toEqual(['redact', 'mask']);
    await client.prompt(sessionId, 'what did bob say?');
    expect(client.words()).toContain('the key is -----');
    expect(client.recorder.problems).toEqual([]);
    client.child.stdin.end();
    await client.exit;
  });

  test('rule 10: ask_agent runs them once, a refusal is a result that the model can use', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('no', 'echo "ask in other words" >&2; exit 2')}]}`);
    const client = await connect(place.start(['-acp', '-config', 'mm.yaml']), { answer: () => 'allow_once' });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, 'ask bob: hi');
    expect(client.words()).toContain('bob was not asked: a hook refused the question, because: ask in other words');
    expect(log()).toEqual(['no']);
    client.child.stdin.end();
    await client.exit;
  });

  test('under a hub mm runs none: the hub does', async () => {
    configure('mm.yaml', `hooks: {preAsk: [${hook('pre')}], postAsk: [${hook('post')}]}`);
    const client = await connect(place.start(['-acp', '-config', 'mm.yaml']), {
      hub: () => ({ text: 'from the hub', agent: 'bob', stopReason: 'end_turn', truncated: 0 }),
    });
    const { sessionId } = await client.open(place.real);
    await client.prompt(sessionId, 'ask bob: hi');
    expect(client.words()).toContain('from the hub');
    expect(log()).toEqual([]);
    client.child.stdin.end();
    await client.exit;
  });
});
