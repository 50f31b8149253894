import { beforeEach, describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { parseConfig } from '../../../src/config/load';
import { keysOfWindow, setSecret } from '../../../src/vscode/secrets';
import { fake } from '../../support/vscode';

let kept: Map<string, string>;
let secrets: vscode.SecretStorage;

beforeEach(() => {
  fake.reset();
  kept = new Map();
  secrets = {
    get: async (key: string) => kept.get(key),
    store: async (key: string, value: string) => void kept.set(key, value),
    delete: async (key: string) => void kept.delete(key),
  } as unknown as vscode.SecretStorage;
});

function configs(text: string) {
  const read = parseConfig('/shop/mm.yaml', `provider: demo\n${text}`, {});
  if (!read.ok) throw new Error(read.errors[0]!.message);
  return { refresh: async () => {}, state: { kind: 'ready', config: read.config } } as never;
}
const team = 'proxies: {team: {url: "https://llm.example.com/x", key: "${secret:proxy}"}}\n';
const key = (url: string) => keysOfWindow(secrets)({ kind: 'secret', name: 'proxy' }, url);

describe('secrets of a window', () => {
  it('are set for the server that the file names, and come back without spaces', async () => {
    fake.inputBox = (o) => {
      expect(o?.prompt).toContain('https://llm.example.com');
      return ' sk-1 \n';
    };
    await setSecret(secrets, configs(team));
    expect(await key('https://llm.example.com/x')).toBe('sk-1');
  });

  it('section 10: a file that gives the name another address does not get the key', async () => {
    fake.inputBox = () => 'sk-1';
    await setSecret(secrets, configs(team));
    for (const url of ['https://evil.example.com', 'http://llm.example.com', 'https://llm.example.com:444'])
      await expect(key(url)).rejects.toThrow(`The secret proxy is not set for ${url}.`);
  });

  it('one of several is chosen; what is set says so', async () => {
    const text = `${team}mmConfigs: {w: {a2a: "http://127.0.0.1:1", key: "\${secret:proxy}"}}\n`;
    fake.inputBox = () => 'sk-1';
    fake.quickPick = (items) => items[1];
    await setSecret(secrets, configs(text));
    let rows: { description: string; detail: string }[] = [];
    fake.quickPick = (items) => {
      rows = items as typeof rows;
      return undefined;
    };
    await expect(setSecret(secrets, configs(text))).rejects.toThrow('cancelled');
    expect(rows.map(({ description, detail }) => [description, detail])).toEqual([
      ['https://llm.example.com', 'not set'],
      ['http://127.0.0.1:1', 'set'],
    ]);
  });

  it('an empty one is forgotten, a closed question changes nothing', async () => {
    fake.inputBox = () => 'sk-1';
    await setSecret(secrets, configs(team));
    fake.inputBox = () => undefined;
    await expect(setSecret(secrets, configs(team))).rejects.toThrow('cancelled');
    expect(kept.size).toBe(1);
    fake.inputBox = () => ' ';
    await setSecret(secrets, configs(team));
    expect(kept.size).toBe(0);
  });

  it('without a name in the file it says what to write', async () => {
    await expect(setSecret(secrets, configs(''))).rejects.toMatchObject({
      hint: expect.stringContaining('${secret:proxy}'),
    });
  });

  it('a value of the file stands for itself', async () => {
    expect(await keysOfWindow(secrets)({ kind: 'value', value: 'v' }, 'http://x')).toBe('v');
  });
});
