import { beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/base/log';
import { pinsOf } from '../../../src/config/pins';
import type { MmConfig } from '../../../src/config/types';
import { type ConfigDeps, ConfigService, type ConfigSource, type ConfigState } from '../../../src/vscode/config';

const file = '/shop/.mm/mm.yaml';
const user = '/home/me/.config/mm/mm.yaml';

/** A disk of versions: content by file. */
class World {
  trusted = true;
  files = new Map<string, string>();
  approved = new Set<string>();
  watched: string[] = [];
  changed: () => void = () => {};
  reads: string[] = [];
  watchers = 0;
  loads = 0;
  beforeLoad: () => void = () => {};

  deps(): ConfigDeps {
    return {
      log: silentLog,
      trusted: () => this.trusted,
      find: async (withWorkspace) => {
        if (withWorkspace && this.files.has(file)) return { file, source: 'workspace' };
        if (this.files.has(user)) return { file: user, source: 'user' };
        return { file: '/ext/demo.yaml', source: 'demo' as ConfigSource };
      },
      load: async (name) => {
        this.beforeLoad();
        this.loads++;
        this.reads.push(name);
        const content = this.files.get(name) ?? '';
        if (content.includes('wrong')) {
          return {
            ok: false,
            file: name,
            errors: [{ severity: 'error', file: name, line: 3, column: 1, message: 'wrong' }],
            warnings: [],
          };
        }
        const config = {
          file: name,
          hash: `hash of ${content}`,
          acp: { title: content },
          mmConfigs: new Map([['bob', { kind: 'path', path: '/shop/.mm/bob.yaml', env: {} }]]),
        };
        return { ok: true, config: config as unknown as MmConfig, warnings: [] };
      },
      approvalOf: async (name) => {
        this.reads.push(name);
        return {
          hash: `hash of ${this.files.get(name)}`,
          files: [name, '/shop/.mm/bob.yaml'],
          programs: ['claude-agent-acp'],
          facts: [],
          pins: pinsOf(new Map([[name, `hash of ${this.files.get(name)}`]])),
        };
      },
      approved: (hash) => this.approved.has(hash),
      approve: async (hash) => void this.approved.add(hash),
      candidates: () => [file, user],
      watch: (files, changed) => {
        this.watched = [...files];
        this.changed = changed;
        this.watchers++;
        return { dispose: () => this.watchers-- };
      },
    };
  }
}

let world: World;
let service: ConfigService;
beforeEach(() => {
  world = new World();
  service = new ConfigService(world.deps());
});

describe('the window’s mm.yaml', () => {
  it('an untrusted workspace: nothing is read, nothing watched', async () => {
    world.trusted = false;
    world.files.set(file, 'a');
    await service.refresh();
    expect(service.state).toEqual({ kind: 'untrusted' });
    expect(world.reads).toEqual([]);
    expect(world.watched).toEqual([]);
    world.trusted = true;
    await service.refresh();
    expect(service.state.kind).toBe('approval');
  });

  it('a folder’s file is not loaded before its version is allowed', async () => {
    world.files.set(file, 'a');
    await service.refresh();
    expect(service.state).toEqual({
      kind: 'approval',
      file,
      hash: 'hash of a',
      files: [file, '/shop/.mm/bob.yaml'],
      programs: ['claude-agent-acp'],
      facts: [],
      seen: false,
      again: false,
    });
    service.markSeen('hash of a');
    expect(service.state).toMatchObject({ kind: 'approval', seen: true });
    await service.allow('hash of a');
    expect(service.state).toMatchObject({ kind: 'ready', source: 'workspace', config: { acp: { title: 'a' } } });
  });

  it('a changed letter asks again; the version before stays allowed', async () => {
    world.files.set(file, 'a');
    await service.refresh();
    await service.allow('hash of a');
    world.files.set(file, 'b');
    await service.refresh();
    expect(service.state).toMatchObject({ kind: 'approval', hash: 'hash of b', seen: false });
    world.files.set(file, 'a');
    await service.refresh();
    expect(service.state.kind).toBe('ready');
  });

  it('what is allowed is what was shown, not what the file became meanwhile', async () => {
    world.files.set(file, 'a');
    await service.refresh();
    world.files.set(file, 'evil');
    await service.allow('hash of a');
    expect(service.state).toMatchObject({ kind: 'approval', hash: 'hash of evil', again: true });
    expect(world.approved).toEqual(new Set(['hash of a']));
  });

  it.each(['allow', 'notNow', 'markSeen'] as const)(
    '%s on a card that has been replaced changes nothing but says so',
    async (act) => {
      world.files.set(file, 'a');
      await service.refresh();
      world.files.set(file, 'evil');
      await service.refresh();
      expect(service.state).toMatchObject({ hash: 'hash of evil', again: true });
      let told = 0;
      service.onDidChange(() => told++);
      await service[act]('hash of a');
      expect(service.state).toMatchObject({ kind: 'approval', hash: 'hash of evil', seen: false, again: true });
      expect(told).toBe(1);
      expect(world.approved).toEqual(new Set());
      await service.allow('hash of evil');
      expect(service.state.kind).toBe('ready');
    },
  );

  it('what was allowed goes along with the configuration; what the person named has nothing of the kind', async () => {
    world.files.set(file, 'a');
    world.approved.add('hash of a');
    await service.refresh();
    const { config } = service.state as Extract<ConfigState, { kind: 'ready' }>;
    expect(config.pins?.allows(file, 'hash of a')).toBe(true);
    expect(config.pins?.allows(file, 'hash of b')).toBe(false);
    expect(config.mmConfigs.get('bob')).toHaveProperty('pins', config.pins);
    world.files.delete(file);
    world.files.set(user, 'mine');
    await service.refresh();
    expect(service.state).not.toHaveProperty('config.pins');
  });

  it('a file that was another one only while it was read is not used', async () => {
    world.files.set(file, 'a');
    world.approved.add('hash of a');
    let reads = 0;
    const deps = world.deps();
    const load = deps.load;
    service = new ConfigService({
      ...deps,
      load: async (name) => {
        if (reads++ === 0) world.files.set(file, 'evil');
        const result = await load(name);
        world.files.set(file, 'a');
        return result;
      },
    });
    await service.refresh();
    expect(reads).toBe(2);
    expect(service.state).toMatchObject({ kind: 'ready', config: { acp: { title: 'a' } } });
  });

  it('a file that is written again and again is not read without a pause, and the end ends that', async () => {
    vi.useFakeTimers();
    try {
      world.files.set(file, 'a');
      world.approved.add('hash of a');
      const deps = world.deps();
      service = new ConfigService({
        ...deps,
        load: async (name) => {
          const result = await deps.load(name);
          return result.ok ? { ...result, config: { ...result.config, hash: 'another' } } : result;
        },
      });
      const refreshing = service.refresh();
      await vi.advanceTimersByTimeAsync(50);
      expect(world.loads).toBe(1);
      await vi.advanceTimersByTimeAsync(60);
      expect(world.loads).toBe(2);
      service.dispose();
      await refreshing;
    } finally {
      vi.useRealTimers();
    }
  });

  it('a file that is written between the hash and the reading is not used', async () => {
    world.files.set(file, 'a');
    world.approved.add('hash of a');
    world.beforeLoad = () => world.files.set(file, 'evil');
    await service.refresh();
    expect(service.state).toMatchObject({ kind: 'approval', hash: 'hash of evil' });
  });

  it('not now: the next place holds, until the file changes', async () => {
    world.files.set(file, 'a');
    await service.refresh();
    await service.notNow('hash of a');
    expect(service.state).toMatchObject({ kind: 'ready', source: 'demo' });
    world.files.set(file, 'b');
    await service.refresh();
    expect(service.state.kind).toBe('approval');
  });

  it('what the person has in their own place needs no approval', async () => {
    world.files.set(user, 'mine');
    await service.refresh();
    expect(service.state).toMatchObject({ kind: 'ready', source: 'user' });
  });

  it('an error stands with its line, and goes when the file is mended', async () => {
    world.files.set(user, 'wrong');
    await service.refresh();
    expect(service.state).toMatchObject({ kind: 'invalid', errors: [{ line: 3 }] });
    world.files.set(user, 'right');
    const seen = new Promise<void>((resolve) => service.onDidChange(() => resolve()));
    world.changed();
    await seen;
    expect(service.state.kind).toBe('ready');
  });

  it('watches the file, the files it names, and the places that would hold instead', async () => {
    world.files.set(user, 'mine');
    await service.refresh();
    expect(world.watched).toEqual([user, '/shop/.mm/bob.yaml', file].sort());
    await service.refresh();
    expect(world.watchers).toBe(1);
    service.dispose();
    expect(world.watchers).toBe(0);
  });

  it('nothing begins anew when nothing has changed', async () => {
    world.files.set(user, 'mine');
    await service.refresh();
    let told = 0;
    service.onDidChange(() => told++);
    await service.refresh();
    expect(told).toBe(0);
    expect(world.loads).toBe(1);
    world.files.set(user, 'other');
    await service.refresh();
    expect(told).toBe(1);
  });

  it('two changes at the same time are read in turn, and the last one holds', async () => {
    world.files.set(user, 'one');
    const first = service.refresh();
    world.files.set(user, 'two');
    await Promise.all([first, service.refresh()]);
    expect(service.state).toMatchObject({ config: { acp: { title: 'two' } } });
  });
});
