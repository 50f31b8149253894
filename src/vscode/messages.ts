import type { AgentAction, FromAgentsPage, FromDetailsPage, GroupAction, Side } from '../a2a/view';
import type { FromAsksPage } from '../chat/asks';
import type { NoticeAction } from '../chat/nodes';
import type { FromPage } from '../chat/page';

/** Longest text that the composer may send, UTF-16 units. A page that sends more is broken or hostile. */
const maxText = 1_000_000;
const maxId = 256;
const maxLink = 8_192;

const answers: ReadonlySet<string> = new Set(['allow_once', 'allow_conversation', 'reject']);

/** Every action that a notice can have; a new one that is missing here does not compile. */
const actions: Record<NoticeAction['id'], true> = {
  'ask-again': true,
  'try-again': true,
  'show-log': true,
  stop: true,
  'force-stop': true,
  wait: true,
  'manage-trust': true,
  'show-file': true,
  'allow-version': true,
  'not-now': true,
  'open-config': true,
  'open-folder': true,
  'give-transcript': true,
  'keep-answer': true,
  'reload-window': true,
  'take-over': true,
};

function text(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max;
}

function id(value: unknown): value is string {
  return text(value, maxId) && value.length > 0;
}

/**
 * A message of the page, checked by hand and copied field by field: the page shows what models wrote, so nothing of it
 * is believed. Undefined for anything that is not exactly one of the known messages.
 */
export function parseFromPage(raw: unknown): FromPage | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const m = raw as Record<string, unknown>;
  switch (m.type) {
    case 'ready':
    case 'stop':
    case 'typing':
      return { type: m.type };
    case 'focused':
      return typeof m.on === 'boolean' ? { type: 'focused', on: m.on } : undefined;
    case 'send':
    case 'draft':
      return text(m.text, maxText) ? { type: m.type, text: m.text } : undefined;
    case 'stopAsk':
      return id(m.id) ? { type: 'stopAsk', id: m.id } : undefined;
    case 'answer':
      return id(m.questionId) && typeof m.answer === 'string' && answers.has(m.answer)
        ? {
            type: 'answer',
            questionId: m.questionId,
            answer: m.answer as 'allow_once' | 'allow_conversation' | 'reject',
          }
        : undefined;
    case 'action':
      return id(m.node) && typeof m.action === 'string' && Object.hasOwn(actions, m.action)
        ? { type: 'action', node: m.node, action: m.action as NoticeAction['id'] }
        : undefined;
    case 'home':
      return id(m.name) ? { type: 'home', name: m.name } : undefined;
    case 'open':
      return text(m.href, maxLink) ? { type: 'open', href: m.href } : undefined;
    default:
      return undefined;
  }
}

/** A message of the page of asks, checked in the same way. */
export function parseFromAsksPage(raw: unknown): FromAsksPage | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const m = raw as Record<string, unknown>;
  switch (m.type) {
    case 'ready':
    case 'stopAll':
      return { type: m.type };
    case 'stop':
    case 'open':
      return id(m.id) ? { type: m.type, id: m.id } : undefined;
    default:
      return undefined;
  }
}

const agentActions: Record<AgentAction, true> = {
  ask: true,
  'ask-with-context': true,
  details: true,
  probe: true,
  'copy-model': true,
  'copy-curl': true,
  'open-card': true,
  compare: true,
  'add-to-file': true,
  'open-file': true,
  offer: true,
  withdraw: true,
  register: true,
  'edit-limits': true,
  'make-public': true,
  'create-key': true,
  delete: true,
};
const groupActions: Record<GroupAction, true> = {
  refresh: true,
  'enter-key': true,
  'open-file': true,
  'open-address': true,
  'add-registry': true,
  create: true,
  'learn-more': true,
};
/** Ids of agents hold names of other people's making. */
const maxAgentId = 2_048;

function isOneOf<T extends string>(value: unknown, known: Record<T, true>): value is T {
  return typeof value === 'string' && Object.hasOwn(known, value);
}

/** A message of the page of agents, checked in the same way. */
export function parseFromAgentsPage(raw: unknown): FromAgentsPage | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const m = raw as Record<string, unknown>;
  const { action } = m;
  switch (m.type) {
    case 'opened':
      return text(m.id, maxAgentId) ? { type: 'opened', id: m.id } : undefined;
    case 'do':
      return text(m.id, maxAgentId) && isOneOf(action, agentActions) ? { type: 'do', action, id: m.id } : undefined;
    case 'group': {
      if (!isOneOf(action, groupActions)) return undefined;
      if (m.group === undefined) return { type: 'group', action };
      return text(m.group, maxAgentId) ? { type: 'group', action, group: m.group } : undefined;
    }
    default:
      return undefined;
  }
}

/** A message of the page of one agent, checked in the same way. */
export function parseFromDetailsPage(raw: unknown): FromDetailsPage | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const m = raw as Record<string, unknown>;
  const { action } = m;
  switch (m.type) {
    case 'do':
      return isOneOf(action, agentActions) ? { type: 'do', action } : undefined;
    case 'group':
      return isOneOf(action, groupActions) ? { type: 'group', action } : undefined;
    case 'ask':
      return text(m.prompt, maxText) ? { type: 'ask', prompt: m.prompt } : undefined;
    case 'copy':
      return m.what === 'address' || m.what === 'announced' || m.what === 'json'
        ? { type: 'copy', what: m.what }
        : undefined;
    case 'apply':
      return isChoices(m.choices) ? { type: 'apply', choices: m.choices } : undefined;
    default:
      return undefined;
  }
}

function isChoices(value: unknown): value is Record<string, Side> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const sides = Object.values(value);
  return sides.length <= 200 && sides.every((side) => side === 'theirs' || side === 'ours');
}
