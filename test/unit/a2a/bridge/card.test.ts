import { AgentCard } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { cardBody, cardOf } from '../../../../src/a2a/bridge/card';

const facts = { name: 'bob', title: 'Bob', description: 'Ask for SQL', version: '1.2.3', secured: true };
const url = 'http://127.0.0.1:1/bob';

describe('a card', () => {
  it('is one for both versions where nobody says which', () => {
    const body = cardBody(cardOf(facts, url), undefined);
    expect(body).toMatchObject({
      name: 'Bob',
      description: 'Ask for SQL',
      version: '1.2.3',
      url,
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3.0',
      capabilities: { streaming: true, pushNotifications: false },
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      security: [{ bearer: [] }],
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } } },
      skills: [{ id: 'ask', name: 'Ask Bob', tags: ['ask'] }],
    });
    expect(AgentCard.fromJSON(body).securitySchemes.bearer?.scheme?.$case).toBe('httpAuthSecurityScheme');
  });

  it('is the current one for who asks for it', () => {
    const body = cardBody(cardOf(facts, url), '1.0');
    expect(body).not.toHaveProperty('preferredTransport');
    expect(body).toMatchObject({ securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } } });
  });

  it('names no key where none is wanted, and stands on its name where nothing else is known', () => {
    const body = cardBody(cardOf({ name: 'bob', version: '1', secured: false }, url), undefined);
    expect(body).not.toHaveProperty('security');
    expect(body).toMatchObject({ name: 'bob', description: 'bob, an agent offered with mm.' });
  });
});
