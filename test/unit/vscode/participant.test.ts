import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AskError } from '../../../src/ask/errors';
import { DisposableStore } from '../../../src/base/disposable';
import { UserError } from '../../../src/base/errors';
import { BlockedError } from '../../../src/host/outside';
import * as blockers from '../../../src/vscode/blockers';
import type { ChatMeta } from '../../../src/vscode/chatHistory';
import { editorChatSurfaces } from '../../../src/vscode/editorChat';
import { Commands, EditorChat, EditorCommands } from '../../../src/vscode/ids';
import { type EditorChatDeps, Participant } from '../../../src/vscode/participant';
import { registerSurfaces } from '../../../src/vscode/surfaces';
import { chat, fake, lm } from '../../support/vscode';
import { depsOf, end, FakeHost, FakeStream, says, text, token, untilCancelled } from './editorChatSupport';

let host: FakeHost;
let stream: FakeStream;
beforeEach(() => {
  fake.reset();
  host = new FakeHost(says(text('All '), text('good.'), end('All good.')));
  stream = new FakeStream();
});

interface Sent {
  command?: string;
  references?: unknown[];
  history?: unknown[];
  deps?: Partial<EditorChatDeps>;
  source?: ReturnType<typeof token>;
  mm?: Participant;
}

async function send(prompt: string, o: Sent = {}) {
  const mm = o.mm ?? new Participant(depsOf(host, o.deps));
  const request = { prompt, command: o.command, references: o.references ?? [] };
  const source = o.source ?? token();
  const result = await mm.answer(
    request as never,
    { history: o.history ?? [] } as never,
    stream as never,
    source.token as never,
  );
  return { mm, result, meta: result.metadata?.mm as ChatMeta };
}

describe('@mm carries a question', () => {
  it('to the agent that it names, in the window’s folder, and says so in its result', async () => {
    const { meta } = await send('bob run: ls', { command: 'ask' });
    expect(host.asked).toMatchObject([
      { agent: 'bob', prompt: 'run: ls', cwd: '/shop', via: '@mm', caller: { kind: 'person' }, context: undefined },
    ]);
    expect(stream.words).toBe('All good.');
    expect(meta).toEqual({ outcome: 'answered', agent: 'bob', prompt: 'run: ls' });
  });

  it('by /ask-bob, /bob and /ask-with-context-bob as they are typed', async () => {
    await send('/ask-bob a');
    await send('/bob b');
    await send('/ask-with-context-bob c');
    expect(host.asked.map((a) => [a.agent, a.prompt, a.context !== undefined])).toEqual([
      ['bob', 'a', false],
      ['bob', 'b', false],
      ['bob', 'c', true],
    ]);
  });

  it('rule 7: with context, and then it sends the chat’s own questions and answers', async () => {
    const history = [
      { prompt: 'bob one', command: 'ask', references: [] },
      {
        response: [{ value: { value: 'first ' } }, { value: { value: 'answer' } }, { value: { path: '/x' } }],
        result: { metadata: { mm: { outcome: 'answered', agent: 'bob' } } },
        participant: 'mm.ask',
      },
      {
        response: [{ value: { value: 'our own help' } }],
        result: { metadata: { mm: { outcome: 'help' } } },
        participant: 'mm.ask',
      },
    ];
    await send('bob and now?', { command: 'ask-with-context', history });
    expect(host.asked[0]!.context).toBe('User: /ask bob one\n\nbob: first answer');
  });

  it('with what is attached: files by their place', async () => {
    const file = { scheme: 'file', fsPath: '/shop/a.sql' };
    const references = [
      { id: 'f', value: file },
      { id: 'l', value: { uri: file, range: { start: { line: 2 }, end: { line: 4 } } } },
      { id: 'vscode.prompt.file__x', value: file },
      { id: 'o', value: { scheme: 'https', fsPath: '/x' } },
      { id: 'n', value: undefined },
    ];
    await send('bob look', { command: 'ask', references });
    expect(host.asked[0]!.prompt).toBe(
      'look\n\nAttached to this question:\n- /shop/a.sql\n- /shop/a.sql, lines 3 to 5',
    );
  });

  it('rule 2: with several folders the person chooses one, once for a chat', async () => {
    const folders = () => ['/a', '/b'];
    const { meta } = await send('bob x', { command: 'ask', deps: { folders, pickFolder: async () => '/b' } });
    expect(host.asked[0]!.cwd).toBe('/b');
    expect(meta.folder).toBe('/b');
    const history = [{ response: [], result: { metadata: { mm: meta } }, participant: 'mm.ask' }];
    await send('bob y', { command: 'ask', history, deps: { folders } });
    expect(host.asked[1]!.cwd).toBe('/b');
    await send('bob z', { command: 'ask', deps: { folders } });
    expect(host.asked).toHaveLength(2);
    expect(stream.words).toContain('No folder was chosen');
  });

  it('rule 12: stops with the chat’s Stop, quietly', async () => {
    host.play = untilCancelled;
    const source = token();
    const sent = send('bob x', { command: 'ask', source });
    await new Promise((resolve) => setImmediate(resolve));
    source.cancel();
    const { result, meta } = await sent;
    expect(meta.outcome).toBe('stopped');
    expect(result.errorDetails).toBeUndefined();
    expect(stream.words).toBe('so far');
    expect(stream.of('button')).toEqual([]);
  });
});

