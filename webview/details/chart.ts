import { html, nothing, svg, type TemplateResult } from 'lit';
import type { AgentDetails, SpendDay } from '../../src/a2a/view';
import { icon } from '../chat/base/icons';
import { dayOf, money, monthOf, number, t } from '../chat/base/l10n';
import { bars, scaleTop } from './scale';

/** The bar that the person points at, or has gone to with the arrow keys. */
export interface Pointed {
  at: number | undefined;
  point(at: number | undefined): void;
}

/** Spend per day: bars with the budget as a line, a tooltip, and the same as a table. */
export function spendChart(
  spend: NonNullable<AgentDetails['spend']>,
  pointed: Pointed,
): TemplateResult | typeof nothing {
  const { days, budgetPerDay } = spend;
  if (days.length === 0) return nothing;
  const top = scaleTop(Math.max(budgetPerDay ?? 0, ...days.map((day) => day.spend)));
  const heights = bars(days, top);
  const wide = 10 * days.length;
  const total = days.reduce((sum, day) => sum + day.spend, 0);
  const hasAsks = days.some((day) => day.asks !== undefined);
  // not more labels than there is room for
  const step = Math.ceil(days.length / 15);
  const level = (value: number) => 100 - (value / top) * 100;
  const line = (y: number, kind: string) => svg`<line class=${kind} x1="0" x2=${wide} y1=${y} y2=${y}></line>`;
  const lit = pointed.at === undefined ? undefined : days[pointed.at];
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') pointed.point(undefined);
    else if (by !== undefined) {
      const at = pointed.at === undefined ? (by > 0 ? -1 : days.length) : pointed.at;
      pointed.point(Math.min(days.length - 1, Math.max(0, at + by)));
      event.preventDefault();
    }
  };
  return html`<section aria-labelledby="h-spend">
    <div class="head-line"><h2 id="h-spend">${t('Spend per day')}</h2><span class="dim small num">${t('{0} in {1} days', money(total), days.length)}</span></div>
    <figure class="chart" aria-labelledby="h-spend">
      <div class="chart-y" aria-hidden="true">${[100, 50, 0].map(
        (at) => html`<span .style=${`bottom:${at}%`}>${tick((top * at) / 100)}</span>`,
      )}</div>
      <div class="plot">
        <svg viewBox=${`0 0 ${wide} 100`} preserveAspectRatio="none" role="img" tabindex="0" aria-label=${chartName(spend)} @keydown=${keys} @blur=${() => pointed.point(undefined)} @pointerleave=${() => pointed.point(undefined)}>${line(50, 'grid')}${
          budgetPerDay === undefined ? nothing : line(level(budgetPerDay), 'limit')
        }${days.map((_, i) => {
          const height = heights[i]!;
          const kind = [i === days.length - 1 ? 'today' : '', i === pointed.at ? 'lit' : ''].filter(Boolean).join(' ');
          return svg`<rect class=${kind} x=${i * 10 + 2.2} y=${100 - height} width="5.6" height=${height}></rect>`;
        })}${line(100, 'grid')}${days.map(
          (_, i) =>
            svg`<rect class="hit" x=${i * 10} y="0" width="10" height="100" @pointerenter=${() => pointed.point(i)}></rect>`,
        )}</svg>
        ${
          budgetPerDay === undefined
            ? nothing
            : html`<span class="limit-label" .style=${`bottom:calc(${100 - level(budgetPerDay)}% + 3px)`}>${t('budget {0}', money(budgetPerDay))}</span>`
        }${
          lit && pointed.at !== undefined
            ? html`<div class="tip" aria-hidden="true" .style=${`left:clamp(56px, ${((pointed.at + 0.5) / days.length) * 100}%, calc(100% - 56px));bottom:calc(${heights[pointed.at]!}% + 6px);transform:translateX(-50%)`}><b>${money(lit.spend)}</b>${dayText(lit)}</div>`
            : nothing
        }</div>
      <div class="chart-x" aria-hidden="true" .style=${`grid-template-columns:repeat(${days.length},minmax(0,1fr))`}>${days.map(
        (day, i) =>
          html`<span>${(days.length - 1 - i) % step === 0 ? Number(day.date.slice(8, 10)) : nothing}${
            i === 0 || day.date.endsWith('-01') ? html`<br>${monthOf(day.date)}` : nothing
          }</span>`,
      )}</div>
    </figure>
    <p class="sr" role="status">${lit ? `${money(lit.spend)}, ${dayText(lit)}` : nothing}</p>
    <details class="fold"><summary>${icon('chevron-right')}<span>${t('As a table')}</span></summary>
      <table class="grid-table"><thead><tr><th scope="col">${t('Day')}</th>${
        hasAsks ? html`<th scope="col" class="n">${t('Asks')}</th>` : nothing
      }<th scope="col" class="n">${t('Spend')}</th></tr></thead><tbody>${days.map(
        (day, i) =>
          html`<tr><td>${i === days.length - 1 ? t('{0}, so far', dayOf(day.date)) : dayOf(day.date)}</td>${
            hasAsks ? html`<td class="n">${day.asks === undefined ? '–' : number(day.asks)}</td>` : nothing
          }<td class="n">${money(day.spend)}</td></tr>`,
      )}</tbody></table>
    </details>
  </section>`;
}

/** A label of the scale: whole dollars have no cents. */
function tick(value: number): string {
  return Number.isInteger(value) ? money(value).replace(/[.,]00(?=\D*$)/, '') : money(value);
}

function dayText(day: SpendDay): string {
  if (day.asks === undefined) return dayOf(day.date);
  return day.asks === 1 ? t('{0}, 1 ask', dayOf(day.date)) : t('{0}, {1} asks', dayOf(day.date), number(day.asks));
}

function chartName({ days, budgetPerDay }: NonNullable<AgentDetails['spend']>): string {
  const first = days[0]!;
  const last = days.at(-1)!;
  const highest = days.reduce((most, day) => (day.spend > most.spend ? day : most), first);
  const parts = [
    t(
      'Spend per day, {0} to {1}: highest {2} on {3}',
      dayOf(first.date),
      dayOf(last.date),
      money(highest.spend),
      dayOf(highest.date),
    ),
    t('{0} so far today', money(last.spend)),
  ];
  if (budgetPerDay !== undefined) parts.push(t('budget {0} a day', money(budgetPerDay)));
  return t('{0}. All values stand in the table below.', parts.join(', '));
}
