import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProxyStandIn } from '../agents/proxy-stand-in.mjs';
import { startProxyStandIn } from '../agents/proxy-stand-in.mjs';
import { artifactUpdate, ScriptedA2A, statusUpdate, taskOf } from '../support/a2a-agent';
import type { Editor } from './support/editor';
import { expect, test } from './support/test';

/** The view "Agents", and an agent that lives elsewhere. The proxy and the agent are stand-ins on the loopback. */

let proxy: ProxyStandIn;
let scenes: ScriptedA2A;

test.beforeEach(async () => {
  scenes = await ScriptedA2A.start();
  proxy = await startProxyStandIn({
    agents: [
      {
        agent_name: 'scene-checker',
        agent_card_params: { name: 'Scene Checker', description: 'Checks continuity', url: scenes.url },
      },
      {
        agent_name: 'worf',
        agent_card_params: { name: 'Worf', description: 'Looks for holes', url: 'http://127.0.0.1:1/' },
      },
    ],
    reaches: (url) => !url.includes(':1/'),
  });
});
test.afterEach(async () => {
  await proxy.close();
  await scenes.stop();
});

async function configure(editor: Editor): Promise<string> {
  const file = path.join(editor.workspace, 'team.yaml');
  await writeFile(
    file,
    `# The team's own file.
acp: {title: Ada}
provider: demo
proxies:
  team: {url: "${proxy.url}", key: "\${secret:team}"}
mmConfigs:
  direct: {a2a: "${scenes.url}", description: Asked at its own address}
`,
  );
  await editor.setMachineSettings({ 'mm.config': file });
  return file;
}

test('a key that is missing is asked for where it is needed; then the list stands there, and an agent can be added', async ({
  editor,
}) => {
  await configure(editor);
  await editor.open();
  await editor.openView();
  await editor.palette('mm: Focus on Agents View');
  const tree = editor.agents.getByRole('tree', { name: 'Agents' });
  await expect(tree.getByRole('treeitem', { name: /^Ada/ })).toBeVisible({ timeout: 30_000 });
  await expect(editor.agents.getByText('The secret team is not set for')).toBeVisible();
  await editor.agents.getByRole('button', { name: /Enter/ }).click();
  const box = editor.page.locator('.quick-input-widget input.input');
  await expect(editor.page.locator('.quick-input-widget')).toContainText('Secret team');
  await box.fill('sk-1234');
  await editor.page.keyboard.press('Enter');
  const checker = tree.getByRole('treeitem', { name: /^scene-checker/ });
  await expect(checker).toContainText('ready', { timeout: 30_000 });
  await expect(tree.getByRole('treeitem', { name: /^worf/ })).toContainText('failing');
  await expect(tree.getByRole('treeitem', { name: /^direct/ })).toContainText('ready');
  expect(proxy.requests.filter(({ url }) => url === '/health')).toEqual([]);
  // its page, in a tab
  await checker.click();
  await editor.agents.getByRole('button', { name: 'Details' }).first().click();
  await expect(editor.page.getByRole('tab', { name: 'scene-checker' })).toBeVisible();
  // and into the file, with its comment, to be saved by the person
  // it cannot be asked yet: that is what its button says
  await editor.agents.getByRole('button', { name: 'Add to mm.yaml' }).first().click();
  await expect(editor.page.locator('.view-lines', { hasText: 'scene-checker@team' })).toBeVisible();
  await expect(editor.page.locator('.view-lines', { hasText: 'The team' })).toBeVisible();
});

test('an agent elsewhere streams into the view, asks back, and its answer stays for Ada', async ({ editor }) => {
  scenes.on('stream', ({ params }, reply, time) =>
    time === 0
      ? reply.events([taskOf('working'), statusUpdate('input-required', 'Which scene?')])
      : reply.events([
          statusUpdate('working', 'reading'),
          artifactUpdate(`Scene ${params.message.parts[0].text} `),
          artifactUpdate('contradicts scene 1.', { append: true }),
          statusUpdate('completed'),
        ]),
  );
  await configure(editor);
  await editor.open();
  await editor.openView();
  await editor.send('/ask-direct check');
  const entry = editor.entry('direct, asked by You');
  await expect(entry).toContainText('direct asks you: Which scene?', { timeout: 30_000 });
  await editor.page.locator('.quick-input-widget input.input').fill('3');
  await editor.page.keyboard.press('Enter');
  await expect(entry).toContainText('Scene 3 contradicts scene 1.');
  await editor.idle();
  await editor.send('what did direct say?');
  await expect(editor.entry('Ada').last()).toContainText('contradicts scene 1.');
});

test('rule 12: Stop reaches an agent elsewhere', async ({ editor }) => {
  scenes.on('stream', (_, reply) =>
    reply.events([taskOf('working'), artifactUpdate('One '), () => new Promise(() => {})]),
  );
  scenes.on('cancel', (_, reply) => reply.result(taskOf('canceled')));
  await configure(editor);
  await editor.open();
  await editor.openView();
  await editor.send('/ask-direct check');
  await expect(editor.entry('direct, asked by You')).toContainText('One', { timeout: 30_000 });
  await editor.view.locator('.composer').getByRole('button', { name: 'Stop', exact: true }).click();
  await editor.idle();
  expect(scenes.of('cancel').map((call) => call.params)).toEqual([{ id: 'task-1' }]);
});

test('a local agent is offered to others, asked over HTTP, and taken back', async ({ editor }) => {
  await editor.open();
  await editor.openView();
  await editor.palette('mm: Focus on Agents View');
  const bob = editor.agents.getByRole('treeitem', { name: /^bob/ });
  await bob.click({ timeout: 30_000 });
  await editor.agents.getByRole('button', { name: 'More actions for bob' }).click();
  await editor.agents.getByRole('menuitem', { name: /Offer to the Team/ }).click();
  await expect(editor.dialog).toContainText('Offer bob to the team?');
  await editor.dialog.getByRole('button', { name: 'Offer on This Machine' }).click();
  const toast = editor.page.locator('.notification-toast', { hasText: 'It is asked at http://127.0.0.1:' });
  await expect(toast).toBeVisible({ timeout: 30_000 });
  const url = (await toast.textContent())!.match(/http:\/\/127\.0\.0\.1:\d+\/bob/)![0];
  const card = await fetch(`${url}/.well-known/agent-card.json`);
  expect(await card.json()).toMatchObject({ name: 'Bob', capabilities: { streaming: true } });
  expect(
    (await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status,
  ).toBe(401);
  await expect(bob).toContainText('offered to the team');
  await editor.agents.getByRole('button', { name: 'More actions for bob' }).click();
  await editor.agents.getByRole('menuitem', { name: /Stop Offering/ }).click();
  await expect(bob).not.toContainText('offered to the team');
  await expect(fetch(url)).rejects.toThrow();
});
