import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  Commands,
  Containers,
  ContextKeys,
  EditorChat,
  EditorCommands,
  Settings,
  Views,
} from '../../../src/vscode/ids';

const root = path.resolve(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const strings = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8')) as Record<string, string>;
const contributes = manifest.contributes;

/** Names that are typed as they stand, and what only models read. */
const notForPeople =
  /^contributes\.(chatParticipants\.\d+\.(commands\.\d+\.)?name|languageModelTools\.\d+\.(name|inputSchema\..+))$/;

const sorted = (list: Iterable<string>) => [...list].sort();

it('F013: the extension runs where the folder and its agents are, not where the window is', () => {
  expect(manifest.extensionKind).toEqual(['workspace']);
  // with a browser entry it could be started on the side that has no processes
  expect(manifest).not.toHaveProperty('browser');
});

describe('ids and package.json say the same', () => {
  it('commands', () => {
    expect(sorted(contributes.commands.map((c: { command: string }) => c.command))).toEqual(
      sorted(Object.values(Commands)),
    );
  });

  it('every command stands in the palette under "mm", with the names of the issue', () => {
    const titles = contributes.commands.map(
      (c: { category: string; title: string }) => `${c.category}: ${strings[c.title.slice(1, -1)]}`,
    );
    expect(titles).toEqual([
      'mm: Add a Registry…',
      'mm: Ask an Agent…',
      'mm: Create an Agent at the Proxy…',
      'mm: New Conversation',
      'mm: Next Waiting Question',
      'mm: Open Configuration',
      'mm: Permissions…',
      'mm: Refresh Agents',
      'mm: Restart Agent…',
      'mm: Set a Secret…',
      'mm: Show Log',
      'mm: Watch the Registry',
    ]);
  });

  it('views and their container', () => {
    const containers = Object.values(contributes.viewsContainers).flat() as { id: string }[];
    expect(containers.map((c) => c.id)).toEqual(Object.values(Containers));
    expect(Object.keys(contributes.views)).toEqual(Object.values(Containers));
    const views = Object.values(contributes.views).flat() as { id: string }[];
    expect(sorted(views.map((v) => v.id))).toEqual(sorted(Object.values(Views)));
    // design, section 8
    expect(contributes.viewsContainers.secondarySidebar).toMatchObject([{ id: Containers.chat }]);
    expect(contributes.viewsContainers.activitybar).toMatchObject([{ id: Containers.trees }]);
    expect(contributes.views[Containers.trees]).toMatchObject([
      { id: Views.agents },
      { id: Views.asks, type: 'webview' },
    ]);
  });

  it('the participant and the tool of the editor’s own chat', () => {
    const [participant] = contributes.chatParticipants;
    expect(contributes.chatParticipants).toHaveLength(1);
    expect([participant.id, participant.name]).toEqual([EditorChat.participant, EditorChat.name]);
    expect(participant.commands.map((c: { name: string }) => c.name)).toEqual(['ask', 'ask-with-context']);
    expect(contributes.languageModelTools.map((t: { name: string }) => t.name)).toEqual([EditorChat.tool]);
    const { inputSchema, modelDescription } = contributes.languageModelTools[0];
    // the editor passes no other schema on to models
    expect(inputSchema.type).toBe('object');
    expect(Object.keys(inputSchema.properties)).toEqual(['agent', 'prompt', 'context']);
    expect(modelDescription).toContain('list of agents');
  });

  it('settings', () => {
    expect(sorted(Object.keys(contributes.configuration.properties))).toEqual(sorted(Object.values(Settings)));
  });

  it('a setting that leads to a program cannot come from a workspace', () => {
    const open = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
    const harmless: string[] = [Settings.permissionPrompt, Settings.watchRegistry];
    for (const [key, value] of Object.entries(contributes.configuration.properties) as [string, { scope: string }][]) {
      // a person's own preference is none of a workspace's business either
      expect(value.scope, key).toBe(harmless.includes(key) ? 'application' : 'machine');
      expect(open.has(key), key).toBe(!harmless.includes(key));
    }
  });

  it('menus and keys name known commands, views and context keys', () => {
    const commands = new Set<string>([...Object.values(Commands), EditorCommands.focusChat]);
    const used = [...Object.values(contributes.menus ?? {}).flat(), ...(contributes.keybindings ?? [])] as {
      command: string;
      when?: string;
    }[];
    const inWhen = new Set<string>();
    for (const item of used) {
      expect(commands.has(item.command), item.command).toBe(true);
      for (const id of item.when?.match(/\bmm\.\w+/g) ?? []) inWhen.add(id);
    }
    const known = new Set<string>([...Object.values(ContextKeys), ...Object.values(Views)]);
    for (const id of inWhen) expect(known.has(id), id).toBe(true);
    for (const id of Object.values(ContextKeys)) expect(inWhen.has(id), `${id} is used nowhere`).toBe(true);
  });

  it('the code uses no id but those of the file', () => {
    const folder = path.join(root, 'src/vscode');
    for (const name of [...readdirSync(folder), '../extension.ts']) {
      if (name === 'ids.ts') continue;
      const text = readFileSync(path.join(folder, name), 'utf8');
      const ids = [...text.matchAll(/['"](mm\.(?!yaml|svg|mjs|cmd|exe)[A-Za-z.]+)['"]/g)].map((m) => m[1]);
      expect(ids, name).toEqual([]);
    }
  });
});

describe('package.json', () => {
  it('every %key% is in package.nls.json, and nothing else is', () => {
    const keys = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map((m) => m[1]!);
    expect(sorted(new Set(keys))).toEqual(sorted(Object.keys(strings)));
  });

  it('shows no text that is not a %key%', () => {
    const found: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) look(inner, `${at}.${key}`);
      } else if (
        /\.(title|name|description|markdownDescription|contextualTitle)$/.test(at) &&
        typeof value === 'string'
      ) {
        if (!/^%.+%$/.test(value) && !notForPeople.test(at)) found.push(`${at} = ${value}`);
      }
    };
    look(contributes, 'contributes');
    look(manifest.capabilities, 'capabilities');
    expect(found).toEqual([]);
  });

  it('runs beside the code, starts with nothing, and does little without trust', () => {
    expect(manifest.extensionKind).toEqual(['workspace']);
    expect(manifest.activationEvents).toEqual([]);
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe('limited');
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
    expect(manifest.engines.vscode).toBe('^1.106.0');
    expect(manifest.enabledApiProposals).toBeUndefined();
  });

  it('its icons are there', () => {
    const icons = [...JSON.stringify(contributes).matchAll(/"(media\/[^"]+)"/g)].map((m) => m[1]!);
    for (const icon of icons) expect(readFileSync(path.join(root, icon), 'utf8')).toContain('<svg');
  });
});
