#!/usr/bin/env node
/*
 * A scripted ACP agent: plain Node, no dependencies. It plays a scenario, so that every fault can be made on purpose.
 *
 *   node scripted-agent.mjs SCENARIO.json          or, without an argument that is a file, SCENARIO_FILE=… in the environment
 *
 * Scenario (JSON):
 *   {
 *     "record": "FILE",          append what happens, one JSON per line: {"in": line} for each incoming line, {"event": "stdin-end" | "SIGTERM" | …, "pid": n}
 *     "ignoreTerm": true,        SIGTERM (and SIGHUP, SIGINT) is noted and changes nothing
 *     "ignoreStdinEnd": true,    the end of stdin is noted and the process stays
 *     "stringIds": true,         answers carry the id as a string (F019)
 *     "sessionIds": ["a", "b"],  ids of session/new in order; afterwards, and by default, session-1, session-2, …
 *     "on": {
 *       "start": STEPS,          before anything has come in
 *       "initialize": STEPS, "session/new": STEPS, "session/prompt": STEPS, "session/cancel": STEPS, "<any method>": STEPS,
 *       "*": STEPS               methods that nothing else matches
 *     }
 *   }
 *   STEPS is a list of steps for every call of that method, or a list of lists: the first call plays the first list, and so on; the last list
 *   repeats. Methods run side by side (a prompt that hangs does not keep session/cancel from being played).
 *   A request whose steps end without an answer gets the default one, and without any steps the defaults alone make a well-behaved agent:
 *   initialize → version 1, session/new → an id, session/prompt → "end_turn" ("cancelled" once session/cancel has come), session/set_mode,
 *   session/close and others of the protocol → {}, else -32601.
 *
 * A step is an object with one of these keys:
 *   {"text": "…"}  {"thought": "…"}  {"update": {"sessionUpdate": …}}     session/update notifications of this session
 *   {"send": FRAME}                  a frame as it stands, as one line
 *   {"together": [FRAME, …]}         several frames in one write
 *   {"answer": RESULT}  {"error": {"code", "message", "data"}}            the answer to the request being played
 *   {"noAnswer": true}               … or none at all, although the steps end
 *   {"request": {"method", "params", "id"?}, "wait"?: false}              an own request; waits for its answer, which is then $ANSWER
 *   {"permission": {"toolCall"?, "options"?, "_meta"?}, "wait"?: false}   the same for session/request_permission, with usual options (allow, always, reject)
 *   {"if": {"path": "result.outcome.optionId", "is": VALUE}, "then": STEPS, "else"?: STEPS}   on the last answer
 *   {"byPrompt": {"text": STEPS, "*": STEPS}}                             by the whole prompt, "*" for every other
 *   {"raw": "text\n", "split"?: n}   text as it stands; with split, n bytes per write
 *   {"bytes": "base64", "split"?: n}
 *   {"delay": ms}                    {"waitFor": "session/cancel", "count"?: n}   until that method has come (n times, counted from the start of the process)
 *   {"repeat": n, "steps": STEPS}    $I is the round, from 0
 *   {"output": {"toolCallId", "lines", "every"}}     updates of one call, one each `every` lines, each with all its output so far
 *   {"stderr": "text"}
 *   {"exit": code}  {"signal": "SIGKILL"}        end itself
 *   {"grandchild": {"ignoreTerm"?: true, "ownGroup"?: true, "seconds"?: 600}}     a process of its own; its pid goes to `record` as {"event": "grandchild", "pid"}
 *   {"ignoreTerm": true}  {"ignoreStdinEnd": true}     from here on
 *   {"closeStdout": true}  {"closeStdin": true}
 *   {"block": ms}                    keeps the event loop busy
 *   {"hang": true}                   this call goes no further and is not answered
 *   {"finish": "session/prompt", "answer": RESULT}     answers another open request of the same session
 *
 * In every string of a step: $SID session id · $PROMPT text blocks of the prompt · $CWD the session's folder · $N how often the method has come ·
 * $I round of the innermost repeat · $PID · $ENV{NAME} (empty when unset) · $KEYS names of all environment variables · $META params._meta as JSON ·
 * $PARAMS params as JSON · $ANSWER last answer as JSON, $ANSWER{result.outcome.optionId} a part of it.
 * A string that is exactly "$ID" becomes the id of the request with its own type.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, readFileSync } from 'node:fs';

const argument = process.argv.slice(2).find((a) => !a.startsWith('-') && existsSync(a));
const file = argument ?? process.env.SCENARIO_FILE;
const scenario = file ? JSON.parse(readFileSync(file, 'utf8')) : {};
const script = scenario.on ?? {};

const counts = new Map(); // method → how often it came
const waiters = []; // {method, count, go}
const pending = new Map(); // own request id → resolve
const open = []; // requests of the client that have no answer yet: {method, id, sid, answered}
const sessions = new Map(); // session id → {cwd, cancelled}
let nextId = 1;
let ignoreTerm = scenario.ignoreTerm === true;
let ignoreStdinEnd = scenario.ignoreStdinEnd === true;

const record = (entry) => {
  if (scenario.record) appendFileSync(scenario.record, `${JSON.stringify(entry)}\n`);
};
const write = (data) => new Promise((done) => process.stdout.write(data, () => done()));
const line = (frame) => `${JSON.stringify(frame)}\n`;
const at = (value, path) =>
  path.split('.').reduce((v, key) => (v === null || v === undefined ? undefined : v[key]), value);
const asText = (value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

process.stdout.on('error', () => {}); // the client has gone; its end of stdin ends us

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => {
    record({ event: signal, pid: process.pid });
    if (!ignoreTerm) process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

const promptOf = (call) => (call.params?.prompt ?? []).map((b) => (b.type === 'text' ? b.text : '')).join('\n');

function fill(value, call) {
  if (typeof value === 'string') {
    if (value === '$ID') return call.id;
    return value
      .replace(/\$ANSWER\{([^}]*)\}/g, (_, path) => asText(at(call.answer, path)))
      .replace(/\$ENV\{([^}]*)\}/g, (_, name) => process.env[name] ?? '')
      .replace(/\$(SID|PROMPT|CWD|N|I|PID|KEYS|META|PARAMS|ANSWER)\b/g, (_, name) => {
        switch (name) {
          case 'SID':
            return call.sid ?? '';
          case 'PROMPT':
            return promptOf(call);
          case 'CWD':
            return sessions.get(call.sid)?.cwd ?? process.cwd();
          case 'N':
            return String(call.n);
          case 'I':
            return String(call.round ?? 0);
          case 'PID':
            return String(process.pid);
          case 'KEYS':
            return Object.keys(process.env).sort().join(' ');
          case 'META':
            return asText(call.params?._meta);
          case 'PARAMS':
            return asText(call.params);
          default:
            return asText(call.answer);
        }
      });
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, call));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v, call)]));
  return value;
}

async function reply(call, body) {
  if (call.id === undefined || call.answered) return;
  call.answered = true;
  const index = open.indexOf(call);
  if (index >= 0) open.splice(index, 1);
  await write(line({ jsonrpc: '2.0', id: scenario.stringIds ? String(call.id) : call.id, ...body }));
}

const update = (call, body) =>
  write(line({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: call.sid, update: body } }));

async function ownRequest(call, method, params, id = `scripted-${nextId++}`, wait = true) {
  const answer = new Promise((resolve) => pending.set(String(id), resolve));
  await write(line({ jsonrpc: '2.0', id, method, params }));
  const take = answer.then((message) => {
    call.answer = message;
  });
  if (wait) await take;
}

const usualOptions = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Output that grows line by line, repeated whole by each update: "line 0", "line 1", … */
async function growing(call, { toolCallId, lines, every }) {
  let text = '';
  for (let i = 0; i < lines; i++) {
    text += `line ${i}\n`;
    if ((i + 1) % every !== 0 && i + 1 < lines) continue;
    const content = [{ type: 'content', content: { type: 'text', text } }];
    await update(call, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content });
  }
}

