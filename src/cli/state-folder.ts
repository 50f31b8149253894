import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's own folder for what a program remembers, and cannot make again. */
export function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'mm');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'mm');
  return join(env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : join(homedir(), '.local', 'state'), 'mm');
}
