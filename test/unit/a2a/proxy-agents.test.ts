import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgent, readAgents } from '../../../src/a2a/proxy-agents';
import { changeBody, isMarker } from '../../../src/a2a/proxy-change';
import { readActivity, readKeyInfo, readModels } from '../../../src/a2a/proxy-spend';
import { recording } from './recordings';

describe('a list of agents', () => {
  it('in both of its shapes', () => {
    const list = recording('agents-list').response.body as unknown[];
    const agents = readAgents(list)!;
    expect(agents).toHaveLength(16);
    expect(readAgents({ agents: list })).toEqual(agents);
    expect(agents.find(({ name }) => name === 'limited')!.limits.rpm).toBe(2);
    expect(agents.find(({ name }) => name === 'traced')!.needsTrace).toBe(true);
    expect(agents.find(({ name }) => name === 'bridged')!.model).toEqual({ provider: 'openai', name: 'fake' });
    expect(agents.every(({ fromFile, card }) => fromFile && card)).toBe(true);
  });

  it('with a database: spend, keys, who made it; no secret is kept', () => {
    const added = readAgents(recording('withdb.1-list-spend').response.body)!.find(({ name }) => name === 'added')!;
    expect(added).toMatchObject({ spend: 1.5, fromFile: false, isPublic: true, createdBy: 'default_user_id' });
    expect(added.keys[0]).toMatchObject({ alias: 'agent-added', name: 'sk-...5E5Q' });
    expect(added.cost).toEqual({ perQuery: 0.25, perInputToken: undefined, perOutputToken: undefined });
    expect(added.settings).toEqual({ api_key: '***', cost_per_query: 0.25, is_public: true });
    const posted = readAgent(recording('withdb.1-post').response.body)!;
    expect(posted).toMatchObject({ staticHeaders: ['x-lab-token'], extraHeaders: ['x-user-id'], limits: { rpm: 100 } });
    expect(JSON.stringify([added, posted])).not.toMatch(/secret-upstream|t0ken/);
  });

  it('what it may use', () => {
    const permissions = {
      models: ['gpt'],
      mcp_servers: ['s'],
      mcp_tool_permissions: { s: ['read', 7] },
      agents: ['id'],
    };
    const agent = readAgent({ agent_id: 'a', agent_name: 'a', object_permission: permissions });
    expect(agent!.permissions).toMatchObject({
      models: ['gpt'],
      mcpServers: ['s'],
      mcpTools: { s: ['read'] },
      agents: ['id'],
    });
    expect(agent!.cardProblem).toBe('The agent card is no object.');
    expect(readAgent({ agent_id: 'a', agent_name: 'a' })!.permissions).toBeUndefined();
  });

  it('secrets in settings are hidden by their names and by their looks, prices are none', () => {
    const litellm_params = {
      api_key: 'x',
      input_cost_per_token: 0.1,
      max_tokens: 5,
      databricks_oauth: { client_secret: 'deep', client_id: 'id' },
      headers: { authorization: 'Bearer x' },
      note: 'use sk-abcdefgh',
      masked: 'se****am',
    };
    expect(readAgent({ agent_id: 'a', agent_name: 'a', litellm_params })!.settings).toEqual({
      api_key: '***',
      input_cost_per_token: 0.1,
      max_tokens: 5,
      databricks_oauth: { client_secret: '***', client_id: 'id' },
      headers: { authorization: '***' },
      note: '***',
      masked: '***',
    });
  });

  it('a budget of its own, by both names', () => {
    const budget = { max_budget: 1, budget_duration: '1d' };
    for (const key of ['budget', 'litellm_budget_table'])
      expect(readAgent({ agent_id: 'a', agent_name: 'a', [key]: budget })!.budget).toMatchObject({
        max: 1,
        duration: '1d',
      });
  });

  it('garbage never throws and is never an agent', () => {
    const agent = fc.dictionary(
      fc.constantFrom(
        'agent_id',
        'agent_name',
        'litellm_params',
        'agent_card_params',
        'object_permission',
        'keys',
        'spend',
        '__proto__',
      ),
      fc.oneof(fc.jsonValue(), fc.string({ minLength: 1 })),
    );
    const list = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.oneof(agent, fc.jsonValue())),
      fc.record({ agents: fc.array(agent) }),
    );
    fc.assert(
      fc.property(list, (value) => {
        for (const one of readAgents(value) ?? []) {
          expect(one.name).toBeTruthy();
          const { card, ...rest } = one;
          expect(JSON.stringify({ ...rest, card: { ...card, raw: undefined } })).not.toContain('[object Object]');
        }
        readActivity(value);
        readKeyInfo(value);
        readModels(value);
      }),
    );
  });
});

