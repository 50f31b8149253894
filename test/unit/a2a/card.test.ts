import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Card, readCard, versionOf } from '../../../src/a2a/card';

const ok = (value: unknown, name?: string): Card => {
  const result = readCard(value, name);
  if (!result.ok) throw new Error(result.words);
  return result.card;
};
const addresses = (card: Card) => card.versions.map(({ version, url, binding }) => `${version} ${binding} ${url}`);

describe('the shapes of a card', () => {
  const common = { name: 'lab', description: 'Lab agent', version: '2.1', capabilities: { streaming: true } };

  it('0.3 with its further addresses', () => {
    const card = ok({
      ...common,
      protocolVersion: '0.3.0',
      url: 'http://host:1/a2a/lab',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'http://host:1/a2a/lab', transport: 'JSONRPC' },
        { url: 'http://host:1/v1', transport: 'HTTP+JSON' },
      ],
      supportsAuthenticatedExtendedCard: true,
    });
    expect(addresses(card)).toEqual(['0.3 JSONRPC http://host:1/a2a/lab', '0.3 HTTP+JSON http://host:1/v1']);
    expect(card).toMatchObject({ pinned: '0.3', url: 'http://host:1/a2a/lab', streaming: true, extendedCard: true });
    expect(card).toMatchObject({ name: 'lab', description: 'Lab agent', version: '2.1', remarks: [] });
  });

  it('1.0, whose address is the first one over JSON-RPC', () => {
    const card = ok({
      ...common,
      supportedInterfaces: [
        { url: 'https://host/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'https://host', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'blue' },
      ],
      capabilities: { extendedAgentCard: true },
    });
    expect(card.versions[1]).toEqual({ version: '1.0', url: 'https://host', binding: 'JSONRPC', tenant: 'blue' });
    expect(card).toMatchObject({ url: 'https://host', streaming: false, extendedCard: true, pinned: undefined });
  });

  it('both at once, each address once', () => {
    const card = ok({
      ...common,
      protocolVersion: '0.3',
      url: 'http://127.0.0.1:41251',
      supportedInterfaces: [
        { url: 'http://127.0.0.1:41251', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
        { url: 'http://127.0.0.1:41251', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '0.3' },
      ],
    });
    expect(addresses(card)).toEqual(['1.0 JSONRPC http://127.0.0.1:41251', '0.3 JSONRPC http://127.0.0.1:41251']);
    expect(card.versions[0]!.tenant).toBeUndefined();
  });

  it('a proxy that writes 1.0 around an agent of 0.3 means 0.3', () => {
    const card = ok({ ...common, supportedInterfaces: [{ url: 'http://p/a2a/x', protocolVersion: '0.3.0' }] });
    expect(addresses(card)).toEqual(['0.3 JSONRPC http://p/a2a/x']);
  });

  it('without any version it is one of 0.3, with the pin 1.0 its address speaks 1.0', () => {
    expect(addresses(ok({ ...common, url: 'http://h/a' }))).toEqual(['0.3 JSONRPC http://h/a']);
    expect(addresses(ok({ ...common, url: 'http://h/a', protocolVersion: null }))).toEqual(['0.3 JSONRPC http://h/a']);
    const pinned = ok({ ...common, url: 'http://h/a', protocolVersion: '1.0' });
    expect(addresses(pinned)).toEqual(['1.0 JSONRPC http://h/a']);
    expect(pinned.pinned).toBe('1.0');
  });

  it.each<[unknown, string | undefined]>([
    ['0.3', '0.3'],
    ['0.3.12', '0.3'],
    ['1.0', '1.0'],
    ['1.0.1', '1.0'],
    ['0.2.9', undefined],
    ['2.0', undefined],
    ['1.0.0-rc', undefined],
    [1, undefined],
  ])('version %j is %j', (value, expected) => expect(versionOf(value)).toBe(expected));
});