describe('@mm without somebody to ask', () => {
  it('lists the agents, and its buttons ask them the same', async () => {
    const { mm, result } = await send('is this safe?');
    expect(host.asked).toEqual([]);
    expect(stream.words).toContain('`@mm /ask bob …`');
    expect(stream.words).toContain('- **bob** (qwen3\\:8b) SQL\n- **riker**');
    expect(mm.followups(result)).toEqual([
      { prompt: 'bob is this safe?', command: 'ask', label: 'Ask bob' },
      { prompt: 'riker is this safe?', command: 'ask', label: 'Ask riker' },
    ]);
  });

  it('says who is not there, and lists who is', async () => {
    const { mm, result } = await send('data is this safe?', { command: 'ask' });
    expect(stream.words).toContain('There is no agent called data.');
    expect(stream.words).toContain('**riker**');
    expect(mm.followups(result)[0]!.prompt).toBe('bob is this safe?');
  });

  it('an agent without a question gets one begun in the chat’s input', async () => {
    await send('bob', { command: 'ask-with-context' });
    const query = '@mm /ask-with-context bob ';
    expect(stream.parts.at(-1)).toMatchObject({
      kind: 'button',
      text: `Write the Question: ${EditorCommands.openChat}`,
      args: [{ query, isPartialQuery: true }],
    });
  });

  it('after an answer the buttons ask the others, and the same one again', async () => {
    const { mm, result } = await send('bob run: ls', { command: 'ask' });
    expect(mm.followups(result).map((f) => f.label)).toEqual(['Ask bob again', 'Ask riker']);
    expect(mm.followups(result)[1]!.prompt).toBe('riker run: ls');
    // what the editor kept of another version, or of nobody
    expect(mm.followups({ metadata: { mm: { outcome: 7, prompt: {} } } })[0]!.prompt).toBe('bob');
    expect(mm.followups({})).toHaveLength(2);
  });

  it('names and descriptions are words, never Markdown', async () => {
    host.list = [{ name: 'bob', description: '[x](command:evil) <b>\n# y ![p](http://x/y)', state: 'asleep' }];
    await send('[go](command:mm.showLog) hi', { command: 'ask' });
    expect(stream.words).not.toMatch(/(?<!\\)\]\(|(?<!\\)<b>|^#/m);
    expect(stream.parts[0]).toMatchObject({ trusted: false, html: false });
  });
});

describe('@mm says what is wrong, and what to do', () => {
  const approval = { hash: 'h', programs: [], facts: [], seen: false, again: false };
  it.each([
    ['untrusted workspace', blockers.untrusted(), 'not trusted', [`Manage Trust: ${EditorCommands.manageTrust}`]],
    ['no folder', blockers.noFolder(), 'No folder is open', [`Open Folder: ${EditorCommands.openFolder}`]],
    ['unapproved file', blockers.approval(approval), 'This folder', [`Show in View: ${EditorCommands.focusChat}`]],
    [
      'wrong file',
      blockers.invalid('/a/mm.yaml', []),
      'mm.yaml has an error',
      [`Open mm.yaml: ${Commands.openConfiguration}`, `Show Log: ${Commands.showLog}`],
    ],
  ])('%s', async (_, blocker, words, buttons) => {
    host.blocked = new BlockedError(blocker);
    const { result, meta } = await send('bob hi', { command: 'ask' });
    expect(host.asked).toEqual([]);
    expect(result.errorDetails?.message.replaceAll('\\', '')).toContain(words);
    expect(result.errorDetails?.message.replaceAll('\\', '')).toContain(blocker.text);
    expect(stream.of('button')).toEqual(buttons);
    expect(meta.outcome).toBe('failed');
  });

  it('a file that names nobody', async () => {
    host.list = [];
    const { result } = await send('hello');
    expect(result.errorDetails?.message).toContain('nobody to ask');
    expect(stream.of('button')).toEqual([`Open Configuration: ${Commands.openConfiguration}`]);
  });

  it('an agent that died: its words and the way to the log; what had come stays', async () => {
    const logged: string[] = [];
    host.play = async function* () {
      yield text('half');
      throw new AskError('died', 'bob was ended by signal SIGKILL', { hint: 'Ask again.', detail: 'its last words' });
    };
    const log = { debug() {}, info() {}, warn() {}, error: (m: string) => logged.push(m) };
    const { result, meta } = await send('bob hi', { command: 'ask', deps: { log } });
    expect(result.errorDetails?.message).toBe('bob was ended by signal SIGKILL. Ask again.');
    expect(stream.words).toBe('half');
    expect(stream.of('button')).toEqual([`Show Log: ${Commands.showLog}`]);
    expect(logged[0]).toContain('its last words');
    expect(meta).toMatchObject({ outcome: 'failed', agent: 'bob' });
  });

  it('F022: a mistake of ours is one sentence, whatever was thrown', async () => {
    host.play = () => {
      throw { code: -32603, data: {} };
    };
    const { result } = await send('bob hi', { command: 'ask' });
    expect(result.errorDetails?.message).toContain('mm made a mistake');
    expect(result.errorDetails?.message).not.toContain('object Object');
  });

  it('a host that cannot start', async () => {
    const deps = {
      host: async () => {
        throw new UserError('The disk is full.', { hint: 'Make room.' });
      },
    };
    const { result } = await send('bob hi', { deps });
    expect(result.errorDetails?.message).toBe('The disk is full. Make room.');
  });
});

describe('an editor without a chat for extensions', () => {
  it('loses only that: the others are registered, and the log has one line for each', () => {
    const { createChatParticipant } = chat;
    const { registerTool } = lm;
    const lines: string[] = [];
    const store = new DisposableStore();
    chat.createChatParticipant = undefined;
    lm.registerTool = undefined;
    try {
      const log = { debug() {}, info() {}, error() {}, warn: (m: string) => lines.push(m) };
      const other = vi.fn(() => ({ dispose() {} }));
      const surfaces = editorChatSurfaces(depsOf(host));
      registerSurfaces([...surfaces, ['other', other]], store, log);
      expect(other).toHaveBeenCalled();
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^@mm: .*no @mm in it/);
      expect(lines[1]).toMatch(/^ask_agent: /);
    } finally {
      chat.createChatParticipant = createChatParticipant;
      lm.registerTool = registerTool;
      store.dispose();
    }
  });

  it('registers both where it has it, and starts nothing with it', () => {
    const store = new DisposableStore();
    const start = vi.fn(async () => host);
    const deps = depsOf(host, { host: start });
    registerSurfaces(editorChatSurfaces(deps), store, deps.log);
    expect([...fake.participants.keys()]).toEqual([EditorChat.participant]);
    expect([...fake.tools.keys()]).toEqual([EditorChat.tool]);
    expect(start).not.toHaveBeenCalled();
    store.dispose();
    expect(fake.participants.size + fake.tools.size).toBe(0);
  });
});
