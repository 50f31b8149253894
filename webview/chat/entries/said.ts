import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AskNode, TurnNode } from '../../../src/chat/nodes';
import { clockTime, everySecond, tenths } from '../base/clock';
import { avatar } from '../base/face';
import { icon } from '../base/icons';
import { filled, number, slot, t, timeOfDay } from '../base/l10n';
import { askName, firstLine, hue, modelOf, tokens } from '../base/names';
import { isLive, type Page } from '../base/page';
import type { Entry } from '../base/store';
import { watch } from '../base/watch';
import { endOf } from './ends';
import { type Group, groups, runningVerb, sentence } from './group';
import { words } from './markdown';
import { notice } from './notice';
import { permission } from './permission';
import { plan } from './plan';
import { silence, starting } from './starting';
import { thought } from './thought';
import { toolCard, toolStep } from './tool';
import { unsupported } from './unsupported';
import { user } from './user';

/** Any entry of the conversation; drawn anew when its node is put anew, and only then. */
export function entryView(page: Page, entry: Entry): unknown {
  const live = isLive(entry.parent);
  const holds = entry.node.kind === 'turn' || entry.node.kind === 'ask';
  return watch(holds ? [entry.self, entry.kids] : [entry.self], () => view(page, entry, live), [live]);
}

function view(page: Page, entry: Entry, live: boolean): unknown {
  const node = entry.node;
  switch (node.kind) {
    case 'user':
      return user(node);
    case 'turn':
      return turn(page, entry, node);
    case 'ask':
      return ask(page, entry, node);
    case 'text':
      return html`<div class=${node.afterStop || node.withheld ? 'md after-stop' : 'md'} data-entry=${entry.id} ${words(page, entry, node.done || !live)}></div>`;
    case 'thought':
      return thought(page, entry, node, live);
    case 'tool':
      return toolCard(page, entry, node, live);
    case 'plan':
      return plan(page, entry, node);
    case 'permission':
      return permission(page, node);
    case 'notice':
      return notice(page, node);
    case 'unsupported':
      return unsupported(page, entry, node);
  }
}

/** One turn of the home agent, under its face. */
function turn(page: Page, entry: Entry, node: TurnNode): TemplateResult {
  if (node.state === 'starting' && entry.children.length === 0) return starting(page, node);
  const name = node.agent.name;
  const live = node.state !== 'done';
  const time = timeOfDay(node.at);
  return html`<article class="said" data-entry=${entry.id} data-hue=${hue(name)} aria-label=${name} aria-busy=${live ? 'true' : nothing}>
    <header class="who">${avatar(name)}<span class="who-name">${name}</span> <span class="who-model cut">${model(node)}</span><time class="who-time" datetime=${time.iso}>${time.text}</time></header>${content(page, entry, 'turn')}${silence(page, entry, node)}${endOf(page, entry, node)}${live ? nothing : actions(entry)}</article>`;
}

/** One ask: a rail in the accent of who is asked, a header, and everything that an entry can hold. */
function ask(page: Page, entry: Entry, node: AskNode): TemplateResult {
  if (node.state === 'starting' && entry.children.length === 0) return starting(page, node);
  const name = node.agent.name;
  const key = `ask:${entry.id}`;
  const open = page.isOpen(key, true);
  const live = node.state !== 'done';
  const id = `ask-${entry.id}`;
  const state = live ? (node.state === 'waiting' ? 'waiting' : 'running') : failed(node) ? 'failed' : 'done';
  const toggle = () => {
    page.setOpen(key, !open);
    page.redraw(entry);
  };
  return html`<article class="ask" data-entry=${entry.id} data-hue=${hue(name)} data-state=${state} aria-label=${askName(node)} aria-busy=${live ? 'true' : nothing}>
    <header class="ask-head">
      <button type="button" class="ask-who" aria-expanded=${open} aria-controls=${id} @click=${toggle}>${avatar(name)}<span class="who-name">${name}</span> <span class="who-model cut">${model(node)}</span></button>
      <div class="facts-line"><ul><li>${t('asked by {0}', node.askedBy)}</li>${node.withContext ? html`<li>${t('with this conversation')}</li>` : nothing}${node.tokens ? html`<li>${tokens(node.tokens)}</li>` : nothing}</ul></div>
      ${askLive(page, node, state)}
    </header>
    <div class="ask-body said" id=${id} ?hidden=${!open}>${
      open
        ? html`${asked(page, entry, node)}${content(page, entry, 'ask')}${silence(page, entry, node)}${endOf(page, entry, node)}${foot(node)}`
        : nothing
    }</div>
  </article>`;
}

function failed(node: AskNode): boolean {
  const how = node.end?.how;
  return how === 'died' || how === 'failed' || how === 'watchdog';
}

