import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load';
import { applyOverrides, isTrue, missingModel } from '../../../src/config/overrides';
import type { MmConfig } from '../../../src/config/types';

function config(text: string): MmConfig {
  const result = parseConfig('/x/mm.yaml', text, { KEY: 'file-key' });
  if (!result.ok) throw new Error(result.errors[0]!.message);
  return result.config;
}
const own = config('provider: openrouter\nmodel: m\napiKey: ${env:KEY}\nyolo: true');

describe('AGENT_YOLO', () => {
  it.each(['true', '1', 'on', 'yes', 'TRUE', ' yes '])('%j is yes', (value) => expect(isTrue(value)).toBe(true));
  it.each(['false', '0', 'off', 'no', 'maybe', '', 'tru', undefined])('%j is no', (value) =>
    expect(isTrue(value)).toBe(false),
  );
  it('wins over the file in both directions, and not when it is empty', () => {
    expect(applyOverrides(own, { AGENT_YOLO: 'false' }).yolo).toBe(false);
    expect(applyOverrides(own, { AGENT_YOLO: '' }).yolo).toBe(true);
    expect(applyOverrides({ ...own, yolo: false }, { AGENT_YOLO: 'on' }).yolo).toBe(true);
  });
});

it('model, address and key are taken from the environment; the file stays as it was', () => {
  const before = structuredClone({ ...own, mmConfigs: [...own.mmConfigs] });
  expect(applyOverrides(own, { AGENT_MODEL: 'x', AGENT_BASE_URL: 'http://h/v1/', AGENT_API_KEY: 'k' })).toMatchObject({
    provider: 'openrouter',
    model: 'x',
    baseUrl: 'http://h/v1',
    apiKey: 'k',
  });
  expect({ ...own, mmConfigs: [...own.mmConfigs] }).toEqual(before);
});

it('another provider takes neither the address nor the key of the file along', () => {
  expect(applyOverrides(own, { AGENT_PROVIDER: 'mistral' })).toMatchObject({
    baseUrl: 'https://api.mistral.ai/v1',
    apiKey: undefined,
  });
  expect(applyOverrides(own, { AGENT_PROVIDER: 'demo' })).toMatchObject({
    model: 'demo',
    baseUrl: undefined,
    apiKey: undefined,
  });
  expect(applyOverrides(own, { AGENT_PROVIDER: 'openrouter' })).toMatchObject({ apiKey: 'file-key' });
});

it('another host does not get the key of the file', () => {
  const warnings: string[] = [];
  const of = (env: NodeJS.ProcessEnv) =>
    applyOverrides({ ...own, provider: 'openai', baseUrl: 'https://llm.example/v1', apiKey: 'FILEKEY' }, env, (text) =>
      warnings.push(text),
    ).apiKey;
  expect(of({ AGENT_BASE_URL: 'https://evil.example/v1' })).toBeUndefined();
  expect(warnings).toEqual([expect.stringMatching(/^AGENT_BASE_URL .*Set AGENT_API_KEY/)]);
  expect(of({ AGENT_BASE_URL: 'https://llm.example/v2' })).toBe('FILEKEY');
  expect(of({ AGENT_BASE_URL: 'https://evil.example/v1', AGENT_API_KEY: 'OWN' })).toBe('OWN');
  expect(warnings).toHaveLength(1);
});

it('a wrong value is an error of usage that does not show a key', () => {
  expect(() => applyOverrides(own, { AGENT_PROVIDER: 'olama' })).toThrow(
    expect.objectContaining({ exitCode: 2, hint: 'Did you mean `ollama`?' }),
  );
  expect(() => applyOverrides(own, { AGENT_BASE_URL: 'sk-secret' })).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.not.stringContaining('sk-secret') }),
  );
});

it.each(['http://me:secret@h/v1', 'https://secret@h', 'ftp://secret', 'http://'])(
  'AGENT_BASE_URL cannot be %s',
  (value) => {
    expect(() => applyOverrides(own, { AGENT_BASE_URL: value })).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringMatching(/^AGENT_BASE_URL: (?!.*secret@)/) }),
    );
  },
);

it('a file that only names agents says so when its own agent is wanted', () => {
  const names = config('mmConfigs: {bob: {command: x}}');
  expect(missingModel(names)).toMatchObject({ exitCode: 2 });
  expect(missingModel(applyOverrides(names, { AGENT_BASE_URL: 'http://h/v1', AGENT_MODEL: 'm' }))).toBeUndefined();
  expect(missingModel(own)).toBeUndefined();
});
