import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsOf } from './support/processes';
import { expect, test, writeFiles } from './support/test';

/** Trust, and files that come with a folder (design, section 10). */

const ownAgents = {
  '.mm/mm.yaml':
    'acp: {title: Eve}\nprovider: demo\nmmConfigs:\n  carol: {path: carol.yaml, description: Somebody else}\n',
  '.mm/carol.yaml': 'acp: {title: Carol}\nprovider: demo\n',
};

test.describe('a folder that is not trusted', () => {
  test.use({ trusted: false, files: ownAgents });

  test('starts nothing and reads nothing of it; after trust is given it waits for the file’s approval', async ({
    editor,
  }) => {
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    await expect(editor.view.getByText('This workspace is not trusted')).toBeVisible({ timeout: 30_000 });
    await expect(editor.view.getByText('carol')).toHaveCount(0);
    expect(agentsOf(editor.workspace)).toEqual([]);

    await editor.view.getByRole('button', { name: 'Manage Trust' }).click();
    await editor.giveTrust();
    await expect(editor.view.getByText('This workspace is not trusted')).toBeHidden();
    await expect(editor.view.getByRole('button', { name: 'Allow This Version' })).toBeVisible();
    expect(agentsOf(editor.workspace)).toEqual([]);
  });
});

test.describe('a folder that is not trusted and brings no file', () => {
  test.use({ trusted: false });

  test('starts agents after trust is given', async ({ editor }) => {
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    await expect(editor.view.getByText('This workspace is not trusted')).toBeVisible({ timeout: 30_000 });
    expect(agentsOf(editor.workspace)).toEqual([]);
    await editor.view.getByRole('button', { name: 'Manage Trust' }).click();
    await editor.giveTrust();
    await expect(editor.view.getByText('This workspace is not trusted')).toBeHidden();
    await editor.send('/ask-bob say: now I may');
    await expect(editor.entry('bob, asked by You')).toContainText('now I may');
  });
});

test.describe('a folder with its own .mm/mm.yaml', () => {
  test.use({ files: ownAgents });

  test('waits for "Allow This Version", and asks again when the file, or one that it names, changes', async ({
    editor,
  }) => {
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    const allow = editor.view.getByRole('button', { name: 'Allow This Version' });
    await expect(allow).toBeVisible({ timeout: 30_000 });
    expect(agentsOf(editor.workspace)).toEqual([]);

    await editor.view.getByRole('button', { name: 'Show the File' }).click();
    await expect(editor.page.getByRole('tab', { name: /mm\.yaml/ })).toBeVisible();
    await allow.click();
    await expect(allow).toBeHidden();
    await editor.send('/ask-carol say: allowed');
    await expect(editor.entry('carol, asked by You')).toContainText('allowed');
    await editor.idle();

    await writeFile(path.join(editor.workspace, '.mm/carol.yaml'), 'acp: {title: Carol}\nprovider: demo\nyolo: true\n');
    await expect(allow).toBeVisible();
    await editor.view.getByRole('button', { name: 'Not Now' }).click();
    await expect(allow).toBeHidden();
  });

  test('is remembered over a reload, by its content', async ({ editor }) => {
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    const allow = editor.view.getByRole('button', { name: 'Allow This Version' });
    await allow.click({ timeout: 30_000 });
    await expect(allow).toBeHidden();
    // the served editor writes an extension's memory to the browser's storage a moment later: a person has used it by then
    await editor.send('/ask-carol say: allowed now');
    await expect(editor.entry('carol, asked by You')).toContainText('allowed now');
    await editor.idle();
    await editor.reload();
    await editor.openView();
    await editor.send('/ask-carol say: still allowed');
    await expect(editor.entry('carol, asked by You').last()).toContainText('still allowed');
  });
});

