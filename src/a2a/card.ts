import { isObject } from '../acp/check';
import { isShallow } from '../base/json';
import { l10n } from '../base/l10n';
import { securityWords } from './card-security';
import { addressOf, fieldsOf, lineOf, linesOf, listOf, textOf } from './fields';

/** The two protocols of A2A that are in use. */
export type A2AVersion = '0.3' | '1.0';

/** One address at which an agent speaks one version. */
export interface CardInterface {
  version: A2AVersion;
  url: string;
  /** `JSONRPC`, `HTTP+JSON` or `GRPC`; another one is kept as the card writes it. */
  binding: string;
  /** A2A 1.0: which of several tenants of that address; sent back with each request. */
  tenant?: string;
}

export interface CardSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples: string[];
  /** Where they differ from the card's own. */
  inputModes: string[];
  outputModes: string[];
}

/** What an agent says of itself, in one plain shape for A2A 0.3, 1.0 and cards that are both. All texts are cleaned and capped. */
export interface Card {
  name: string;
  description: string;
  /** The agent's own version, not the protocol's. */
  version?: string;
  /** Where it is asked: the card's `url`, else its first address over JSON-RPC, else its first address. */
  url?: string;
  /** In the order of the card, each once. Empty: it says nowhere, or nothing that we speak. */
  versions: CardInterface[];
  /** The card's `protocolVersion`: behind a proxy this is what is spoken, whatever the caller speaks (facts, 1.4 and 1.5). */
  pinned?: A2AVersion;
  /** Answers come in pieces while they are made. */
  streaming: boolean;
  /** It has a longer card for callers with a key. */
  extendedCard: boolean;
  /** Media types, as the card writes them: `text`, `text/plain`, `image/png`. */
  inputModes: string[];
  outputModes: string[];
  skills: CardSkill[];
  /** What it wants of a caller, in words, one line per way in; empty: nothing. */
  security: string[];
  provider?: { organization: string; url?: string };
  documentationUrl?: string;
  /** What was left out of it, and why, in words. */
  remarks: string[];
  /** The card as it came, for who wants to see it. Hostile: nothing in it is cleaned. */
  raw: Record<string, unknown>;
}

export type CardResult = { ok: true; card: Card } | { ok: false; words: string };

/** What is kept of a card, in characters and items; far above what any agent needs. */
const max = { name: 200, description: 5_000, word: 100, example: 1_000, skills: 200, list: 50, interfaces: 20 };

/**
 * Reads a card that came over the network. Never throws: what is wrong with it is said in words.
 * @param name stands in for a name that the card does not give: a proxy lists agents under names of its own
 */
export function readCard(value: unknown, name?: string): CardResult {
  if (!isObject(value)) return { ok: false, words: l10n.t('The agent card is no object.') };
  if (!isShallow(value)) return { ok: false, words: l10n.t('The agent card is nested too deeply.') };
  const said = lineOf(value.name, max.name) ?? lineOf(name, max.name);
  if (!said) return { ok: false, words: l10n.t('The agent card has no name.') };
  const remarks: string[] = [];
  const versions = interfacesOf(value, remarks);
  const capabilities = fieldsOf(value.capabilities);
  const main = versions.find(({ binding }) => binding === 'JSONRPC') ?? versions[0];
  const card: Card = {
    name: said,
    description: textOf(value.description, max.description) ?? '',
    version: lineOf(value.version, max.word),
    url: addressOf(value.url) ?? main?.url,
    versions,
    pinned: versionOf(value.protocolVersion),
    streaming: capabilities.streaming === true,
    extendedCard: value.supportsAuthenticatedExtendedCard === true || capabilities.extendedAgentCard === true,
    inputModes: linesOf(value.defaultInputModes, max.list, max.word),
    outputModes: linesOf(value.defaultOutputModes, max.list, max.word),
    skills: skillsOf(value.skills, remarks),
    security: securityWords(value),
    provider: providerOf(value.provider),
    documentationUrl: addressOf(value.documentationUrl),
    remarks: [...new Set(remarks)],
    raw: value,
  };
  return { ok: true, card };
}

/** `0.3`, `0.3.0` and `1.0.1` are what they begin with; undefined for anything else. */
export function versionOf(value: unknown): A2AVersion | undefined {
  if (typeof value !== 'string') return undefined;
  return /^0\.3(\.\d{1,9})?$/.test(value) ? '0.3' : /^1\.0(\.\d{1,9})?$/.test(value) ? '1.0' : undefined;
}

/** The addresses of both shapes: 1.0 has `supportedInterfaces`, 0.3 `url` with `preferredTransport` and `additionalInterfaces`. */
function interfacesOf(card: Record<string, unknown>, remarks: string[]): CardInterface[] {
  const found: CardInterface[] = [];
  const add = (url: unknown, version: A2AVersion, way: unknown, tenant?: unknown) => {
    const address = addressOf(url);
    const binding = lineOf(way, max.word) ?? 'JSONRPC';
    const known = (one: CardInterface) => one.url === address && one.version === version && one.binding === binding;
    if (!address) remarks.push(l10n.t('An address of the card is no http or https address and was left out.'));
    else if (!found.some(known)) found.push({ version, url: address, binding, tenant: lineOf(tenant, max.word) });
  };
  for (const item of listOf(card.supportedInterfaces, max.interfaces)) {
    const one = fieldsOf(item);
    // absent means the version that brought this list
    const version = versionOf(one.protocolVersion ?? '1.0');
    if (version) add(one.url, version, one.protocolBinding, one.tenant);
    else remarks.push(unknownVersion(one.protocolVersion));
  }
  if (card.url !== undefined && card.url !== null) {
    // a card without a version is one of 0.3 (facts, 4.1)
    const version = versionOf(card.protocolVersion ?? '0.3');
    if (version) add(card.url, version, card.preferredTransport);
    else remarks.push(unknownVersion(card.protocolVersion));
    for (const item of version ? listOf(card.additionalInterfaces, max.interfaces) : []) {
      const one = fieldsOf(item);
      add(one.url, version!, one.transport);
    }
  }
  if (found.length === 0) remarks.push(l10n.t('The card names no address at which the agent could be asked.'));
  return found;
}

function unknownVersion(value: unknown): string {
  return l10n.t(
    'The card speaks A2A {0}; only 0.3 and 1.0 are known here.',
    lineOf(value, 20) ?? l10n.t('in an unknown version'),
  );
}

function skillsOf(value: unknown, remarks: string[]): CardSkill[] {
  if (Array.isArray(value) && value.length > max.skills)
    remarks.push(l10n.t('Only the first {0} of {1} skills are shown.', max.skills, value.length));
  return listOf(value, max.skills).flatMap((item) => {
    const skill = fieldsOf(item);
    const id = lineOf(skill.id, max.name) ?? lineOf(skill.name, max.name);
    if (!id) return [];
    return {
      id,
      name: lineOf(skill.name, max.name) ?? id,
      description: textOf(skill.description, max.description) ?? '',
      tags: linesOf(skill.tags, max.list, max.word),
      examples: listOf(skill.examples, max.list).flatMap((example) => textOf(example, max.example) ?? []),
      inputModes: linesOf(skill.inputModes, max.list, max.word),
      outputModes: linesOf(skill.outputModes, max.list, max.word),
    };
  });
}

function providerOf(value: unknown): Card['provider'] {
  const provider = fieldsOf(value);
  const organization = lineOf(provider.organization, max.name);
  return organization ? { organization, url: addressOf(provider.url) } : undefined;
}
