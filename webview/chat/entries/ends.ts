import { html, nothing, type TemplateResult } from 'lit';
import type { AskNode, End, NoticeAction, TurnNode } from '../../../src/chat/nodes';
import { seconds } from '../base/clock';
import { type IconName, icon } from '../base/icons';
import { t } from '../base/l10n';
import type { Page } from '../base/page';
import type { Entry } from '../base/store';
import { withCode } from './notice';
import { coloured } from './output';

interface Remedy {
  label: string;
  click: () => void;
}

/** One dim sentence with its remedies as links (look, "States"). */
export function line(
  name: IconName,
  tone: string,
  text: unknown,
  remedies: Remedy[] = [],
  entry?: Entry,
): TemplateResult {
  return html`<p class="turn-end" data-entry=${entry?.id ?? nothing}>${icon(name, tone)}<span>${text}${remedies.map(
    (r) => html`&ensp;<button type="button" class="btn-text" @click=${r.click}>${r.label}</button>`,
  )}</span></p>`;
}

/** How a turn or an ask ended, where that is worth a sentence. */
export function endOf(page: Page, entry: Entry, node: TurnNode | AskNode): unknown {
  const end = node.end;
  if (node.state !== 'done' || !end || end.how === 'done') return nothing;
  const act = (action: NoticeAction['id'], label: string): Remedy => ({
    label,
    click: () => page.post({ type: 'action', node: node.id, action }),
  });
  const again = node.kind === 'ask' ? act('ask-again', t('Ask again')) : act('try-again', t('Try again'));
  const keep = node.kind === 'ask' && !node.kept && hasWords(entry) ? [act('keep-answer', t('Keep what came'))] : [];
  switch (end.how) {
    case 'stopped':
      return line('stop-circle', '', t('Stopped by you after {0}', seconds((node.endedAt ?? node.at) - node.at)), keep);
    case 'refusal':
      return line('circle-slash', '', t('The model refused to answer this'), edit(page, entry));
    case 'max_tokens':
      return line('warning', 'wait', t('Out of tokens: the answer ends here'));
    case 'max_turn_requests':
      return line('warning', 'wait', t('Out of steps: the agent may not ask its model again in this turn'));
    case 'empty':
      return line('dash', '', t('Nothing came back: {0} ended its turn without a word', node.agent.name), [again]);
    case 'watchdog':
      return line('watch', 'wait', silence(end.seconds, node.kind), [
        again,
        act('open-config', t('Settings')),
        ...keep,
      ]);
    case 'not-asked':
      return line('circle-slash', '', t('Not asked: {0}', end.why));
    case 'withheld':
      return line('circle-slash', '', t('Not kept: {0}', end.why));
    case 'died':
    case 'failed':
      return card(page, entry, node, end, keep);
  }
}

function silence(s: number, kind: 'turn' | 'ask'): string {
  return kind === 'ask'
    ? t('{0} s of silence, so the ask was ended', s)
    : t('{0} s of silence, so the turn was ended', s);
}

function hasWords(entry: Entry): boolean {
  return entry.children.some(({ node }) => node.kind === 'text' && !node.withheld && node.text.trim() !== '');
}

/** Puts the message that was refused back into the composer. */
function edit(page: Page, entry: Entry): Remedy[] {
  const list = page.store.top;
  let at = list.indexOf(entry);
  while (at >= 0 && list[at]!.node.kind !== 'user') at--;
  const node = list[at]?.node;
  return node?.kind === 'user' ? [{ label: t('Edit the message'), click: () => page.compose(node.text) }] : [];
}

/** The process ended, or the agent failed: what happened, what is lost, what to do. */
function card(
  page: Page,
  entry: Entry,
  node: TurnNode | AskNode,
  end: Extract<End, { how: 'died' | 'failed' }>,
  more: Remedy[],
): TemplateResult {
  const name = node.agent.name;
  const words = hasWords(entry);
  const died = end.how === 'died';
  const lost = died
    ? words
      ? t('The words above are all that came. The next ask starts it again by itself.')
      : t('Nothing came before it ended. The next ask starts it again by itself.')
    : words
      ? t('The words above are all that came.')
      : '';
  const detail = died ? end.stderrTail : (end.detail ?? '');
  const short = !died && detail.length <= 200 && !detail.includes('\n');
  const again = node.kind === 'ask' ? 'ask-again' : 'try-again';
  const label = died
    ? node.kind === 'ask'
      ? t('Restart and Ask Again')
      : t('Restart and Try Again')
    : node.kind === 'ask'
      ? t('Ask Again')
      : t('Try Again');
  return html`<section class="notice" aria-label=${died ? t('{0} stopped unexpectedly', name) : t('{0} failed', name)}>
    <div class="notice-head">${icon('error', 'bad')}<div class="grow"><h2>${end.title}</h2>${short && detail !== '' ? html`<p>${withCode(detail)}</p>` : nothing}${lost === '' ? nothing : html`<p>${lost}</p>`}</div></div>${
      detail === '' || short
        ? nothing
        : html`<pre class="term" tabindex="0" role="group" aria-label=${died ? t('Last lines of {0}’s error output', name) : t('What {0} said', name)}>${coloured(detail)}</pre>`
    }
    <div class="btns"><button type="button" class="btn btn-primary" @click=${() => page.post({ type: 'action', node: node.id, action: again })}>${label}</button><button type="button" class="btn" @click=${() => page.post({ type: 'action', node: node.id, action: 'show-log' })}>${t('Show Log')}</button>${more.map(
      (r) => html`<button type="button" class="btn" @click=${r.click}>${r.label}</button>`,
    )}</div>
  </section>`;
}
