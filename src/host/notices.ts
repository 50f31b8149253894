import { describe } from '../base/errors';
import { l10n } from '../base/l10n';
import type { NoticeNode } from '../chat/nodes';

/** A line over the composer that belongs to one conversation. */
export function overComposer(id: string, title: string): NoticeNode {
  return { kind: 'notice', id: `conversation:${id}`, at: 0, shape: 'line', level: 'warning', title, actions: [] };
}

/** The session is held by a child that the present `mm.yaml` would not start. */
export function outdatedNotice(home: string): NoticeNode {
  const text = l10n.t('{0} was started with an earlier version of mm.yaml.', home);
  return overComposer('outdated', `${text} ${l10n.t('“mm: Restart Agent…” starts the new one.')}`);
}

/** The disk did not take the conversation. */
export function notWritten(error: unknown): Omit<NoticeNode, 'kind' | 'id' | 'at'> {
  return {
    shape: 'card',
    level: 'error',
    title: l10n.t('This conversation is not saved'),
    text: l10n.t(
      'The disk did not take it: {0}. It goes on here, and is lost when the window closes.',
      describe(error),
    ),
    actions: [{ id: 'show-log', label: l10n.t('Show Log') }],
  };
}
