import { existsSync } from 'node:fs';
import nodePath from 'node:path';
import { expandHome, type PathRules } from './paths';

export type ConfigSource = 'flag' | 'env' | 'setting' | 'workspace' | 'user' | 'demo';

export interface FoundConfig {
  file: string;
  source: ConfigSource;
}

export interface FindOptions {
  /** The value of `-config`. */
  flag?: string;
  env: NodeJS.ProcessEnv;
  /** The setting `mm.config`. */
  setting?: string;
  /** The workspace folder; an untrusted one must not be passed (design, section 10). */
  workspace?: string;
  home: string;
  platform: NodeJS.Platform;
  /** The bundled demo's file. */
  demo?: string;
  /** Folder to which `-config` and `MM_CONFIG` are relative; the process's own by default. */
  cwd?: string;
  exists?(file: string): boolean;
}

/** The user's own `mm.yaml`, in the platform's folder for configuration. */
export function userConfigFile(o: Pick<FindOptions, 'env' | 'home' | 'platform'>): string {
  const rules = rulesOf(o.platform);
  if (o.platform === 'win32')
    return rules.join(o.env.APPDATA || rules.join(o.home, 'AppData', 'Roaming'), 'mm', 'mm.yaml');
  if (o.platform === 'darwin') return rules.join(o.home, 'Library', 'Application Support', 'mm', 'mm.yaml');
  const configured = o.env.XDG_CONFIG_HOME;
  // The XDG specification says that a relative path there is to be ignored.
  const base = configured && rules.isAbsolute(configured) ? configured : rules.join(o.home, '.config');
  return rules.join(base, 'mm', 'mm.yaml');
}

/** The file that comes with a workspace, and that has to be approved (design, section 10). */
export function workspaceConfigFile(workspace: string, platform: NodeJS.Platform = process.platform): string {
  return rulesOf(platform).join(workspace, '.mm', 'mm.yaml');
}

/**
 * Which `mm.yaml` holds, in the order of the design's section 6. What somebody named (flag, variable, setting) is taken also when
 * it does not exist, so that loading says so instead of something else being used silently.
 */
export function findConfig(o: FindOptions): FoundConfig | undefined {
  const rules = rulesOf(o.platform);
  const exists = o.exists ?? existsSync;
  const cwd = o.cwd ?? process.cwd();
  const named = (path: string, base: string) => rules.resolve(base, expandHome(path, o.home, rules));
  if (o.flag) return { file: named(o.flag, cwd), source: 'flag' };
  if (o.env.MM_CONFIG) return { file: named(o.env.MM_CONFIG, cwd), source: 'env' };
  if (o.setting) return { file: named(o.setting, o.workspace ?? o.home), source: 'setting' };
  if (o.workspace) {
    const file = workspaceConfigFile(o.workspace, o.platform);
    if (exists(file)) return { file, source: 'workspace' };
  }
  const user = userConfigFile(o);
  if (exists(user)) return { file: user, source: 'user' };
  return o.demo ? { file: o.demo, source: 'demo' } : undefined;
}

function rulesOf(platform: NodeJS.Platform): PathRules {
  if (platform === process.platform) return nodePath;
  return platform === 'win32' ? nodePath.win32 : nodePath.posix;
}
