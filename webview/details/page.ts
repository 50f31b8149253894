import { html, nothing, render, type TemplateResult } from 'lit';
import type { AgentAction, AgentDetails, DetailsTab, FromDetailsPage, Side } from '../../src/a2a/view';
import { Menu } from '../agents/menu';
import { noticeView, stateSign } from '../agents/parts';
import { primaryOf } from '../agents/row';
import { actionText, protocolText, registryText, span } from '../agents/words';
import { everySecond } from '../chat/base/clock';
import { icon } from '../chat/base/icons';
import { t } from '../chat/base/l10n';
import { hue, letter } from '../chat/base/names';
import { compare } from './compare';
import { jsonTokens } from './json';
import { overview } from './overview';

/** What the page keeps over its lives: whose page it is, and where the person was. */
export interface DetailsMemory {
  id?: string;
  tab?: DetailsTab;
}

/** Those that have their own place on the page. */
const placed: readonly AgentAction[] = ['ask-with-context', 'details', 'compare'];

/** The page of one agent: head, tabs, and what is known of it. */
export class DetailsPage {
  #details: AgentDetails | undefined;
  #gone: string | undefined;
  #tab: DetailsTab;
  #choices = new Map<string, Side>();
  #bar: number | undefined;
  readonly #page: HTMLElement;
  readonly #menu: Menu;

