import type { Editor } from './support/editor';
import { expect, test } from './support/test';

/** What a person allows, sees waiting, and takes back. The agents are the bundled demo. */

const cards = (editor: Editor) => editor.view.getByRole('alertdialog', { name: 'Permission: bob/bash' });
const status = (editor: Editor, text: string) => editor.page.getByRole('button', { name: text, exact: true });
const badge = (editor: Editor) => editor.page.locator('.auxiliarybar .badge-content').first();

/** A row of the list that is open, by the beginning of its label. */
async function choose(editor: Editor, label: string): Promise<void> {
  await editor.page
    .locator('.quick-input-list .monaco-list-row')
    .filter({ has: editor.page.locator('.label-name', { hasText: label }) })
    .first()
    .click();
}

test.describe('with mm.permissions.prompt: inline', () => {
  test.use({ settings: { 'mm.permissions.prompt': 'inline' } });

  test('F045 a card by keyboard only: the keys that it shows, and the focus stays in the composer', async ({
    editor,
  }) => {
    await editor.open();
    await editor.openView();
    await editor.composer.click();
    await editor.page.keyboard.type('/ask-bob run: echo from-$((40+2))');
    await editor.page.keyboard.press('Enter');
    const card = cards(editor);
    await expect(card).toBeVisible({ timeout: 30_000 });
    await expect(card).toContainText('echo from-$((40+2))');
    await expect(card).toContainText(editor.workspace);
    for (const [name, keys] of [
      ['Allow once', 'Alt+Enter'],
      ['Allow for this conversation', 'Alt+Shift+Enter'],
      ['Reject', 'Escape'],
    ] as const) {
      await expect(card.getByRole('button', { name, exact: true })).toHaveAttribute('aria-keyshortcuts', keys);
    }
    await expect(editor.dialog).toBeHidden();
    await editor.page.keyboard.press('Alt+Enter');
    await expect(card).toBeHidden();
    await expect(editor.entry('bob, asked by You')).toContainText('from-42');
    await expect(editor.composer).toBeFocused();
    await editor.idle();

    // by Tab to a button: afterwards the composer has the focus again
    await editor.page.keyboard.type('/ask-bob run: echo again');
    await editor.page.keyboard.press('Enter');
    await expect(card).toBeVisible();
    await card.getByRole('button', { name: 'Reject', exact: true }).focus();
    await editor.page.keyboard.press('Enter');
    await expect(card).toBeHidden();
    await expect(editor.composer).toBeFocused();
    await expect(editor.entry(/^Tool bob\/bash: echo again, rejected by you$/)).toBeAttached();
  });

  test('F041 two wait at once, counted on the view and in the status bar; Next Waiting Question leads to them from another conversation', async ({
    editor,
  }, info) => {
    await editor.open();
    await editor.openView();
    await editor.send('/ask-bob run: echo number-$((1))');
    await editor.send('/ask-bob run: echo number-$((2))');
    await expect(cards(editor)).toHaveCount(2, { timeout: 30_000 });
    await expect(status(editor, 'mm: 2 questions wait')).toBeVisible();
    await expect(badge(editor)).toHaveText('2');
    await info.attach('two.png', { body: await editor.page.screenshot(), contentType: 'image/png' });

    // Escape, with which the palette is opened, would reject a card while the view has the keys
    await editor.page.getByRole('heading', { name: 'Explorer', exact: true }).click();
    await editor.palette('mm: New Conversation');
    await expect(cards(editor)).toHaveCount(0);
    await editor.palette('mm: Next Waiting Question');
    await expect(cards(editor)).toHaveCount(2);
    await expect(cards(editor).first()).toBeFocused();
    // the status bar leads to the one behind it
    await status(editor, 'mm: 2 questions wait').click();
    await expect(cards(editor).nth(1)).toBeFocused();
    await editor.page.keyboard.press('Alt+Enter');
    await expect(cards(editor)).toHaveCount(1);
    await expect(status(editor, 'mm: 1 question waits')).toBeVisible();
    await expect(editor.composer).toBeFocused();
    await cards(editor).getByRole('button', { name: 'Reject', exact: true }).click();
    await expect(status(editor, 'mm: 1 question waits')).toBeHidden();
    await expect(badge(editor)).toBeHidden();
    await editor.idle();
  });
});

