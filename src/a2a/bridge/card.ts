import { A2A_PROTOCOL_VERSION, AgentCard } from '@a2a-js/sdk';
import { l10n } from '../../base/l10n';
import { firstLine, visible } from '../../base/text';

/** What a card says of an agent. */
export interface CardFacts {
  /** Its name in `mmConfigs`. */
  name: string;
  title?: string;
  description?: string;
  /** Of the program. */
  version: string;
  /** A bearer key is wanted. */
  secured: boolean;
}

const legacy = '0.3';
const transport = 'JSONRPC';
/** A scheme as each version writes it. */
const bothForms = { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } };
const modes = { in: ['text/plain', 'application/json'], out: ['text/plain'] };

/** The card of an agent that is served at an address, in 1.0's form. */
export function cardOf(facts: CardFacts, url: string): AgentCard {
  const { name, version, secured } = facts;
  const title = firstLine(visible(facts.title ?? ''), 100) || name;
  const description = visible(facts.description ?? '').trim() || l10n.t('{0}, an agent offered with mm.', title);
  return {
    name: title,
    description,
    supportedInterfaces: [A2A_PROTOCOL_VERSION, legacy].map((protocolVersion) => ({
      url,
      protocolBinding: transport,
      tenant: '',
      protocolVersion,
    })),
    provider: undefined,
    version,
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: secured
      ? {
          bearer: {
            scheme: { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'bearer', bearerFormat: '' } },
          },
        }
      : {},
    securityRequirements: secured ? [{ schemes: { bearer: { list: [] } } }] : [],
    defaultInputModes: modes.in,
    defaultOutputModes: modes.out,
    skills: [
      {
        id: 'ask',
        name: l10n.t('Ask {0}', title),
        description,
        tags: ['ask'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

/**
 * The card as it is served: to who does not ask for 1.0 by its header, one object that is a card for both versions. A reader passes over
 * what it does not know, and one of 1.0 that sends no header finds the current interface all the same (facts/proxy-a2a.md, 1.5).
 */
export function cardBody(card: AgentCard, version: string | undefined): Record<string, unknown> {
  const current = AgentCard.toJSON(card) as Record<string, unknown>;
  if (version !== undefined && version !== legacy) return current;
  const secured = card.securityRequirements.length > 0;
  return {
    ...current,
    url: card.supportedInterfaces[0]!.url,
    preferredTransport: transport,
    additionalInterfaces: [{ url: card.supportedInterfaces[0]!.url, transport }],
    protocolVersion: '0.3.0',
    supportsAuthenticatedExtendedCard: false,
    ...(secured ? { security: [{ bearer: [] }], securitySchemes: { bearer: bothForms } } : {}),
  };
}
