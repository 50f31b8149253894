import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's own folder for what can be made again: nobody else can put anything there. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'mm');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'mm');
  return join(env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(homedir(), '.cache'), 'mm');
}