  constructor(
    private readonly host: HTMLElement,
    private readonly post: (message: FromDetailsPage) => void,
    private readonly memory: { stored: DetailsMemory; store(memory: DetailsMemory): void },
  ) {
    this.#tab = memory.stored.tab ?? 'overview';
    this.#page = document.createElement('div');
    this.#page.className = 'agent';
    // outside of what is a container for widths, within which nothing can lie over the whole page
    const over = document.createElement('div');
    host.append(this.#page, over);
    this.#menu = new Menu(over);
  }

  show(details: AgentDetails): void {
    // another agent, or fields that are no longer different: what was chosen for them means nothing
    const fields = new Set(details.compare?.differences.map((one) => one.field));
    const same = details.row.id === this.#details?.row.id;
    this.#choices = new Map([...this.#choices].filter(([field]) => same && fields.has(field)));
    this.#bar = same ? this.#bar : undefined;
    this.#details = details;
    this.#gone = undefined;
    this.#remember();
    this.draw();
  }

  gone(sentence: string): void {
    this.#gone = sentence;
    this.draw();
  }

  open(tab: DetailsTab): void {
    this.#tab = tab;
    this.#remember();
    this.draw();
  }

  draw(): void {
    // of one that is gone all can be read and nothing be done
    const details =
      this.#details && this.#gone !== undefined
        ? { ...this.#details, row: { ...this.#details.row, actions: [] } }
        : this.#details;
    if (details) this.#page.dataset.hue = hue(details.row.name);
    this.host.setAttribute('aria-label', details ? t('Agent {0}', details.row.name) : t('Agent'));
    render(details ? this.#all(details) : this.#nothing(), this.#page);
  }

  #remember(): void {
    const id = this.#details?.row.id ?? this.memory.stored.id;
    this.memory.store({ tab: this.#tab, ...(id === undefined ? {} : { id }) });
  }

  #nothing(): TemplateResult {
    return html`<h1 class="sr">${t('Agent')}</h1><p class="dim" role="status">${this.#gone ?? t('Asking about this agent…')}</p>`;
  }

  #tabs(details: AgentDetails): DetailsTab[] {
    return [
      'overview',
      ...(details.compare ? (['compare'] as const) : []),
      ...(details.raw ? (['json'] as const) : []),
    ];
  }

  #all(details: AgentDetails): TemplateResult {
    const tabs = this.#tabs(details);
    const tab = tabs.includes(this.#tab) ? this.#tab : 'overview';
    const { notice, row } = details;
    return html`${this.#head(details)}${
      this.#gone === undefined
        ? nothing
        : html`<p class="turn-end" role="status">${icon('warning', 'wait')}<span>${this.#gone}</span></p>`
    }${
      notice
        ? html`<div class="agent-notice" role="status">${noticeView(notice, details.host ?? row.name, 0, (action) => this.post({ type: 'group', action }))}</div>`
        : nothing
    }${
      tabs.length < 2
        ? nothing
        : html`<div class="tabs" role="tablist" aria-label=${t('About {0}', row.name)} @keydown=${(event: KeyboardEvent) => this.#tabKey(event, tabs, tab)}>${tabs.map(
            (id) =>
              html`<button type="button" role="tab" id=${`tab-${id}`} aria-controls=${`panel-${id}`} aria-selected=${id === tab} tabindex=${id === tab ? 0 : -1} @click=${() => this.open(id)}>${this.#tabText(id, details)}</button>`,
          )}</div>`
    }<div class="panel" role=${tabs.length < 2 ? nothing : 'tabpanel'} id=${`panel-${tab}`} aria-labelledby=${tabs.length < 2 ? nothing : `tab-${tab}`}>${this.#panel(tab, details)}</div>`;
  }

  #tabText(tab: DetailsTab, details: AgentDetails): unknown {
    if (tab === 'overview') return t('Overview');
    if (tab === 'json') return 'JSON';
    const count = details.compare?.differences.length ?? 0;
    if (count === 0) return t('Compare');
    return html`${t('Compare')} <span class="count">${count}<span class="sr"> ${count === 1 ? t('difference') : t('differences')}</span></span>`;
  }

  #panel(tab: DetailsTab, details: AgentDetails): unknown {
    if (tab === 'compare' && details.compare)
      return compare(details.compare, {
        made: this.#choices,
        choose: (made) => {
          this.#choices = new Map(made);
          this.draw();
        },
        write: () => this.post({ type: 'apply', choices: Object.fromEntries(this.#choices) }),
      });
    if (tab === 'json' && details.raw) return this.#json(details.raw);
    return overview(
      details,
      this.post,
      {
        at: this.#bar,
        point: (at) => {
          if (at === this.#bar) return;
          this.#bar = at;
          this.draw();
        },
      },
      Date.now(),
    );
  }

  #head(details: AgentDetails): TemplateResult {
    const { row, card, host, pin } = details;
    const can = (action: AgentAction) => row.actions.includes(action);
    const first = primaryOf(row);
    const more = row.actions.filter((action) => action !== first && !placed.includes(action));
    const button = (action: AgentAction, primary: string) =>
      html`<button type="button" class=${`btn${primary}`} @click=${() => this.post({ type: 'do', action })}>${actionText(action, row)}</button>`;
    const protocol = protocolText(row);
    const facts = [
      row.model,
      protocol === '' ? undefined : protocol,
      pin === undefined ? undefined : t('pinned to A2A {0}', pin),
      card?.version === undefined ? undefined : t('version {0}', card.version),
      card?.organization,
      host === undefined ? undefined : t('behind {0}', host),
      row.registry ? registryText(row.registry) : undefined,
      row.offered ? t('offered to the team') : undefined,
    ].filter((fact) => fact !== undefined && fact !== '');
    return html`<header class="agent-head"><span class="avatar avatar-xl" data-letter=${letter(row.name)} data-hue=${hue(row.name)} aria-hidden="true"></span><div><h1>${row.name} ${stateSign(row)}</h1>${
      row.description ? html`<p>${row.description}</p>` : nothing
    }${row.why ? html`<p class="dim small">${row.why}</p>` : nothing}</div><div class="btns">${first ? button(first, ' btn-primary') : nothing}${
      can('ask-with-context') ? button('ask-with-context', '') : nothing
    }${
      more.length > 0
        ? html`<button type="button" class="btn btn-icon" aria-label=${t('More actions')} title=${t('More')} aria-haspopup="menu" aria-expanded="false" @click=${(
            event: Event,
          ) =>
            this.#menu.open(
              event.currentTarget as HTMLElement,
              t('Actions for {0}', row.name),
              more.map((action) => ({
                label: actionText(action, row),
                run: () => this.post({ type: 'do', action }),
              })),
            )}>${icon('ellipsis')}</button>`
        : nothing
    }</div>${
      facts.length > 0
        ? html`<div class="facts-line"><ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul></div>`
        : nothing
    }</header>`;
  }

  #json(raw: NonNullable<AgentDetails['raw']>): TemplateResult {
    return html`<div class="raw-line"><span>${everySecond(() => t('As it came {0} ago, unchanged', span(Date.now() - raw.at)))}</span><button type="button" class="btn" @click=${() => this.post({ type: 'copy', what: 'json' })}>${icon('copy')}${t('Copy')}</button></div><figure class="code raw"><pre tabindex="0" role="region" aria-label=${t('Card as JSON')}><code>${jsonTokens(
      raw.text,
    ).map((token) =>
      token.kind ? html`<span class=${`hljs-${token.kind}`}>${token.text}</span>` : token.text,
    )}</code></pre></figure>`;
  }

  #tabKey(event: KeyboardEvent, tabs: readonly DetailsTab[], tab: DetailsTab): void {
    const at = tabs.indexOf(tab);
    const last = tabs.length - 1;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.open(tabs[(to + tabs.length) % tabs.length]!);
    this.#page.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
  }
}
