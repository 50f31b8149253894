import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../src/base/log';
import type { Node } from '../../src/chat/nodes';
import { loadConfig } from '../../src/config/load';
import type { Conversation } from '../../src/host/conversation';
import { Host, type HostConfig, type HostOptions } from '../../src/host/host';

const mm = fileURLToPath(new URL('../../dist/mm.mjs', import.meta.url));

export const demoFiles: Record<string, string> = {
  'mm.yaml':
    'acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  bob: {path: bob.yaml, description: Data}\n  riker: {path: riker.yaml}\n',
  'bob.yaml': 'acp: {title: Bob}\nprovider: demo\nmodel: demo\nmmConfigs:\n  riker: {path: riker.yaml}\n',
  'riker.yaml': 'acp: {title: Riker}\nprovider: demo\nmodel: demo\n',
};

/** A folder with a configuration, and hosts on it; everything ends with `dispose`. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'mm-host-'));
  readonly work = join(this.folder, 'work');
  readonly storage = join(this.folder, 'storage');
  readonly hosts: Host[] = [];

  constructor(files: Record<string, string> = demoFiles) {
    mkdirSync(this.work);
    this.write(files);
  }

  write(files: Record<string, string>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.folder, name), content);
  }

  /** A host as a window makes one, configured and ready. */
  async host(over: Partial<HostOptions> = {}): Promise<Host> {
    const host = new Host({
      log: silentLog,
      storageDir: this.storage,
      rulesFile: join(this.folder, 'rules.json'),
      self: { command: process.execPath, args: [mm], electron: false },
      parentEnv: process.env,
      clientInfo: { name: 'mm-test', version: '0' },
      ...over,
    });
    this.hosts.push(host);
    await host.setConfig(await this.config());
    return host;
  }

  async config(): Promise<HostConfig> {
    const loaded = await loadConfig(join(this.folder, 'mm.yaml'), process.env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    return { folders: [this.work], config: loaded.config };
  }

  async dispose(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.end()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for a state of affairs, looking whenever something of the host changes. */
export function until<T>(
  host: Host,
  conversation: Conversation,
  look: () => T | undefined | false,
  what = '',
): Promise<T> {
  return new Promise((resolve, reject) => {
    const done: { dispose(): void }[] = [];
    const end = (): void => {
      clearTimeout(timer);
      for (const d of done) d.dispose();
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`waited in vain for ${what || look.toString()}\n${outline(conversation).join('\n')}`));
    }, 30_000);
    const check = (): void => {
      const value = look();
      if (value === undefined || value === false) return;
      end();
      resolve(value);
    };
    done.push(conversation.onPatches(check), conversation.onState(check), host.queue.onDidChange(check));
    check();
  });
}

/** Nothing runs any more. */
export async function idle(host: Host, conversation: Conversation): Promise<void> {
  await until(host, conversation, () => !conversation.working && conversation.state().running.length === 0, 'quiet');
}

export function nodes<K extends Node['kind']>(conversation: Conversation, kind: K): Extract<Node, { kind: K }>[] {
  return conversation.snapshot().filter((n): n is Extract<Node, { kind: K }> => n.kind === kind);
}

/** A turn's or ask's words. */
export function wordsOf(conversation: Conversation, id: string): string {
  return nodes(conversation, 'text')
    .filter((n) => n.parent === id)
    .map((n) => n.text)
    .join('');
}

/** A conversation in short, for failed tests. */
export function outline(conversation: Conversation): string[] {
  return conversation.snapshot().map((n) => {
    const short = n.kind === 'text' || n.kind === 'thought' || n.kind === 'user' ? n.text.slice(0, 200) : '';
    const end = n.kind === 'turn' || n.kind === 'ask' ? `${n.agent.name} ${n.state} ${JSON.stringify(n.end)}` : '';
    const tool = n.kind === 'tool' || n.kind === 'permission' ? `${n.name} ${n.state}` : '';
    const notice = n.kind === 'notice' ? n.title : '';
    return `${n.id} ${n.parent ?? '-'} ${n.kind} ${short}${end}${tool}${notice}`;
  });
}
