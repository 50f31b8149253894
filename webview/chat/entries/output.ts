import { html, nothing, type TemplateResult } from 'lit';
import { ansi, someLines } from '../base/ansi';
import { icon } from '../base/icons';
import { number, t } from '../base/l10n';
import { firstLine } from '../base/names';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';

/** Lines of an output that are seen at first (look, "Tool card"). */
const shown = 21;
/** Characters that the page draws of one output at most; all of it can be copied. */
const most = 200_000;

/** The output of a command in its colours; a long one opens with "Show all N lines". */
export function output(
  page: Page,
  entry: Entry,
  text: string,
  o: { title: string; cut: number; running: boolean },
): TemplateResult {
  const key = `all:${entry.id}`;
  const all = page.isOpen(key, false);
  const lines = someLines(text, all ? Number.POSITIVE_INFINITY : shown, o.running ? 'end' : 'start');
  const title = firstLine(o.title, 40);
  const label = o.running ? t('Output of {0}, running', title) : t('Output of {0}', title);
  return html`<pre class=${all ? 'term term-all' : 'term'} tabindex="0" role="group" aria-label=${label}>${coloured(lines.text)}</pre>
    <div class="over"><button type="button" class="btn btn-icon" data-copy="text" .copyText=${text} aria-label=${t('Copy output')} title=${t('Copy output')}>${icon('copy')}</button></div>${
      lines.total > shown || o.cut > 0
        ? html`<div class="tool-more">${
            lines.total > shown
              ? html`<button type="button" class="btn-text" @click=${() => {
                  page.setOpen(key, !all);
                  page.redraw(entry);
                }}>${all ? t('Show fewer lines') : t('Show all {0} lines', number(lines.total))}</button>`
              : nothing
          }${o.cut > 0 ? html`<span class="dim tool-cut">${t('{0} more characters were left out', number(o.cut))}</span>` : nothing}</div>`
        : nothing
    }`;
}

/** Text of a terminal as spans. */
export function coloured(text: string): unknown {
  const drawn = text.length > most ? text.slice(0, most) : text;
  return ansi(drawn).map((run) =>
    run.classes === '' ? run.text : html`<span class=${run.classes}>${run.text}</span>`,
  );
}