test('F045 F050 a dialog by keyboard only: leaving it answers nothing, Enter allows once, and the focus is back in the composer', async ({
  editor,
}) => {
  await editor.open();
  await editor.openView();
  await editor.composer.click();
  await editor.page.keyboard.type('/ask-bob run: echo from-$((40+2))');
  await editor.page.keyboard.press('Enter');
  await expect(editor.dialog).toContainText('bob/bash', { timeout: 30_000 });
  await expect(editor.dialog).toContainText('bob/bash');
  await expect(status(editor, 'mm: 1 question waits')).toBeVisible();
  await editor.page.keyboard.press('Enter');
  await expect(editor.dialog).toBeHidden();
  await expect(editor.entry('bob, asked by You')).toContainText('from-42');
  await expect(editor.composer).toBeFocused();
  await editor.idle();

  // a click beside it is no answer either
  await editor.page.keyboard.type('/ask-bob run: echo again');
  await editor.page.keyboard.press('Enter');
  await expect(editor.dialog).toContainText('echo again');
  await editor.page.mouse.click(5, 5);
  await expect(status(editor, 'mm: 1 question waits')).toBeVisible();
  await editor.answer('bob/bash', 'Reject');
});

test('F047 what was allowed for the conversation is listed under mm: Permissions…, and asked again when it is revoked', async ({
  editor,
}, info) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: echo one');
  await editor.answer('bob/bash', 'Allow for This Conversation');
  await editor.idle();
  await editor.send('/ask-bob run: echo two');
  await expect(editor.entry('bob, asked by You').last()).toContainText('The result is: two');
  await editor.idle();

  await editor.palette('mm: Permissions…');
  await expect(editor.pick('bob/bash: echo one')).toContainText('allowed by you for the conversation');
  await expect(editor.pick('bob/bash: echo two')).toContainText('You → bob');
  await info.attach('permissions.png', { body: await editor.page.screenshot(), contentType: 'image/png' });
  await editor.pick('every call in this conversation').click();
  await choose(editor, 'Revoke');
  await editor.send('/ask-bob run: echo three');
  await editor.answer('bob/bash', 'Allow Once');
  await expect(editor.entry('bob, asked by You').last()).toContainText('The result is: three');
});

test('a decision about a command becomes a rule: that command is not asked again, with anything behind it it is', async ({
  editor,
}, info) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: git status');
  await editor.answer('bob/bash', 'Allow Once');
  await editor.idle();

  await editor.palette('mm: Permissions…');
  await choose(editor, 'bob/bash: git status');
  await expect(editor.pick('exactly these words')).toBeVisible();
  await editor.pick('exactly these words').click();
  await expect(editor.dialog).toContainText('Allow this without asking?');
  await expect(editor.dialog).toContainText('│ git status');
  await expect(editor.dialog).toContainText(editor.workspace);
  await info.attach('rule.png', { body: await editor.page.screenshot(), contentType: 'image/png' });
  await editor.dialog.getByRole('button', { name: 'Save the Rule' }).click();
  await expect(editor.dialog).toBeHidden();

  // in a new conversation, and after a reload: it is the folder's
  await editor.reload();
  await editor.openView();
  await editor.palette('mm: New Conversation');
  await editor.send('/ask-bob run: git status');
  const bob = editor.entry('bob, asked by You');
  await expect(bob).toContainText('The result is:', { timeout: 30_000 });
  await editor.idle();
  await expect(editor.dialog).toBeHidden();

  await editor.send('/ask-bob run: git status; touch x');
  const text = await editor.answer('bob/bash', 'Reject');
  expect(text).toContain('git status; touch x');
  await editor.idle();
  await editor.send('/ask-bob run: git status $(touch x)');
  await editor.answer('bob/bash', 'Reject');
});
