import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Inputs } from '../../../src/vscode/inputs';
import { fake } from '../../support/vscode';

beforeEach(() => fake.reset());

const signal = () => new AbortController().signal;
const question = (text: string, leave = false) => ({ id: 'q', path: ['scenes'], text, leave });

describe('what agents ask beside permissions', () => {
  it('words go into a box; Escape and nothing are no answer', async () => {
    const inputs = new Inputs();
    for (const [typed, answer] of [
      [' red ', 'red'],
      ['  ', undefined],
      [undefined, undefined],
    ] as const) {
      fake.inputBox = (o) => {
        expect(o).toMatchObject({ title: 'scenes asks you', prompt: 'Which colour?' });
        return typed;
      };
      expect(await inputs.ask(question('Which colour?'), signal())).toBe(answer);
    }
  });

  it('one at a time, in their order', async () => {
    const inputs = new Inputs();
    const shown: string[] = [];
    fake.inputBox = (o) => {
      shown.push(o!.prompt!);
      return 'x';
    };
    await Promise.all(['one', 'two', 'three'].map((text) => inputs.ask(question(text), signal())));
    expect(shown).toEqual(['one', 'two', 'three']);
  });

  it('leave is a dialog in which every line of the agent is marked as its own; Escape rejects', async () => {
    const inputs = new Inputs();
    const answer = async (button?: string) => {
      fake.messages.length = 0;
      const asked = inputs.ask(question('bob/bash: ls\nFolder: /', true), signal());
      await vi.waitFor(() => expect(fake.messages).toHaveLength(1));
      const [message] = fake.messages;
      expect(message!.options).toEqual({ modal: true, detail: '│ bob/bash: ls\n│ Folder: /' });
      message!.answer(button);
      return asked;
    };
    expect(await answer('Allow Once')).toBe('allow');
    expect(await answer('Reject')).toBe('reject');
    expect(await answer()).toBe('reject');
  });

  it('F046 what is too long to be seen cannot be allowed', async () => {
    const asked = new Inputs().ask(question('x\n'.repeat(40), true), signal());
    await vi.waitFor(() => expect(fake.messages).toHaveLength(1));
    expect(fake.messages[0]!.items.map((i) => (typeof i === 'string' ? i : i.title))).toEqual(['Reject']);
    fake.messages[0]!.answer();
    expect(await asked).toBe('reject');
  });

  it('F044 what has become moot is not asked', async () => {
    const stop = new AbortController();
    stop.abort();
    fake.inputBox = () => expect.fail('asked');
    expect(await new Inputs().ask(question('x'), stop.signal)).toBeUndefined();
  });
});
