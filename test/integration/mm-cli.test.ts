import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startProxyStandIn } from '../agents/proxy-stand-in.mjs';
import { artifactUpdate, ScriptedA2A, statusUpdate, taskOf } from '../support/a2a-agent';
import { until } from './children-support';
import { demoFiles, ended, mmFile, Place } from './mm-support';

/** `mm --ask` and `mm -p` as scripts call them: stdout, stderr, exit codes, and what is left afterwards. */

let place: Place;
beforeEach(() => {
  place = new Place(demoFiles);
});
afterEach(async () => {
  expect(await place.left(6000)).toEqual([]);
  place.dispose();
});

const config = ['-config', 'mm.yaml'];
const ask = (prompt: string, env: Record<string, string> = {}) =>
  place.run(['--ask', 'bob', prompt, ...config], { env });

describe('mm --ask (rule 13)', () => {
  test('prints only bob’s answer, from stdin and from the arguments', async () => {
    const piped = await place.run(['--ask', 'bob', ...config], { input: 'hello\n' });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(piped.stdout).toMatch(/^Hello, I am Bob, a demo/);
    expect(piped.stdout).toContain('You said: hello\n');
    expect((await ask('say: just this')).stdout).toBe('just this\n');
  });

  test('joins the parts of an answer by a blank line (rule 6), and gives all of a long one', async () => {
    expect((await ask('say: one\nthink: hm\nsay: two')).stdout).toBe('one\n\ntwo\n');
    const { stdout, code } = await ask('long: 1000000');
    expect(code).toBe(0);
    expect(stdout.trimEnd().length).toBeGreaterThan(999_990);
  });

  test('an unknown agent exits 2 and lists the known ones on stderr', async () => {
    const { code, stdout, stderr } = await place.run(['--ask', 'eve', 'hi', ...config]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/no agent “eve”/);
    expect(stderr).toMatch(/bob, riker/);
  });

  test('rule 9: at depth 2 it exits 3 and starts nothing', async () => {
    for (const depth of ['2', '7', 'x', '']) {
      const { code, stdout, stderr } = await ask('hi', { MM_ASK_DEPTH: depth });
      expect([depth, code, stdout]).toEqual([depth, 3, '']);
      expect(stderr).toContain('bob was not asked');
    }
    expect((await ask('say: x', { MM_ASK_DEPTH: '1' })).stdout).toBe('x\n');
  });

  test('rule 3: what is meant for the caller does not reach bob', async () => {
    const server = {
      AGENT_MODEL: 'x',
      AGENT_PROVIDER: 'demo',
      AGENT_API_KEY: 'k',
      MM_SECRET_X: 's',
      MM_SESSION: 'old',
      ELECTRON_RUN_AS_NODE: '1',
    };
    const { stdout, stderr, code } = await ask('run: env', { ...server, AGENT_YOLO: 'true' });
    expect(code, stderr).toBe(0);
    // five lines are said; so look at the names only
    const all = (
      await ask("run: env | grep -E '^(AGENT|MM|ELECTRON)_' | sort | tr '\\n' ' '", { ...server, AGENT_YOLO: 'true' })
    ).stdout;
    expect(stdout).toContain('The result is:');
    expect(all).not.toMatch(/AGENT_MODEL|AGENT_PROVIDER|AGENT_API_KEY|MM_SECRET|ELECTRON|MM_SESSION=old/);
    expect(all).toMatch(/AGENT_YOLO=false/);
    expect(all).toMatch(/MM_ASK_DEPTH=1/);
    expect(all).toMatch(/MM_BIN=\S+\/\.cache\/mm\/bin\/mm-\w+ /);
    expect(all).toContain(`MM_CONFIG=${place.real}/bob.yaml`);
  });

  test('a script in bob’s bash escapes neither depth nor yolo', async () => {
    place.write('mm.yaml', demoFiles['mm.yaml'].replace('description: Ask for SQL', 'yolo: true'));
    const { stdout } = await ask(
      'run: "$MM_BIN" --ask riker "run: touch escaped"; "$MM_BIN" --ask riker "run: \\"\\$MM_BIN\\" --ask ada hi"',
    );
    expect(stdout).toContain('Not allowed');
    expect(existsSync(`${place.real}/escaped`)).toBe(false);
  });

  test('with yolo off a command is refused and not run; that is a note, and exit 0', async () => {
    const { code, stdout, stderr } = await ask('run: touch made');
    expect(code).toBe(0);
    expect(stdout).toContain('Not allowed');
    expect(stderr).toContain('bob/bash was refused');
    expect(existsSync(`${place.real}/made`)).toBe(false);
    expect((await ask('run: touch made', { AGENT_YOLO: 'true' })).code).toBe(0);
    expect(existsSync(`${place.real}/made`)).toBe(true);
  });

  test('an agent that dies exits 1 with its exit code and the tail of its stderr', async () => {
    const { code, stdout, stderr } = await ask('exit: 7');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('bob ended with exit code 7');
    expect(stderr).toContain('this process ends with exit code 7, as it was told');
    expect((await ask('crash')).stderr).toContain('SIGKILL');
  });

  test('the ends of rule 6: refusal and nothing exit 1, a limit exits 0 with a note', async () => {
    expect(await ask('say: no\nend: refusal')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('refused to answer'),
    });
    expect(await ask('think: only')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('returned nothing'),
    });
    expect(await ask('say: half\nend: length')).toMatchObject({
      code: 0,
      stdout: 'half\n',
      stderr: expect.stringContaining('not whole'),
    });
    expect(await ask('fail: no luck')).toMatchObject({ code: 1, stderr: expect.stringContaining('no luck') });
  });

  test('a broken file exits 2 with file, line and column', async () => {
    place.write('mm.yaml', 'mmConfigs: 5\n');
    expect(await ask('x')).toMatchObject({ code: 2, stderr: expect.stringContaining('mm.yaml:1:12') });
    place.write('mm.yaml', demoFiles['mm.yaml']);
    place.write('bob.yaml', 'provider: nothing\n');
    expect(await ask('x')).toMatchObject({ code: 1, stderr: expect.stringContaining('bob.yaml:1:11') });
    rmSync(`${place.real}/bob.yaml`);
    const { code, stderr } = await ask('x');
    expect([code, stderr.split('\n').slice(-3)]).toEqual([
      2,
      [`mm: The file of bob is not there: ${place.real}/bob.yaml`, 'mm: Check the path of bob in mm.yaml.', ''],
    ]);
  });

  test('--agents lists who can be asked, here and elsewhere; a proxy that does not answer is exit code 1', async () => {
    const here = await place.run(['--agents', ...config]);
    expect([here.code, here.stderr]).toEqual([0, '']);
    expect(here.stdout).toMatch(/^Here\n {2}Ada +asleep +demo +your own agent/);
    expect(here.stdout).toMatch(/\n {2}bob +asleep +bobs-model +Ask for SQL/);
    const proxy = await startProxyStandIn({ agents: [], reaches: () => true });
    const lines = `proxies: {team: {url: "${proxy.url}", key: "\${secret:team}"}}\n`;
    place.write('mm.yaml', `${demoFiles['mm.yaml']}  scenes: {a2a: scenes@team}\n${lines}`);
    const env = { MM_SECRET_TEAM: 'sk-1234' };
    const json = await place.run(['--agents', '--json', ...config], { env });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'window' },
      { id: 'proxy:team', agents: [{ name: 'scenes', state: 'defined' }] },
    ]);
    const keyless = await place.run(['--agents', ...config]);
    expect(keyless).toMatchObject({ code: 1, stdout: expect.stringContaining('The secret team is not set.') });
    await proxy.close();
    const gone = await place.run(['--agents', ...config], { env });
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining(`No proxy answers at ${proxy.url}.`) });
  });

  test('--keep brings back what the proxy has forgotten, and nothing that was deleted', async () => {
    const proxy = await startProxyStandIn({ database: true, agents: [] });
    const headers = { authorization: 'Bearer sk-1234', 'content-type': 'application/json' };
    const add = async (name: string): Promise<string> => {
      const body = JSON.stringify({ agent_name: name, agent_card_params: { name, url: 'http://127.0.0.1:1/' } });
      const made = await fetch(`${proxy.url}/v1/agents`, { method: 'POST', headers, body });
      return ((await made.json()) as { agent_id: string }).agent_id;
    };
    await add('scenes');
    const worf = await add('worf');
    place.write('mm.yaml', `provider: demo\nproxies: {team: {url: "${proxy.url}", adminKey: "\${secret:admin}"}}\n`);
    const keep = () => {
      const env = { MM_SECRET_ADMIN: 'sk-1234', XDG_STATE_HOME: place.real };
      return place.run(['--keep', '--once', ...config], { env });
    };
    expect(await keep()).toEqual(expect.objectContaining({ code: 0, stdout: '', stderr: '' }));
    proxy.restart();
    await fetch(`${proxy.url}/v1/agents/${worf}`, { method: 'DELETE', headers });
    const { code, stdout } = await keep();
    expect(code).toBe(0);
    expect(stdout).toContain('its list of agents is empty: it was not before.');
    expect(stdout).toContain('The proxy team had forgotten scenes; it is back.');
    expect(stdout).toContain('worf was deleted at the proxy team; it is not brought back.');
    expect(stdout).toContain('store_model_in_db');
    expect(await keep()).toMatchObject({ code: 0, stdout: '' });
    await proxy.close();
    expect(await keep()).toMatchObject({ code: 1, stdout: expect.stringContaining('No proxy answers at') });
  });

  test('--ask reaches an agent that lives elsewhere, with its key from the environment', async () => {
    const agent = await ScriptedA2A.start();
    agent.on('stream', (_, reply) =>
      reply.events([taskOf('working'), artifactUpdate('Scene 3 contradicts 2.'), statusUpdate('completed')]),
    );
    place.write('mm.yaml', `provider: demo\nmmConfigs: {scenes: {a2a: "${agent.url}", key: "\${secret:scenes}"}}\n`);
    const env = { MM_SECRET_SCENES: 'sk-scenes' };
    expect(await place.run(['--ask', 'scenes', 'check', ...config], { env })).toMatchObject({
      code: 0,
      stdout: 'Scene 3 contradicts 2.\n',
      stderr: '',
    });
    expect(agent.calls[0]!.headers.authorization).toBe('Bearer sk-scenes');
    expect(await place.run(['--ask', 'scenes', 'check', ...config])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('MM_SECRET_SCENES'),
    });
    await agent.stop();
  });

  test('no prompt, and a wrong call, exit 2', async () => {
    expect(await place.run(['--ask', 'bob', ...config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no prompt'),
    });
    expect(await place.run(['--sessions'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sessions is not known'),
    });
    const help = await place.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const later of ['--resume', '-mcp', 'skills']) expect(help.stdout).not.toContain(later);
    expect((await place.run(['-version'])).stdout).toMatch(/^mm \d+\.\d+\.\d+\n$/);
  });

  /** A line of a shell in which `mm` stands as "$0" "$1". */
  const line = (text: string) =>
    ended(
      spawn('/bin/bash', ['-c', text, process.execPath, mmFile], {
        cwd: place.real,
        env: place.shell(),
        stdio: 'pipe',
      }),
    );
  const mm = '"$0" "$1"';

  test.each(['--ask bob', '-p'])('%s: a reader that goes away is no error', async (mode) => {
    const ran = await line(
      `${mm} ${mode} 'long: 8000000' -config mm.yaml | head -c 10; echo; echo "\${PIPESTATUS[0]}"`,
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Line 1 of \n/);
    const status = await line(
      `${mm} ${mode} 'long: 8000000' -config mm.yaml | head -c 10 >/dev/null; exit "\${PIPESTATUS[0]}"`,
    );
    expect(status).toMatchObject({ code: 0, stderr: '' });
  });

  test
    .skipIf(process.platform !== 'linux')
    .each(['--ask bob hi -config mm.yaml', '-p hi -config mm.yaml', '--version'])(
    '%s: a full disk is a failure, in words',
    async (call) => {
      const ran = await line(`${mm} ${call} >/dev/full`);
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be written') });
    },
  );

  test.each(['--ask bob', '-p'])('%s: whoever reads the notes may go away, the answer comes', async (mode) => {
    const ran = await line(
      `( ${mm} ${mode} $'run: ls\nsay: ANSWER' -config mm.yaml 2>&1 >out; echo $? >code ) | true; cat out code`,
    );
    expect(ran.stdout).toMatch(/ANSWER\n0\n$/);
  });

  test.skipIf(process.platform !== 'linux')(
    'on a terminal an answer cannot act on the terminal; a pipe gets it exactly',
    async () => {
      const evil = '\x1b]52;c;AAAA\x07\x1b[2Jhi';
      const call = `${mm} --ask bob "say: ${evil}" -config mm.yaml`;
      expect((await line(call)).stdout).toBe(`${evil}\n`);
      const shown = await line(
        `script -qec '${call.replace('"$0"', process.execPath).replace('"$1"', mmFile)}' /dev/null`,
      );
      expect(shown.stdout).not.toContain('\x1b');
      expect(shown.stdout).toContain('[U+001B][2Jhi');
    },
  );

  test('an agent that tries the same a hundred times fills no screen', async () => {
    const ran = await ask(Array.from({ length: 30 }, (_, i) => `run: touch made${i}`).join('\n'));
    expect(ran.stderr.split('\n').length).toBeLessThan(15);
    expect(ran.stderr).toContain('Further refusals');
    const ten = await ask(Array.from({ length: 10 }, (_, i) => `run: touch made${i}`).join('\n'));
    expect(ten.stderr.match(/was refused/g)).toHaveLength(10);
    expect(ten.stderr).not.toContain('Further refusals');
  });

  test('SIGINT exits 130', async () => {
    const child = place.start(['--ask', 'bob', 'slow: 200', ...config]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGINT');
    expect((await ended(child)).code).toBe(130);
  });
});

