import { describe, expect, it } from 'vitest';
import type { ToolCallUpdate } from '../../../src/acp/types';
import { joinedName, toolName } from '../../../src/ask/toolname';

const call = (o: object): ToolCallUpdate => ({ toolCallId: 'x', ...o }) as ToolCallUpdate;

describe('rule 4: the name of a tool', () => {
  it.each([
    ['its own name first', { name: 'Bash', kind: 'execute' }, 'claude', 'Bash'],
    ['codex execute → bash', { kind: 'execute', title: 'ls' }, 'codex-acp', 'bash'],
    ['kind execute → bash', { kind: 'execute' }, 'gemini-cli', 'bash'],
    ['kind edit', { kind: 'edit' }, undefined, 'edit'],
    ['kind fetch', { kind: 'fetch' }, 'x', 'fetch'],
    ['kind other is no name', { kind: 'other', title: 'Do it' }, 'x', undefined],
    ['nothing at all', {}, undefined, undefined],
    ['a title is no name', { title: 'bash' }, 'x', undefined],
    ['kimi: the title is the tool', { title: 'Bash' }, 'Kimi Code CLI', 'bash'],
    ['kimi: a sentence is none', { title: 'Run a command' }, 'Kimi Code CLI', undefined],
    ['hostile name', { name: { a: 1 }, kind: ['execute'] }, 'x', undefined],
    ['blank name', { name: '  ', kind: 'read' }, 'x', 'read'],
    ['prototype key as kind', { kind: 'constructor' }, 'codex-acp', 'constructor'],
  ])('%s', (_, o, program, want) => {
    expect(toolName(call(o), program)).toBe(want);
  });

  it('never throws on what is no call', () => {
    for (const value of [null, undefined, 3, 'x', []]) expect(toolName(value as never, 'codex')).toBeUndefined();
  });

  it('cuts a name that is too long', () => {
    expect(toolName(call({ name: 'x'.repeat(5_000) }), undefined)).toHaveLength(100);
  });

  it('no name can look like a longer path, nor hide characters', () => {
    expect(joinedName(['bob'], 'riker/bash', 'unnamed tool')).toBe('bob/riker:bash');
    expect(joinedName(['bob'], 'ba\u202esh', 'unnamed tool')).toBe('bob/ba[U+202E]sh');
    expect(joinedName(['bob'], undefined, 'unnamed tool')).toBe('bob/unnamed tool');
    expect(joinedName([], 'bash', 'unnamed tool')).toBe('bash');
  });

  it('a name is one line, as a name, a part of a path and a grant', () => {
    expect(toolName(call({ name: ' bash\n\tFolder: / ' }), undefined)).toBe('bash Folder: /');
    expect(joinedName(['bo\nb'], 'ba\tsh\r\nx', 'unnamed tool')).toBe('bo b/ba sh x');
  });
});