describe('reports', () => {
  it('a day as it was recorded', () => {
    const { days, more } = readActivity(recording('withdb.1-daily-activity').response.body)!;
    expect(more).toBe(false);
    expect(days[0]).toMatchObject({
      date: '2026-11-30',
      spend: 1.5,
      promptTokens: 16,
      completionTokens: 20,
      requests: 11,
      failed: 3,
    });
    expect(days[0]!.agents.get('ce666d19-5a8d-4ddd-bc4f-5ad7dc698b5a')).toMatchObject({ spend: 1.5, requests: 7 });
  });

  it('a key and the models as they were recorded', () => {
    expect(readKeyInfo(recording('withdb.1-key-info-spend').response.body)).toMatchObject({
      alias: 'agent-added',
      name: 'sk-...5E5Q',
      models: ['fake'],
      spend: 0.5,
      maxBudget: 5,
      budgetDuration: '30d',
      rpm: 50,
      agents: undefined,
      blocked: false,
    });
    const models = readModels(recording('withdb.1-granted-model-group').response.body)!;
    expect(models.map(({ name, providers }) => `${name} ${providers}`)).toEqual([
      'a2a/lab a2a',
      'fake openai',
      'a2a/added a2a',
    ]);
    expect(readModels(recording('models').response.body)!.map(({ name }) => name)).toEqual(['a2a/lab', 'fake']);
  });

  it.each([null, [], {}, { results: {} }, { data: 'x' }, 'text'])('%j is none', (value) => {
    expect(readActivity(value)).toBeUndefined();
    expect(readKeyInfo(value)).toBeUndefined();
    expect(readModels(value)).toBeUndefined();
  });
});

describe('a change', () => {
  it('names only what is to be different, in the words of the proxy', () => {
    expect(changeBody({ limits: { rpm: null, tpm: 5 } })).toEqual({ rpm_limit: null, tpm_limit: 5 });
    expect(changeBody({ name: 'a' })).toEqual({ agent_name: 'a' });
    expect(changeBody({ params: { a: 1, b: null } }, { b: 2, c: 3, is_public: true })).toEqual({
      litellm_params: { a: 1, c: 3 },
    });
    expect(changeBody({})).toEqual({});
  });

  it.each<[string, boolean]>([
    ['REDACTED_BY_LITELM', true],
    ['se****am', true],
    ['*****', true],
    ['sk-...****', true],
    ['**bold** words', false],
    ['secret', false],
    ['a * b', false],
    ['', false],
  ])('%j is a mask: %s', (text, expected) => expect(isMarker(text)).toBe(expected));

  it('a mask is found at any depth, and in a card only what LiteLLM writes there', () => {
    expect(() => changeBody({ params: { oauth: { list: ['ok', 'ab****yz'] } } })).toThrow(
      'litellm_params.oauth.list[1]',
    );
    expect(() => changeBody({ card: { description: 'REDACTED_BY_LITELM' } })).toThrow('card.description');
    expect(changeBody({ card: { description: '***' } })).toEqual({ agent_card_params: { description: '***' } });
  });
});
