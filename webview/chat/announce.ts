import type { Patch } from '../../src/chat/nodes';
import { t } from './base/l10n';
import { askName, firstLine, toolLabel } from './base/names';

/**
 * Tells a screen reader what matters and nothing else: who starts, which tool runs, what waits for an answer, what has ended (faults F063). Words of
 * an answer are not spoken as they come; the log itself is silent.
 */
export class Announcer {
  readonly element: HTMLElement;
  readonly #said = new Map<string, string>();
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.element = document.createElement('div');
    this.element.className = 'sr';
    this.element.setAttribute('role', 'status');
  }

  say(text: string): void {
    this.#waiting.push(text);
    // a burst becomes one sentence or three, the newest
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.element.textContent = this.#waiting.slice(-3).join('. ');
      this.#waiting = [];
    }, 250);
  }

  patches(patches: readonly Patch[]): void {
    for (const patch of patches) {
      if (patch.op !== 'put') continue;
      const text = spoken(patch.node);
      if (text === undefined || this.#said.get(patch.node.id) === text) continue;
      this.#said.set(patch.node.id, text);
      this.say(text);
    }
  }

  /** What is already there is not news. */
  skip(nodes: Iterable<Extract<Patch, { op: 'put' }>['node']>): void {
    this.#said.clear();
    for (const node of nodes) {
      const text = spoken(node);
      if (text !== undefined) this.#said.set(node.id, text);
    }
  }
}

function spoken(node: Extract<Patch, { op: 'put' }>['node']): string | undefined {
  switch (node.kind) {
    case 'turn':
      return node.state === 'done' ? t('{0} has ended', node.agent.name) : t('{0} has begun', node.agent.name);
    case 'ask':
      return node.state === 'done' ? t('{0}, has ended', askName(node)) : t('{0}, has begun', askName(node));
    case 'tool':
      return node.state === 'waiting' ? undefined : toolLabel(node);
    case 'permission':
      if (node.state !== 'waiting') return undefined;
      // a dialog is read out by the editor; a card has nobody else to tell what it is about
      return node.card && node.command !== ''
        ? t('Permission: {0}: {1}', node.name, firstLine(node.command, 120))
        : t('Permission: {0}', node.name);
    case 'notice':
      return node.title;
    default:
      return undefined;
  }
}
