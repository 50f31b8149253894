import { html, nothing, render, type TemplateResult } from 'lit';
import type { Face } from '../../../src/chat/nodes';
import { avatar } from '../base/face';
import { icon } from '../base/icons';
import { number, t } from '../base/l10n';
import type { Page } from '../base/page';
import { dockNotice } from '../entries/notice';
import { Field } from './field';
import { agentsMenu, commandsMenu } from './menus';
import { composed, type Row, readLine, slashRows } from './slash';
import { workingLine } from './working';

/** The page says that somebody types at most this often, milliseconds: no dialog opens for a second after it. */
const typingEvery = 300;
/** A draft is told and kept this long after the last key. */
const draftAfter = 400;

/** Who works, what the extension has to say, and the composer. */
export class Dock {
  #field: Field | undefined;
  #rows: Row[] | undefined;
  #active = 0;
  /** The person closed the menu; it opens again with the next change of the command. */
  #closedFor: string | undefined;
  #picking: number | undefined;
  #note = '';
  #typedAt = 0;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  /** Nodes below the end of the view. */
  #below = 0;
  #cut = false;

  constructor(
    private readonly page: Page,
    private readonly host: HTMLElement,
    private readonly toEnd: () => void,
  ) {
    page.compose = (text) => this.compose(text);
  }

  get text(): string {
    return this.#field?.text ?? '';
  }

