import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Frame, type FrameLocator, type Locator, type Page } from '@playwright/test';
import type { Server } from '../../../scripts/lib/server.mjs';

/** A VS Code window as a person uses it: everything is found by the names that a screen reader would say. */
export class Editor {
  constructor(
    readonly page: Page,
    readonly server: Server,
    readonly workspace: string,
  ) {}

  /** Opens (or opens again) the workspace and waits for the workbench. */
  async open(): Promise<void> {
    await this.page.goto(`${this.server.url}/?folder=${encodeURIComponent(this.workspace)}`, {
      waitUntil: 'domcontentloaded',
    });
    await this.#workbench();
  }

  /** The person reloads the window. */
  async reload(): Promise<void> {
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.#workbench();
  }

  async #workbench(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    // the status bar's first entries stand when the workbench has been restored
    await this.page.locator('.statusbar-item').first().waitFor({ timeout: 60_000 });
  }

  /** The view's page. */
  get view(): FrameLocator {
    return this.#pageOf(0);
  }

  /** The page of the view "Agents", which stands in one container with "Asks", once that was opened beside the conversation. */
  get agents(): FrameLocator {
    return this.#pageOf(1);
  }

  /** The page of the view "Asks". */
  get asks(): FrameLocator {
    return this.#pageOf(2);
  }

  /** Pages stand in the order in which their views were opened. */
  #pageOf(view: number): FrameLocator {
    return this.page.frameLocator('iframe.webview[src*="extensionId=mm.mm"]').nth(view).frameLocator('#active-frame');
  }

  /** The page's frame itself, for what has to run inside it. */
  async frame(): Promise<Frame> {
    const handle = await this.view.locator('body').elementHandle();
    const frame = await handle?.ownerFrame();
    if (!frame) throw new Error('the view has no page');
    return frame;
  }

  /** Settings of scope `machine`, which a served editor reads from a file of its own. Before `open`. */
  async setMachineSettings(settings: Record<string, unknown>): Promise<void> {
    await writeFile(path.join(this.server.run, 'user-data/Machine/settings.json'), JSON.stringify(settings));
  }

  /** Waits until the view can be used; in a trusted folder it stands in front from the start. */
  async openView(): Promise<void> {
    await expect(this.view.getByRole('log', { name: 'Conversation' })).toBeVisible({ timeout: 60_000 });
  }

  /**
   * Runs a command by its exact label; fails when there is none, instead of running another one. An open palette does not learn of
   * commands that extensions bring later, so it is opened again until the command is there.
   */
  async palette(label: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    const row = this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name', { hasText: new RegExp(`^${literally(label)}$`) }) })
      .first();
    await expect(async () => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('F1');
      await input.fill(`>${label}`, { timeout: 2000 });
      // something else may take the focus, and the palette with it, until the very click
      await row.click({ timeout: 2000 });
    }, `the command "${label}"`).toPass({ timeout: 45_000 });
  }

  /** A row of an open quick pick. */
  pick(text: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  }

  /** The modal dialog that is open. */
  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Answers the permission dialog of `name` (`bob/bash`) and waits until it is gone. */
  async answer(
    name: string,
    button: 'Allow Once' | 'Allow for This Conversation' | 'Reject' | 'Show in View',
  ): Promise<string> {
    await expect(this.dialog).toContainText(name);
    const text = (await this.dialog.textContent()) ?? '';
    await this.dialog.getByRole('button', { name: button, exact: true }).click();
    await expect(this.dialog).toBeHidden();
    return text;
  }

  /** In the editor's own page on trust, which lies over everything else: trusts the folder and closes the page. */
  async giveTrust(): Promise<void> {
    await this.page
      .getByRole('button', { name: /^Trust/ })
      .first()
      .click();
    await expect(this.page.getByText('You trust this folder')).toBeVisible();
    await this.page.getByRole('button', { name: /^Close Modal Editor/ }).click();
    await expect(this.page.locator('.monaco-modal-editor-block')).toBeHidden();
  }

  get composer(): Locator {
    return this.view.getByRole('textbox', { name: 'Message' });
  }

  /** Types into the composer and sends. */
  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.view.getByRole('button', { name: 'Send', exact: true }).click();
  }

  /** An entry of the conversation by who speaks: "You", "Ada", "bob, asked by You". */
  entry(name: string | RegExp): Locator {
    return this.view.getByRole('article', { name, exact: typeof name === 'string' });
  }

  /** Nobody works: the composer offers Send again. */
  async idle(): Promise<void> {
    // an entry may have a Stop of its own for as long as it starts
    await expect(this.view.locator('.composer').getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
  }

  /** A notification in the corner. */
  notification(text: string): Locator {
    return this.page.locator('.notification-list-item-message', { hasText: text });
  }
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
