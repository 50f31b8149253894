import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import type { FromAgentsPage, FromDetailsPage, ToAgentsPage, ToDetailsPage } from '../../src/a2a/view';
import type { FromAsksPage, ToAsksPage } from '../../src/chat/asks';
import type { FromPage, PageState, ToPage } from '../../src/chat/page';

/** Everything that runs this runs in the project's folder; a bundle of it may lie anywhere. */
const here = (path: string) => resolve(process.cwd(), path);

type ToAnyPage = ToPage | ToAsksPage | ToAgentsPage | ToDetailsPage;
type FromAnyPage = FromPage | FromAsksPage | FromAgentsPage | FromDetailsPage;

export type Theme = 'dark' | 'light' | 'hc';
const themes: Record<Theme, [string, string]> = {
  dark: ['theme-dark-modern.css', 'vscode-dark'],
  light: ['theme-light-modern.css', 'vscode-light'],
  hc: ['theme-high-contrast.css', 'vscode-high-contrast'],
};

/** The Chromium of this machine: an environment variable, the usual places, else the one that Playwright brought. */
export async function launchChromium(): Promise<Browser> {
  const names = [process.env.MM_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = names.find((name) => name !== undefined && existsSync(name));
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] });
}

const files = new Map<string, Promise<string>>();

/** Read once: a build that runs at the same time cannot take a file away. */
function source(name: string): Promise<string> {
  const file = here(
    /^(chat|asks|agents|details)\.(js|css)$/.test(name) ? `dist/webview/${name}` : `test/webview/${name}`,
  );
  let text = files.get(file);
  if (!text) {
    text = readFile(file, 'utf8');
    files.set(file, text);
  }
  return text;
}

/** The built page in a browser, under the policy that the editor gives it, with what it sends and a way to tell it things. */
export class ChatPage {
  private constructor(readonly page: Page) {}

  static async open(
    browser: Browser,
    o: { width?: number; height?: number; theme?: Theme; scale?: number; document?: string } = {},
  ): Promise<ChatPage> {
    const context = await browser.newContext({
      viewport: { width: o.width ?? 400, height: o.height ?? 800 },
      deviceScaleFactor: o.scale ?? 1,
      locale: 'en-GB',
    });
    const page = await context.newPage();
    const [sheet, body] = themes[o.theme ?? 'dark'];
    await page.route('http://page.test/**', async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      const type = name.endsWith('.css') ? 'text/css' : name.endsWith('.js') ? 'text/javascript' : 'text/html';
      let text = await source(name);
      if (name.endsWith('.html'))
        text = text.replace(themes.dark[0], sheet).replace('class="vscode-dark"', `class="${body}"`);
      await route.fulfill({ body: text, contentType: `${type}; charset=utf-8` });
    });
    await page.goto(`http://page.test/${o.document ?? 'harness.html'}`);
    return new ChatPage(page);
  }

  async give(...messages: ToAnyPage[]): Promise<void> {
    await this.page.evaluate((list) => {
      const editor = window as unknown as { give(m: unknown): void };
      for (const m of list) editor.give(m);
    }, messages);
    await this.frames();
  }

  /** Waits until what was given is drawn. */
  async frames(count = 3): Promise<void> {
    await this.page.evaluate(async (n) => {
      for (let i = 0; i < n; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, count);
  }

  async sent(): Promise<FromAnyPage[]> {
    return this.page.evaluate(() => (window as unknown as { sent: FromAnyPage[] }).sent);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** A state of the page with Ada at home, and bob and claude to be asked. */
export function pageState(change: Partial<PageState> = {}): PageState {
  return {
    conversationId: 'c1',
    home: { name: 'Ada', provider: 'ollama', model: 'qwen3:32b', title: 'Ada' },
    homes: [
      { name: 'Ada', title: 'Reviews and plans' },
      { name: 'bob', title: 'SQL and data questions' },
    ],
    agents: [
      { name: 'bob', description: 'SQL and data questions', model: 'qwen3:8b', state: 'ready' },
      { name: 'claude', description: 'Large refactors', model: 'claude-agent-acp', state: 'asleep' },
      { name: 'scenes', description: 'Checks continuity', state: 'failing' },
    ],
    busy: false,
    running: [],
    starting: false,
    notices: [],
    waiting: 0,
    demo: false,
    ...change,
  };
}