function askLive(page: Page, node: AskNode, state: string): TemplateResult {
  const stop =
    node.stoppedAt !== undefined
      ? nothing
      : html`<button type="button" class="btn btn-bare btn-stop" aria-label=${t('Stop {0}', node.agent.name)} @click=${() => page.post({ type: 'stopAsk', id: node.id })}>${t('Stop')}</button>`;
  if (state === 'waiting') return html`<div class="ask-live wait"><span>${t('waits for you')}</span>${stop}</div>`;
  if (state === 'running') {
    return html`<div class="ask-live">${icon('loading', 'icon-s spin')}<span class="num" role="timer" aria-label=${t('Elapsed')}>${everySecond(() => clockTime(Date.now() - node.at))}</span>${stop}</div>`;
  }
  const took = html`<span class="num">${tenths((node.endedAt ?? node.at) - node.at)}</span>`;
  if (state === 'failed') return html`<div class="ask-live bad">${icon('error', 'icon-s')}${took}</div>`;
  const how = node.end?.how;
  const symbol =
    how === 'stopped'
      ? 'stop-circle'
      : how === 'refusal' || how === 'not-asked' || how === 'withheld'
        ? 'circle-slash'
        : 'check';
  return html`<div class="ask-live">${icon(symbol, 'icon-s')}${took}</div>`;
}

/** What an agent was asked by another one, or what a hook made of a question, stands nowhere else. */
function asked(page: Page, entry: Entry, node: AskNode): unknown {
  if ((entry.parent === undefined && !node.rewritten) || node.prompt === '') return nothing;
  const key = `prompt:${entry.id}`;
  const open = page.isOpen(key, false);
  return html`<div class="fold steps"><button type="button" class="fold-head" aria-expanded=${open} @click=${() => {
    page.setOpen(key, !open);
    page.redraw(entry);
  }}>${icon('chevron-right', 'twist')}<span class="cut">${t('Asked: {0}', firstLine(node.prompt, 200))}</span></button>${open ? html`<div class="fold-body"><p class="typed">${node.prompt}</p></div>` : nothing}</div>`;
}

function foot(node: AskNode): unknown {
  if (node.state !== 'done' || !node.kept) return nothing;
  const text =
    node.cut > 0
      ? t('Kept in the conversation, without its last {0} characters', number(node.cut))
      : t('Kept in the conversation');
  return html`<footer class="ask-foot">${icon('bookmark')}<span>${text}</span></footer>`;
}

/** Everything that was thought, done and said, in the order in which it came; what is only steps folds. */
function content(page: Page, entry: Entry, parent: 'turn' | 'ask'): unknown {
  const list = groups(entry.children, parent, !isLive(entry));
  return repeat(
    list,
    (group) => (group.kind === 'one' ? group.entry.id : group.key),
    (group) => (group.kind === 'one' ? entryView(page, group.entry) : steps(page, entry, group)),
  );
}

/** A run of calls as one sentence; the calls are in the tree when it is open. */
function steps(page: Page, owner: Entry, group: Extract<Group<Entry>, { kind: 'steps' }>): TemplateResult {
  const open = page.isOpen(group.key, false);
  const nodes = group.entries.map((entry) => entry.node);
  const running = nodes.find((node) => node.kind === 'tool' && node.state === 'running');
  const calls = nodes.filter((node) => node.kind === 'tool');
  const summary =
    running?.kind === 'tool'
      ? calls.length === 1
        ? filled(t('{0} {1}', runningVerb(running), slot), html`<code>${running.what || running.title}</code>`)
        : filled(
            t('{0} {1}, {2} of {3}', runningVerb(running), slot, calls.indexOf(running) + 1, calls.length),
            html`<code>${running.what || running.title}</code>`,
          )
      : sentence(nodes);
  const took = nodes.reduce(
    (sum, node) =>
      sum + ((node.kind === 'tool' || node.kind === 'ask') && node.endedAt !== undefined ? node.endedAt - node.at : 0),
    0,
  );
  const aside =
    running?.kind === 'tool'
      ? everySecond(() => tenths(Date.now() - running.at))
      : calls.length > 0 && nodes.every((node) => node.kind !== 'ask')
        ? tenths(took)
        : undefined;
  return html`<div class="fold steps"><button type="button" class="fold-head" aria-expanded=${open} @click=${() => {
    page.setOpen(group.key, !open);
    page.redraw(owner);
  }}>${running ? icon('loading', 'spin') : icon('chevron-right', 'twist')}<span class="cut">${summary}</span>${aside === undefined ? nothing : html`<span class="num" aria-hidden="true">${aside}</span>`}</button>${
    open
      ? html`<div class="fold-body said">${repeat(
          group.entries,
          (e) => e.id,
          (e) =>
            e.node.kind === 'tool'
              ? watch([e.self], () => (e.node.kind === 'tool' ? toolStep(page, e, e.node) : nothing))
              : entryView(page, e),
        )}</div>`
      : nothing
  }</div>`;
}

/** What can be done with an answer. */
function actions(entry: Entry): unknown {
  const texts = entry.children.filter((child) => child.node.kind === 'text');
  if (texts.length === 0) return nothing;
  return html`<div class="actions"><button type="button" class="btn btn-icon" data-copy="answer" .copyText=${() =>
    texts
      .map((child) => (child.node.kind === 'text' ? child.node.text : ''))
      .join('\n\n')} aria-label=${t('Copy answer')} title=${t('Copy answer')}>${icon('copy')}</button></div>`;
}

function model(node: TurnNode | AskNode): string {
  return node.agent.provider === 'demo' ? t('demo: no model behind it') : modelOf(node.agent);
}