test.describe('a folder that brings a hook', () => {
  test.use({
    files: {
      '.mm/mm.yaml':
        'acp: {title: Eve}\nprovider: demo\nhooks: {preAsk: [{command: sh, args: [redact.sh]}]}\nmmConfigs: {carol: {path: carol.yaml}}\n',
      '.mm/carol.yaml': 'acp: {title: Carol}\nprovider: demo\n',
      '.mm/redact.sh': "echo ran >> ran\nsed 's/hunter2/xxxxx/'\n",
    },
  });

  test('rule 10: it is named before it runs, runs once, and is asked about again when it changes', async ({
    editor,
  }) => {
    const ran = path.join(editor.workspace, '.mm/ran');
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    const allow = editor.view.getByRole('button', { name: 'Allow This Version' });
    await expect(editor.view.getByText('sh redact.sh')).toBeVisible({ timeout: 30_000 });
    await editor.view.getByRole('button', { name: 'Show the File' }).click();
    await expect(editor.page.getByRole('tab', { name: /redact\.sh/ })).toBeVisible();
    expect(existsSync(ran)).toBe(false);
    await allow.click();
    await expect(allow).toBeHidden();
    await editor.send('/ask-carol say: the key is hunter2');
    const entry = editor.entry('carol, asked by You');
    await expect(entry).toContainText('The hook sh redact.sh rewrote the question');
    await expect(entry).toContainText('the key is xxxxx');
    await editor.idle();
    expect(await readFile(ran, 'utf8')).toBe('ran\n');
    await writeFile(path.join(editor.workspace, '.mm/redact.sh'), 'cat > /dev/null\n');
    await expect(allow).toBeVisible();
  });
});

test.describe('a broken mm.yaml', () => {
  test.use({ files: { '.mm/mm.yaml': 'acp: {title: Eve}\nprovider: demo\nyolo: perhaps\n' } });

  test('shows its line, and the view follows as soon as it is mended', async ({ editor }) => {
    await editor.open();
    await editor.palette('mm: Focus on mm View');
    await editor.view.getByRole('button', { name: 'Allow This Version' }).click({ timeout: 30_000 });
    await expect(editor.view.getByText('mm.yaml has an error in line 3')).toBeVisible();
    await expect(editor.view.getByText(/mm\.yaml:3:\d+/)).toBeVisible();
    expect(agentsOf(editor.workspace)).toEqual([]);

    await writeFiles(editor.workspace, { '.mm/mm.yaml': 'acp: {title: Eve}\nprovider: demo\nyolo: false\n' });
    await editor.view.getByRole('button', { name: 'Allow This Version' }).click();
    await expect(editor.view.getByText('mm.yaml has an error')).toBeHidden();
    await editor.send('say: mended');
    await expect(editor.entry('Eve').last()).toContainText('mended');
  });
});

test.describe('a named mm.yaml', () => {
  test.use({
    files: {
      'agents/mm.yaml': 'acp: {title: Eve}\nprovider: demo\n',
      'agents/dave.yaml': 'acp: {title: Dave}\nprovider: demo\n',
    },
  });

  test('needs no approval, and a change of its agents shows in the / menu at once', async ({ editor }) => {
    await editor.setMachineSettings({ 'mm.config': path.join(editor.workspace, 'agents/mm.yaml') });
    await editor.open();
    await editor.openView();
    await editor.send('say: hello');
    await expect(editor.entry('Eve')).toContainText('hello');
    await editor.idle();

    const menu = editor.view.getByRole('listbox', { name: 'Commands' });
    await writeFiles(editor.workspace, {
      'agents/mm.yaml':
        'acp: {title: Eve}\nprovider: demo\nmmConfigs:\n  dave: {path: dave.yaml, description: New here}\n',
    });
    await expect(async () => {
      await editor.composer.fill('');
      await editor.composer.click();
      await editor.page.keyboard.type('/');
      await expect(menu.getByRole('option', { name: /ask-dave/ }).first()).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 10_000 });
  });
});
