import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { copyProject } from '../support/project-copy';
import { leftAfter } from './support/processes';

/** `npm start -- --no-open --port N`, in a copy of the project. */

function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const look = (text: string) => {
      output += text;
      const url = output.match(/VS Code is at (http:\S+)/)?.[1];
      if (url) resolve(url);
    };
    child.stdout!.setEncoding('utf8').on('data', look);
    child.stderr!.setEncoding('utf8').on('data', look);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
}

test('serves a VS Code with the view in front, trusts the demo’s folder only, and Ctrl-C leaves no process behind', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const project = await copyProject();
  const child = spawn(process.execPath, ['scripts/start.mjs', '--no-open', '--port', '0'], {
    cwd: project.folder,
    env: { ...process.env, MM_CACHE: project.cache },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = await address(child);
    await page.goto(url);
    const view = page.frameLocator('iframe.webview[src*="extensionId=mm.mm"]').frameLocator('#active-frame');
    await expect(view.getByRole('textbox', { name: 'Message' })).toBeVisible({ timeout: 60_000 });
    await view.getByRole('textbox', { name: 'Message' }).fill('/ask-bob say: hello from the demo');
    await view.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(view.getByRole('article', { name: 'bob, asked by You' })).toContainText('hello from the demo', {
      timeout: 30_000,
    });

    // any other folder is the person's to trust
    const other = path.join(project.folder, 'other');
    await mkdir(other);
    await page.goto(`${url}/?folder=${encodeURIComponent(other)}`);
    await expect(page.getByText('Restricted Mode').first()).toBeVisible({ timeout: 60_000 });

    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await exit).toBe(130);
    expect(await leftAfter(project.folder, 5000)).toEqual([]);
  } finally {
    child.kill('SIGINT');
    await leftAfter(project.folder, 10_000);
    await project.remove();
  }
});