describe('mm -p', () => {
  test('is one turn of the own agent', async () => {
    expect(await place.run(['-p', 'say: hi', ...config])).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
    const refused = await place.run(['-p', 'run: touch made', ...config]);
    expect(refused).toMatchObject({ code: 0, stderr: expect.stringContaining('bash was refused') });
    expect(existsSync(`${place.real}/made`)).toBe(false);
    expect(await place.run(['-p', 'fail: x', ...config])).toMatchObject({ code: 1, stdout: '' });
    expect(await place.run(['-p', 'run: echo free', ...config], { env: { AGENT_YOLO: '1' } })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('free'),
    });
  });

  test('can ask', async () => {
    const { stdout } = await place.run(['-p', '/ask-bob say: from bob', ...config]);
    expect(stdout).toBe('from bob\n');
  });
});

describe('the file that is used', () => {
  test('MM_CONFIG, the user’s own, the bundled demo', async () => {
    expect((await place.run(['--ask', 'bob', 'say: x'], { env: { MM_CONFIG: 'mm.yaml' } })).stdout).toBe('x\n');
    expect((await place.run(['-p', 'hello'])).stdout).toContain('a demo');
    place.write('.config/mm/mm.yaml', 'acp: {title: Mine}\nprovider: demo\n');
    expect((await place.run(['-p', 'hello'])).stdout).toContain('I am Mine');
  });

  test('one that came with the folder is not used while nobody allowed it (design, section 10)', async () => {
    place.write(
      '.mm/mm.yaml',
      'acp: {title: Trap}\nprovider: demo\nmmConfigs: {bob: {command: "touch", args: [made]}}\n',
    );
    for (const args of [
      ['-p', 'hello'],
      ['--ask', 'bob', 'hello'],
    ])
      expect(await place.run(args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('came with this folder'),
      });
    expect(existsSync(`${place.real}/made`)).toBe(false);
    // what the person named needs no approval
    expect((await place.run(['-p', 'hello', '-config', '.mm/mm.yaml'])).stdout).toContain('I am Trap');
  });

  test('a broken AGENT_PROVIDER exits 2', async () => {
    expect(await place.run(['-p', 'x', ...config], { env: { AGENT_PROVIDER: 'nobody' } })).toMatchObject({ code: 2 });
  });
});

