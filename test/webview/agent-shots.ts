import { mkdir } from 'node:fs/promises';
import type { AgentGroup } from '../../src/a2a/view';
import { agentGroups, sceneDetails } from './agent-scenes';
import { ChatPage, launchChromium, type Theme } from './page';

/** Pictures of the pages of agents, to be laid beside the design's; made like those of `shots.ts`, into the same folder. */
const browser = await launchChromium();
await mkdir('.cache/shots', { recursive: true });
const wanted = process.argv.slice(2);

const problems = (): AgentGroup[] =>
  (['offline', 'wrong-key', 'no-database', 'html', 'captive-portal', 'empty', 'loading', 'lost'] as const).map(
    (kind) => ({
      id: `proxy:${kind}`,
      title: kind,
      aside: 'proxy.example:4000',
      notice: { kind },
      rows: [],
    }),
  );
const trees: Record<string, () => AgentGroup[]> = { list: () => agentGroups(), problems, none: () => [] };
for (const [name, groups] of Object.entries(trees)) {
  for (const [theme, width] of [
    ['dark', 300],
    ['light', 300],
    ['hc', 400],
    ['dark', 170],
    ['dark', 720],
  ] as [Theme, number][]) {
    const file = `agents-${name}-${width}-${theme}`;
    if (wanted.length > 0 && !wanted.some((w) => file.startsWith(w))) continue;
    const view = await ChatPage.open(browser, { theme, width, height: 880, scale: 2, document: 'agents.html' });
    await view.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'agents', groups: groups() });
    if (name === 'list') await view.give({ type: 'reveal', id: 'proxy:team/scenes' });
    await view.frames(4);
    await view.page.screenshot({ path: `.cache/shots/${file}.png` });
    await view.close();
  }
}
for (const tab of ['overview', 'compare', 'json'] as const) {
  for (const [theme, width] of [
    ['dark', 900],
    ['light', 900],
    ['hc', 900],
    ['dark', 400],
  ] as [Theme, number][]) {
    const file = `details-${tab}-${width}-${theme}`;
    if (wanted.length > 0 && !wanted.some((w) => file.startsWith(w))) continue;
    const view = await ChatPage.open(browser, { theme, width, height: 980, scale: 1.5, document: 'details.html' });
    await view.give(
      { type: 'init', strings: {}, locale: 'en' },
      { type: 'details', details: sceneDetails() },
      { type: 'show', tab },
    );
    if (tab === 'overview') await view.page.locator('.plot .hit').nth(7).hover();
    if (tab === 'compare') await view.page.getByRole('button', { name: 'Use theirs: Skills' }).click();
    await view.frames(3);
    await view.page.screenshot({ path: `.cache/shots/${file}.png`, fullPage: true });
    await view.close();
  }
}
await browser.close();
