#!/usr/bin/env node
/**
 * A real LiteLLM proxy without a database, for the interop tests: pinned and hashed Python packages, about 700 MB, into <cache>/proxy.
 *
 *   node scripts/proxy.mjs install                  two minutes
 *   node scripts/proxy.mjs serve CONFIG [PORT]      until Ctrl-C
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache, root } from './lib/paths.mjs';
import { end, endWithUs, StepError, start } from './lib/processes.mjs';
import { pythonKit } from './lib/python.mjs';
import { main, step } from './lib/steps.mjs';

const kit = pythonKit({
  home: path.join(cache, 'proxy'),
  requirements: path.join(root, 'test/interop/proxy/requirements.txt'),
  what: 'a real LiteLLM',
  size: '700 MB',
});

/** Why no proxy can be installed here, in words; nothing where one can. */
export const whyNoProxy = kit.whyNot;

/** Installs the proxy where it is missing. */
export const ensureProxy = kit.ensure;

/** The key of every proxy that is started here; it opens nothing else. */
export const masterKey = 'sk-1234';

/** What an import takes on a slow machine, several times over; the usual is 11 to 16 s. Milliseconds. */
const startDeadline = 180_000;

/**
 * Starts a proxy with a configuration.
 * @param {{config: string, port?: number}} o `config` is the text of its config.yaml; its `master_key` is added
 * @returns {Promise<{url: string, key: string, stop(): Promise<void>}>}
 */
export async function startProxy({ config, port }) {
  await ensureProxy();
  return step('starting LiteLLM', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'mm-proxy-'));
    // LiteLLM takes a random port, and says nothing, where its own is taken
    const chosen = port ?? (await freePort());
    await writeFile(path.join(folder, 'config.yaml'), `${config}\ngeneral_settings: {master_key: ${masterKey}}\n`);
    const args = [
      path.join(kit.bin, 'litellm'),
      '--config',
      'config.yaml',
      '--host',
      '127.0.0.1',
      '--port',
      `${chosen}`,
    ];
    const env = { PATH: process.env.PATH, HOME: folder, LITELLM_LOCAL_MODEL_COST_MAP: 'True', NO_PROXY: '*' };
    const child = start(kit.python, args, { cwd: folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-16_384);
      });
    const url = `http://127.0.0.1:${chosen}`;
    const stop = async () => {
      await end(child, 10_000);
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await ready(url, child, () => output);
      return { url, key: masterKey, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  });
}

async function ready(url, child, output) {
  for (const until = Date.now() + startDeadline; Date.now() < until; ) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new StepError(`LiteLLM ended with ${child.exitCode ?? child.signalCode}`, output());
    try {
      // only ours knows the key
      const answer = await fetch(`${url}/v1/agents`, { headers: { authorization: `Bearer ${masterKey}` } });
      if (answer.status === 200) return;
    } catch {
      // nobody listens yet
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new StepError(`LiteLLM did not start within ${startDeadline / 1000} s`, output());
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const [what, config, port] = process.argv.slice(2);
    if (what === 'install') {
      await ensureProxy();
      return 0;
    }
    if (what !== 'serve' || !config) {
      console.error('usage: node scripts/proxy.mjs install | serve CONFIG [PORT]');
      return 2;
    }
    endWithUs();
    const proxy = await startProxy({ config: await readFile(config, 'utf8'), port: port ? Number(port) : undefined });
    console.log(`${proxy.url} (key ${proxy.key})\nCtrl-C ends it.`);
    return new Promise(() => {});
  });
}
