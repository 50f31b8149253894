import type { ToolCallUpdate } from '../acp/types';
import type { Relay } from '../ask/relay';
import { joinedName, toolName } from '../ask/toolname';
import type { Grants, PermissionAsker } from '../ask/types';
import type { Ticker } from '../ask/watchdog';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import type { Thread } from '../chat/patch';
import type { CallFields, NameOf } from '../chat/tool';
import type { Writer } from '../chat/writer';
import type { ChildPool } from '../children/pool';
import type { Roster } from './roster';
import type { RuleBook } from './rulebook';
import type { ConversationFile } from './store';

/** What the parts of one conversation share. */
export interface Core {
  readonly id: string;
  readonly thread: Thread;
  readonly writer: Writer;
  readonly log: Log;
  readonly relay: Pick<Relay, 'ask' | 'gate' | 'stop' | 'wait' | 'force'>;
  readonly pool: Pick<ChildPool, 'acquire' | 'restart' | 'statuses'>;
  readonly permissions: PermissionAsker;
  readonly grants: Grants;
  readonly rules: Pick<RuleBook, 'of'>;
  /** Absent while another window writes the file, or when it cannot be written. */
  readonly file: ConversationFile | undefined;
  /** For tests: the watchdogs' clock. */
  readonly every: Ticker | undefined;
  roster(): Roster | undefined;
  /** Something of the page's state has changed. */
  changed(): void;
}

/** Names calls as the permissions for them are named: `bash`, `bob/bash`. `program`: the agent's own name, for its quirks. */
export function namesFor(path: readonly string[], program?: string): NameOf {
  return (call: CallFields) => {
    // Field by field an agent's own data; `toolName` reads it as that.
    const tool = toolName(call as unknown as ToolCallUpdate, program);
    return joinedName(path, tool, l10n.t('tool'));
  };
}
