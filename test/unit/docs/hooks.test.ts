import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load';
import { answerOf, collect, FakeTarget, relayOf, request } from '../ask/support';

/** The hooks of `docs/how-to/hooks.md`, as they stand there. */

const page = readFileSync(fileURLToPath(new URL('../../../docs/how-to/hooks.md', import.meta.url)), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((m) => m[1]!);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-docs-'));
  mkdirSync(join(folder, 'hooks'));
  writeFileSync(join(folder, 'hooks/redact.mjs'), blocks('js')[0]!);
  writeFileSync(join(folder, 'hooks/no-customers.sh'), blocks('sh')[0]!, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function ask(yaml: string, prompt: string, answer: string, context?: string) {
  writeFileSync(join(folder, 'mm.yaml'), `provider: demo\n${yaml}mmConfigs: {bob: {command: bob}}\n`);
  const loaded = await loadConfig(join(folder, 'mm.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  expect(loaded.warnings).toEqual([]);
  const target = new FakeTarget({
    bob: async ({ say }) => {
      await say(answer);
      return undefined;
    },
  });
  const relay = relayOf(target, { hooks: { parentEnv: process.env, reaper: () => undefined } });
  const { events, error } = await collect(relay.ask(request({ config: loaded.config, prompt, context, cwd: folder })));
  return { target, events, error };
}

test('redact: questions, context and answers', async () => {
  const [yaml] = blocks('yaml');
  const key = 'sk-1234567890abcdefghij';
  const { target, events } = await ask(yaml!, `is ${key} valid?`, `4111 1111 1111 1111 and ${key}`, `the key: ${key}`);
  expect(target.prompts[0]).toContain('is [redacted] valid?');
  expect(target.prompts[0]).toContain('the key: [redacted]');
  expect(answerOf(events).text).toBe('[redacted] and [redacted]');
});

test('what has no key in it goes through as it is', async () => {
  const { target, events } = await ask(blocks('yaml')[0]!, 'plain “words”\nand 1234', 'fine');
  expect(target.prompts).toEqual(['plain “words”\nand 1234']);
  expect(answerOf(events).text).toBe('fine');
  expect(events.filter((e) => e.type === 'hook')).toEqual([]);
});

test('refuse: with the reason, and only what it is about', async () => {
  const [, yaml] = blocks('yaml');
  const refused = await ask(yaml!, 'who is customer 77?', 'x');
  expect(refused.error!.message).toContain('It names a customer. Ask without the number.');
  expect(refused.target.opened).toEqual([]);
  expect((await ask(yaml!, 'who is the customer?', 'nobody')).target.prompts).toEqual(['who is the customer?']);
});