describe('what is in a card', () => {
  it('skills, formats, provider, documentation', () => {
    const card = ok({
      name: 'lab',
      url: 'http://h',
      defaultInputModes: ['text/plain', 7, 'image/png'],
      defaultOutputModes: ['text'],
      provider: { organization: 'Team', url: 'https://team.example/' },
      documentationUrl: 'https://docs.example/a',
      skills: [
        {
          id: 'sql',
          name: 'SQL',
          description: 'Checks\nqueries',
          tags: ['db'],
          examples: ['Is this safe?'],
          inputModes: ['text/sql'],
        },
        { name: 'only a name' },
        { description: 'no id' },
        'no skill',
      ],
    });
    expect(card).toMatchObject({ inputModes: ['text/plain', 'image/png'], outputModes: ['text'] });
    expect(card.provider).toEqual({ organization: 'Team', url: 'https://team.example' });
    expect(card.documentationUrl).toBe('https://docs.example/a');
    expect(card.skills.map(({ id, name, examples, inputModes }) => ({ id, name, examples, inputModes }))).toEqual([
      { id: 'sql', name: 'SQL', examples: ['Is this safe?'], inputModes: ['text/sql'] },
      { id: 'only a name', name: 'only a name', examples: [], inputModes: [] },
    ]);
  });

  it.each<[string, object, string[]]>([
    [
      '0.3',
      { securitySchemes: { LiteLLMKey: { type: 'http', scheme: 'bearer' } }, security: [{ LiteLLMKey: [] }] },
      ['HTTP bearer token (LiteLLMKey)'],
    ],
    [
      '1.0',
      {
        securitySchemes: {
          key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
          o: { oauth2SecurityScheme: { flows: {} } },
          m: { mtlsSecurityScheme: {} },
        },
        securityRequirements: [
          { schemes: { key: { list: [] }, m: { list: [] } } },
          { schemes: { o: { list: ['a'] } } },
        ],
      },
      ['API key in the header X-Key (key) + a client certificate (m)', 'OAuth 2.0 (o)'],
    ],
    ['schemes that nothing requires', { securitySchemes: { id: { type: 'openIdConnect' } } }, ['OpenID Connect (id)']],
    ['a requirement without its scheme', { security: [{ nobody: [] }] }, ['nobody']],
    ['basic', { securitySchemes: { b: { type: 'http', scheme: 'Basic' } } }, ['HTTP authentication Basic (b)']],
    ['nothing', {}, []],
    ['garbage', { securitySchemes: 'x', security: [7, null], securityRequirements: {} }, []],
  ])('what it wants of a caller, in words: %s', (_, fields, expected) => {
    expect(ok({ name: 'a', url: 'http://h', ...fields }).security).toEqual(expected);
  });

  it('the name under which a proxy lists it stands in for one that is missing', () => {
    expect(ok({ url: 'http://h' }, 'lab').name).toBe('lab');
    expect(ok({ name: 'own' }, 'lab').name).toBe('own');
  });
});

describe('a hostile card', () => {
  it.each<[unknown, string]>([
    [null, 'The agent card is no object.'],
    ['<html>', 'The agent card is no object.'],
    [[], 'The agent card is no object.'],
    [{}, 'The agent card has no name.'],
    [{ name: ' ' }, 'The agent card has no name.'],
    [{ name: { first: 'a' } }, 'The agent card has no name.'],
    [{ name: 'a', deep: JSON.parse('['.repeat(60) + ']'.repeat(60)) }, 'The agent card is nested too deeply.'],
  ])('%j says what is wrong', (value, words) => expect(readCard(value)).toEqual({ ok: false, words }));

  it('addresses that are none, hold a password, or speak another version are left out, and that is said', () => {
    const card = ok({
      name: 'a',
      url: 'file:///etc/passwd',
      supportedInterfaces: [
        { url: 'http://me:secret@host/', protocolVersion: '1.0' },
        { url: 'http://host', protocolVersion: '2.0' },
        'x',
      ],
    });
    expect(card.versions).toEqual([]);
    expect(card.url).toBeUndefined();
    expect(card.remarks).toEqual([
      'An address of the card is no http or https address and was left out.',
      'The card speaks A2A 2.0; only 0.3 and 1.0 are known here.',
      'The card names no address at which the agent could be asked.',
    ]);
  });

  it('texts are cleaned and cut', () => {
    const card = ok({ name: 'a\u202eb\nsecond line', description: `x\u0000${'y'.repeat(10_000)}`, url: 'http://h' });
    expect(card.name).toBe('a[U+202E]b');
    expect(card.description).toHaveLength(5_000 + '[U+0000]'.length - 1);
    expect(ok({ name: 'n', description: '\ud800 half' }).description).toBe('\ufffd half');
  });

  it('of 100,000 skills the first 200 are read, and that is said', () => {
    const card = ok({
      name: 'a',
      url: 'http://h',
      skills: Array.from({ length: 100_000 }, (_, i) => ({ id: `s${i}` })),
    });
    expect(card.skills).toHaveLength(200);
    expect(card.remarks).toEqual(['Only the first 200 of 100000 skills are shown.']);
  });

  it('nothing throws, nothing becomes [object Object], and what is read has the right shape', () => {
    const key = fc.constantFrom(
      ...['name', 'description', 'version', 'url', 'protocolVersion', 'capabilities', 'skills', 'security', 'provider'],
      ...[
        'securitySchemes',
        'securityRequirements',
        'supportedInterfaces',
        'additionalInterfaces',
        'defaultInputModes',
      ],
    );
    const inner = fc.dictionary(
      fc.constantFrom(
        'id',
        'name',
        'url',
        'schemes',
        'type',
        'scheme',
        'tags',
        'examples',
        'httpAuthSecurityScheme',
        '__proto__',
      ),
      fc.jsonValue(),
    );
    const card = fc.dictionary(key, fc.oneof(fc.jsonValue(), inner, fc.array(inner), fc.webUrl(), fc.constant('1.0')));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), card), (value) => {
        const result = readCard(value, 'given');
        if (!result.ok) {
          expect(result.words).toMatch(/^The agent card /);
          return;
        }
        const { raw: _, ...read } = result.card;
        expect(JSON.stringify(read)).not.toContain('[object Object]');
        for (const text of [...read.security, ...read.inputModes, ...read.remarks])
          expect(text).toEqual(expect.any(String));
        for (const { url } of read.versions) expect(url).toMatch(/^https?:\/\//);
      }),
    );
  });
});