async function inPieces(bytes, size) {
  if (!size) return write(bytes);
  for (let i = 0; i < bytes.length; i += size) {
    await write(bytes.subarray(i, i + size));
    await new Promise((next) => setImmediate(next));
  }
}

function grandchild({ ignoreTerm: deaf, ownGroup, seconds = 600 }) {
  const body = `${deaf ? "process.on('SIGTERM',()=>{});process.on('SIGHUP',()=>{});" : ''}setTimeout(()=>{},${seconds * 1000})`;
  const child = spawn(process.execPath, ['-e', body], { stdio: 'ignore', detached: ownGroup === true });
  child.on('error', () => {});
  record({ event: 'grandchild', pid: child.pid });
}

/** Plays one step; false ends the call without an answer. */
async function play(step, call) {
  const s = fill(step, call);
  if ('text' in s)
    await update(call, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: s.text } });
  else if ('thought' in s)
    await update(call, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: s.thought } });
  else if ('update' in s) await update(call, s.update);
  else if ('send' in s) await write(line(s.send));
  else if ('together' in s) await write(s.together.map(line).join(''));
  else if ('finish' in s) {
    const other = open.find((c) => c.method === s.finish && c.sid === call.sid);
    if (other) await reply(other, { result: s.answer ?? {} });
  } else if ('answer' in s) await reply(call, { result: s.answer });
  else if ('error' in s) await reply(call, { error: s.error });
  else if ('noAnswer' in s) call.answered = true;
  else if ('permission' in s) {
    const { toolCall, options = usualOptions, _meta } = s.permission;
    const params = {
      sessionId: call.sid,
      toolCall: toolCall ?? {
        toolCallId: 'call-1',
        title: 'echo hi',
        name: 'bash',
        kind: 'execute',
        rawInput: { command: 'echo hi' },
      },
      options,
    };
    if (_meta) params._meta = _meta;
    await ownRequest(call, 'session/request_permission', params, undefined, s.wait !== false);
  } else if ('request' in s) await ownRequest(call, s.request.method, s.request.params, s.request.id, s.wait !== false);
  else if ('if' in s) {
    const hit = JSON.stringify(at(call.answer, s.if.path)) === JSON.stringify(s.if.is);
    return playAll((hit ? step.then : step.else) ?? [], call);
  } else if ('byPrompt' in s) {
    const steps = Object.hasOwn(step.byPrompt, promptOf(call)) ? step.byPrompt[promptOf(call)] : step.byPrompt['*'];
    return playAll(steps ?? [], call);
  } else if ('repeat' in s) {
    const before = call.round;
    for (let i = 0; i < s.repeat; i++) {
      call.round = i;
      if ((await playAll(step.steps, call)) === false) return false;
    }
    call.round = before;
  } else if ('output' in s) await growing(call, s.output);
  else if ('raw' in s) await inPieces(Buffer.from(s.raw, 'utf8'), s.split);
  else if ('bytes' in s) await inPieces(Buffer.from(s.bytes, 'base64'), s.split);
  else if ('delay' in s) await new Promise((done) => setTimeout(done, s.delay));
  else if ('waitFor' in s) {
    const count = s.count ?? 1;
    if ((counts.get(s.waitFor) ?? 0) < count) await new Promise((go) => waiters.push({ method: s.waitFor, count, go }));
  } else if ('stderr' in s) await new Promise((done) => process.stderr.write(s.stderr, () => done()));
  else if ('exit' in s) process.exit(s.exit);
  else if ('signal' in s) {
    process.kill(process.pid, s.signal);
    return false;
  } else if ('grandchild' in s) grandchild(s.grandchild);
  else if ('ignoreTerm' in s) ignoreTerm = s.ignoreTerm;
  else if ('ignoreStdinEnd' in s) stayAfterStdin(s.ignoreStdinEnd);
  else if ('closeStdout' in s)
    closeSync(1); // destroy() would leave the descriptor open, as of all standard streams
  else if ('closeStdin' in s) {
    stayAfterStdin(true);
    process.stdin.destroy();
    closeSync(0);
  } else if ('block' in s) {
    const until = Date.now() + s.block;
    while (Date.now() < until);
  } else if ('hang' in s) return false;
  else throw new Error(`unknown step: ${JSON.stringify(step)}`);
  return true;
}

