import { html, nothing, type TemplateResult } from 'lit';
import type { CompareView, FieldDifference, Side } from '../../src/a2a/view';
import { icon } from '../chat/base/icons';
import { t } from '../chat/base/l10n';
import { marks, type Piece } from './marks';

/** What the person has chosen so far, by field. */
export interface Choices {
  readonly made: ReadonlyMap<string, Side>;
  choose(change: ReadonlyMap<string, Side>): void;
  write(): void;
}

/** Whether a side of a field may be chosen. */
export function isOpen(one: FieldDifference, side: Side): boolean {
  return (side === 'theirs' ? one.lockedTheirs : one.lockedOurs) === undefined;
}

/** One side for each field where it may be chosen; what was chosen for the others stays. */
export function allOf(
  differences: readonly FieldDifference[],
  side: Side,
  made: ReadonlyMap<string, Side>,
): Map<string, Side> {
  const result = new Map(made);
  for (const one of differences) if (isOpen(one, side)) result.set(one.field, side);
  return result;
}

/** The tab "Compare": what the proxy says beside what our file says, a choice for each field, and one button that writes. */
export function compare(view: CompareView, choices: Choices): TemplateResult {
  const { differences, same, file } = view;
  const made = differences.filter((one) => choices.made.has(one.field)).length;
  const theirs = t('Theirs, at the proxy');
  const ours = t('Ours, in {0}', file);
  const all = (side: Side) => () => choices.choose(allOf(differences, side, choices.made));
  return html`<div class="cmp-head"><p><b>${
    differences.length === 0
      ? t('Nothing differs')
      : differences.length === 1
        ? t('1 field differs')
        : t('{0} fields differ', differences.length)
  }</b>${t('The proxy says who an agent is; the file is the plan for the day when it does not answer.')}</p>${
    differences.length > 1
      ? html`<div class="btns"><button type="button" class="btn" @click=${all('theirs')}>${t('Use All of Theirs')}</button><button type="button" class="btn" ?disabled=${!differences.some((one) => isOpen(one, 'ours'))} @click=${all('ours')}>${t('Apply All of Ours')}</button></div>`
      : nothing
  }</div>${
    differences.length === 0
      ? nothing
      : html`<table class="cmp"><colgroup><col><col><col></colgroup><thead><tr><th scope="col">${t('Field')}</th><th scope="col">${theirs}</th><th scope="col">${ours}</th></tr></thead><tbody>${differences.map(
          (one) => {
            const pieces = marks(one.theirs ?? '', one.ours ?? '');
            const chosen = choices.made.get(one.field);
            return html`<tr data-chosen=${chosen ?? nothing}><th scope="row">${one.label}</th>${side(one, 'theirs', theirs, pieces.theirs, choices)}${side(one, 'ours', ours, pieces.ours, choices)}</tr>`;
          },
        )}</tbody></table>`
  }${
    same.length > 0
      ? html`<details class="fold"><summary>${icon('chevron-right')}<span>${
          same.length === 1
            ? t('1 field agrees: {0}', same[0]!)
            : t('{0} fields agree: {1}', same.length, same.join(', '))
        }</span></summary><div class="fold-body"><p>${t('Nothing to do here.')}</p></div></details>`
      : nothing
  }${
    differences.length === 0
      ? nothing
      : html`<div class="cmp-foot"><span class="dim small" role="status">${
          made === 0
            ? t('No choice made yet. Nothing is written before you say so.')
            : made === 1
              ? t('1 choice made. Nothing is written before you say so.')
              : t('{0} choices made. Nothing is written before you say so.', made)
        }</span><span class="btns"><button type="button" class="btn btn-primary" ?disabled=${made === 0} @click=${() => choices.write()}>${
          made === 1 ? t('Write 1 Change') : t('Write {0} Changes', made)
        }</button><button type="button" class="btn" ?disabled=${made === 0} @click=${() => choices.choose(new Map())}>${t('Undo')}</button></span></div>`
  }`;
}

function side(
  one: FieldDifference,
  which: Side,
  label: string,
  pieces: readonly Piece[],
  choices: Choices,
): TemplateResult {
  const chosen = choices.made.get(one.field) === which;
  const locked = which === 'theirs' ? one.lockedTheirs : one.lockedOurs;
  const name = which === 'theirs' ? t('Use theirs: {0}', one.label) : t('Apply ours: {0}', one.label);
  return html`<td data-label=${label}><div>${
    pieces.length === 0
      ? html`<span class="dim">${t('nothing')}</span>`
      : pieces.map((piece) => (piece.only ? html`<mark>${piece.text}</mark>` : piece.text))
  }</div>${
    chosen
      ? html`<span class="chosen">${icon('check')}${which === 'theirs' ? t('Will be used') : t('Will be applied')}</span>`
      : html`<button type="button" class="btn" aria-label=${name} ?disabled=${locked !== undefined} @click=${() =>
          choices.choose(
            new Map(choices.made).set(one.field, which),
          )}>${which === 'theirs' ? t('Use Theirs') : t('Apply Ours')}</button>`
  }${locked === undefined ? nothing : html`<p class="cmp-why">${icon('lock')}${locked}</p>`}</td>`;
}
