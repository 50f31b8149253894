import { l10n } from '../base/l10n';
import type { Node, Patch, PermissionNode } from './nodes';
import type { Thread } from './patch';
import { endScriptAsks } from './script-asks';

/**
 * Patches that end what a conversation from the disk still calls running: its window went away in the middle. `title` says so on the
 * turns and asks; nothing spins for ever (faults F036, F044).
 */
export function settleOpen(thread: Thread, title: (agent: string) => string, at: number): Patch[] {
  const out: Patch[] = [];
  const put = (node: Node) => out.push({ op: 'put', node });
  for (const node of thread.values()) {
    switch (node.kind) {
      case 'text':
        if (!node.done) put({ ...node, done: true });
        break;
      case 'thought':
        if (!node.done) put({ ...node, done: true, endedAt: at });
        break;
      case 'tool':
        if (node.state === 'running' || node.state === 'waiting') {
          const asks = node.asks ? { asks: endScriptAsks(node.asks, at) } : {};
          put({ ...node, ...asks, state: 'no-result', endedAt: at });
        }
        break;
      case 'permission':
        if (node.state === 'waiting') put({ ...node, state: 'withdrawn', more: 0 });
        break;
      case 'turn':
      case 'ask':
        if (node.state !== 'done') {
          const { until: _until, stoppedAt: _stopped, ...rest } = node;
          put({ ...rest, state: 'done', endedAt: at, end: { how: 'failed', title: title(node.agent.name) } });
        }
        break;
    }
  }
  return out;
}

/** Questions that wait in the window that writes the conversation, as another window shows them: only the owner asks (faults F049). */
export function askedElsewhere(thread: Thread): Patch[] {
  return [...thread.values()].flatMap((node): Patch[] =>
    node.kind === 'permission' && node.state === 'waiting' ? [{ op: 'put', node: elsewhere(node) }] : [],
  );
}

/** A change that another window has written, as it is shown here: what waits there for the person can be answered there only. */
export function changedElsewhere(patch: Patch): Patch {
  if (patch.op !== 'put' || patch.node.kind !== 'permission' || patch.node.state !== 'waiting') return patch;
  return { op: 'put', node: elsewhere(patch.node) };
}

function elsewhere(node: PermissionNode): PermissionNode {
  return { ...node, card: false, why: l10n.t('the window that has this conversation asks') };
}
