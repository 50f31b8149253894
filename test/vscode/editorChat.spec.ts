import type { Editor } from './support/editor';
import { agentsOf } from './support/processes';
import { expect, test } from './support/test';

/** `@mm` and the tool `ask_agent` in the editor's own chat. The model that the chat wants comes from test/vscode/helper. */
test.use({ model: true });

/** The editor's own chat, as a person finds it. */
class EditorChat {
  constructor(private readonly editor: Editor) {}

  async open(): Promise<void> {
    await this.editor.open();
    await this.editor.palette('mm test: Open Chat');
    await this.input.waitFor({ timeout: 60_000 });
  }

  get input() {
    return this.editor.page.locator('.interactive-session .interactive-input-part .monaco-editor').first();
  }

  /** The latest answer. */
  get answer() {
    return this.editor.page.locator('.interactive-session .interactive-response').last();
  }

  /** A button below the latest answer. For a screen reader it is called what it sends. */
  followup(label: string) {
    return this.editor.page.locator('.interactive-session-followups').getByText(label, { exact: true });
  }

  async send(text: string): Promise<void> {
    const { keyboard } = this.editor.page;
    await this.input.click();
    await keyboard.press('Control+A');
    await keyboard.press('Delete');
    await keyboard.insertText(text);
    // a list of suggestions would take the Enter
    await keyboard.press('Escape');
    await keyboard.press('Enter');
  }
}

test('@mm /ask bob: his dialog, his answer; buttons ask the others', async ({ editor }) => {
  const chat = new EditorChat(editor);
  await chat.open();
  await chat.send('@mm /ask bob run: echo from-$((40+2))');
  const dialog = await editor.answer('bob/bash', 'Allow Once');
  expect(dialog).toContain('echo from-$((40+2))');
  // there is no conversation for which it could be allowed
  expect(dialog).not.toContain('Allow for This Conversation');
  await expect(chat.answer).toContainText('from-42');

  // a button for each agent, which asks it the same
  await expect(chat.followup('Ask bob again')).toBeVisible();
  await chat.followup('Ask riker').click();
  await editor.answer('riker/bash', 'Reject');
  await expect(editor.page.locator('.interactive-session .interactive-response')).toHaveCount(2);
});

test('@mm /ask-bob as it is typed, and an unknown name lists who is known', async ({ editor }) => {
  const chat = new EditorChat(editor);
  await chat.open();
  await chat.send('@mm /ask-bob say: **bold** and [go](command:mm.showLog)');
  await expect(chat.answer.locator('strong', { hasText: 'bold' })).toBeVisible();
  await expect(chat.answer).toContainText('go');
  // no link of an agent runs a command
  await expect(chat.answer.locator('a[data-href^="command:"], a[href^="command:"]')).toHaveCount(0);

  await chat.send('@mm /data hello');
  await expect(chat.answer).toContainText('There is no agent called data');
  await expect(chat.answer).toContainText('riker');
  await expect(chat.followup('Ask bob')).toBeVisible();
  expect(agentsOf(editor.workspace).filter((p) => p.command.includes('riker.yaml'))).toEqual([]);
});

test('rule 12: the chat’s Stop stops bob, whose child survives', async ({ editor }) => {
  const chat = new EditorChat(editor);
  await chat.open();
  await chat.send('@mm /bob slow: 3000');
  await expect(chat.answer).toContainText('word5', { timeout: 30_000 });
  await editor.page
    .getByRole('button', { name: /^(Cancel|Stop)/ })
    .first()
    .click();
  const [child] = agentsOf(editor.workspace).filter((p) => p.command.includes('bob.yaml'));
  await chat.send('@mm /bob say: still here');
  await expect(chat.answer).toContainText('still here');
  expect(agentsOf(editor.workspace).map((p) => p.pid)).toContain(child!.pid);
});

test('rule 8: a model’s ask_agent shows its question before it goes, and bob’s own call is asked as everywhere', async ({
  editor,
}) => {
  const chat = new EditorChat(editor);
  await chat.open();
  await editor.palette('mm test: Call ask_agent');
  const input = editor.page.locator('.quick-input-widget input.input');
  await input.fill(JSON.stringify({ agent: 'bob', prompt: 'run: echo by-tool' }));
  await editor.page.keyboard.press('Enter');
  await expect(editor.dialog).toContainText('Ask bob?');
  await expect(editor.dialog).toContainText('run: echo by-tool');
  await editor.dialog
    .getByRole('button')
    .filter({ hasText: /^(Allow|Yes|Continue|OK)/ })
    .first()
    .click();
  await editor.answer('bob/bash', 'Allow Once');
  await expect(editor.notification('Result:')).toContainText('by-tool');
});
