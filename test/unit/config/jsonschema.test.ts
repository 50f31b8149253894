import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchema } from '../../../src/config/jsonschema';

const validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema());
const demo = join(__dirname, '../../../media/demo');

describe('the JSON Schema for editors', () => {
  it.each(readdirSync(demo).filter((name) => name.endsWith('.yaml')))("accepts the demo's %s", (name) => {
    expect(validate(parse(readFileSync(join(demo, name), 'utf8'))), JSON.stringify(validate.errors)).toBe(true);
  });
  it.each([
    {
      provider: 'demo',
      mmConfigs: {
        bob: { path: 'b.yaml', yolo: false },
        c: { command: 'x', args: ['a'], env: { A: 'b' } },
        r: { a2a: 'x@y' },
      },
    },
    { provider: 'openai', model: 'm', baseUrl: 'http://x', apiKey: '${env:K}', maxOutput: 1, hooks: {} },
  ])('accepts %j', (value) => expect(validate(value), JSON.stringify(validate.errors)).toBe(true));
  it.each([
    { provider: 'nope' },
    { yolo: 'x' },
    { maxOutput: 0 },
    { maxOutput: 1.5 },
    { unknown: 1 },
    { mmConfigs: { 'a b': { command: 'x' } } },
    { mmConfigs: { bob: {} } },
    { mmConfigs: { bob: { path: 'a', command: 'b' } } },
    { mmConfigs: { bob: { command: 'b', descripton: 'x' } } },
  ])('refuses %j', (value) => expect(validate(value)).toBe(false));
  it('describes every key', () => {
    const bare = Object.entries(jsonSchema().properties as Record<string, { description?: string }>).filter(
      ([, value]) => !value.description,
    );
    expect(bare).toEqual([]);
  });
});
