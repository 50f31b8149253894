import { l10n } from '../base/l10n';

/**
 * Why a text cannot be a `baseUrl`, or undefined when it can. No message holds anything of the text: a key may have been put there by
 * mistake. A name and a password in an address would stand in logs and messages, and `fetch` refuses them anyway.
 * @param name what the person has to mend: `` `baseUrl` ``, or the variable
 */
export function addressProblem(name: string, text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\/./i.test(text)) {
    return l10n.t(
      '{0}: expected an address that starts with http:// or https://, such as http://localhost:11434/v1',
      name,
    );
  }
  if (url.username || url.password) {
    return l10n.t('{0}: an address cannot hold a name or a password (`…@`); use `apiKey` for what is secret', name);
  }
  return undefined;
}