describe('what is left (design, section 11)', () => {
  /** bob runs a command that ignores TERM, below mm, below a shell. */
  async function deep(args: string[]) {
    place.write('mm.yaml', demoFiles['mm.yaml'].replace('description: Ask for SQL', 'yolo: true'));
    const shell = spawn('/bin/sh', ['-c', `"$0" "$@"; :`, process.execPath, mmFile, ...args], {
      cwd: place.real,
      env: place.shell({ AGENT_YOLO: 'true' }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    expect(await until(() => existsSync(`${place.real}/begun`), 20_000)).toBe(true);
    const mm = readdirSync('/proc')
      .map(Number)
      .find((pid) => pid && place.pids().includes(pid) && parentOf(pid) === shell.pid);
    expect(mm).toBeDefined();
    expect(place.pids().length).toBeGreaterThanOrEqual(3);
    return { shell, mm: mm! };
  }
  const stubborn = "run: trap '' TERM HUP INT; touch begun; while :; do sleep 0.2; done";

  test('kill -9 of mm', async () => {
    const { mm } = await deep(['--ask', 'bob', stubborn, ...config]);
    process.kill(mm, 'SIGKILL');
    expect(await place.left(5000)).toEqual([]);
  });

  test('kill -9 of its parent shell', async () => {
    const { shell } = await deep(['--ask', 'bob', stubborn, ...config]);
    shell.kill('SIGKILL');
    expect(await place.left(5000)).toEqual([]);
  });

  test('kill -9 of its parent shell while the prompt is still awaited on stdin', async () => {
    // stdin stays open in this process, so that nothing but the parent's end can tell mm
    const shell = spawn(
      '/bin/sh',
      ['-c', `exec 3<&0; "$0" "$@" <&3 & echo begun; wait`, process.execPath, mmFile, '--ask', 'bob', ...config],
      {
        cwd: place.real,
        env: place.shell(),
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    await new Promise((resolve) => shell.stdout.once('data', resolve));
    expect(await until(() => place.pids().length >= 2, 20_000)).toBe(true);
    shell.kill('SIGKILL');
    expect(await place.left(5000)).toEqual([]);
    shell.stdin.destroy();
  });

  test('TERM to mm', async () => {
    const { mm } = await deep(['--ask', 'bob', stubborn, ...config]);
    process.kill(mm, 'SIGTERM');
    expect(await place.left(5000)).toEqual([]);
  });

  test('kill -9 of an mm that runs a command itself', async () => {
    const { mm } = await deep(['-p', stubborn, ...config]);
    process.kill(mm, 'SIGKILL');
    expect(await place.left(5000)).toEqual([]);
  });

  test('the end of the client of mm -acp', async () => {
    const child = place.start(['-acp', ...config], { env: { AGENT_YOLO: 'true' } });
    const done = ended(child);
    const send = (o: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...o })}\n`);
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } });
    await until(() => text.includes('"id":1'), 20_000);
    send({ id: 2, method: 'session/new', params: { cwd: place.real, mcpServers: [] } });
    await until(() => text.includes('"id":2'), 20_000);
    const sessionId = /"sessionId":"([^"]+)"/.exec(text)![1];
    send({ id: 3, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: stubborn }] } });
    expect(await until(() => existsSync(`${place.real}/begun`), 20_000)).toBe(true);
    child.stdin.end();
    expect((await done).code).toBe(0);
    expect(await place.left(3000)).toEqual([]);
  });
});

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
