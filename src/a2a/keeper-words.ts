import { describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Finding, Round } from './keeper';

/** What a round has found, a sentence for each; nothing when all is as it was. */
export function roundWords(round: Round, proxy: string): string[] {
  const words = round.findings.map((finding) => findingWords(finding, proxy));
  if (round.empty)
    words.unshift(l10n.t('The proxy {0} is up, and its list of agents is empty: it was not before.', proxy));
  if (round.cure) {
    words.push(
      l10n.t(
        'The proxy forgets its agents when it restarts. `store_model_in_db: true` under `general_settings` of its config.yaml cures that.',
      ),
    );
  }
  return words;
}

function findingWords(finding: Finding, proxy: string): string {
  const { name } = finding;
  switch (finding.kind) {
    case 'repaired':
      return l10n.t('The proxy {0} had forgotten {1}; it is back.', proxy, name);
    case 'unsteady':
      return l10n.t('The proxy {0} forgets {1} again and again: its workers do not agree.', proxy, name);
    case 'deleted':
      return l10n.t('{0} was deleted at the proxy {1}; it is not brought back.', name, proxy);
    case 'missing':
      return l10n.t('{0} is no longer listed by the proxy {1}.', name, proxy);
    case 'forgotten': {
      const { error } = finding;
      const why = error instanceof UserError && error.hint ? `${error.message} ${error.hint}` : describe(error);
      return l10n.t('The proxy {0} has forgotten {1}, and it could not be brought back: {2}', proxy, name, why);
    }
  }
}
