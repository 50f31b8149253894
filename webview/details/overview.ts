import { html, nothing, type TemplateResult } from 'lit';
import type { AgentDetails, CardView, FromDetailsPage, Gauge, Probe } from '../../src/a2a/view';
import { bar } from '../agents/parts';
import { short, spendText, took } from '../agents/words';
import { icon } from '../chat/base/icons';
import { dayOf, number, t, timeOfDay } from '../chat/base/l10n';
import { type Pointed, spendChart } from './chart';
import { slotCount, slots, tellingProbes } from './scale';

type Post = (message: FromDetailsPage) => void;
type Part = TemplateResult | typeof nothing;

/** The tab "Overview": what an agent can do, what it costs, whether it answers, and who may ask it. Only what there is data for. */
export function overview(details: AgentDetails, post: Post, pointed: Pointed, now: number): TemplateResult {
  const { card, spend, probes, gauges, access, uses } = details;
  const left = [
    skills(card, details.row.actions.includes('ask'), post),
    spend ? spendChart(spend, pointed) : nothing,
    probes && probes.length > 0 ? probeStrip(probes, now) : nothing,
  ].filter((part) => part !== nothing);
  const right = [
    gauges && gauges.length > 0 ? limits(gauges) : nothing,
    access ? accessPart(access, post) : nothing,
    uses ? usesPart(uses) : nothing,
    card ? cardPart(card) : nothing,
  ].filter((part) => part !== nothing);
  if (left.length + right.length === 0)
    return html`<p class="dim">${t('Nothing more is known of this agent yet.')}</p>`;
  if (left.length === 0) return html`<div class="side side-alone">${right}</div>`;
  return html`<div class="cols"><div>${left}</div>${right.length === 0 ? nothing : html`<div class="side">${right}</div>`}</div>`;
}

function skills(card: CardView | undefined, canAsk: boolean, post: Post): Part {
  const list = card?.skills ?? [];
  if (list.length === 0) return nothing;
  return html`<section aria-labelledby="h-skills"><h2 id="h-skills">${t('Skills')}</h2><ul class="skills">${list.map(
    (skill) =>
      html`<li><h3>${skill.name} ${skill.tags?.map((tag) => html`<span class="tag">${tag}</span>`)}</h3>${
        skill.description ? html`<p>${skill.description}</p>` : nothing
      }${skill.examples?.map((example) =>
        canAsk
          ? html`<button type="button" class="example" title=${t('Ask this')} @click=${() => post({ type: 'ask', prompt: example })}>${icon('comment')}<span>${example}</span></button>`
          : html`<p class="example">${icon('comment')}<span>${example}</span></p>`,
      )}</li>`,
  )}</ul></section>`;
}

function limits(gauges: readonly Gauge[]): TemplateResult {
  return html`<section aria-labelledby="h-limits"><h2 id="h-limits">${t('Limits and budget')}</h2><div>${gauges.map(gauge)}</div></section>`;
}

function gauge(one: Gauge): Part {
  const { used, limit } = one;
  if (used === undefined && limit === undefined) return nothing;
  const label = gaugeLabel(one);
  const text = gaugeText(one);
  if (used === undefined || limit === undefined)
    return html`<div class="gauge"><div class="gauge-line"><span>${label}</span> <span class="num">${text}</span></div></div>`;
  const high = used >= limit ? 'num bad' : used >= limit * 0.75 ? 'num wait' : 'num';
  return html`<div class="gauge"><div class="gauge-line" aria-hidden="true"><span>${label}</span> <span class=${high}>${text}</span></div><div role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax=${limit} aria-valuenow=${Math.min(used, limit)} aria-valuetext=${text}>${bar(used, limit)}</div></div>`;
}

function gaugeLabel({ kind, label }: Gauge): string {
  switch (kind) {
    case 'spend':
      return label ?? t('Spend');
    case 'asks-per-minute':
      return t('Asks per minute');
    case 'tokens-per-minute':
      return t('Tokens per minute');
    case 'asks-per-session':
      return t('Asks per minute and session');
    case 'tokens-per-session':
      return t('Tokens per minute and session');
    case 'at-once':
      return t('At the same time');
  }
}

function gaugeText({ kind, used, limit }: Gauge): string {
  if (kind === 'spend') return spendText(used, limit);
  const count = kind.startsWith('tokens') ? short : number;
  if (limit === undefined) return count(used ?? 0);
  return used === undefined ? t('at most {0}', count(limit)) : t('{0} of {1}', count(used), count(limit));
}

/** A fact with its name; several are read as a list. */
function pair(label: string, value: unknown, copy?: { name: string; run(): void }): TemplateResult {
  return html`<div><dt>${label}</dt><dd>${value}${
    copy
      ? html`<button type="button" class="btn btn-icon" aria-label=${copy.name} title=${t('Copy')} @click=${copy.run}>${icon('copy')}</button>`
      : nothing
  }</dd></div>`;
}

const words = (list: readonly string[] | undefined) => (list && list.length > 0 ? list.join(', ') : undefined);

function pairs(id: string, title: string, list: readonly Part[]): Part {
  const there = list.filter((part) => part !== nothing);
  if (there.length === 0) return nothing;
  return html`<section aria-labelledby=${id}><h2 id=${id}>${title}</h2><dl class="pairs">${there}</dl></section>`;
}

