import path from 'node:path';
import { scriptedAgentPath } from '../support/scenario';
import { agentsOf } from './support/processes';
import { expect, test } from './support/test';

/** Agents that do not start, or do not stop (faults F006, F051). */

const scripted = (name: string) =>
  `  ${name}: {command: ${process.execPath}, args: [${scriptedAgentPath}, agents/${name}.json], description: Scripted}\n`;

test.use({
  files: {
    'agents/mm.yaml': `acp: {title: Eve}\nprovider: demo\nmmConfigs:\n${scripted('mute')}${scripted('deaf')}`,
    'agents/mute.json': JSON.stringify({ on: { initialize: [{ stderr: 'waiting for a browser\n' }, { hang: true }] } }),
    'agents/deaf.json': JSON.stringify({
      on: { 'session/cancel': [], 'session/prompt': [{ text: 'on and on' }, { hang: true }] },
    }),
  },
});

test('F006: a start that takes long can be waited for, looked into and stopped', async ({ editor }) => {
  await editor.setMachineSettings({ 'mm.config': path.join(editor.workspace, 'agents/mm.yaml') });
  await editor.open();
  await editor.openView();
  await editor.send('/ask-mute hello?');
  const entry = editor.view.locator('.turn-end', { hasText: 'Starting mute…' });
  await expect(entry).toContainText(/of 30 s/, { timeout: 30_000 });
  await entry.getByRole('button', { name: 'Wait longer' }).click();
  await expect(entry).toContainText(/of (3[5-9]|4\d|5\d) s/);
  await entry.getByRole('button', { name: 'Show log' }).click();
  await expect(editor.page.locator('.panel .view-lines', { hasText: 'waiting for a browser' })).toBeVisible();
  await entry.getByRole('button', { name: 'Stop' }).click();
  await editor.idle();
  await expect(editor.entry('mute, asked by You')).toContainText('Stopped by you');
  await expect.poll(() => agentsOf(editor.workspace).length, { timeout: 10_000 }).toBe(0);
});

test('F051: an agent that ignores Stop is forced; the next ask finds another process', async ({ editor }) => {
  await editor.setMachineSettings({ 'mm.config': path.join(editor.workspace, 'agents/mm.yaml') });
  await editor.open();
  await editor.openView();
  await editor.send('/ask-deaf go');
  const deaf = editor.entry('deaf, asked by You');
  await expect(deaf).toContainText('on and on', { timeout: 30_000 });
  await editor.view.getByRole('button', { name: 'Stop', exact: true }).click();
  await deaf.getByRole('button', { name: 'Force stop' }).click();
  await editor.idle();
  await expect(deaf).toContainText('Stopped by you');
  await editor.send('/ask-deaf again');
  await expect(editor.entry('deaf, asked by You').last()).toContainText('on and on', { timeout: 30_000 });
});
