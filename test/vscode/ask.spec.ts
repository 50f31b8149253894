import { agentsOf } from './support/processes';
import { expect, test } from './support/test';

/** What a person does with bob, from the first line to his answer in the next turn. The agents are the bundled demo. */

test('the story: ask bob, see him work, allow his command, and Ada knows his answer', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob think: the folder first\nrun: echo from-$((40+2))\nsay: all done');

  const bob = editor.entry('bob, asked by You');
  await expect(bob).toBeVisible({ timeout: 30_000 });
  const dialog = await editor.answer('bob/bash', 'Allow Once');
  expect(dialog).toContain('echo from-$((40+2))');
  expect(dialog).toContain(editor.workspace);
  expect(dialog).toContain('every call of bob/bash');

  await expect(bob).toContainText('from-42');
  await expect(bob).toContainText('all done');
  await editor.idle();
  const thought = bob.getByRole('article', { name: 'Thought' });
  const fold = bob.getByRole('button', { name: /^Thought for/ });
  if ((await fold.count()) > 0) await fold.click();
  if (!(await thought.getByText('the folder first').isVisible())) await thought.getByText(/^Thought for/).click();
  await expect(thought).toContainText('the folder first');
  await bob.getByRole('button', { name: 'Ran 1 command' }).click();
  await expect(bob.getByRole('article', { name: 'Tool bob/bash: echo from-$((40+2)), done' })).toBeVisible();
  await expect(bob).toContainText('Kept in the conversation');

  // the home model was not called for it; it knows the answer in its next turn
  await editor.send('what did bob say');
  const ada = editor.entry('Ada').last();
  await expect(ada).toContainText('bob said:');
  await expect(ada).toContainText('from-42');
  await expect(ada).toContainText('all done');
});

test('rejected: no command runs, and bob is told so', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: touch must-not-exist');
  await editor.answer('bob/bash', 'Reject');
  const bob = editor.entry('bob, asked by You');
  await editor.idle();
  await expect(
    bob.getByRole('article', { name: /^Tool bob\/bash: touch must-not-exist, rejected by you$/ }),
  ).toBeAttached();

  await editor.send('run: ls');
  await editor.answer('bash', 'Allow Once');
  await expect(editor.entry('Ada').last()).toContainText('README.md');
  await expect(editor.entry('Ada').last()).not.toContainText('must-not-exist');
});

test('Escape rejects once', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: echo never');
  await expect(editor.dialog).toContainText('bob/bash');
  await editor.page.keyboard.press('Escape');
  await expect(editor.dialog).toBeHidden();
  await expect(editor.entry(/^Tool bob\/bash: echo never, rejected by you$/)).toBeAttached();
});

test('rule 4: allowed for this conversation holds for bob/bash, not for Ada’s own bash', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: echo first-time');
  await editor.answer('bob/bash', 'Allow for This Conversation');
  await expect(editor.entry('bob, asked by You')).toContainText('first-time');
  await editor.idle();

  await editor.send('/ask-bob run: echo second-time');
  const second = editor.entry('bob, asked by You').last();
  await expect(second).toContainText('The result is: second-time');
  await editor.idle();
  await expect(editor.dialog).toBeHidden();

  await editor.send('run: echo of-ada');
  await expect(editor.dialog).toBeVisible();
  const text = await editor.answer('bash', 'Reject');
  expect(text).not.toContain('bob/bash');

  // and it ends with the conversation
  await editor.idle();
  await editor.palette('mm: New Conversation');
  await editor.send('/ask-bob run: echo third-time');
  await editor.answer('bob/bash', 'Allow Once');
});

test('rule 8: Ada’s model asks bob by itself, gated once, and uses his answer in the same turn', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('ask bob: say: seven is the number');
  const dialog = await editor.answer('ask_agent', 'Allow Once');
  expect(dialog).toContain('seven is the number');
  const bob = editor.entry('bob, asked by Ada');
  await expect(bob).toContainText('seven is the number');
  await editor.idle();
  await expect(editor.entry('Ada').first()).toContainText('The result is:');
});

