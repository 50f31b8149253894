import type { ClientSession } from '../acp/client';
import { RpcError } from '../acp/rpc';
import { type ContentBlock, ErrorCode } from '../acp/types';
import type { Exchange } from '../ask/exchange';
import { orStopped } from '../ask/stop';
import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Node, NodeId, NoticeNode } from '../chat/nodes';
import type { Core } from './core';
import type { StoredExchange } from './records';
import { transcriptOf } from './transcript';

/** What goes to the home agent in front of a prompt, and what to call when the prompt has arrived. */
export interface Front {
  blocks: ContentBlock[];
  arrived(): void;
}

/**
 * What the home agent has to be told before its next prompt: the pairs that asks left (rule 6), in order, each once; and, when the
 * person said so, the transcript of what a new child does not remember.
 */
export class Pairs {
  readonly #core: Core;
  readonly #all: StoredExchange[];
  #transcript: NodeId | undefined;

  constructor(core: Core, loaded?: { exchanges: StoredExchange[]; transcript: NodeId | undefined }) {
    this.#core = core;
    this.#all = loaded?.exchanges ?? [];
    this.#transcript = loaded?.transcript;
  }

  /** Pairs that are not in the home agent's history yet. */
  get pending(): readonly StoredExchange[] {
    return this.#all.filter((e) => !e.delivered);
  }

  add(id: string, node: NodeId, pair: Exchange): void {
    if (this.#all.some((e) => e.id === id)) return;
    this.#all.push({ id, node, ...pair, delivered: false });
    this.#core.file?.record({ exchange: { id, node, ...pair } });
  }

  /** The pair of this ask is there already. */
  has(node: NodeId): boolean {
    return this.#all.some((e) => e.node === node);
  }

  /** A line that says that a new child knows nothing of what stands above, with the remedy. Not said twice in a row. */
  notRemembered(home: string): void {
    const { writer, thread } = this.#core;
    if (!hasMemory(thread.values())) return;
    writer.notice({
      shape: 'line',
      level: 'info',
      title: l10n.t('{0} does not remember what stands above', home),
      actions: [{ id: 'give-transcript', label: l10n.t('Give her the transcript') }],
    });
  }

  /** The person wants the transcript given: it waits for the next prompt, and the line says so. */
  giveTranscript(node: NodeId, home: string): boolean {
    const notice = this.#core.thread.get(node);
    if (notice?.kind !== 'notice' || !notice.actions.some((a) => a.id === 'give-transcript')) return false;
    this.#transcript = node;
    this.#core.file?.record({ transcript: 'queued', node });
    this.#say(notice, l10n.t('{0} gets the transcript of what stands above with your next message', home));
    return true;
  }

  /**
   * Hands over what waits. Pairs go as pairs where the agent takes them, else as text in front of the prompt.
   * @throws CancelledError as soon as `stop` fires: what the agent has not confirmed by then waits for the next prompt, and a pair that
   * reaches it twice has the same id.
   */
  async before(session: ClientSession, takesExchanges: boolean, home: string, stop: AbortSignal): Promise<Front> {
    const blocks: ContentBlock[] = [];
    const arrived: (() => void)[] = [];
    const pending = this.pending;
    const node = this.#transcript;
    if (node !== undefined) {
      const without = new Set(pending.map((e) => e.node));
      const text = transcriptOf(this.#core.thread.values(), { until: node, without });
      if (text !== '') blocks.push({ type: 'text', text: framed(text) });
      arrived.push(() => this.#given(node, home));
    }
    let asPairs = takesExchanges;
    for (const exchange of pending) {
      if (asPairs) asPairs = await this.#send(session, exchange, stop);
      if (asPairs) continue;
      blocks.push({ type: 'text', text: `${exchange.user}\n${exchange.assistant}` });
      arrived.push(() => this.#delivered(exchange));
    }
    return {
      blocks,
      arrived: () => {
        for (const done of arrived.splice(0)) done();
      },
    };
  }

  /** False when the agent does not take pairs after all. Any other failure is the turn's. */
  async #send(session: ClientSession, exchange: StoredExchange, stop: AbortSignal): Promise<boolean> {
    const { id, user, assistant } = exchange;
    try {
      await orStopped(session.exchange({ id, user, assistant }), stop, 0);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== ErrorCode.methodNotFound) throw error;
      this.#core.log.warn(`The agent says that it takes exchanges, and does not: ${describe(error)}`);
      return false;
    }
    this.#delivered(exchange);
    return true;
  }

  #delivered(exchange: StoredExchange): void {
    exchange.delivered = true;
    this.#core.file?.record({ delivered: exchange.id });
  }

  #given(node: NodeId, home: string): void {
    if (this.#transcript === node) this.#transcript = undefined;
    this.#core.file?.record({ transcript: 'given', node });
    const notice = this.#core.thread.get(node);
    if (notice?.kind === 'notice') this.#say(notice, l10n.t('{0} was given the transcript of what stands above', home));
  }

  #say(notice: NoticeNode, title: string): void {
    this.#core.writer.put({ ...notice, title, actions: [] });
  }
}

/** There is a turn of the home agent that a new child would not know, and no line that says so already. */
function hasMemory(nodes: Iterable<Node>): boolean {
  let memory = false;
  for (const node of nodes) {
    if (node.kind === 'turn') memory = true;
    else if (node.kind === 'notice' && node.actions.some((a) => a.id === 'give-transcript')) memory = false;
  }
  return memory;
}

/** The transcript in a frame whose lines are longer than any row of dashes in it, so that nothing in it can end the frame. */
function framed(text: string): string {
  let longest = 3;
  for (const [dashes] of text.matchAll(/-{4,}/g)) longest = Math.max(longest, dashes.length);
  const rule = '-'.repeat(Math.min(longest, 200) + 1);
  return [
    'You were started anew and do not remember this conversation. This is what was said in it; the next message stands below.',
    `${rule} context ${rule}`,
    text,
    `${rule} end of context ${rule}`,
  ].join('\n');
}