  /** Puts a text into the composer, beside what the person has written, and the focus there. */
  compose(text: string): void {
    if (!this.#field) return;
    this.focus();
    this.#field.text = composed(this.#field.text, text);
    this.#changed();
    this.#field.element.scrollTop = this.#field.element.scrollHeight;
  }

  /** Brings back what was there when the page died. */
  restore(draft: string): void {
    if (!this.#field || draft === '' || this.#field.text !== '') return;
    this.#field.text = draft;
    this.#closedFor = draft;
    this.#changed(false);
  }

  focus(): void {
    this.#field?.element.focus();
  }

  /** `cut`: so much stands below that it is not drawn. */
  setBelow(count: number, cut: boolean): void {
    if (count === this.#below && cut === this.#cut) return;
    this.#below = count;
    this.#cut = cut;
    this.draw();
  }

  /** Closes a menu; false when none was open. */
  closeMenu(): boolean {
    if (this.#picking !== undefined) {
      this.#picking = undefined;
      this.draw();
      this.host.querySelector<HTMLElement>('.pick')?.focus();
      return true;
    }
    if (this.#rows === undefined) return false;
    this.#closedFor = this.#field?.beforeCaret;
    this.#rows = undefined;
    this.draw();
    return true;
  }

  draw(): void {
    const { state } = this.page;
    if (this.#note !== '' && !state.busy && this.#noteIsBusy) this.#note = '';
    render(this.#template(), this.host);
    if (!this.#field) {
      const element = this.host.querySelector<HTMLElement>('.message');
      if (element) this.#field = new Field(element);
    }
    // Lit must not own what the person writes, so the flag of an empty text is set by hand
    this.#field?.element.classList.toggle('empty', this.#field.text === '');
  }

  #noteIsBusy = false;

  #template(): TemplateResult {
    const { state } = this.page;
    const text = this.text.trim();
    const running = state.busy || state.running.length > 0;
    const rows = this.#rows;
    const fresh = this.page.store.top.length === 0;
    return html`${
      this.#below > 0 || this.#cut
        ? html`<button type="button" class="btn to-end" @click=${this.toEnd}>${icon('arrow-down')}${this.#below > 0 ? t('{0} new below', number(this.#below)) : t('To the end')}</button>`
        : nothing
    }${workingLine(this.page)}${state.notices.map((n) => dockNotice(this.page, n))}${
      this.#note === ''
        ? nothing
        : html`<p class="turn-end dock-notice" role="status">${icon('info')}<span>${this.#note}</span></p>`
    }${rows ? commandsMenu(rows, this.#active, (row) => this.#choose(row)) : nothing}${
      this.#picking === undefined
        ? nothing
        : agentsMenu(
            state.homes,
            state.agents,
            state.home.name,
            this.#picking,
            (face) => this.#pick(face),
            (e) => this.#pickKeys(e),
          )
    }<form class="composer" aria-label=${t('New message')} @submit=${this.#submit} @mousedown=${this.#toText}>
      <div class="message empty" role="textbox" aria-multiline="true" aria-label=${t('Message')} contenteditable="plaintext-only" spellcheck="true"
        data-placeholder=${t('Ask {0}, / for commands', state.home.name)}
        aria-autocomplete=${rows ? 'list' : nothing} aria-controls=${rows && rows.length > 0 ? 'commands' : nothing}
        aria-activedescendant=${rows && rows.length > 0 ? `command-${this.#active}` : nothing}
        @keydown=${this.#keys} @input=${() => this.#changed()} @click=${() => this.#caretMoved()} @keyup=${() => this.#caretMoved()}></div>
      <div class="bar">${agentPick(state.home, fresh && state.homes.length > 1, this.#picking !== undefined, () => this.#openPick())}${
        rows && rows.length > 0
          ? html`<span class="hint" aria-hidden="true"><span><kbd data-key="↑"></kbd> <kbd data-key="↓"></kbd> ${t('choose')}</span><span><kbd data-key="⏎"></kbd> ${t('insert')}</span></span>`
          : html`<span class="grow cut bar-hint">${state.demo ? t('demo: no model behind these agents') : nothing}</span>`
      }${running ? html`<button type="button" class="btn btn-icon send stop" aria-label=${t('Stop')} title=${t('Stop (Esc)')} @click=${() => this.page.post({ type: 'stop' })}></button>` : nothing}${
        (running && text === '') || (rows && rows.length > 0)
          ? nothing
          : html`<button type="submit" class=${text === '' || state.blocker ? 'btn btn-icon send' : 'btn btn-icon btn-primary send'} aria-label=${t('Send')} title=${t('Send (⏎)')} ?disabled=${text === '' || state.blocker !== undefined}>${icon('arrow-up')}</button>`
      }</div>
    </form>`;
  }

  /** A click on the composer's own ground is meant for the text. */
  readonly #toText = (event: MouseEvent) => {
    if (event.target instanceof HTMLElement && event.target.matches('.composer, .bar, .bar-hint')) {
      event.preventDefault();
      this.focus();
    }
  };

  readonly #submit = (event: Event) => {
    event.preventDefault();
    this.#send();
  };

  readonly #keys = (event: KeyboardEvent) => {
    if (!['Alt', 'Control', 'Shift', 'Meta'].includes(event.key)) this.#typing();
    // Enter that ends a composition of an input method chooses a word and sends nothing
    if (event.isComposing || event.keyCode === 229) return;
    const rows = this.#rows;
    if (rows && rows.length > 0 && !event.altKey && !event.ctrlKey && !event.metaKey) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        this.#active = (this.#active + (event.key === 'ArrowDown' ? 1 : rows.length - 1)) % rows.length;
        this.draw();
        return;
      }
      if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
        event.preventDefault();
        if (!event.repeat) this.#choose(rows[this.#active]!);
        return;
      }
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      // a key that is still held was meant for what had the keyboard before: a dialog, the palette
      if (!event.repeat) this.#send();
    }
  };

  #send(): void {
    const { page } = this;
    const text = this.text.trim();
    if (text === '' || page.state.blocker) return;
    const line = readLine(
      text,
      page.state.agents.map((a) => a.name),
    );
    this.#noteIsBusy = false;
    if (line.kind === 'no-prompt') this.#say(t('Write behind the command what {0} is to answer.', line.agent));
    else if (line.kind === 'unknown') {
      const names = page.state.agents.map((a) => a.name).join(', ');
      this.#say(
        names === ''
          ? t(
              'There is no agent called {0}, and none is configured: mmConfigs in mm.yaml says whom you can ask.',
              line.agent,
            )
          : t('There is no agent called {0}. You can ask: {1}', line.agent, names),
      );
    } else if (line.kind === 'text' && page.state.busy) {
      this.#noteIsBusy = true;
      this.#say(
        t(
          '{0} is working, so this stays here until the turn ends. Lines that begin with /ask- are sent at once.',
          page.state.home.name,
        ),
      );
    } else {
      page.post({ type: 'send', text });
      this.#field!.text = '';
      this.#changed();
      this.toEnd();
    }
  }

  #say(note: string): void {
    this.#note = note;
    this.draw();
  }

  #changed(tell = true): void {
    this.#note = '';
    this.#caretMoved(true);
    const { text } = this;
    const command = /^\s*\/ask-\S+/.exec(text)?.[0] ?? '';
    const names = this.page.state.agents.map((a) => a.name);
    const known = command !== '' && readLine(`${command} x`, names).kind === 'ask';
    this.draw();
    this.#field?.mark(known ? command.length : 0);
    if (!tell) return;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => {
      this.page.post({ type: 'draft', text });
      this.page.api.remember({ draft: text });
    }, draftAfter);
  }

  #caretMoved(changed = false): void {
    const before = this.#field?.beforeCaret;
    const rows =
      before === undefined || before === this.#closedFor ? undefined : slashRows(before, this.page.state.agents);
    if (before !== this.#closedFor) this.#closedFor = undefined;
    const same = JSON.stringify(rows?.map((r) => r.command)) === JSON.stringify(this.#rows?.map((r) => r.command));
    if (same && !changed) return;
    if (!same) this.#active = 0;
    this.#rows = rows;
    if (!changed) this.draw();
  }

  #choose(row: Row): void {
    const field = this.#field;
    if (!field) return;
    this.focus();
    const count = (/^\s*\/\S*/.exec(field.text)?.[0] ?? '').length;
    const spaced = /^\s/.test(field.text.slice(count));
    field.replaceStart(count, row.kind === 'context' || spaced ? row.command : `${row.command} `);
    this.#changed();
  }

  #typing(): void {
    const now = Date.now();
    if (now - this.#typedAt < typingEvery) return;
    this.#typedAt = now;
    this.page.post({ type: 'typing' });
  }

  #openPick(): void {
    if (this.#picking !== undefined) {
      this.closeMenu();
      return;
    }
    const { homes, home } = this.page.state;
    this.#picking = Math.max(
      0,
      homes.findIndex((face) => face.name === home.name),
    );
    this.draw();
    this.host.querySelector<HTMLElement>('#agents')?.focus();
  }

  #pick(face: Face): void {
    this.#picking = undefined;
    if (face.name !== this.page.state.home.name) this.page.post({ type: 'home', name: face.name });
    this.draw();
    this.focus();
  }

  #pickKeys(event: KeyboardEvent): void {
    const { homes } = this.page.state;
    const at = this.#picking ?? 0;
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % homes.length,
      ArrowUp: (at + homes.length - 1) % homes.length,
      Home: 0,
      End: homes.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) this.#picking = next;
    else if (event.key === 'Enter' || event.key === ' ') this.#pick(homes[at]!);
    else if (event.key === 'Tab') this.#picking = undefined;
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    this.draw();
  }
}

/** The home agent: a choice while the conversation is empty, else only its name. */
function agentPick(home: Face, choice: boolean, open: boolean, click: () => void): TemplateResult {
  const inner = html`${avatar(home.name, 's')}<span>${home.name}</span>`;
  return choice
    ? html`<button type="button" class="pick" aria-haspopup="listbox" aria-expanded=${open} aria-controls=${open ? 'agents' : nothing} aria-label=${t('Agent: {0}', home.name)} @click=${click}>${inner}</button>`
    : html`<span class="pick pick-fixed" title=${t('Chosen for this conversation')}><span class="sr">${t('Agent:')} </span>${inner}</span>`;
}
