const assert = require('node:assert/strict');
const vscode = require('vscode');

/** What the editor's own chat has of us, asked through the editor. Dialogs do not open in this suite; the stories have them. */
describe('the editor’s own chat', () => {
  const call = async (input, token = new vscode.CancellationTokenSource().token) => {
    const result = await vscode.lm.invokeTool('ask_agent', { input, toolInvocationToken: undefined }, token);
    return result.content
      .map((part) => part.value)
      .join('')
      .trim();
  };

  it('has the tool with its schema', () => {
    const tool = vscode.lm.tools.find(({ name }) => name === 'ask_agent');
    assert.ok(tool, 'ask_agent is not among the tools');
    assert.deepEqual(tool.inputSchema.required, ['agent', 'prompt']);
  });

  it('rule 8: a tool call asks the agent and returns its answer', async () => {
    assert.equal(await call({ agent: 'bob', prompt: 'say: seven' }), 'seven');
  });

  it('an unknown agent is answered with the known ones', async () => {
    assert.match(await call({ agent: 'data', prompt: 'x' }), /There is no agent "data"[\s\S]*- bob: [\s\S]*- riker: /);
  });

  it('rule 12: a cancelled call ends', async () => {
    const source = new vscode.CancellationTokenSource();
    const asked = call({ agent: 'bob', prompt: 'slow: 100000' }, source.token);
    const rejected = assert.rejects(asked);
    source.cancel();
    await rejected;
    assert.equal(await call({ agent: 'bob', prompt: 'say: still here' }), 'still here');
  });
});
