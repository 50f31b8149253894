import { beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/errors';
import type { AskableAgent } from '../../../src/chat/page';
import type { ChildStatus } from '../../../src/children/types';
import { type CommandDeps, createCommands, registerCommands } from '../../../src/vscode/commands';
import type { ConfigState } from '../../../src/vscode/config';
import { Commands } from '../../../src/vscode/ids';
import { CancellationError, fake } from '../../support/vscode';

let state: ConfigState;
let composed: string[];
let restarted: string[];
let children: ChildStatus[];
let logged: string[];
let written: string[];
let deps: CommandDeps;
let agents: AskableAgent[];

const bob: AskableAgent = { name: 'bob', description: 'SQL', model: 'qwen3:8b', state: 'asleep' };
const ready = (source: 'user' | 'demo' = 'user'): ConfigState => ({
  kind: 'ready',
  file: '/u/mm.yaml',
  source,
  config: { acp: { title: 'Ada' } } as never,
  warnings: [],
});
const run = (id: string) => fake.registered.get(id)!();
const flush = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  fake.reset();
  state = ready();
  agents = [bob];
  composed = [];
  restarted = [];
  children = [];
  logged = [];
  written = [];
  deps = {
    log: {
      debug() {},
      info() {},
      warn() {},
      error: (m) => void logged.push(m),
      show: () => void logged.push('shown'),
    },
    config: async () => state,
    userFile: () => '/home/me/.config/mm/mm.yaml',
    writeStarter: async (file) => {
      written.push(file);
      return true;
    },
    agents: async () => agents,
    compose: async (agent) => void composed.push(agent),
    newConversation: async () => {},
    nextQuestion: async () => {},
    setSecret: async () => {},
    registries: { refresh: async () => {}, addRegistry: async () => {}, createAgent: async () => {} },
    watchRegistry: async () => {},
    permissions: async () => ({
      grants: { list: () => [], delete: () => {} },
      rules: { list: () => [], add: () => {}, remove: () => {} },
      decisions: { list: () => [] },
    }),
    children: () => children,
    restart: async (key) => void restarted.push(key),
  };
  registerCommands(createCommands(deps), deps);
});

describe('commands', () => {
  it('every id has its command', () => {
    expect([...fake.registered.keys()].sort()).toEqual(Object.values(Commands).sort());
  });

  it('Ask an Agent… asks whom, with what each is for, and begins the question', async () => {
    fake.quickPick = (items) => {
      expect(items).toMatchObject([{ label: 'bob', description: 'qwen3:8b', detail: 'SQL' }]);
      return items[0];
    };
    await run(Commands.askAgent);
    expect(composed).toEqual(['bob']);
  });

  it('closing the list is no error and does nothing', async () => {
    await run(Commands.askAgent);
    await flush();
    expect(composed).toEqual([]);
    expect(fake.messages).toEqual([]);
  });

  it.each<[ConfigState, string]>([
    [{ kind: 'untrusted' }, 'not trusted'],
    [
      { kind: 'approval', file: '/f', hash: 'h', files: ['/f'], programs: [], facts: [], seen: false, again: false },
      'waits for your approval',
    ],
    [ready(), 'no agent that can be asked'],
  ])('says why nobody can be asked', async (next, words) => {
    state = next;
    agents = [];
    await run(Commands.askAgent);
    await flush();
    expect(fake.message.kind).toBe('error');
    expect(fake.message.message).toContain(words);
  });

  it('Restart Agent… offers what runs and restarts the chosen one', async () => {
    children = [
      { key: 'k1', name: 'Ada', role: 'home', state: 'ready', pid: 7 },
      { key: 'k2', name: 'bob', role: 'asked', state: 'ended' },
    ];
    fake.quickPick = (items) => {
      expect(items).toHaveLength(1);
      return items[0];
    };
    await run(Commands.restartAgent);
    expect(restarted).toEqual(['k1']);
    children = [];
    await run(Commands.restartAgent);
    await flush();
    expect(fake.message.message).toContain('No agent is running');
  });

  it('Open Configuration shows the file in use, at its first error', async () => {
    await run(Commands.openConfiguration);
    const error = { severity: 'error' as const, file: '/u/mm.yaml', line: 4, column: 1, message: 'x' };
    state = { kind: 'invalid', file: '/u/mm.yaml', source: 'user', errors: [error], warnings: [] };
    await run(Commands.openConfiguration);
    expect(fake.shown).toEqual([
      { file: '/u/mm.yaml', line: undefined },
      { file: '/u/mm.yaml', line: 4 },
    ]);
  });

  it('under the demo it asks before it writes a file of the person’s own', async () => {
    state = ready('demo');
    const running = run(Commands.openConfiguration);
    await flush();
    expect(fake.shown).toEqual([{ file: '/u/mm.yaml', line: undefined }]);
    expect(fake.message.message).toContain('/home/me/.config/mm/mm.yaml');
    expect(written).toEqual([]);
    fake.message.answer('Create My mm.yaml');
    await running;
    expect(written).toEqual(['/home/me/.config/mm/mm.yaml']);
    expect(fake.shown.at(-1)?.file).toBe('/home/me/.config/mm/mm.yaml');
  });
});

describe('errors of commands', () => {
  const fail = async (error: unknown) => {
    deps.config = async () => {
      throw error;
    };
    await run(Commands.askAgent);
    await flush();
  };

  it('one that is meant for a person is shown in its own words, with what to do', async () => {
    await fail(new UserError('bob cannot start.', { hint: 'Install it.', detail: 'stderr' }));
    expect(fake.message.message).toBe('bob cannot start. Install it.');
    expect(logged).toEqual(['bob cannot start.\nstderr']);
    fake.message.answer('Show Log');
    await flush();
    expect(logged.at(-1)).toBe('shown');
  });

  it('one of ours is logged with its stack and shown plainly', async () => {
    await fail(new TypeError('x is undefined'));
    expect(fake.message.message).toContain('x is undefined');
    expect(logged[0]).toContain('TypeError: x is undefined\n');
  });

  it('F022: an object that was thrown has words', async () => {
    await fail({ code: 7 });
    expect(fake.message.message).not.toContain('[object');
  });

  it('what was cancelled is silent', async () => {
    await fail(new CancellationError());
    expect(fake.messages).toEqual([]);
  });
});
