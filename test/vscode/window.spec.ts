import { agentsOf } from './support/processes';
import { expect, test } from './support/test';

/** The window around the conversation: reload, palette, the `/` menu. */

test('the window is reloaded: the conversation is there, and Ada honestly does not remember it', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob say: the number is seven');
  await expect(editor.entry('bob, asked by You')).toContainText('the number is seven');
  await editor.idle();
  await editor.send('what did bob say');
  await expect(editor.entry('Ada').last()).toContainText('bob said:');
  await editor.idle();

  await editor.reload();
  await editor.openView();
  await expect(editor.entry('bob, asked by You')).toContainText('the number is seven');
  await expect(editor.entry('Ada').first()).toContainText('bob said:');

  // she is a new process without a saved session
  await editor.send('say: hello again');
  await expect(editor.entry('Ada').last()).toContainText('hello again');
  const log = editor.view.getByRole('log', { name: 'Conversation' });
  await expect(log).toContainText('Ada does not remember what stands above');
  await editor.send('what did bob say');
  await expect(editor.entry('Ada').last()).toContainText('I have no answer of bob');
  await editor.idle();
  await editor.view.getByRole('button', { name: 'Give her the transcript' }).first().click();
  await expect(log).toContainText('gets the transcript of what stands above with your next message');
  await editor.send('what did bob say');
  await expect(editor.entry('Ada').last()).toContainText('bob said: the number is seven');
  await expect(log).toContainText('was given the transcript of what stands above');
});

test('F003: five reloads leave the agents of the living window, and no other', async ({ editor }) => {
  await editor.open();
  for (let i = 0; i < 5; i++) {
    await editor.openView();
    await editor.send(`say: round ${i}`);
    await expect(editor.entry('Ada').last()).toContainText(`round ${i}`);
    await editor.reload();
  }
  await editor.openView();
  await editor.send('say: and stay');
  await expect(editor.entry('Ada').last()).toContainText('and stay');
  // the editor keeps the extension host of a closed page for 5 s
  await expect.poll(() => agentsOf(editor.workspace).length, { timeout: 20_000 }).toBe(1);
});

test('palette: Ask an Agent…, New Conversation, Open Configuration, Restart Agent…, Show Log', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.palette('mm: Ask an Agent…');
  await editor.pick('bob').first().click();
  await expect(editor.composer).toHaveText(/^\/ask-bob/);
  await editor.send('/ask-bob say: by the palette');
  await expect(editor.entry('bob, asked by You')).toContainText('by the palette');
  await editor.idle();

  const before = agentsOf(editor.workspace).filter((p) => p.command.includes('bob.yaml'));
  await editor.palette('mm: Restart Agent…');
  await editor.pick('bob').first().click();
  await expect.poll(() => agentsOf(editor.workspace).some((p) => p.pid === before[0]?.pid)).toBe(false);

  await editor.palette('mm: Open Configuration');
  await expect(editor.page.getByRole('tab', { name: /mm\.yaml/ })).toBeVisible();

  await editor.palette('mm: Show Log');
  await expect(editor.page.getByRole('tab', { name: /Output/ }).first()).toBeVisible();

  await editor.palette('mm: New Conversation');
  await expect(editor.entry('bob, asked by You')).toHaveCount(0);
});

test('the / menu has an entry for each agent, and Enter takes it', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.composer.click();
  await editor.page.keyboard.type('/ask-b');
  const menu = editor.view.getByRole('listbox', { name: 'Commands' });
  await expect(menu.getByRole('option', { name: /ask-bob/ }).first()).toBeVisible();
  await editor.page.keyboard.press('Enter');
  await expect(editor.composer).toHaveText(/^\/ask-bob/);
});
