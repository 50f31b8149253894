import { PassThrough, Readable, Writable } from 'node:stream';
import * as sdk from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { type AgentHandlers, ClientConnection } from '../../../src/acp/agent';
import { AgentConnection } from '../../../src/acp/client';
import { silentLog } from '../../../src/base/log';
import { chunk } from '../../support/raw-peer';
import { FrameRecorder } from '../../support/schema';

/** The SDK is the independent peer: its client against our agent, its agent against our client (design, section 5). */

function pipes() {
  const toOurs = new PassThrough();
  const fromOurs = new PassThrough();
  const stream = sdk.ndJsonStream(
    Writable.toWeb(toOurs) as WritableStream<Uint8Array>,
    Readable.toWeb(fromOurs) as unknown as ReadableStream<Uint8Array>,
  );
  return { toOurs, fromOurs, stream };
}

const info = { name: 'mm', version: '1' };

test('the SDK’s client drives our agent: updates, permission, cancel, errors', async () => {
  const { toOurs, fromOurs, stream } = pipes();
  const recorder = new FrameRecorder('agent', { both: true });
  const handlers: AgentHandlers = {
    initialize: () => ({
      protocolVersion: 1,
      agentInfo: info,
      agentCapabilities: { sessionCapabilities: { close: {} } },
    }),
    newSession: () => ({ sessionId: 's1' }),
    closeSession() {},
    prompt: async (p, signal) => {
      const block = p.prompt[0]!;
      const text = block.type === 'text' ? block.text : '';
      if (text === 'wait') {
        await ours.update('s1', chunk('waiting'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { stopReason: 'cancelled' };
      }
      if (text === 'fail') throw new Error('the model failed');
      await ours.update('s1', {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'ls',
        kind: 'execute',
        status: 'pending',
      });
      const outcome = await ours.requestPermission(
        {
          sessionId: 's1',
          toolCall: { toolCallId: 'c', title: 'ls' },
          options: [{ optionId: 'ok', name: 'Allow', kind: 'allow_once' }],
        },
        signal,
      );
      await ours.update('s1', chunk(outcome.outcome === 'selected' ? outcome.optionId : 'none'));
      return { stopReason: 'end_turn' };
    },
  };
  const ours = new ClientConnection({
    input: toOurs,
    output: fromOurs,
    log: silentLog,
    journal: recorder.journal,
    handlers,
  });
  const seen: string[] = [];
  let onWaiting: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    onWaiting = resolve;
  });
  await sdk
    .client({ name: 'sdk-client' })
    .onNotification(sdk.methods.client.session.update, ({ params }) => {
      const { update } = params;
      seen.push(update.sessionUpdate);
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') {
        seen.push(update.content.text);
        if (update.content.text === 'waiting') onWaiting();
      }
    })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => {
      seen.push('permission');
      return { outcome: { outcome: 'selected', optionId: params.options[0]!.optionId } };
    })
    .connectWith(stream, async (agent) => {
      const { initialize, session } = sdk.methods.agent;
      const answer = await agent.request(initialize, { protocolVersion: 1, clientCapabilities: {} });
      expect(answer.agentInfo).toEqual(info);
      const { sessionId } = await agent.request(session.new, { cwd: '/work', mcpServers: [] });
      const prompt = (text: string) => agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
      expect((await prompt('go')).stopReason).toBe('end_turn');
      expect(seen).toEqual(['tool_call', 'permission', 'agent_message_chunk', 'ok']);
      await expect(prompt('fail')).rejects.toThrow('the model failed');
      const stopped = prompt('wait');
      await waiting;
      await agent.notify(session.cancel, { sessionId });
      expect((await stopped).stopReason).toBe('cancelled');
      await expect(agent.request(session.setMode, { sessionId, modeId: 'x' })).rejects.toMatchObject({ code: -32601 });
      await agent.request(session.close, { sessionId });
      await expect(prompt('go')).rejects.toMatchObject({ code: -32002 });
    });
  toOurs.end();
  await ours.closed;
  recorder.verify();
});

test('our client drives the SDK’s agent: updates in order, permission, fs refused, cancel', async () => {
  const { toOurs, fromOurs, stream } = pipes();
  const recorder = new FrameRecorder('client', { both: true });
  const cancels: string[] = [];
  let stop: () => void = () => {};
  const app = sdk
    .agent({ name: 'sdk-agent' })
    .onRequest(sdk.methods.agent.initialize, () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      agentInfo: { name: 'sdk-agent', title: 'SDK Agent', version: '1' },
      agentCapabilities: { sessionCapabilities: { close: {} } },
      authMethods: [],
    }))
    .onRequest(sdk.methods.agent.session.new, () => ({ sessionId: 'sdk-1' }))
    .onRequest(sdk.methods.agent.session.close, () => ({}))
    .onNotification(sdk.methods.agent.session.cancel, ({ params }) => {
      cancels.push(params.sessionId);
      stop();
    })
    .onRequest(sdk.methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const block = params.prompt[0]!;
      if (block.type === 'text' && block.text === 'wait') {
        await new Promise<void>((resolve) => {
          stop = resolve;
        });
        return { stopReason: 'cancelled' };
      }
      for (const text of ['a', 'b', 'c'])
        await client.notify(sdk.methods.client.session.update, { sessionId, update: chunk(text) });
      const answer = await client.request(sdk.methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: 't1', title: 'edit' },
        options: [{ optionId: 'ok', name: 'Allow', kind: 'allow_once' }],
      });
      const refused = await client
        .request(sdk.methods.client.fs.readTextFile, { sessionId, path: '/etc/passwd' })
        .catch((error: { code: number }) => error.code);
      await client.notify(sdk.methods.client.session.update, {
        sessionId,
        update: chunk(`${answer.outcome.outcome} ${refused}`),
      });
      return { stopReason: 'end_turn' };
    });
  const handle = app.connect(stream);
  const connection = new AgentConnection({
    input: toOurs,
    output: fromOurs,
    log: silentLog,
    endReason: async () => new Error('ended'),
    journal: recorder.journal,
  });
  const texts: string[] = [];
  const answer = await connection.initialize({ clientInfo: info, hub: true, deadline: 5000 });
  expect(answer.agentInfo!.title).toBe('SDK Agent');
  const session = await connection.newSession({
    cwd: '/work',
    meta: { askDepth: 1 },
    deadline: 5000,
    handlers: {
      update: (update) => {
        texts.push((update as { content: { text: string } }).content.text);
      },
      permission: async () => ({ outcome: 'selected', optionId: 'ok' }),
    },
  });
  const signal = new AbortController().signal;
  expect((await session.prompt([{ type: 'text', text: 'go' }], { signal })).stopReason).toBe('end_turn');
  expect(texts).toEqual(['a', 'b', 'c', 'selected -32601']);
  const controller = new AbortController();
  const stopped = session.prompt([{ type: 'text', text: 'wait' }], { signal: controller.signal });
  setImmediate(() => controller.abort());
  expect((await stopped).stopReason).toBe('cancelled');
  expect(cancels).toEqual(['sdk-1']);
  await expect(session.setMode('x')).rejects.toMatchObject({ code: -32601 });
  session.close();
  toOurs.end();
  handle.close();
  await connection.closed;
  recorder.verify();
});