test('rule 9: bob asks riker, whose commands are bob/riker/bash', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob ask riker: run: echo deep');
  await editor.answer('bob/ask_agent', 'Allow Once');
  await editor.answer('bob/riker/bash', 'Allow Once');
  await editor.idle();
  await editor.entry('bob, asked by You').getByRole('button', { name: 'Asked riker' }).click();
  await expect(editor.entry('riker, asked by bob')).toContainText('deep');
});

test('what is too long for a dialog is answered in the view', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  const words = Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ');
  await editor.send(`/ask-bob run: echo ${words}`);
  await expect(editor.dialog).toBeVisible();
  await expect(editor.dialog.getByRole('button', { name: 'Allow Once' })).toHaveCount(0);
  await editor.answer('bob/bash', 'Show in View');
  const card = editor.view.getByRole('alertdialog', { name: 'Permission: bob/bash' });
  await expect(card).toContainText('w299');
  await card.getByRole('button', { name: 'Allow once' }).click();
  await expect(card).toBeHidden();
  await expect(editor.entry('bob, asked by You')).toContainText('The result is: w0 w1');
});

test('Stop in mid-answer', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob slow: 3000');
  const bob = editor.entry('bob, asked by You');
  await expect(bob).toContainText('word5', { timeout: 30_000 });
  await expect(editor.view.getByRole('status', { name: /^bob \(.+\), asked by You, is working$/ })).toBeVisible();
  await editor.view.getByRole('button', { name: 'Stop', exact: true }).click();
  await editor.idle();
  await expect(bob).toContainText('Stopped by you');
  // rule 12: the child survives
  expect(agentsOf(editor.workspace).length).toBeGreaterThan(0);
  await editor.send('/ask-bob say: still here');
  await expect(editor.entry('bob, asked by You').last()).toContainText('still here');
});

test('F043: Stop while a dialog is open; its late answer changes nothing and a notice says so', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob run: touch too-late');
  await expect(editor.dialog).toContainText('bob/bash');
  // the page behind the modal cannot be clicked by a person; a second window or a dying agent withdraws the question
  for (const agent of agentsOf(editor.workspace).filter((p) => p.command.includes('bob.yaml')))
    process.kill(agent.pid, 'SIGKILL');
  await expect(editor.entry('bob, asked by You')).toContainText('SIGKILL');
  await editor.dialog.getByRole('button', { name: 'Allow Once' }).click();
  await expect(editor.notification('Your answer changed nothing')).toBeVisible();
});

test('rule 1: a child killed in mid-answer is named with its signal, and the next ask starts it again', async ({
  editor,
}) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-bob slow: 3000');
  const bob = editor.entry('bob, asked by You');
  await expect(bob).toContainText('word5', { timeout: 30_000 });
  const [child] = agentsOf(editor.workspace).filter((p) => p.command.includes('bob.yaml'));
  expect(child, 'bob’s process').toBeDefined();
  process.kill(child!.pid, 'SIGKILL');
  await expect(bob).toContainText('bob was ended by signal SIGKILL', { timeout: 5000 });
  await expect(bob).toContainText('word5');
  await editor.idle();

  await editor.send('/ask-bob say: back again');
  await expect(editor.entry('bob, asked by You').last()).toContainText('back again');
});

test('an unknown agent is refused in words, and nothing is started', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.send('/ask-nobody hello');
  await expect(editor.view.getByText('There is no agent called nobody. You can ask: bob, riker')).toBeVisible();
  // nothing is lost: the line can be mended
  await expect(editor.composer).toHaveText('/ask-nobody hello');
  expect(agentsOf(editor.workspace).filter((p) => /bob\.yaml|riker\.yaml/.test(p.command))).toEqual([]);
});
