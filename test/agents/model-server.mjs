#!/usr/bin/env node
/**
 * A scripted OpenAI-compatible server on 127.0.0.1, for tests: every quirk of a real one can be made on purpose.
 *
 *   node test/agents/model-server.mjs [PORT]      answers by the lines of the last user message (`byPrompt`), prints its address
 *
 * In a test: `const server = await startModelServer(script)`, where `script(body, n)` gives the steps of the n-th answer (from 1):
 *   {text}, {thought}, {call: {id?, index?, name?, arguments?}}   a delta
 *   {finish: 'stop'}, {usage: {…}}                                 a chunk
 *   {raw: 'data: …\n\n'}                                           bytes as they are
 *   {wait: ms}, {hang: true}, {drop: true}                         time passes; nothing more comes; the connection breaks
 *   {status: 429, headers?, body?}, {json: {…}}                    instead of a stream, as the first step
 * A stream ends with `[DONE]` unless its last step was `drop` or `hang`. All requests are kept in `server.requests`.
 */
import http from 'node:http';
import { fileURLToPath } from 'node:url';

/** @typedef {Record<string, any>} Step */

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The usual answer: does what the last user message says, as a model that calls tools would. */
export function byPrompt(body) {
  const messages = body.messages ?? [];
  const last = messages.at(-1);
  if (last?.role === 'tool')
    return [{ text: `The tool said: ${String(last.content).slice(0, 300)}` }, { finish: 'stop' }];
  const prompt = String(messages.findLast((m) => m.role === 'user')?.content ?? '');
  const has = (name) => (body.tools ?? []).some((tool) => tool.function?.name === name);
  const call = (name, args) => [
    { text: 'One moment. ' },
    { call: { index: 0, id: `call_${messages.length}`, name, arguments: '' } },
    ...JSON.stringify(args)
      .match(/.{1,7}/gs)
      .map((piece) => ({ call: { index: 0, arguments: piece } })),
    { finish: 'tool_calls' },
  ];
  let m = /^run: ?(.+)$/m.exec(prompt);
  if (m && has('bash')) return call('bash', { command: m[1] });
  m = /^read: ?(.+)$/m.exec(prompt);
  if (m && has('read')) return call('read', { path: m[1] });
  m = /^write: ?(\S+) (.*)$/m.exec(prompt);
  if (m && has('write')) return call('write', { path: m[1], content: m[2] });
  m = /^ask (\w+): ?(.+)$/m.exec(prompt);
  if (m && has('ask_agent')) return call('ask_agent', { agent: m[1], prompt: m[2] });
  m = /^slow: ?(\d+)$/m.exec(prompt);
  if (m) return Array.from({ length: Number(m[1]) }, (_, i) => [{ text: `word${i} ` }, { wait: 50 }]).flat();
  m = /^think: ?(.+)$/m.exec(prompt);
  if (m) return [{ thought: m[1] }, { text: 'I thought about it.' }, { finish: 'stop' }];
  return [
    { text: 'Hello from the ' },
    { text: 'scripted model.' },
    { finish: 'stop' },
    { usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } },
  ];
}

/** Refuses two messages of one role in a row, as Gemma's template does, with llama.cpp's words. */
export function strict(script) {
  return (body, n) => {
    const roles = (body.messages ?? []).map((m) => m.role).filter((role, i) => !(role === 'system' && i === 0));
    const turns = roles.filter((role) => role === 'user' || role === 'assistant');
    const bad =
      turns.some((role, i) => role === turns[i - 1] && role === 'user') ||
      roles.includes('system') ||
      roles[0] !== 'user';
    if (!bad) return script(body, n);
    const message =
      'Unable to generate parser for this template. Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...';
    return [{ status: 400, body: { error: { code: 400, message, type: 'invalid_request_error' } } }];
  };
}

/**
 * @param {(body: any, n: number) => Step[]} script
 * @param {{port?: number}} options
 */
export async function startModelServer(script = byPrompt, { port = 0 } = {}) {
  /** @type {{url: string, headers: Record<string, any>, body: any, aborted: boolean}[]} */
  const requests = [];
  const server = http.createServer(async (req, res) => {
    if (req.method === 'GET') {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
      return;
    }
    const parts = [];
    for await (const part of req) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const entry = { url: req.url, headers: req.headers, body, aborted: false };
    requests.push(entry);
    res.on('close', () => {
      entry.aborted = !res.writableFinished;
    });
    await answer(res, body, script(body, requests.length), () => entry.aborted);
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  const { port: taken } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${taken}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

async function answer(res, body, steps, gone) {
  const first = steps[0] ?? {};
  if (first.status) {
    res.writeHead(first.status, { 'content-type': 'application/json', ...first.headers });
    res.end(
      typeof first.body === 'string' ? first.body : JSON.stringify(first.body ?? { error: { message: 'scripted' } }),
    );
    return;
  }
  if (first.json) {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(first.json));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  const chunk = (more) => {
    res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: body.model, ...more })}\n\n`);
  };
  const delta = (fields, finish = null) => chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
  for (const step of steps) {
    if (gone()) return;
    if (step.text !== undefined) delta({ content: step.text });
    if (step.thought !== undefined) delta({ reasoning_content: step.thought });
    if (step.call) {
      const { index, id, name, arguments: args } = step.call;
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] });
    }
    if (step.delta) delta(step.delta);
    if (step.finish) delta({}, step.finish);
    if (step.usage) chunk({ choices: [], usage: step.usage });
    if (step.raw !== undefined) res.write(step.raw);
    if (step.wait) await sleep(step.wait);
    if (step.drop) return void res.destroy();
    if (step.hang) return;
  }
  res.write('data: [DONE]\n\n');
  res.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startModelServer(byPrompt, { port: Number(process.argv[2] ?? 0) });
  console.log(server.url);
}
