import { AskError, cancelledAsk } from '../ask/errors';
import { describe, isCancelled, UserError, type UserErrorOptions } from '../base/errors';
import { l10n } from '../base/l10n';
import type { RemoteEntry } from '../config/types';
import { ProxyError } from './proxy-errors';
import { A2AError } from './rpc';

/** Why an ask of a remote agent came to nothing, in the words of an ask. */
export function failureOf(
  error: unknown,
  failure: 'start' | 'agent-error',
  name: string,
  { at }: RemoteEntry,
  signal: AbortSignal,
): AskError {
  if (signal.aborted || isCancelled(error)) return cancelledAsk(name, error);
  if (error instanceof AskError) return error;
  if (error instanceof A2AError) {
    const words = l10n.t('{0} answered with an error: {1}', name, error.message);
    return new AskError(failure, words, { cause: error, forModel: `${name} answered with an error: ${error.message}` });
  }
  const own = at.kind === 'card' && error instanceof ProxyError ? direct(error, name, at.url) : undefined;
  const { message, hint } = own ?? words(error, name);
  const { detail, exitCode }: UserErrorOptions = error instanceof UserError ? error : {};
  // what was said of a proxy is no cause of what is said of an agent
  return new AskError(failure, message, {
    hint,
    detail,
    exitCode,
    cause: own ? undefined : error,
    forModel: forModel(error, name),
  });
}

function words(error: unknown, name: string): { message: string; hint?: string } {
  if (error instanceof ProxyError) return error;
  if (error instanceof UserError)
    return { message: l10n.t('{0} could not be asked: {1}', name, error.message), hint: error.hint };
  return { message: l10n.t('{0} could not be asked: {1}', name, describe(error)) };
}

/** Sentences of an agent that stands behind no proxy. */
function direct({ kind, status }: ProxyError, name: string, url: string): { message: string; hint: string } {
  switch (kind) {
    case 'offline':
      return {
        message: l10n.t('{0} does not answer at {1}.', name, url),
        hint: l10n.t('Check that it runs, and its address in mm.yaml.'),
      };
    case 'timeout':
      return {
        message: l10n.t('{0} did not answer in time at {1}.', name, url),
        hint: l10n.t('Ask again in a moment.'),
      };
    case 'no-key':
    case 'wrong-key':
    case 'not-allowed':
      return {
        message: l10n.t('{0} does not accept the key, or wants one ({1}).', name, status ?? 401),
        hint: l10n.t('Write `key: "{0}"` at its entry in mm.yaml, and set that secret.', '${secret:NAME}'),
      };
    case 'not-json':
      return {
        message: l10n.t('What answers at {0} is no A2A agent.', url),
        hint: l10n.t('Check the address of {0} in mm.yaml.', name),
      };
    default:
      return {
        message:
          status === undefined
            ? l10n.t('{0} could not be asked.', name)
            : l10n.t('{0} answered with the status {1}.', name, status),
        hint: l10n.t('Ask again. If it happens again, look at the log of the agent.'),
      };
  }
}

/** What a model can do with it. */
function forModel(error: unknown, name: string): string {
  const kind = error instanceof ProxyError ? error.kind : undefined;
  if (kind === 'rate-limit') return `${name} has been asked too often. Ask again later, or go on without it.`;
  if (kind === 'budget') return `${name} cannot be asked: the budget is spent. Go on without it.`;
  if (kind === 'offline' || kind === 'timeout' || kind === 'agent' || kind === 'server')
    return `${name} does not answer. Go on without it, or ask again later.`;
  return `${name} cannot be asked, which a person has to mend. Go on without it.`;
}
