import { basename } from 'node:path';
import { l10n } from '../base/l10n';
import type { YamlFile } from './document';

/**
 * What a person has to know of a file before it is allowed, beyond what it starts: that it asks nobody, where conversations go, and
 * what of the environment it reads. Each in one line, read as leniently as can be: a file that is refused today may hold tomorrow.
 */
export function factsOf(yaml: YamlFile): string[] {
  const file = basename(yaml.file);
  const { root } = yaml;
  const yolo = [
    ...(saysYes(yaml, yaml.field(root, 'yolo')?.valueNode) ? [file] : []),
    ...yaml
      .fields(yaml.field(root, 'mmConfigs')?.valueNode)
      .filter(({ valueNode }) => saysYes(yaml, yaml.field(valueNode, 'yolo')?.valueNode))
      .map(({ key }) => key),
  ];
  const address = yaml.plain(yaml.field(root, 'baseUrl')?.valueNode);
  const variables = [...new Set([...yaml.text.matchAll(/\$\{env:([^}\s]{1,100})\}/g)].map(([, name]) => name!))];
  return [
    ...yolo.map((name) => l10n.t('{0}: every call runs without a question (yolo)', name)),
    ...(address.ok && typeof address.value === 'string' && address.value
      ? [l10n.t('{0}: conversations go to {1}', file, address.value)]
      : []),
    ...elsewhere(yaml, file),
    ...(variables.length > 0 ? [l10n.t('{0}: reads from your environment {1}', file, variables.join(', '))] : []),
  ];
}

/** Where questions go that do not stay here: each proxy, and each address of a card. */
function elsewhere(yaml: YamlFile, file: string): string[] {
  const addresses = new Set<string>();
  const secrets = new Set<string>();
  for (const [group, key] of [
    ['proxies', 'url'],
    ['mmConfigs', 'a2a'],
  ] as const) {
    for (const { valueNode } of yaml.fields(yaml.field(yaml.root, group)?.valueNode)) {
      const plain = yaml.plain(yaml.field(valueNode, key)?.valueNode);
      if (!plain.ok || typeof plain.value !== 'string' || !/:|\$/.test(plain.value)) continue;
      addresses.add(plain.value);
      for (const name of ['key', 'adminKey']) {
        const secret = yaml.plain(yaml.field(valueNode, name)?.valueNode);
        const named =
          secret.ok && typeof secret.value === 'string' ? /\$\{secret:([^}\s]{1,100})\}/.exec(secret.value) : null;
        if (named) secrets.add(l10n.t('{0}: your secret {1} goes to {2}', file, named[1]!, plain.value));
      }
    }
  }
  return [...[...addresses].map((address) => l10n.t('{0}: questions may go to {1}', file, address)), ...secrets];
}

/** Anything but a plain no counts as a yes. */
function saysYes(yaml: YamlFile, node: Parameters<YamlFile['plain']>[0]): boolean {
  if (yaml.isEmpty(node)) return false;
  const plain = yaml.plain(node);
  return !plain.ok || plain.value !== false;
}