async function playAll(steps, call) {
  for (const step of steps) if ((await play(step, call)) === false) return false;
  return true;
}

function stepsFor(method, n) {
  const steps = script[method] ?? (method in defaults || method === 'start' ? [] : script['*']) ?? [];
  return Array.isArray(steps[0]) ? steps[Math.min(n, steps.length) - 1] : steps;
}

const defaults = {
  initialize: () => ({
    result: {
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { close: {} } },
      agentInfo: { name: 'scripted', title: 'Scripted', version: '1.0.0' },
      authMethods: [],
    },
  }),
  'session/new': (call) => ({ result: { sessionId: call.sid } }),
  'session/prompt': (call) => ({
    result: { stopReason: sessions.get(call.sid)?.cancelled ? 'cancelled' : 'end_turn' },
  }),
  'session/cancel': () => ({ result: {} }),
  'session/set_mode': () => ({ result: {} }),
  'session/close': () => ({ result: {} }),
  '_mm/exchange': () => ({ result: {} }),
};

async function receive(text) {
  record({ in: text });
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    record({ event: 'not-json' });
    return;
  }
  if (message.method === undefined) {
    const resolve = pending.get(String(message.id));
    pending.delete(String(message.id));
    if (resolve) resolve(message);
    return;
  }
  const { method, params, id } = message;
  const n = (counts.get(method) ?? 0) + 1;
  counts.set(method, n);
  const call = { method, params, id, n, sid: params?.sessionId, answered: false };
  if (method === 'session/new') {
    call.sid = scenario.sessionIds?.[n - 1] ?? `session-${n}`;
    sessions.set(call.sid, { cwd: params?.cwd, cancelled: false });
  }
  const session = sessions.get(call.sid);
  if (session && method === 'session/prompt') session.cancelled = false;
  if (session && method === 'session/cancel') session.cancelled = true;
  if (id !== undefined) open.push(call);
  for (const waiter of waiters.splice(0))
    if ((counts.get(waiter.method) ?? 0) >= waiter.count) waiter.go();
    else waiters.push(waiter);
  if ((await playAll(stepsFor(method, n), call)) === false) return;
  if (method === 'session/cancel' && !(method in script)) return;
  const answer = defaults[method];
  await reply(call, answer ? answer(call) : { error: { code: -32601, message: `Method not found: ${method}` } });
}

function fail(error) {
  process.stderr.write(`scripted agent: ${error?.stack ?? error}\n`);
  process.exit(70);
}

let keepAlive;
function stayAfterStdin(stay) {
  ignoreStdinEnd = stay;
  clearInterval(keepAlive);
  if (stay) keepAlive = setInterval(() => {}, 1 << 30);
}
if (ignoreStdinEnd) stayAfterStdin(true);

let rest = Buffer.alloc(0);
process.stdin.on('data', (data) => {
  rest = Buffer.concat([rest, data]);
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const text = rest.subarray(0, end).toString('utf8');
    rest = rest.subarray(end + 1);
    if (text.trim()) receive(text).catch(fail);
  }
});
process.stdin.on('end', () => {
  record({ event: 'stdin-end', pid: process.pid });
  if (!ignoreStdinEnd) process.exit(0);
});
process.stdin.on('error', () => {});
record({ event: 'started', pid: process.pid, ppid: process.ppid, argv: process.argv.slice(2) });
playAll(stepsFor('start', 1), { method: 'start', n: 1, answered: true }).catch(fail);
