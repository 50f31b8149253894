import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AskError } from '../../../src/ask/errors';
import { BlockedError } from '../../../src/host/outside';
import { type AskInput, AskTool, longestQuestion } from '../../../src/vscode/askTool';
import * as blockers from '../../../src/vscode/blockers';
import { CancellationError, fake } from '../../support/vscode';
import { agent, depsOf, end, FakeHost, says, text, token, untilCancelled } from './editorChatSupport';

let host: FakeHost;
let tool: AskTool;
beforeEach(() => {
  fake.reset();
  host = new FakeHost(says(text('All good, at length.'), end('All good, at length.', { kept: 'All good' })));
  tool = new AskTool(depsOf(host));
});

async function invoke(input: unknown, source = token()): Promise<string> {
  const result = await tool.invoke({ input: input as AskInput, toolInvocationToken: undefined }, source.token as never);
  return result.content.map((part) => (part as { value: string }).value).join('');
}

function confirm(input: unknown): { title: string; message: string; trusted: unknown } {
  const { title, message } = tool.prepareInvocation({ input: input as AskInput }).confirmationMessages!;
  const markdown = message as { value: string; isTrusted?: unknown };
  return { title, message: markdown.value, trusted: markdown.isTrusted };
}

describe('rule 8: before a model asks, the person sees whom and what', () => {
  it('the agent, the whole prompt and the context, as text', () => {
    const prompt = `${'line\n'.repeat(200)}last`;
    const { title, message, trusted } = confirm({ agent: 'bob', prompt, context: 'said before' });
    expect(title).toBe('Ask bob?');
    expect(message).toContain(prompt);
    expect(message).toContain('said before');
    expect(trusted).toBeUndefined();
  });

  it('F046: hidden characters are visible and counted, and nothing of it is Markdown', () => {
    const { message } = confirm({ agent: 'bob', prompt: 'a\u202eb ```\n[x](command:y)' });
    expect(message).toContain('a[U+202E]b');
    expect(message).toContain('stand as [U+…]: 1');
    expect(message).toContain('````text');
    const named = confirm({ agent: '[x](command:y)', prompt: 'hi' });
    expect(named.message).toContain('**\\[x\\]\\(command\\:y\\)**');
  });

  it('what is too long to be read is cut with words, and is not sent', async () => {
    const input = { agent: 'bob', prompt: 'x'.repeat(longestQuestion), context: 'y' };
    expect(confirm(input).message).toContain('100001 characters are too many');
    expect(confirm(input).message.length).toBeLessThan(5_000);
    expect(await invoke(input)).toContain('Nobody was asked');
    expect(host.asked).toEqual([]);
    expect(await invoke({ ...input, context: undefined })).toBe('All good');
  });

  it('asks nothing and starts nothing, also with what is no call', () => {
    const start = vi.fn(async () => host);
    tool = new AskTool(depsOf(host, { host: start }));
    for (const input of [undefined, null, 7, {}, { agent: 1, prompt: 'x' }, { agent: 'bob', prompt: 'x', context: {} }])
      expect(confirm(input).title).toBe('Ask an agent?');
    expect(start).not.toHaveBeenCalled();
  });
});

describe('ask_agent for the models of the editor’s chat', () => {
  it('returns what is kept of the answer; the confirmation was the one gate', async () => {
    expect(await invoke({ agent: 'bob', prompt: 'is it safe?', context: 'said' })).toBe('All good');
    expect(host.asked).toMatchObject([
      {
        agent: 'bob',
        prompt: 'is it safe?',
        context: 'said',
        cwd: '/shop',
        via: '#ask_agent',
        caller: { kind: 'model' },
      },
    ]);
  });

  it('an unknown agent, or none, is answered with those that there are', async () => {
    host.list = [agent('bob', 'SQL'), agent('riker')];
    expect(await invoke({ agent: 'data', prompt: 'x' })).toBe(
      'There is no agent "data". The agents are:\n- bob: SQL\n- riker',
    );
    expect(await invoke({ agent: '', prompt: '' })).toBe('The agents are:\n- bob: SQL\n- riker');
    host.list = [];
    expect(await invoke({ agent: 'data', prompt: 'x' })).toContain('There are no agents to ask.');
  });

  it('what went wrong is a text that a model can use', async () => {
    host.play = () => {
      throw new AskError('empty', 'bob antwortet nicht', { forModel: 'bob ended its turn without a word. Ask again.' });
    };
    expect(await invoke({ agent: 'bob', prompt: 'x' })).toBe('bob ended its turn without a word. Ask again.');
    host.play = () => {
      throw { code: 1 };
    };
    expect(await invoke({ agent: 'bob', prompt: 'x' })).toMatch(/^The agent could not answer: .*1/);
    host.blocked = new BlockedError(blockers.untrusted());
    expect(await invoke({ agent: 'bob', prompt: 'x' })).toMatch(
      /before a person has acted: This workspace is not trusted\. /,
    );
    host.blocked = undefined;
    expect(await invoke({ agent: 'bob', prompt: ' ' })).toContain('empty');
    expect(await invoke({ prompt: 'x' })).toContain('have to be texts');
  });

  it('rule 12: stops with the model’s turn', async () => {
    host.play = untilCancelled;
    const source = token();
    const asked = invoke({ agent: 'bob', prompt: 'x' }, source);
    await new Promise((resolve) => setImmediate(resolve));
    source.cancel();
    await expect(asked).rejects.toBeInstanceOf(CancellationError);
    expect(host.asked[0]!.signal.aborted).toBe(true);
  });

  it('rule 2: with several folders the person says where, or nobody is asked', async () => {
    tool = new AskTool(depsOf(host, { folders: () => ['/a', '/b'], pickFolder: async () => '/b' }));
    expect(await invoke({ agent: 'bob', prompt: 'x' })).toBe('All good');
    expect(host.asked[0]!.cwd).toBe('/b');
    tool = new AskTool(depsOf(host, { folders: () => ['/a', '/b'] }));
    expect(await invoke({ agent: 'bob', prompt: 'x' })).toContain('did not say in which folder');
  });
});
