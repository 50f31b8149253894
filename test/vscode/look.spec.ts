import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, test } from './support/test';

/** The view in the editor's own themes: nothing that an axe finds, nothing wider than the view. */

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const themes = { dark: 'Default Dark Modern', light: 'Default Light Modern', 'high contrast': 'Default High Contrast' };

for (const [name, theme] of Object.entries(themes)) {
  test.describe(`in ${name}`, () => {
    test.use({ settings: { 'workbench.colorTheme': theme } });

    test('the conversation is accessible and fits', async ({ editor }, info) => {
      await editor.open();
      await editor.openView();
      await editor.send('/ask-bob think: first\nrun: echo hello\nsay: # A heading\nsay: `code` and **words**');
      await editor.answer('bob/bash', 'Allow Once');
      await expect(editor.entry('bob, asked by You')).toContainText('words');
      await editor.idle();
      await info.attach(`${name}.png`, { body: await editor.page.screenshot(), contentType: 'image/png' });

      const frame = await editor.frame();
      await frame.evaluate(await axe);
      // the page lets the side bar shine through, which lies outside of its frame: contrast is that with the side bar's colour
      await frame.evaluate(() => {
        document.documentElement.style.background = 'var(--vscode-sideBar-background)';
      });
      const violations = await frame.evaluate(async () => {
        const { axe: run } = globalThis as unknown as {
          axe: { run(root: Document, o: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
        const found = await run.run(document, { runOnly: { type: 'tag', values: tags } });
        return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' · ')}`);
      });
      expect(violations).toEqual([]);
      const overflow = await frame.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, 'pixels that stand out at the right').toBeLessThanOrEqual(0);
    });
  });
}
