import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthFromEnv, normalDepth, shieldedEnv } from '../../../src/children/shield';

const base = { role: 'asked', entryEnv: {}, depth: 1, electronMm: false, platform: 'linux' } as const;
const set = { AGENT_YOLO: 'false', AGENT_SESSIONS: 'off', MM_ASK_DEPTH: '1' };

describe('rule 3: the environment shield', () => {
  it('an asked agent gets nothing that was meant for its parent', () => {
    const parent = {
      PATH: '/bin',
      HOME: '/h',
      AGENT_MODEL: 'x',
      AGENT_API_KEY: 'k',
      AGENT_YOLO: 'true',
      MM_CONFIG: 'c',
      MM_SECRET_A: 's',
      MM_ASK_DEPTH: '0',
      UNDEFINED: undefined,
      AGENTS: 'mine',
    };
    expect(shieldedEnv({ ...base, parent })).toEqual({ PATH: '/bin', HOME: '/h', AGENTS: 'mine', ...set });
  });

  it("F010: the host's own variables reach nobody", () => {
    const host = {
      ELECTRON_RUN_AS_NODE: '1',
      ELECTRON_NO_ASAR: '1',
      VSCODE_PID: '1',
      NODE_OPTIONS: '--inspect',
      NODE_REPL_EXTERNAL_MODULE: 'x',
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
    };
    const kept = { NODE_ENV: 'x', CLAUDE_CONFIG_DIR: 'd', NODE_EXTRA_CA_CERTS: 'c' };
    expect(shieldedEnv({ ...base, parent: { ...host, ...kept } })).toEqual({ ...kept, ...set });
    expect(shieldedEnv({ ...base, role: 'home', depth: 0, parent: { ...host, ...kept } })).toEqual(kept);
  });

  it("F009: the person's values are passed on as they stand, also one that names a shim", () => {
    const mine = {
      EDITOR: 'C:\\Program Files\\x\\y.cmd',
      CODEX_PATH: '/opt/a b/codex',
      EMPTY: '',
      ODD: '%PATH% $HOME ^&',
    };
    for (const platform of ['win32', 'linux'] as const) {
      expect(shieldedEnv({ ...base, platform, parent: mine })).toEqual({ ...mine, ...set });
      expect(shieldedEnv({ ...base, platform, parent: {}, entryEnv: mine })).toEqual({ ...mine, ...set });
    }
  });

  it('the home agent keeps AGENT_* and loses MM_*', () => {
    const parent = { AGENT_MODEL: 'x', AGENT_YOLO: 'true', MM_CONFIG: 'c', A: '1' };
    expect(shieldedEnv({ ...base, role: 'home', depth: 0, parent })).toEqual({
      AGENT_MODEL: 'x',
      AGENT_YOLO: 'true',
      A: '1',
    });
  });

  it("the entry's env comes on top, also of what was dropped; what mm sets wins", () => {
    const entryEnv = {
      AGENT_MODEL: 'bob',
      PATH: '/b',
      NODE_OPTIONS: '--x',
      AGENT_YOLO: 'true',
      AGENT_SESSIONS: 'on',
      MM_X: '1',
    };
    expect(shieldedEnv({ ...base, parent: { PATH: '/a', AGENT_MODEL: 'x' }, entryEnv })).toEqual({
      PATH: '/b',
      AGENT_MODEL: 'bob',
      NODE_OPTIONS: '--x',
      ...set,
    });
  });

  it('our own mm under Electron runs as Node, others never do', () => {
    expect(shieldedEnv({ ...base, parent: {}, electronMm: true })).toEqual({ ...set, ELECTRON_RUN_AS_NODE: '1' });
  });

  it('on Windows names have no case', () => {
    const parent = { Path: 'a', Agent_Model: 'x', mm_config: 'c', Node_Options: 'n', vscode_x: 'v' };
    expect(shieldedEnv({ ...base, platform: 'win32', parent, entryEnv: { PATH: 'b', mm_y: '1' } })).toEqual({
      PATH: 'b',
      ...set,
    });
  });

  it('whatever the environments, nothing slips through and the parent stays as it was', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'AGENT_YOLO',
        'AGENT_X',
        'MM_ASK_DEPTH',
        'MM_SECRET_K',
        'VSCODE_A',
        'ELECTRON_RUN_AS_NODE',
        'NODE_OPTIONS',
        'PATH',
      ),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const env = fc.dictionary(name, fc.string({ maxLength: 4 }), { noNullPrototype: true });
    fc.assert(
      fc.property(env, env, fc.integer(), (parent, entryEnv, depth) => {
        const before = { ...parent };
        const result = shieldedEnv({ ...base, parent, entryEnv, depth });
        expect(parent).toEqual(before);
        expect(result.AGENT_YOLO).toBe('false');
        expect(result.AGENT_SESSIONS).toBe('off');
        expect(result.MM_ASK_DEPTH).toBe(String(normalDepth(depth)));
        for (const key of Object.keys(result)) {
          if (key.startsWith('MM_')) expect(key).toBe('MM_ASK_DEPTH');
          else if (key.startsWith('AGENT_') && !['AGENT_YOLO', 'AGENT_SESSIONS'].includes(key))
            expect(entryEnv).toHaveProperty([key]);
          else if (/^(ELECTRON_|VSCODE_|NODE_OPTIONS$)/.test(key)) expect(entryEnv).toHaveProperty([key]);
        }
      }),
    );
  });
});

it.each<[string | undefined, number]>([
  [undefined, 0],
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['3', 2],
  ['-1', 2],
  ['', 2],
  ['01', 2],
  ['x', 2],
])('rule 3: MM_ASK_DEPTH %j is depth %d', (value, depth) => {
  expect(depthFromEnv(value === undefined ? {} : { MM_ASK_DEPTH: value })).toBe(depth);
});
