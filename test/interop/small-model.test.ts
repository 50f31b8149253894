import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as sdk from '@agentclientprotocol/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { smallModelConfigs, startSmallModel } from '../../scripts/small-model.mjs';

/**
 * The three agents on a real model (135 million parameters), driven by the SDK's own client, which is no hub: `mm` relays by itself.
 * Such a model follows "Use NAME with the ARG VALUE" and little else; prompts are short and limits generous.
 */

const mm = path.resolve('dist/mm.mjs');
const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Talk {
  prompt(text: string): Promise<{ stopReason: string; text: string }>;
  questions: { title: string; path: unknown }[];
  folder: string;
  /** The model's address. */
  url: string;
}

/** Ada, bob and riker on a model with this template, and a client that allows every call once. */
async function talk(template: 'tools' | 'strict', work: (talk: Talk) => Promise<void>): Promise<void> {
  const model = await startSmallModel({ template });
  ending.push(() => model.stop());
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mm-interop-'));
  ending.push(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(smallModelConfigs(model.url)))
    await writeFile(path.join(folder, name), text);
  await writeFile(path.join(folder, 'notes.txt'), 'buy milk\n');

  const child = spawn(process.execPath, [mm, '-acp', '-config', path.join(folder, 'mm.yaml')], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  ending.push(() => ended(child));
  const questions: Talk['questions'] = [];
  let words = '';
  const client = sdk
    .client({ name: 'interop' })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => {
      const meta = params._meta?.mm as { path?: unknown } | undefined;
      questions.push({ title: params.toolCall.title ?? '', path: meta?.path });
      const allow = params.options.find((option) => option.kind === 'allow_once');
      return { outcome: { outcome: 'selected', optionId: allow!.optionId } };
    })
    .onNotification(sdk.methods.client.session.update, ({ params }) => {
      const { update } = params;
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        words += update.content.text;
    });
  const stream = sdk.ndJsonStream(
    Writable.toWeb(child.stdin!) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout!) as unknown as ReadableStream<Uint8Array>,
  );
  await client.connectWith(stream, async (agent) => {
    await agent.request(sdk.methods.agent.initialize, {
      protocolVersion: sdk.PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    const { sessionId } = await agent.request(sdk.methods.agent.session.new, { cwd: folder, mcpServers: [] });
    await work({
      folder,
      url: model.url,
      questions,
      prompt: async (text) => {
        words = '';
        const { stopReason } = await agent.request(sdk.methods.agent.session.prompt, {
          sessionId,
          prompt: [{ type: 'text', text }],
        });
        return { stopReason, text: words };
      },
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(timer);
}

describe('a real model', () => {
  test('template tools: bob calls bash, and the person is asked for it', async () => {
    await talk('tools', async ({ prompt, questions }) => {
      const answer = await prompt('/ask-bob Use bash with the command ls');
      expect(answer.stopReason).toBe('end_turn');
      expect(questions.length).toBeGreaterThan(0);
      // the question is bob's: its path goes behind the caller's own name
      expect(questions[0]!.path).toEqual(['bob']);
      expect(answer.text.trim()).not.toBe('');
    });
  });

  test('template tools: Ada writes a file after she was allowed to', async () => {
    await talk('tools', async ({ prompt, questions, folder }) => {
      await prompt('Use write with the path a.txt and the content hello');
      expect(questions.length).toBeGreaterThan(0);
      expect(await readFile(path.join(folder, 'a.txt'), 'utf8')).toContain('hello');
    });
  });

  test('template strict, which refuses two user messages in a row: Ada’s turn after /ask-bob is answered', async () => {
    await talk('strict', async ({ prompt, url }) => {
      const user = { role: 'user', content: 'Say hello' };
      const twice = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [user, user] }),
      });
      expect(twice.status, 'this template refuses what the test is about').toBe(400);

      const bob = await prompt('/ask-bob Say hello');
      expect(bob.stopReason).toBe('end_turn');
      const ada = await prompt('Say hello');
      expect(ada.stopReason).toBe('end_turn');
      expect(ada.text.trim()).not.toBe('');
    });
  });
});