function listed(label: string, list: readonly string[] | undefined): Part {
  const text = words(list);
  return text === undefined ? nothing : pair(label, html`<span>${text}</span>`);
}

function accessPart(access: NonNullable<AgentDetails['access']>, post: Post): Part {
  const { key, address, announced } = access;
  const sign = (good: boolean | undefined) =>
    good === undefined ? nothing : good ? icon('check', 'ok') : icon('error', 'bad');
  return pairs('h-access', t('Access'), [
    key
      ? pair(
          t('Your key'),
          html`${key.may === false ? icon('lock') : sign(key.may)}<span>${
            key.may === undefined ? key.label : key.may ? t('{0} may ask', key.label) : t('{0} may not ask', key.label)
          }${key.why ? html`<br><span class="dim small">${key.why}</span>` : nothing}</span>`,
        )
      : nothing,
    access.everyone ? pair(t('Who may ask'), html`<span>${t('every key of this proxy')}</span>`) : nothing,
    access.public ? pair(t('Listed'), html`<span>${t('publicly, for everyone who sees the proxy')}</span>`) : nothing,
    listed(t('Teams'), access.teams),
    address
      ? pair(t('Address at the proxy'), html`<code>${address}</code>`, {
          name: t('Copy address at the proxy'),
          run: () => post({ type: 'copy', what: 'address' }),
        })
      : nothing,
    announced
      ? pair(
          t('Announced address'),
          html`${sign(announced.answers)}<code>${announced.url}</code>${
            announced.answers === undefined
              ? nothing
              : html`<span class="sr">${announced.answers ? t('answers') : t('does not answer')}</span>`
          }`,
          { name: t('Copy announced address'), run: () => post({ type: 'copy', what: 'announced' }) },
        )
      : nothing,
  ]);
}

function usesPart(uses: NonNullable<AgentDetails['uses']>): Part {
  return pairs('h-uses', t('May use'), [
    listed(t('Models'), uses.models),
    listed(t('MCP servers'), uses.mcpServers),
    listed(t('Tools'), uses.tools),
    listed(t('Agents'), uses.agents),
  ]);
}

function cardPart(card: CardView): Part {
  const { interfaces } = card;
  return pairs('h-card', t('Card'), [
    listed(t('Takes'), card.takes),
    listed(t('Gives'), card.gives),
    listed(t('Can'), card.can),
    listed(t('Security'), card.security),
    interfaces && interfaces.length > 0
      ? pair(
          t('Speaks'),
          html`<ul class="pair-list">${interfaces.map(
            (one) => html`<li>${one.binding} ${one.version} <code>${one.url}</code></li>`,
          )}</ul>`,
        )
      : nothing,
  ]);
}

function probeStrip(probes: readonly Probe[], now: number): TemplateResult {
  const strip = slots(probes, now);
  const recent = probes.filter((probe) => now - probe.at < 24 * 3600_000);
  const silent = recent.filter((probe) => probe.error !== undefined).length;
  const slow = strip.filter((slot) => slot.state === 'slow').length;
  const share = recent.length === 0 ? undefined : Math.round(((recent.length - silent) / recent.length) * 1000) / 10;
  return html`<section aria-labelledby="h-probes">
    <div class="head-line"><h2 id="h-probes">${t('Probes')}</h2><span class="dim small">${
      share === undefined ? nothing : t('last 24 hours · {0} % answered', number(share))
    }</span></div>
    ${
      share === undefined
        ? nothing
        : html`<div class="probes" role="img" aria-label=${t('{0} probes in 24 hours: {1} answered, {2} without an answer; {3} of {4} half hours slow', recent.length, recent.length - silent, silent, slow, slotCount)}>${strip.map(
            (slot) =>
              html`<i class=${{ none: 'blank', answered: '', slow: 'slow', silent: 'none' }[slot.state]} title=${slot.ms === undefined ? nothing : took(slot.ms)} .style=${slot.state === 'none' ? '' : `height:${slot.height}%`}></i>`,
          )}</div><div class="probes-x" aria-hidden="true">${[24, 18, 12, 6].map(
            (hours) => html`<span>${timeOfDay(now - hours * 3600_000).text}</span>`,
          )}<span>${t('now')}</span></div>`
    }
    <table class="grid-table"><thead><tr><th scope="col">${t('When')}</th><th scope="col">${t('Result')}</th><th scope="col" class="n">${t('Took')}</th></tr></thead><tbody>${tellingProbes(
      probes,
    ).map(
      (probe) =>
        html`<tr><td>${when(probe.at, now)}</td><td>${
          probe.error === undefined
            ? html`<span class="mark-cell"><span class="dot" data-state="ready"></span><span>${probe.what ?? t('answered')}</span></span>`
            : html`<span class="mark-cell bad"><span class="dot" data-state="failing"></span><span>${probe.error}</span></span>`
        }</td><td class="n">${probe.ms === undefined ? '–' : took(probe.ms)}</td></tr>`,
    )}</tbody></table>
  </section>`;
}

/** "11:58", "Yesterday 22:28", "17 November 22:28". */
function when(at: number, now: number): string {
  const time = timeOfDay(at).text;
  const date = (ms: number) => {
    const d = new Date(ms);
    return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}`;
  };
  if (date(at) === date(now)) return time;
  return date(at) === date(now - 24 * 3600_000) ? t('Yesterday {0}', time) : `${dayOf(date(at))} ${time}`;
}
