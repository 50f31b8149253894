import { html, nothing, type TemplateResult } from 'lit';
import type { Face, Node, PermissionNode } from '../../../src/chat/nodes';
import { avatar, avatarOfPerson } from '../base/face';
import { icon } from '../base/icons';
import { filled, number, slot, t } from '../base/l10n';
import type { Page } from '../base/page';
import { diff } from './diff';
import { line } from './ends';

/** The person's answers, and the keys by which a waiting card takes them. */
export type Answer = 'allow_once' | 'allow_conversation' | 'reject';

/** A question to the person: a card while it waits here, one line when it is answered or is asked elsewhere (look, "Permission card"). */
export function permission(page: Page, node: PermissionNode): TemplateResult {
  const name = html`<code>${node.name}</code>`;
  switch (node.state) {
    case 'waiting':
      return node.card
        ? card(page, node)
        : line(
            'shield',
            'wait',
            node.why
              ? filled(t('{0} waits: {1}', slot, node.why), name)
              : filled(t('{0} waits for your answer in the dialog', slot), name),
          );
    case 'allowed':
      return line(
        'check',
        '',
        node.why
          ? filled(t('{0} ran without asking: {1}', slot, node.why), name)
          : filled(t('You allowed {0} once', slot), name),
      );
    case 'allowed-conversation':
      return line('check-all', '', filled(t('You allowed {0} for this conversation', slot), name));
    case 'rejected':
      return line('circle-slash', '', filled(t('You rejected {0}', slot), name));
    case 'withdrawn':
      return line(
        'dash',
        '',
        node.why ? t('Withdrawn: {0}', node.why) : filled(t('Withdrawn before you answered {0}', slot), name),
      );
    case 'refused':
      return line(
        'circle-slash',
        '',
        node.why
          ? t('Refused without asking: {0}', node.why)
          : filled(t('Refused without asking: nobody could answer {0}', slot), name),
      );
  }
}

function wants(node: PermissionNode): string {
  switch (node.verb) {
    case 'run':
      return t('wants to run');
    case 'change':
      return node.diffs.length <= 1 ? t('wants to change 1 file') : t('wants to change {0} files', node.diffs.length);
    case 'ask':
      return t('wants to ask another agent');
    case 'use':
      return t('wants to use this tool');
  }
}

function card(page: Page, node: PermissionNode): TemplateResult {
  const id = `q-${node.id}`;
  const hidden = node.hidden > 0;
  const answer = (a: Answer) => () => answerCard(page, node, a);
  // with several cards the keys answer one of them, and only that one shows them
  const keys = page.keysAt === node.id;
  const key = (label: string) => (keys ? html` <kbd data-key=${label} aria-hidden="true"></kbd>` : nothing);
  return html`<section class="perm" role="alertdialog" tabindex="-1" data-entry=${node.id} data-question=${node.questionId} aria-label=${t('Permission: {0}', node.name)} aria-describedby=${hidden ? `${id} ${id}-w` : id}>
    <header class="perm-head">${icon('shield', 'wait')}<h2><b>${node.name}</b> ${wants(node)}</h2>${
      node.more > 0 ? html`<span class="perm-more">${t('{0} more waiting', number(node.more))}</span>` : nothing
    }</header>${
      node.command === ''
        ? nothing
        : html`<pre class="perm-cmd" id=${id} tabindex="0">${hidden ? chips(node.command) : node.command}</pre>`
    }${
      hidden
        ? html`<p class="perm-warn" id=${`${id}-w`}>${icon('warning')}<span>${
            node.hidden === 1
              ? t('1 character that a terminal would hide. Read the line as it stands here.')
              : t('{0} characters that a terminal would hide. Read the line as it stands here.', number(node.hidden))
          }</span></p>`
        : nothing
    }${node.diffs.map((d, i) => diff(d, node.command === '' && i === 0 ? id : undefined))}
    <dl class="perm-facts">${node.cwd === '' ? nothing : html`<dt>${t('Folder')}</dt><dd><code>${node.cwd}</code></dd>`}
      <dt>${t('Chain')}</dt><dd><ol class="chain" aria-label=${t('Chain')}>${chain(node.chain)}</ol></dd>
      <dt>${t('Reason')}</dt>${node.reason ? html`<dd>“${node.reason}”</dd>` : html`<dd class="dim">${t('none given')}</dd>`}
    </dl>${node.canAllow ? nothing : html`<p class="perm-warn">${icon('warning')}<span>${node.why || t('This agent offers no way to allow a single call, so it can only be rejected.')}</span></p>`}
    <div class="perm-actions">${
      node.canAllow
        ? html`<button type="button" class=${hidden ? 'btn' : 'btn btn-primary'} aria-label=${t('Allow once')} aria-keyshortcuts=${keys ? 'Alt+Enter' : nothing} @click=${answer('allow_once')}>${t('Allow Once')}${key('Alt ⏎')}</button>`
        : nothing
    }${
      node.canAllow && node.canRemember
        ? html`<button type="button" class="btn" aria-label=${t('Allow for this conversation')} aria-keyshortcuts=${keys ? 'Alt+Shift+Enter' : nothing} title=${t('Every call of {0}', node.name)} @click=${answer('allow_conversation')}>${t('Allow for This Conversation')}${key('Alt ⇧ ⏎')}</button>`
        : nothing
    }<button type="button" class="btn" aria-label=${t('Reject')} aria-keyshortcuts=${keys ? 'Escape' : nothing} @click=${answer('reject')}>${t('Reject')}${key('Esc')}</button>
    </div>
  </section>`;
}

/** Every chain begins with the person, whatever the host's language calls them. */
function chain(faces: readonly Face[]): TemplateResult[] {
  const person = t('You');
  const agents = faces.slice(1);
  return [
    html`<li>${avatarOfPerson(person)}${person}</li>`,
    ...agents.map((face) => html`<li>${avatar(face.name, 's')}${face.name}</li>`),
  ];
}

/** Hidden characters as chips; the extension has made them visible as `[U+202E]`. */
function chips(command: string): unknown {
  return command
    .split(/(\[U\+[0-9A-F]{4,6}\])/)
    .map((part, i) => (i % 2 === 1 ? html`<span class="unseen">${part.slice(1, -1)}</span>` : part));
}

/** Milliseconds after an answer in which no other card is allowed: a second click or key of the same haste was meant for the one before. */
const answerPause = 400;

/** The person's word to a card. */
export function answerCard(page: Page, { questionId }: PermissionNode, answer: Answer): void {
  const now = performance.now();
  const last = page.answered;
  if (answer !== 'reject' && last && last.questionId !== questionId && now - last.at < answerPause) return;
  page.answered = { questionId, at: now };
  page.post({ type: 'answer', questionId, answer });
}

/** The waiting card that the keys answer: the one to which the person has gone, else the first one of the conversation. */
export function waitingCard(page: Page): PermissionNode | undefined {
  const chosen = page.card === undefined ? undefined : page.store.get(page.card)?.node;
  if (isWaitingCard(chosen)) return chosen;
  for (const { node } of page.store.all()) if (isWaitingCard(node)) return node;
  return undefined;
}

function isWaitingCard(node: Node | undefined): node is PermissionNode {
  return node?.kind === 'permission' && node.card && node.state === 'waiting';
}
