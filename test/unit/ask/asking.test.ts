import { describe, expect, it } from 'vitest';
import { askingMode } from '../../../src/ask/asking';
import { AskError } from '../../../src/ask/errors';

const modes = (current: string, ...ids: string[]) => ({
  currentModeId: current,
  availableModes: ids.map((id) => ({ id, name: id })),
});

function of(o: Partial<Parameters<typeof askingMode>[0]>): string | undefined {
  return askingMode({ name: 'x', program: undefined, modes: undefined, entryYolo: undefined, yolo: false, ...o });
}

describe('rule 4: an agent that never asks', () => {
  it.each([
    ['claude starts in auto', '@agentclientprotocol/claude-agent-acp', modes('auto', 'default', 'auto'), 'default'],
    ['qwen starts in auto', 'qwen-code', modes('auto', 'plan', 'default', 'auto'), 'default'],
    ['codex 2', 'codex-acp', modes('agent', 'read-only', 'workspace-write', 'agent'), 'workspace-write'],
    ['codex 0.16 has no modes', 'codex-acp', undefined, undefined],
    ['it is in that mode already', 'gemini-cli', modes('default', 'default', 'yolo'), undefined],
    ['an agent that nobody knows', 'someone', modes('auto', 'default', 'auto'), undefined],
    ['mm', 'mm', undefined, undefined],
    ['modes that are none', 'qwen-code', { currentModeId: 3, availableModes: 'x' }, undefined],
  ])('%s', (_, program, m, want) => expect(of({ program, modes: m })).toBe(want));

  it.each([
    [undefined, false],
    [undefined, true],
    [true, false],
    [false, true],
  ])('pi is refused with the entry %s and the ask %s, and the sentence says why', (entryYolo, yolo) => {
    let error: unknown;
    try {
      of({ name: 'pi', program: 'pi-acp', entryYolo, yolo });
    } catch (e) {
      error = e;
    }
    expect(error).toBeInstanceOf(AskError);
    expect((error as AskError).failure).toBe('refused');
    expect((error as AskError).exitCode).toBe(3);
    expect((error as AskError).message).toMatch(/without asking/);
  });

  it('pi is asked where its entry says yolo: true and the yolo of the ask is true', () => {
    expect(of({ program: 'pi-acp', entryYolo: true, yolo: true })).toBeUndefined();
  });

  it('claude without its asking mode is refused too', () => {
    expect(() => of({ program: 'claude-code-acp', modes: modes('auto', 'auto') })).toThrow(AskError);
  });
});
