import { l10n } from '../base/l10n';
import { AskError } from './errors';
import { quirkOf } from './quirks';

/** What decides whether an agent can be trusted to ask (rule 4, "An agent that never asks"). */
export interface AskingParts {
  name: string;
  /** `agentInfo.name`. */
  program: string | undefined;
  /** `modes` of the answer to `session/new`, untrusted. */
  modes: unknown;
  /** The entry's own `yolo`. */
  entryYolo: boolean | undefined;
  /** The yolo of this ask. */
  yolo: boolean;
}

/**
 * The mode to set before the prompt, so that the agent asks before it acts; undefined where nothing has to be set.
 * @throws AskError where it never asks and has no such mode, unless the entry and the ask both say yolo.
 */
export function askingMode(parts: AskingParts): string | undefined {
  const quirk = quirkOf(parts.program);
  if (!quirk) return undefined;
  if (quirk.neverAsks) {
    refuseUnlessYolo(parts);
    return undefined;
  }
  const modes = readModes(parts.modes);
  if (quirk.askingMode === undefined || !modes) return undefined;
  if (modes.current === quirk.askingMode) return undefined;
  if (modes.ids.includes(quirk.askingMode)) return quirk.askingMode;
  // It has modes, and the one in which it asks is not among them: nobody knows whether it will.
  refuseUnlessYolo(parts);
  return undefined;
}

function refuseUnlessYolo(parts: AskingParts): void {
  if (parts.entryYolo === true && parts.yolo) return;
  const { name } = parts;
  throw new AskError(
    'refused',
    l10n.t(
      '{0} was not asked: it runs its tools without asking for permission, and has no mode in which it asks.',
      name,
    ),
    {
      hint: l10n.t('If you trust it with everything that it does, set `yolo: true` in its entry in mm.yaml.'),
      forModel: `${name} was not asked: it runs its tools without asking, and that is not allowed here.`,
    },
  );
}

function readModes(modes: unknown): { current: string; ids: string[] } | undefined {
  const { currentModeId, availableModes } = (modes ?? {}) as { currentModeId?: unknown; availableModes?: unknown };
  if (!Array.isArray(availableModes) || typeof currentModeId !== 'string') return undefined;
  const ids = availableModes
    .map((mode) => (mode as { id?: unknown } | null)?.id)
    .filter((id): id is string => typeof id === 'string');
  return { current: currentModeId, ids };
}
