#!/usr/bin/env node
/*
 * An agent made with the SDK's own agent side, as other people write one: an independent peer for our client over a real pipe.
 *
 *   wait               says "waiting" and goes on until session/cancel
 *   anything else      two words, a call that asks for permission, a request for a file that no client of ours has, what came of both
 */
import { Readable, Writable } from 'node:stream';
import * as sdk from '@agentclientprotocol/sdk';

const { agent: served, client: offered } = sdk.methods;
const stops = new Map(); // session id → what session/cancel does
let sessions = 0;

const app = sdk
  .agent({ name: 'sdk-agent' })
  .onRequest(served.initialize, () => ({
    protocolVersion: sdk.PROTOCOL_VERSION,
    agentInfo: { name: 'sdk-agent', title: 'SDK Agent', version: '1' },
    agentCapabilities: { sessionCapabilities: { close: {} } },
    authMethods: [],
  }))
  .onRequest(served.session.new, () => ({ sessionId: `sdk-${++sessions}` }))
  .onRequest(served.session.close, () => ({}))
  .onNotification(served.session.cancel, ({ params }) => stops.get(params.sessionId)?.())
  .onRequest(served.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const update = (body) => client.notify(offered.session.update, { sessionId, update: body });
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    const stopped = new Promise((stop) => stops.set(sessionId, () => stop({ stopReason: 'cancelled' })));
    if (params.prompt.at(-1).text === 'wait') {
      await say('waiting');
      return stopped;
    }
    await say('one ');
    await say('two ');
    const toolCall = {
      toolCallId: 't1',
      title: 'rm notes.txt',
      kind: 'execute',
      rawInput: { command: 'rm notes.txt' },
    };
    await update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    const { outcome } = await client.request(offered.session.requestPermission, {
      sessionId,
      toolCall,
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    if (outcome.outcome === 'cancelled') return { stopReason: 'cancelled' };
    const allowed = outcome.optionId === 'yes';
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't1',
      status: allowed ? 'completed' : 'failed',
      content: [{ type: 'content', content: { type: 'text', text: allowed ? 'removed' : 'not allowed' } }],
    });
    const file = await client.request(offered.fs.readTextFile, { sessionId, path: '/etc/passwd' }).then(
      (answer) => answer.content,
      (error) => error.code,
    );
    await say(`${outcome.optionId} ${file}`);
    return { stopReason: 'end_turn' };
  });

app.connect(sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
