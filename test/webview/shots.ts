import { mkdir } from 'node:fs/promises';
import { ChatPage, launchChromium, type Theme } from './page';
import { blocked, conversation, firstRun, hooks, permissions, type Scene, states } from './scenes';

/**
 * Pictures of the built page, to be laid beside the design's: `node scripts/build.mjs webview`, then
 * `npx esbuild test/webview/shots.ts --bundle --platform=node --format=esm --packages=external --outfile=.cache/shots.mjs && node .cache/shots.mjs`.
 */
const scenes: Record<string, () => Scene> = {
  conversation: () => conversation(),
  ended: () => conversation(true),
  permissions,
  states,
  hooks,
  first: () => firstRun(),
  demo: () => firstRun(true),
  trust: () => blocked('trust'),
  approval: () => blocked('approval'),
  broken: () => blocked('broken'),
};

const wanted = process.argv.slice(2);
const browser = await launchChromium();
await mkdir('.cache/shots', { recursive: true });
for (const [name, scene] of Object.entries(scenes)) {
  for (const [theme, width] of [
    ['dark', 400],
    ['light', 400],
    ['hc', 400],
    ['dark', 300],
    ['dark', 720],
  ] as [Theme, number][]) {
    const file = `${name}-${width}-${theme}`;
    if (wanted.length > 0 && !wanted.some((w) => file.startsWith(w))) continue;
    const chat = await ChatPage.open(browser, { theme, width, height: 800, scale: 2 });
    const { nodes, state } = scene();
    await chat.give({ type: 'init', strings: {}, locale: 'en' }, { type: 'snapshot', nodes, state });
    if (name === 'demo') {
      await chat.page.getByRole('textbox', { name: 'Message' }).click();
      await chat.page.keyboard.type('/');
    }
    // the whole conversation in one picture
    const height = await chat.page.evaluate(
      () => document.querySelector('.log')!.scrollHeight + document.querySelector('.dock')!.scrollHeight,
    );
    await chat.page.setViewportSize({ width, height: Math.max(500, height) });
    await chat.frames(5);
    await chat.page.screenshot({ path: `.cache/shots/${file}.png` });
    await chat.close();
  }
}
await browser.close();
