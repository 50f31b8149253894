const vscode = require('vscode');

const vendor = 'mm-test';

/** Without a model that is resolved the editor answers "Language model unavailable" before any participant hears of a request. */
const provider = {
  provideLanguageModelChatInformation: () => [
    {
      id: 'silent',
      name: 'Silent',
      family: 'silent',
      version: '1',
      maxInputTokens: 10_000,
      maxOutputTokens: 10_000,
      capabilities: { toolCalling: true },
    },
  ],
  provideLanguageModelChatResponse: async () => {},
  provideTokenCount: async () => 1,
};

/** Asks for a tool's input, calls the tool as a model's host would, and says what came. */
async function askTool() {
  const text = await vscode.window.showInputBox({ title: 'Input of ask_agent' });
  if (text === undefined) return;
  const source = new vscode.CancellationTokenSource();
  try {
    const options = { input: JSON.parse(text), toolInvocationToken: undefined };
    const result = await vscode.lm.invokeTool('ask_agent', options, source.token);
    vscode.window.showInformationMessage(`Result: ${result.content.map((part) => part.value).join('')}`);
  } catch (error) {
    vscode.window.showInformationMessage(`Failed: ${error.message}`);
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider(vendor, provider),
    vscode.commands.registerCommand('mmTest.openChat', () =>
      vscode.commands.executeCommand('workbench.action.chat.open'),
    ),
    vscode.commands.registerCommand('mmTest.askTool', askTool),
  );
  await vscode.lm.selectChatModels({ vendor });
};
