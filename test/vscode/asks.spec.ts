import type { FrameLocator } from '@playwright/test';
import type { Editor } from './support/editor';
import { expect, test } from './support/test';

/** The view "Asks": who asked whom, what waits, Stop, and the way back to the conversation. The agents are the bundled demo. */

/** Opens the view in the activity bar's container and gives its page. */
async function openAsks(editor: Editor): Promise<FrameLocator> {
  await editor.palette('mm: Focus on Asks View');
  await expect(editor.asks.getByRole('heading', { name: 'Asks of this window' })).toBeAttached({ timeout: 30_000 });
  return editor.asks;
}

test('the story of a chain: Ada asks bob, bob asks riker; a question at each level, all of it in the tree', async ({
  editor,
}) => {
  await editor.open();
  await editor.openView();
  const asks = await openAsks(editor);
  await expect(asks.getByText('No agent has been asked in this window yet.')).toBeVisible();
  await editor.send('ask bob: ask riker: run: echo from-$((40+2))');
  expect(await editor.answer('ask_agent', 'Allow Once')).toContain('ask riker');
  expect(await editor.answer('bob/ask_agent', 'Allow Once')).toContain('riker');

  const tree = asks.getByRole('tree', { name: 'Asks' });
  const bob = tree.getByRole('treeitem', { name: /^bob ask riker: run/ });
  const riker = tree.getByRole('treeitem', { name: /^riker run: echo/ });
  await expect(riker).toHaveAttribute('aria-level', '3');
  await expect(riker).toContainText('asked by bob');
  await expect(riker).toContainText('may ask nobody');
  await expect(bob).toContainText('asked by Ada');
  await expect(bob).toContainText('1 level left');
  await expect(riker).toContainText('waits for you');
  expect(await editor.answer('bob/riker/bash', 'Allow Once')).toContain('echo from-$((40+2))');
  await editor.idle();
  await expect(riker).toContainText('done');
  await expect(bob).toContainText('done');
  // Enter leads to the entry, which then has the focus
  await riker.focus();
  await editor.page.keyboard.press('Enter');
  await expect(editor.entry('riker, asked by bob')).toBeFocused();
  await expect(editor.entry('riker, asked by bob')).toContainText('from-42');
});

test('Stop of the inner ask ends riker alone; bob goes on without him', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  const asks = await openAsks(editor);
  await editor.send('/ask-bob ask riker: stall');
  await editor.answer('bob/ask_agent', 'Allow Once');
  const riker = asks.getByRole('treeitem', { name: /^riker stall/ });
  await expect(riker).toContainText('running');
  await riker.focus();
  await editor.page.keyboard.press('Delete');
  await expect(riker).toContainText('cancelled');
  await editor.idle();
  await expect(asks.getByRole('treeitem', { name: /^bob ask riker/ })).toContainText('done');
});
