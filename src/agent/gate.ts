import type { PermissionOption, ToolCallUpdate } from '../acp/types';
import { CancelledError, isCancelled } from '../base/errors';
import { l10n } from '../base/l10n';
import type { SessionOutput } from './output';

/** What a session knows of leave: its yolo at this moment, and what was allowed for it. */
export interface Leave {
  yolo(): boolean;
  /** Tools that were allowed for the session, remembered by `mm` for clients that are no hub (rule 4). */
  allowed: Set<string>;
}

/** The question as it goes to the client. */
export interface GateQuestion {
  sessionId: string;
  /** `bash`, `write`, …: what "for this session" covers. */
  tool: string;
  toolCall: ToolCallUpdate;
  /** Leave is for this once, and no earlier leave counts. */
  keyFile: boolean;
}

export type GateAnswer = { allowed: true } | { allowed: false; why: string };

const optionIds = { once: 'allow_once', session: 'allow_always', reject: 'reject_once' } as const;

/** The options that a question of ours offers; "for this session" is not among those of a key file. */
export function gateOptions(tool: string, keyFile: boolean): PermissionOption[] {
  const options: PermissionOption[] = [{ optionId: optionIds.once, name: l10n.t('Allow once'), kind: 'allow_once' }];
  if (!keyFile)
    options.push({
      optionId: optionIds.session,
      name: l10n.t('Allow {0} for this session', tool),
      kind: 'allow_always',
    });
  options.push({ optionId: optionIds.reject, name: l10n.t('Reject'), kind: 'reject_once' });
  return options;
}

/**
 * Asks for leave to make a call that is gated (rule 4): yolo runs it, else an earlier "for this session", else the client's person decides.
 * A client that has no way to ask is a no. Throws `CancelledError` when the turn was stopped meanwhile.
 */
export async function passGate(
  question: GateQuestion,
  leave: Leave,
  output: SessionOutput,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const { tool, keyFile, sessionId, toolCall } = question;
  if (leave.yolo()) return { allowed: true };
  if (!keyFile && leave.allowed.has(tool)) return { allowed: true };
  const options = gateOptions(tool, keyFile);
  try {
    const outcome = await output.requestPermission({ sessionId, toolCall, options }, signal);
    if (signal.aborted) throw new CancelledError();
    const chosen =
      outcome?.outcome === 'selected' ? options.find((o) => o.optionId === outcome.optionId)?.kind : undefined;
    if (chosen === 'allow_always') leave.allowed.add(tool);
    if (chosen === 'allow_once' || chosen === 'allow_always') return { allowed: true };
    return { allowed: false, why: l10n.t('Not allowed: the call was rejected and did not run.') };
  } catch (error) {
    if (signal.aborted || isCancelled(error)) throw new CancelledError();
    return { allowed: false, why: l10n.t('Not allowed: nobody could be asked, so the call did not run.') };
  }
}
