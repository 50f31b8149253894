import { type TranscriptItem, transcript } from '../ask/transcript';
import type { Node, NodeId } from '../chat/nodes';

/**
 * What stands in a conversation, for an agent that does not know it (rule 7): questions, answers, one line per tool call. `until`: only
 * what stands above this node. `without`: asks that reach the agent in another way.
 */
export function transcriptOf(nodes: Iterable<Node>, o: { until?: NodeId; without?: ReadonlySet<NodeId> } = {}): string {
  return transcript(itemsOf(nodes, o.until, o.without ?? new Set()));
}

function itemsOf(nodes: Iterable<Node>, until: NodeId | undefined, without: ReadonlySet<NodeId>): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const speakers = new Map<NodeId, string>();
  const skipped = new Set<NodeId>(without);
  let pendingUser: TranscriptItem | undefined;
  for (const node of nodes) {
    if (node.id === until) break;
    if (node.parent !== undefined && skipped.has(node.parent)) {
      skipped.add(node.id);
      continue;
    }
    const speaker = node.parent === undefined ? undefined : speakers.get(node.parent);
    switch (node.kind) {
      case 'user':
        // Held back until it is known whether it was an ask that goes another way.
        if (pendingUser) items.push(pendingUser);
        pendingUser = { kind: 'message', speaker: 'User', text: node.text };
        break;
      case 'ask':
        if (skipped.has(node.id)) {
          if (node.parent === undefined) pendingUser = undefined;
          break;
        }
        // What a hook took out of a question is not told to anybody.
        if (pendingUser && node.parent === undefined && node.rewritten)
          pendingUser = { kind: 'message', speaker: 'User', text: `/ask-${node.agent.name} ${node.prompt}` };
        if (pendingUser) items.push(pendingUser);
        pendingUser = undefined;
        speakers.set(node.id, node.agent.name);
        if (node.parent !== undefined) {
          items.push({ kind: 'message', speaker: node.askedBy, text: `[asks ${node.agent.name}] ${node.prompt}` });
        }
        break;
      case 'turn':
        if (pendingUser) items.push(pendingUser);
        pendingUser = undefined;
        speakers.set(node.id, node.agent.name);
        break;
      case 'text':
        if (speaker !== undefined && !node.afterStop && !node.withheld)
          items.push({ kind: 'message', speaker, text: node.text });
        break;
      case 'tool':
        if (speaker !== undefined) {
          items.push({ kind: 'tool', speaker, tool: node.name, what: node.what || node.title, state: node.state });
        }
        break;
    }
  }
  if (pendingUser) items.push(pendingUser);
  return items;
}
