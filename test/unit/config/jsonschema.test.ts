import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  it('is offered to YAML editors for mm.yaml and for the files of a folder’s agents, and is in the package', () => {
    const root = join(__dirname, '../../..');
    const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(contributes.yamlValidation).toEqual([
      { fileMatch: ['.mm/*.yaml', 'mm.yaml'], url: './dist/mm.schema.json' },
    ]);
    expect(readFileSync(join(root, '.vscodeignore'), 'utf8')).toMatch(/^!dist\/\*\*\/\*\.\{.*\bjson\}$/m);
  });
  it('is what the build writes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mm-schema-'));
    try {
      // @ts-expect-error a script without types
      const { writeSchema } = await import('../../../scripts/lib/schema.mjs');
      await writeSchema(join(__dirname, '../../..'), join(folder, 'dist/mm.schema.json'));
      expect(JSON.parse(readFileSync(join(folder, 'dist/mm.schema.json'), 'utf8'))).toEqual(
        JSON.parse(JSON.stringify(jsonSchema())),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  it('describes every key', () => {
    const bare = Object.entries(jsonSchema().properties as Record<string, { description?: string }>).filter(
      ([, value]) => !value.description,
    );
    expect(bare).toEqual([]);
  });
});
